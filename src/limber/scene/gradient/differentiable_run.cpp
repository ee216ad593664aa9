#include "limber/scene/gradient/differentiable_run.hpp"

#include <fmt/format.h>

#include "limber/core/errors.hpp"
#include "limber/scene/run/facts.hpp"

namespace limber {
namespace {

/// Motions whose forces remember the past are differentiated forwards, which costs solves for each component.
constexpr Index most_forwards = 200;

Scene with_equal_steps(Scene scene) {
  if (scene.time.accuracy)
    throw InputError("time.step",
                     "follows the error, so that the number of steps changes with the parameters; "
                     "derivatives need a constant step, such as 0.01");
  return scene;
}

}  // namespace

DifferentiableRun::DifferentiableRun(const Document& document, const std::string& base,
                                     const std::vector<std::string>& parameters, const FileAccess& access,
                                     const OtherValues& other)
    : scene_(with_accurate_solutions(with_equal_steps(read_scene(document, vocabulary(), base, access)))),
      model_(model_with(other, scene_)),
      parameters_(document, base, parameters, access, scene_, model_, RunParameters::Of::motion, other) {
  restart();
  require_differentiable(*simulation_, model_.start.t + scene_.time.duration);
}

DifferentiableRun::~DifferentiableRun() = default;

long DifferentiableRun::steps() const { return step_count(scene_.time); }

void DifferentiableRun::restart() {
  motion_.reset();
  simulation_.reset();
  simulation_.emplace(build_simulation(scene_, model_, StageRecords::kept));
  motion_.emplace(*simulation_, method_settings(scene_.method), parameters_.variations());
}

void DifferentiableRun::run(long steps, const Visit& visit) {
  restart();
  taken_ = steps;
  motion_->run(steps, [&](long k, const State& u) { visit(k, model_.system->full(u)); });
}

ParameterLists DifferentiableRun::gradient(const std::function<FullAdjoint(long step)>& of_state) {
  const bool forwards_only = by_whole_steps(simulation_->method(), *model_.system) || follows_motion(*model_.system);
  return forwards_only ? by_forwards(of_state) : backwards(of_state);
}

StateAdjoint DifferentiableRun::restricted(const FullAdjoint& full) const {
  const UnknownMap& map = model_.system->map();
  return {full.q.size() > 0 ? map.gather(full.q) : Vector(), full.v.size() > 0 ? map.gather(full.v) : Vector()};
}

ParameterLists DifferentiableRun::backwards(const std::function<FullAdjoint(long step)>& of_state) {
  const MechanicalSystem& system = *model_.system;
  ParameterLists gradient = parameters_.zero();
  const auto powers = [&](std::size_t p) {
    return Eigen::Map<Vector>(gradient[p].data(), static_cast<Index>(gradient[p].size()));
  };
  const bool move = parameters_.move();
  const double h = simulation_->step_length();
  const MotionAdjoint adjoint = motion_->backwards([&](long k) {
    const FullAdjoint full = of_state(k);
    if (move) {
      // Unknowns may be anything here: only prescribed nodes are looked at.
      State u = model_.start;
      u.t = model_.start.t + static_cast<double>(k) * h;
      for (std::size_t p = 0; p < gradient.size(); ++p)
        if (const SystemVariation* variation = parameters_.variation(p); variation && variation->moves())
          variation->add_placed_powers(u, {full.q, full.v, 0, full.a}, powers(p));
    }
    return restricted(full);
  });
  const auto spread = [&](const Vector& x) {
    return x.size() > 0 ? system.map().on_nodes(x) : Vector(Vector::Zero(3 * static_cast<Index>(system.nodes())));
  };
  Index first = 0;
  for (std::size_t p = 0; p < gradient.size(); ++p) {
    const SystemVariation* variation = parameters_.variation(p);
    if (!variation) {
      powers(p) = spread(parameters()[p].name == initial_positions ? adjoint.start.q : adjoint.start.v);
      continue;
    }
    powers(p) += adjoint.parameters.segment(first, variation->size());
    first += variation->size();
    variation->add_start_powers(adjoint.start.q, adjoint.start.v, powers(p));
  }
  return gradient;
}

void DifferentiableRun::add_to_variations(const std::function<Vector(SystemVariation&)>& of, ParameterLists& to) {
  for (std::size_t p = 0; p < to.size(); ++p) {
    SystemVariation* variation = parameters_.variation(p);
    if (variation) Eigen::Map<Vector>(to[p].data(), static_cast<Index>(to[p].size())) += of(*variation);
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
  Vector sum = Vector::Zero(parameters_.components());
  forwards(taken_, [&](long k, const State& u, const Matrix& dq, const Matrix& dv) {
    const FullAdjoint adjoint = of_state(k);
    if (adjoint.q.size() > 0) sum += dq.transpose() * adjoint.q;
    if (adjoint.v.size() > 0) sum += dv.transpose() * adjoint.v;
    if (adjoint.a.size() == 0) return;
    State then = model_.start;  // only prescribed nodes are looked at
    then.t = u.t;
    Index first = 0;
    for (const SystemVariation* variation : parameters_.variations()) {
      if (variation->moves())
        variation->add_placed_powers(then, {{}, {}, 0, adjoint.a}, sum.segment(first, variation->size()));
      first += variation->size();
    }
  });
  return parameters_.split(sum);
}

void DifferentiableRun::forwards(long steps, const VisitChange& visit) {
  for (const RunParameter& p : parameters())
    if (p.by_nodes)
      throw InputError(
          p.name,
          "has a component for each node, which takes a gradient backwards; viscosity, damping that turns "
          "with the body, hybrids, ERE, A-search, lagged friction and fits to a table need one forwards; a search by "
          "an objective, such as probes, does not");
  if (parameters_.components() > most_forwards)
    throw InputError("parameters", fmt::format("have {} components; a gradient forwards takes up to {}, and so does a "
                                               "fit to a table; a search by an objective, such as probes, takes more",
                                               parameters_.components(), most_forwards));
  const MechanicalSystem& system = *model_.system;
  restart();
  motion_->forwards(steps, [&](long k, const State& u, const StateChange& change) {
    const Index n = 3 * static_cast<Index>(system.nodes()), width = change.q.cols();
    Matrix dq(n, width), dv(n, width);
    for (Index j = 0; j < width; ++j) {
      dq.col(j) = system.spread(change.q.col(j));
      dv.col(j) = system.spread(change.v.col(j));
    }
    Index first = 0;
    for (const SystemVariation* variation : parameters_.variations())
      for (Index c = 0; c < variation->size(); ++c, ++first)
        if (variation->moves()) {
          const State placed = variation->placed(u, c);
          dq.col(first) += placed.q;
          dv.col(first) += placed.v;
        }
    visit(k, system.full(u), dq, dv);
  });
}

}  // namespace limber
