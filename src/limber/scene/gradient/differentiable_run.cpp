#include "limber/scene/gradient/differentiable_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/gradient/parameter_variation.hpp"
#include "limber/scene/construction/scene_parameters.hpp"
#include "limber/scene/gradient/element_variation.hpp"
#include "limber/scene/gradient/model_variation.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"

namespace limber {
namespace {

/// Newton's tolerance relative to the size of the scene: a gradient is that of the exact stage equations.
constexpr double gradient_tolerance = 1e-10;
/// Motions whose forces remember the past are differentiated forwards, which costs solves for each component.
constexpr Index most_forwards = 200;

Scene with_accurate_stages(Scene scene) {
  scene.method.newton_tolerance = std::min(scene.method.newton_tolerance, gradient_tolerance);
  return scene;
}

}  // namespace

DifferentiableRun::DifferentiableRun(const Document& document, const std::string& base,
                                     const std::vector<std::string>& parameters, const FileAccess& access,
                                     const OtherValues& other)
    : scene_(with_accurate_stages(read_scene(document, vocabulary(), base, access))), model_(build_model(scene_)) {
  use(other, parameters);
  const auto offered = offer_parameters(document, std::make_shared<const Scene>(scene_), model_);
  restart();
  require_differentiable(*simulation_, model_.start.t + scene_.time.duration);
  const std::vector<Parameter> all = offered->parameters();
  const auto build = [&](const nlohmann::json& other) {
    return build_model(with_accurate_stages(read_scene(other, vocabulary(), base, access)));
  };
  for (const std::string& name : parameters) {
    moves_.push_back(nullptr);
    if (name == "initial.positions" || name == "initial.velocities") {
      const State full = model_.system->full(model_.start);
      const Vector& x = name == "initial.positions" ? full.q : full.v;
      kinds_.push_back(name == "initial.positions" ? Kind::start_positions : Kind::start_velocities);
      parameters_.push_back({name, {x.begin(), x.end()}, true});
      continue;
    }
    kinds_.push_back(Kind::variation);
    if (const auto body = body_of_elements(name)) {
      const auto moduli = other.element_moduli.find(*body);
      const bool own = moduli != other.element_moduli.end();
      variations_.push_back(make_element_variation(scene_, model_, *body, name, own ? &moduli->second : nullptr));
      parameters_.push_back({name, own ? moduli->second : element_moduli(scene_, model_, *body), true});
      continue;
    }
    const auto known = std::find_if(all.begin(), all.end(), [&](const Parameter& p) { return p.name == name; });
    if (known != all.end()) {
      parameters_.push_back({name, known->values, known->is_list});
      variations_.push_back(make_variation(*model_.system, name));
      continue;
    }
    const nlohmann::json& json = json_of(document);
    const DocumentNumbers numbers = find_numbers(json, name);
    auto variation = std::make_unique<ModelVariation>(model_, json, name, numbers, build);
    moves_.back() = variation.get();
    parameters_.push_back({name, numbers.values, numbers.is_list});
    variations_.push_back(std::move(variation));
  }
}

DifferentiableRun::~DifferentiableRun() = default;

void DifferentiableRun::use(const OtherValues& other, const std::vector<std::string>& parameters) {
  for (const auto& [body, moduli] : other.element_moduli) {
    set_element_moduli(scene_, model_, body, moduli);
    // The numbers of a scene, in which differences are taken, have no moduli of elements.
    const std::string before = fmt::format("bodies[{}].", body);
    for (const std::string& name : parameters) {
      if (!name.starts_with(before) || body_of_elements(name) || name.ends_with(".density")) continue;
      const std::string key = name.substr(before.size());
      if (key.starts_with("material") || key.starts_with("scale"))
        throw InputError(name, "cannot be varied together with the moduli of the body's elements");
    }
  }
  if (other.positions.size() == 0 && other.velocities.size() == 0) return;
  const State full = model_.system->full(model_.start);
  const auto given = [](const Vector& x, const Vector& else_x) -> const Vector& { return x.size() > 0 ? x : else_x; };
  model_.start = model_.system->state(given(other.positions, full.q), given(other.velocities, full.v), model_.start.t);
}

long DifferentiableRun::steps() const { return step_count(scene_.time); }

Index DifferentiableRun::components() const {
  Index sum = 0;
  for (const RunParameter& p : parameters_) sum += static_cast<Index>(p.values.size());
  return sum;
}

void DifferentiableRun::restart() {
  motion_.reset();
  simulation_.reset();
  simulation_.emplace(build_simulation(scene_, model_, StageRecords::kept));
  std::vector<SystemVariation*> variations;
  for (const auto& v : variations_) variations.push_back(v.get());
  motion_.emplace(*simulation_, method_settings(scene_.method), std::move(variations));
}

void DifferentiableRun::run(long steps, const Visit& visit) {
  restart();
  taken_ = steps;
  motion_->run(steps, [&](long k, const State& u) { visit(k, model_.system->full(u)); });
}

ParameterLists DifferentiableRun::gradient(const std::function<FullAdjoint(long step)>& of_state) {
  return follows_motion(*model_.system) ? by_forwards(of_state) : backwards(of_state);
}

StateAdjoint DifferentiableRun::restricted(const FullAdjoint& full) const {
  const UnknownMap& map = model_.system->map();
  return {full.q.size() > 0 ? map.gather(full.q) : Vector(), full.v.size() > 0 ? map.gather(full.v) : Vector()};
}

ParameterLists DifferentiableRun::backwards(const std::function<FullAdjoint(long step)>& of_state) {
  const MechanicalSystem& system = *model_.system;
  ParameterLists gradient = zeros();
  const bool moves = !system.map().prescribed_nodes().empty() &&
                     std::any_of(moves_.begin(), moves_.end(), [](auto* m) { return m != nullptr; });
  const double h = simulation_->step_length();
  const MotionAdjoint adjoint = motion_->backwards([&](long k) {
    const FullAdjoint full = of_state(k);
    if (moves) {
      // Unknowns may be anything here: only prescribed nodes are looked at.
      State u = model_.start;
      u.t = model_.start.t + static_cast<double>(k) * h;
      for (std::size_t p = 0; p < parameters_.size(); ++p)
        for (std::size_t c = 0; moves_[p] && c < gradient[p].size(); ++c) {
          const State change = moves_[p]->placed(u, static_cast<Index>(c));
          if (full.q.size() > 0) gradient[p][c] += full.q.dot(change.q);
          if (full.v.size() > 0) gradient[p][c] += full.v.dot(change.v);
          if (full.a.size() > 0) gradient[p][c] += full.a.dot(change.a);
        }
    }
    return restricted(full);
  });
  const auto spread = [&](const Vector& x) {
    return x.size() > 0 ? system.map().on_nodes(x) : Vector(Vector::Zero(3 * static_cast<Index>(system.nodes())));
  };
  Index first = 0;
  for (std::size_t p = 0, v = 0; p < parameters_.size(); ++p) {
    if (kinds_[p] != Kind::variation) {
      const Vector x = spread(kinds_[p] == Kind::start_positions ? adjoint.start.q : adjoint.start.v);
      gradient[p].assign(x.begin(), x.end());
      continue;
    }
    const SystemVariation& variation = *variations_[v++];
    for (Index c = 0; c < variation.size(); ++c) {
      double& g = gradient[p][static_cast<std::size_t>(c)];
      g += adjoint.parameters[first++];
      const State start = variation.start(c);
      if (start.q.size() > 0 && adjoint.start.q.size() > 0) g += start.q.dot(adjoint.start.q);
      if (start.v.size() > 0 && adjoint.start.v.size() > 0) g += start.v.dot(adjoint.start.v);
    }
  }
  return gradient;
}

ParameterLists DifferentiableRun::zeros() const {
  ParameterLists all;
  for (const RunParameter& p : parameters_) all.emplace_back(p.values.size(), 0.0);
  return all;
}

void DifferentiableRun::add_to_variations(const std::function<Vector(SystemVariation&)>& of, ParameterLists& to) {
  for (std::size_t p = 0, v = 0; p < parameters_.size(); ++p) {
    if (kinds_[p] != Kind::variation) continue;
    const Vector more = of(*variations_[v++]);
    for (Index c = 0; c < more.size(); ++c) to[p][static_cast<std::size_t>(c)] += more[c];
  }
}

void DifferentiableRun::add_changes(const SystemQuantity& quantity, double factor, ParameterLists& to) {
  add_to_variations([&](SystemVariation& v) { return Vector(factor * v.changes(quantity)); }, to);
}

void DifferentiableRun::add_powers(const CallEquation& equation, const Vector& w, ParameterLists& to) {
  const auto powers = [&](SystemVariation& v) {
    Vector sum = Vector::Zero(v.size());
    v.add_powers(equation, w, sum);
    return sum;
  };
  add_to_variations(powers, to);
}

ParameterLists DifferentiableRun::by_forwards(const std::function<FullAdjoint(long step)>& of_state) {
  Vector sum = Vector::Zero(components());
  forwards(taken_, [&](long k, const State& u, const Matrix& dq, const Matrix& dv) {
    const FullAdjoint adjoint = of_state(k);
    if (adjoint.q.size() > 0) sum += dq.transpose() * adjoint.q;
    if (adjoint.v.size() > 0) sum += dv.transpose() * adjoint.v;
    if (adjoint.a.size() == 0) return;
    State then = model_.start;  // only prescribed nodes are looked at
    then.t = u.t;
    Index first = 0;
    for (std::size_t p = 0; p < parameters_.size(); ++p)
      for (std::size_t c = 0; c < parameters_[p].values.size(); ++c, ++first)
        if (moves_[p]) sum[first] += adjoint.a.dot(moves_[p]->placed(then, static_cast<Index>(c)).a);
  });
  ParameterLists gradient;
  Index first = 0;
  for (const RunParameter& p : parameters_) {
    const auto size = static_cast<Index>(p.values.size());
    gradient.emplace_back(sum.begin() + first, sum.begin() + first + size);
    first += size;
  }
  return gradient;
}

void DifferentiableRun::forwards(long steps, const VisitChange& visit) {
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    if (kinds_[p] != Kind::variation)
      throw InputError(parameters_[p].name,
                       "has a component for each node, which takes a gradient backwards; viscosity, damping that turns "
                       "with the body and fits need one forwards");
  if (components() > most_forwards)
    throw InputError("parameters", fmt::format("have {} components; a gradient forwards takes up to {}", components(),
                                               most_forwards));
  const MechanicalSystem& system = *model_.system;
  restart();
  motion_->forwards(steps, [&](long k, const State& u, const StateChange& change) {
    const Index n = 3 * static_cast<Index>(system.nodes()), width = change.q.cols();
    Matrix dq(n, width), dv(n, width);
    for (Index j = 0; j < width; ++j) {
      dq.col(j) = system.spread(change.q.col(j));
      dv.col(j) = system.spread(change.v.col(j));
    }
    if (!system.map().prescribed_nodes().empty()) {
      Index first = 0;
      for (std::size_t p = 0; p < parameters_.size(); ++p)
        for (std::size_t c = 0; c < parameters_[p].values.size(); ++c, ++first)
          if (moves_[p]) {
            const State placed = moves_[p]->placed(u, static_cast<Index>(c));
            dq.col(first) += placed.q;
            dv.col(first) += placed.v;
          }
    }
    visit(k, system.full(u), dq, dv);
  });
}

}  // namespace limber
