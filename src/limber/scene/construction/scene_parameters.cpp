#include "limber/scene/construction/scene_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/scene/construction/build_thin.hpp"
#include "limber/scene/construction/parameter_change.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

nlohmann::json without_meshes(const nlohmann::json& scene) {
  nlohmann::json light = nlohmann::json::object();
  for (const auto& [key, value] : scene.items()) {
    if (key != "bodies") {
      light[key] = value;
      continue;
    }
    for (const auto& body : value) {
      nlohmann::json rest = {{"mesh", nlohmann::json::object()}};
      for (const auto& [name, part] : body.items())
        if (name != "mesh") rest[name] = part;
      light["bodies"].push_back(std::move(rest));
    }
  }
  return light;
}

}  // namespace

struct SceneParameters::Live {
  nlohmann::json json;  // without meshes
  LiveBodies bodies;
  std::vector<ForceOrigin> origins;  // of the forces of the system
};

SceneParameters::SceneParameters(const Document& document, std::shared_ptr<const Scene> scene, const Model& model)
    : system_(model.system.get()),
      document_(document),
      now_(std::move(scene)),
      live_(new Live{without_meshes(json_of(document)), LiveBodies(*now_, model), model.origins}),
      contact_(model.contact.has_value()) {}

SceneParameters::~SceneParameters() = default;

std::vector<ParameterEntry> SceneParameters::entries() const {
  return parameter_entries({*now_, live_->json, live_->bodies}, contact_);
}

std::vector<Parameter> SceneParameters::parameters() const {
  std::vector<Parameter> all;
  for (ParameterEntry& entry : entries()) all.push_back(std::move(entry.now));
  return all;
}

Parameter SceneParameters::parameter(const std::string& name) const { return find_entry(entries(), name).now; }

std::vector<Parameter> SceneParameters::changed() const { return changed_; }
std::vector<Parameter> SceneParameters::before_changes() const { return before_; }

SystemChange SceneParameters::prepare(std::span<const Parameter> values) {
  if (system_->space().shared())
    throw InputError(values.empty() ? "parameters" : values[0].name,
                     "cannot be changed while the motion goes on on several processes");
  pending_.reset();
  const std::vector<ParameterEntry> all = entries();
  ParameterChange change(*system_, {*now_, live_->json, live_->bodies}, live_->origins);
  std::vector<const ParameterEntry*> chosen;
  for (const Parameter& value : values) {
    chosen.push_back(&find_entry(all, value.name));
    change.take(*chosen.back(), value, fmt::format("{} {}", value.name, ++fields_made_));
  }
  for (const ParameterEntry* entry : chosen) change.read_again(*entry);
  SystemChange made = change.make();
  pending_ = std::make_unique<ChangedScene>(std::move(change.result()));
  return made;
}

void SceneParameters::commit() {
  if (!pending_) return;
  ChangedScene& next = *pending_;
  now_ = next.scene;
  live_->json = std::move(next.json);
  live_->origins = std::move(next.origins);
  for (auto& [b, body] : next.bodies) live_->bodies.change(b, std::move(body));
  const auto put = [](std::vector<Parameter>& list, const Parameter& p, bool replace) {
    const auto known = std::find_if(list.begin(), list.end(), [&](const Parameter& q) { return q.name == p.name; });
    if (known == list.end())
      list.push_back(p);
    else if (replace)
      *known = p;
  };
  for (const Parameter& p : next.before) put(before_, p, false);
  for (const Parameter& p : next.values) put(changed_, p, true);
  pending_.reset();
}

Document SceneParameters::document() const {
  nlohmann::json whole = json_of(document_);
  for (const auto& [key, value] : live_->json.items())
    if (key != "bodies") whole[key] = value;
  for (std::size_t b = 0; b < now_->bodies.size(); ++b)
    for (const auto& [key, value] : live_->json["bodies"][b].items())
      if (key != "mesh") whole["bodies"][b][key] = value;
  return document_of(std::move(whole));
}

void SceneParameters::update(Model& model) const {
  for (const auto& [b, live] : live_->bodies.changed()) {
    Body& body = model.bodies[static_cast<std::size_t>(b)];
    const PlacedBody& p = live->placed;
    body.mass = 0;
    for (const NodalMass& m : p.masses) body.mass += (m.a == m.b ? 1 : 2) * m.m;
    body.wave_speed = p.thin ? thin_wave_speed(body, *p.thin) : p.materials.wave_speed;
  }
}

std::shared_ptr<SceneParameters> offer_parameters(const Document& document, std::shared_ptr<const Scene> scene,
                                                  const Model& model) {
  auto parameters = std::make_shared<SceneParameters>(document, std::move(scene), model);
  model.system->offer(parameters);
  return parameters;
}

}  // namespace limber
