#include "limber/scene/gradient/run_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/gradient/motion_gradient.hpp"
#include "limber/gradient/parameter_variation.hpp"
#include "limber/scene/construction/scene_parameters.hpp"
#include "limber/scene/gradient/element_variation.hpp"
#include "limber/scene/gradient/model_variation.hpp"
#include "limber/scene/gradient/rest_variation.hpp"
#include "limber/scene/json.hpp"

namespace limber {

namespace {

/// The numbers of a scene, in which differences are taken, have no moduli of elements.
void require_together(const OtherValues& other, const std::vector<std::string>& names) {
  for (const auto& [body, moduli] : other.element_moduli) {
    const std::string before = fmt::format("bodies[{}].", body);
    for (const std::string& name : names) {
      if (!name.starts_with(before) || body_of_elements(name) || name.ends_with(".density")) continue;
      const std::string key = name.substr(before.size());
      if (key.starts_with("material") || key.starts_with("scale"))
        throw InputError(name, "cannot be varied together with the moduli of the body's elements");
    }
  }
}

}  // namespace

Model model_with(const OtherValues& other, const Scene& scene) {
  Model model = build_model(scene);
  for (const auto& [body, moduli] : other.element_moduli) set_element_moduli(scene, model, body, moduli);
  if (other.positions.size() == 0 && other.velocities.size() == 0) return model;
  const State full = model.system->full(model.start);
  const auto given = [](const Vector& x, const Vector& else_x) -> const Vector& { return x.size() > 0 ? x : else_x; };
  model.start = model.system->state(given(other.positions, full.q), given(other.velocities, full.v), model.start.t);
  return model;
}

Scene with_accurate_solutions(Scene scene) {
  constexpr double tolerance = 1e-10;  // Newton's relative to the size of the scene, and of the exponential
  scene.method.newton_tolerance = std::min(scene.method.newton_tolerance, tolerance);
  scene.method.krylov_tolerance = std::min(scene.method.krylov_tolerance.value_or(1), tolerance);
  return scene;
}

RunParameters::RunParameters(const Document& document, const std::string& base, const std::vector<std::string>& names,
                             const FileAccess& access, const Scene& scene, Model& model, Of of,
                             const OtherValues& other) {
  require_together(other, names);
  const auto offered = offer_parameters(document, std::make_shared<const Scene>(scene), model);
  const std::vector<Parameter> all = offered->parameters();
  const auto build = [&](const nlohmann::json& other) {
    return build_model(with_accurate_solutions(read_scene(other, vocabulary(), base, access)));
  };
  const bool whole_models = of == Of::motion && by_whole_steps(find_method(scene.method.name), *model.system);
  for (const std::string& name : names) {
    if (name == initial_positions || name == initial_velocities) {
      if (of == Of::equilibrium) throw InputError(name, "an equilibrium does not depend on the state at the start");
      const State full = model.system->full(model.start);
      const Vector& x = name == initial_positions ? full.q : full.v;
      variations_.push_back(nullptr);
      list_.push_back({name, {x.begin(), x.end()}, true, true});
      continue;
    }
    if (const auto body = body_of_elements(name)) {
      const auto moduli = other.element_moduli.find(*body);
      const bool own = moduli != other.element_moduli.end();
      variations_.push_back(make_element_variation(scene, model, *body, name, own ? &moduli->second : nullptr));
      list_.push_back({name, own ? moduli->second : element_moduli(scene, model, *body), true});
      continue;
    }
    if (const auto body = body_of_rest(name)) {
      variations_.push_back(make_rest_variation(scene, model, *body, name, of == Of::motion));
      list_.push_back({name, rest_positions(model, *body), true, true});
      continue;
    }
    const auto known = std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.name == name; });
    if (known != all.end() && !whole_models) {
      list_.push_back({name, known->values, known->is_list});
      variations_.push_back(make_variation(*model.system, name));
      continue;
    }
    const nlohmann::json& json = json_of(document);
    const DocumentNumbers numbers = known != all.end() ? numbers_of(json, *known) : find_numbers(json, name);
    variations_.push_back(std::make_unique<ModelVariation>(model, json, name, numbers, build));
    list_.push_back({name, numbers.values, numbers.is_list});
  }
}

Index RunParameters::components() const {
  Index sum = 0;
  for (const RunParameter& p : list_) sum += static_cast<Index>(p.values.size());
  return sum;
}

ParameterLists RunParameters::zero() const { return split(Vector::Zero(components())); }

ParameterLists RunParameters::split(const Vector& all) const {
  ParameterLists lists;
  Index first = 0;
  for (const RunParameter& p : list_) {
    const auto size = static_cast<Index>(p.values.size());
    lists.emplace_back(all.begin() + first, all.begin() + first + size);
    first += size;
  }
  return lists;
}

std::vector<SystemVariation*> RunParameters::variations() const {
  std::vector<SystemVariation*> some;
  for (const auto& v : variations_)
    if (v) some.push_back(v.get());
  return some;
}

bool RunParameters::move() const {
  return std::any_of(variations_.begin(), variations_.end(), [](const auto& v) { return v && v->moves(); });
}

}  // namespace limber
