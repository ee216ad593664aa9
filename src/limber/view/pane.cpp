#include "limber/view/pane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/scene/advice/decide.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/run.hpp"

namespace limber {
namespace {

/// Stretched by the diagonal of the body's box, the hand pulls with so many times the body's weight on earth.
constexpr double hand_strength = 3;
/// How far around a point the hand holds, in parts of that diagonal. One that holds few nodes tears the elements around
/// them, and steps in which elements are torn take long.
constexpr double hand_radius = .05;

}  // namespace

EnergySample StepRow::sample() const {
  const Energies& e = energies;
  return {time,   e.kinetic, e.elastic, e.gravitational, e.contact, e.other, e.total(), damping_loss + friction_loss,
          wall_ms};
}

Pane::Pane(const Document& document, const FileAccess& access, Use use, const std::optional<State>& start)
    : document_(use == Use::show ? document : with_method_decided(document, "", access)),
      scene_(read_scene(document_, vocabulary(), "", access)),
      hand_(std::make_shared<PullForce>()) {
  if (use == Use::show) return;
  model_ = build_model(scene_, {[this](const State&) { return hand_; }});
  if (start) {
    if (const int nodes = model_.system->nodes(); start->q.size() != 3 * static_cast<Index>(nodes))
      throw InputError("bodies", fmt::format("have {} nodes now, but the motion goes on from {}; start the scene anew",
                                             nodes, start->q.size() / 3));
    model_.start_at(*start, scene_.time.step);
  }
  parameters_ = offer_parameters(document_, {std::shared_ptr<void>(), &scene_}, model_);
  simulation_.emplace(build_simulation(scene_, model_));
  checkpoints_.emplace(scene_.output, model_.system->size());
  checkpoints_->begin(*simulation_);
}

void Pane::step() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  record_ = simulation_->step();
  record_.notes.clear();
  record_.remarks.clear();
  // A run begins anew with its factors at its checkpoints: so that the bits are those of a run.
  if (checkpoints_->due(*simulation_)) {
    simulation_->snapshot();
    checkpoints_->begin(*simulation_);
  }
  step_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void Pane::pull(const BodyPoint& point, const Vec3& to) {
  simulation_->change_forces([&] {
    if (!hand_->pulls() || hand_->point() != point) grasp(point);
    hand_->pull_to(to);
  });
}

std::optional<std::vector<Parameter>> Pane::numbers(const std::vector<std::string>& changes) {
  if (!parameters_) return std::nullopt;
  std::vector<Parameter> values;
  const std::vector<Parameter> known = parameters_->parameters();
  for (const std::string& change : changes) {
    const auto equals = change.find('=');
    const std::string name = change.substr(0, equals);
    const nlohmann::json value = parse_or_discard(change.substr(equals + 1));
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const Parameter& p) { return p.name == name; });
    const bool is_list =
        value.is_array() && std::all_of(value.begin(), value.end(), [](const auto& x) { return x.is_number(); });
    if (!is_known || !(value.is_number() || is_list)) return std::nullopt;
    values.push_back({name, is_list ? value.get<std::vector<double>>() : std::vector{value.get<double>()}, is_list});
  }
  if (!values.empty()) parameters_->prepare(values);
  return values;
}

void Pane::change(const std::vector<Parameter>& numbers) {
  simulation_->set_parameters(numbers);
  parameters_->update(model_);
  document_ = parameters_->document();
}

void Pane::grasp(const BodyPoint& point) {
  const auto largest = std::max_element(point.weights.begin(), point.weights.end()) - point.weights.begin();
  const int node = point.nodes[static_cast<std::size_t>(largest)];
  const Body* body = &model_.bodies[0];
  for (const Body& other : model_.bodies)
    if (node >= other.first_node) body = &other;
  const double diagonal = std::max(bounding_box(body->rest.nodes).diagonal(), 1e-9);
  hand_->grasp(point, nodes_around(point, body->first_node, body->rest.nodes, hand_radius * diagonal), full().q,
               hand_strength * 9.81 * body->mass / diagonal);
}

void Pane::release() {
  if (!simulation_) return;
  simulation_->change_forces([&] { hand_->release(); });
}

std::vector<Parameter> Pane::numbers() const {
  if (!parameters_) return {};
  return parameters_->parameters();
}

StepRow Pane::row() const {
  if (!simulation_) return {};
  return {time(),
          simulation_->energies(),
          before_.damping_loss + simulation_->damping_loss(),
          before_.friction_loss + simulation_->friction_loss(),
          before_.put_in + simulation_->account().put_in(),
          before_.put_in_doubt + simulation_->account().doubt(),
          record_,
          step_ms_};
}

void Pane::count_on_from(const StepRow& last) {
  before_ = last;
  before_.put_in += simulation_->energies().total() - last.energies.total();
}

Pane::Touching Pane::touching() const {
  Touching all;
  const int nodes = model_.system->nodes();
  all.at_nodes = Vector::Zero(nodes);
  if (!model_.contact) return all;
  for (const ContactPoint& p : contact_points(*model_.contact, model_.system->full(simulation_->acting()))) {
    all.arrows.push_back({p.point, p.normal_force * p.normal + p.friction});
    for (const int node : p.nodes)
      if (node >= 0 && node < nodes) all.at_nodes[node] += p.normal_force;
  }
  return all;
}

}  // namespace limber
