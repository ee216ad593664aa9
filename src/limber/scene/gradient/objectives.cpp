#include "limber/scene/gradient/objectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/gradient/parameter_variation.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/scene/gradient/observed_probes.hpp"
#include "limber/scene/gradient/reaction.hpp"

namespace limber {
namespace {

double start_of(const DifferentiableRun& run) { return run.model().start.t; }

/// The step nearest to a time; without one the last.
long step_near(std::optional<double> time, const DifferentiableRun& run) {
  if (!time) return run.steps();
  require_time_within(*time, run, "objective");
  return std::clamp(std::lround((*time - start_of(run)) / run.scene().time.step), 0L, run.steps());
}

ObjectiveValue nothing(const RunStates& states) {
  ObjectiveValue value;
  value.by_states.resize(static_cast<std::size_t>(states.count()));
  return value;
}

Vector& made(Vector& x, Index size) {
  if (x.size() == 0) x = Vector::Zero(size);
  return x;
}

class ProbesObjective final : public Objective {
 public:
  ProbesObjective(Observations observed, const std::map<std::string, double>& weights)
      : observed_(std::move(observed)), weights_(Vector::Ones(std::ssize(observed_.columns))) {
    for (const auto& [probe, weight] : weights) {
      if (!(weight > 0 && std::isfinite(weight)))
        throw InputError("weights", fmt::format("{} of {} is not above 0", weight, in_quotes(probe)));
      bool found = false;
      for (std::size_t c = 0; c < observed_.columns.size(); ++c)
        if (observed_.columns[c].probe == probe) {
          weights_[static_cast<Index>(c)] = weight;
          found = true;
        }
      if (!found) throw InputError("weights", fmt::format("no column is of the probe {}", in_quotes(probe)));
    }
    for (Index c = 0; c < weights_.size(); ++c)
      all_ += weights_[c] *
              static_cast<double>((observed_.values.col(c).array() == observed_.values.col(c).array()).count());
  }

  long steps(const DifferentiableRun& run) const override {
    observed_probes(observed_, run);
    double last = start_of(run);
    for (const double t : observed_.times) last = std::max(last, t);
    const double steps = (last - start_of(run) - time_tolerance) / run.scene().time.step;
    return std::clamp(static_cast<long>(std::ceil(steps)), 0L, run.steps());
  }

  ObjectiveValue at(DifferentiableRun& run, const RunStates& states) const override {
    const std::vector<const Probe*> probes = observed_probes(observed_, run);
    ObjectiveValue sum = nothing(states);
    long k = 0;  // the step before or at the time
    for (std::size_t row = 0; row < observed_.times.size(); ++row) {
      const double t = observed_.times[row];
      while (k + 1 < states.count() && states.t[k + 1] <= t + time_tolerance) ++k;
      const bool here = k + 1 == states.count() || std::abs(t - states.t[k]) <= time_tolerance;
      add_row(static_cast<Index>(row), k, here, probes, states, sum);
    }
    return sum;
  }

 private:
  void add_row(Index row, long k, bool here, const std::vector<const Probe*>& probes, const RunStates& states,
               ObjectiveValue& sum) const {
    auto w = here ? std::array<double, 4>{1, 0, 0, 0}
                  : hermite_weights(states.t[k], states.t[k + 1], observed_.times[static_cast<std::size_t>(row)]);
    Vector q = w[0] * states.X.row(k).transpose();
    if (!here) q += (w[1] * states.V.row(k) + w[2] * states.X.row(k + 1) + w[3] * states.V.row(k + 1)).transpose();
    Vector by_place;
    for (std::size_t c = 0; c < probes.size(); ++c) {
      const auto column = static_cast<Index>(c);
      const double seen = observed_.values(row, column);
      if (std::isnan(seen)) continue;
      const int axis = observed_.columns[c].axis;
      const double weight = weights_[column] / all_, r = probes[c]->at(q)[axis] - seen;
      sum.value += weight * r * r;
      add_probe_adjoint(*probes[c], q, 2 * weight * r * Vec3::Unit(axis), made(by_place, q.size()));
    }
    if (by_place.size() == 0) return;
    FullAdjoint& from = sum.by_states[static_cast<std::size_t>(k)];
    made(from.q, q.size()) += w[0] * by_place;
    if (here) return;
    FullAdjoint& to = sum.by_states[static_cast<std::size_t>(k) + 1];
    made(from.v, q.size()) += w[1] * by_place;
    made(to.q, q.size()) += w[2] * by_place;
    made(to.v, q.size()) += w[3] * by_place;
  }

  Observations observed_;
  Vector weights_;  // of columns
  double all_ = 0;  // the sum over all observed numbers
};

/// One coordinate of a probe at one step.
class ProbeObjective final : public Objective {
 public:
  ProbeObjective(const std::string& probe, int axis, std::optional<double> time) : column_{probe, axis}, time_(time) {
    if (axis < 0 || axis > 2) throw InputError("axis", fmt::format("{} is not 0, 1 or 2", axis));
  }
  long steps(const DifferentiableRun& run) const override {
    probe_of(run);
    return step_near(time_, run);
  }
  ObjectiveValue at(DifferentiableRun& run, const RunStates& states) const override {
    const Probe& probe = probe_of(run);
    const long k = step_near(time_, run);
    ObjectiveValue result = nothing(states);
    const Vector q = states.X.row(k).transpose();
    result.value = probe.at(q)[column_.axis];
    add_probe_adjoint(probe, q, Vec3::Unit(column_.axis),
                      made(result.by_states[static_cast<std::size_t>(k)].q, q.size()));
    return result;
  }

 private:
  const Probe& probe_of(const DifferentiableRun& run) const {
    const Observations one({0}, {column_.name()}, Matrix::Zero(1, 1), "objective");
    std::vector<std::string> names;
    for (const Probe& p : run.model().probes) names.push_back(p.name);
    one.require_probes(names);
    const auto place = std::find(names.begin(), names.end(), column_.probe) - names.begin();
    return run.model().probes[static_cast<std::size_t>(place)];
  }

  ObservedColumn column_;
  std::optional<double> time_;
};

class ShapeObjective final : public Objective {
 public:
  ShapeObjective(Vector target, std::vector<int> nodes, Vector weights, std::optional<double> time)
      : target_(std::move(target)), nodes_(std::move(nodes)), weights_(std::move(weights)), time_(time) {
    const Index count = target_.size() / 3;
    if (count == 0) throw InputError("target", "is empty");
    if (!target_.allFinite()) throw InputError("target", "is not finite");
    if (!nodes_.empty() && std::ssize(nodes_) != count)
      throw InputError("nodes", fmt::format("{} nodes, but {} targets", nodes_.size(), count));
    if (weights_.size() == 0) weights_ = Vector::Ones(count);
    if (weights_.size() != count)
      throw InputError("weights", fmt::format("{} weights, but {} targets", weights_.size(), count));
    if (!(weights_.allFinite() && weights_.minCoeff() >= 0 && weights_.sum() > 0))
      throw InputError("weights", "must be finite, none below 0 and one above");
    weights_ /= weights_.sum();
  }

  long steps(const DifferentiableRun& run) const override {
    const int n = run.model().system->nodes();
    if (nodes_.empty() && target_.size() != 3 * static_cast<Index>(n))
      throw InputError("target", fmt::format("has {} places, but the scene has {} nodes; name those meant by nodes",
                                             target_.size() / 3, n));
    for (const int node : nodes_)
      if (node < 0 || node >= n)
        throw InputError("nodes", fmt::format("there is no node {}: they are numbered from 0 to {}", node, n - 1));
    return step_near(time_, run);
  }

  ObjectiveValue at(DifferentiableRun& run, const RunStates& states) const override {
    const long k = step_near(time_, run);
    ObjectiveValue result = nothing(states);
    const Vector q = states.X.row(k).transpose();
    Vector& by_place = made(result.by_states[static_cast<std::size_t>(k)].q, q.size());
    for (int i = 0; i < static_cast<int>(weights_.size()); ++i) {
      const int node = nodes_.empty() ? i : nodes_[ix(i)];
      const Vec3 off = block(q, node) - block(target_, i);
      result.value += weights_[i] * off.squaredNorm();
      block(by_place, node) += 2 * weights_[i] * off;
    }
    return result;
  }

 private:
  Vector target_;
  std::vector<int> nodes_;
  Vector weights_;
  std::optional<double> time_;
};

/// A function of single states, at one of them or over time.
class StateObjective : public Objective {
 public:
  explicit StateObjective(When when) : when_(when) {}

  long steps(const DifferentiableRun& run) const override {
    require(run);
    return weights(run).back().first;
  }
  ObjectiveValue at(DifferentiableRun& run, const RunStates& states) const override {
    ObjectiveValue sum = nothing(states);
    sum.by_parameters = run.zeros();
    for (const auto& [k, weight] : weights(run)) {
      FullAdjoint by_state;
      sum.value += weight * of_state(run, states.full(k), weight, by_state, sum.by_parameters);
      sum.by_states[static_cast<std::size_t>(k)] = std::move(by_state);
    }
    return sum;
  }

 private:
  virtual void require(const DifferentiableRun& run) const = 0;
  /// The value; `weight` times its derivatives.
  virtual double of_state(DifferentiableRun& run, const State& full, double weight, FullAdjoint& by_state,
                          ParameterLists& by_parameters) const = 0;

  std::vector<std::pair<long, double>> weights(const DifferentiableRun& run) const {
    const long last = step_near(when_.to, run);
    if (when_.of == When::Of::state) return {{last, 1}};
    const long first = when_.from ? step_near(when_.from, run) : 0;
    if (first >= last)
      throw InputError("objective", fmt::format("the time from {:.6g} to {:.6g} s has no step",
                                                when_.from.value_or(start_of(run)), when_.to.value_or(0)));
    const double each = when_.of == When::Of::mean ? 1 / static_cast<double>(last - first) : run.scene().time.step;
    std::vector<std::pair<long, double>> all;
    for (long k = first; k <= last; ++k) all.emplace_back(k, k == first || k == last ? each / 2 : each);
    return all;
  }

  When when_;
};

class EnergyObjective final : public StateObjective {
 public:
  EnergyObjective(EnergyPart part, When when) : StateObjective(when), part_(part) {}

 private:
  void require(const DifferentiableRun& run) const override {
    if (part_ == EnergyPart::elastic && stores_the_past(*run.model().system))
      throw InputError("objective",
                       "the elastic energy of a viscous body depends on what was before the step; it has no gradient");
  }
  double of_state(DifferentiableRun& run, const State& full, double weight, FullAdjoint& by_state,
                  ParameterLists& by_parameters) const override {
    MechanicalSystem& system = run.system();
    SystemQuantity quantity{.u = system.state(full.q, full.v, full.t), .full = full};
    if (part_ == EnergyPart::kinetic) {
      quantity.left = full.v;
      quantity.right = .5 * full.v;
      by_state.v = weight * mass_times(system, full.v);
    } else {
      quantity.energy = 1;
      quantity.full.v.setZero();
      Vector f = Vector::Zero(full.q.size());
      for (const auto& force : system.forces().all())
        if (force->traits().energy == EnergyKind::elastic && force->potentials(quantity.full))
          force->add_force(quantity.full, f);
      by_state.q = -weight * f;
    }
    run.add_changes(quantity, weight, by_parameters);
    return quantity_of(quantity, system);
  }

  EnergyPart part_;
};

class ReactionObjective final : public StateObjective {
 public:
  ReactionObjective(std::vector<int> nodes, const Vec3& direction, When when)
      : StateObjective(when), nodes_(std::move(nodes)), direction_(direction) {
    if (nodes_.empty()) throw InputError("nodes", "is empty");
    if (!direction.allFinite() || direction.isZero(0)) throw InputError("direction", "must be finite and not zero");
  }

 private:
  void require(const DifferentiableRun& run) const override {
    const UnknownMap& map = run.model().system->map();
    for (const int node : nodes_)
      if (node < 0 || node >= map.nodes() || map.prescribed_index(node) < 0)
        throw InputError("nodes", fmt::format("node {} is neither pinned nor scripted: no force holds it", node));
    const MechanicalSystem& system = *run.model().system;
    if (follows_motion(system) || has_approximate_tangents(system))
      throw InputError(
          "objective",
          "reactions have no gradient where there is viscosity or damping that changes with the body: take "
          "damping.at \"rest\"");
  }
  double of_state(DifferentiableRun& run, const State& full, double weight, FullAdjoint& by_state,
                  ParameterLists& by_parameters) const override {
    const UnknownMap& map = run.model().system->map();
    Vector c = Vector::Zero(full.q.size());
    for (const int node : nodes_) block(c, node) += direction_ - map.free_part(node, direction_);
    const ReactionSum sum = reaction_sum(run.system(), full, c);
    by_state = {weight * sum.by_positions, weight * sum.by_velocities, weight * sum.by_accelerations};
    run.add_changes(sum.quantity, weight, by_parameters);
    return sum.value;
  }

  std::vector<int> nodes_;
  Vec3 direction_;
};

class SumObjective final : public Objective {
 public:
  SumObjective(std::vector<std::pair<double, ObjectivePtr>> parts, double constant)
      : parts_(std::move(parts)), constant_(constant) {
    for (const auto& [weight, part] : parts_)
      if (!std::isfinite(weight)) throw InputError("objective", fmt::format("its weight is {}", weight));
    if (!std::isfinite(constant)) throw InputError("objective", fmt::format("{} is added to it", constant));
  }

  long steps(const DifferentiableRun& run) const override {
    long most = 0;
    for (const auto& [weight, part] : parts_) most = std::max(most, part->steps(run));
    return most;
  }
  ObjectiveValue at(DifferentiableRun& run, const RunStates& states) const override {
    ObjectiveValue sum{.value = constant_};
    for (const auto& [weight, part] : parts_) add(part->at(run, states), weight, sum);
    return sum;
  }

 private:
  std::vector<std::pair<double, ObjectivePtr>> parts_;
  double constant_;
};

class SquaredDistance final : public Objective {
 public:
  SquaredDistance(ObjectivePtr of, Wanted wanted, double c) : of_(std::move(of)), wanted_(wanted), c_(c) {
    if (!std::isfinite(c)) throw InputError("objective", fmt::format("its value is wanted to be {}", c));
  }

  long steps(const DifferentiableRun& run) const override { return of_->steps(run); }
  ObjectiveValue at(DifferentiableRun& run, const RunStates& states) const override {
    const ObjectiveValue x = of_->at(run, states);
    const double off = x.value - c_;
    if ((wanted_ == Wanted::at_least && off >= 0) || (wanted_ == Wanted::at_most && off <= 0)) return {};
    ObjectiveValue result;
    add(x, 2 * off, result);
    result.value = off * off;
    return result;
  }

 private:
  ObjectivePtr of_;
  Wanted wanted_;
  double c_;
};

}  // namespace

ObjectivePtr probes_objective(const Observations& observed, const std::map<std::string, double>& weights) {
  return std::make_shared<ProbesObjective>(observed, weights);
}

ObjectivePtr probe_objective(const std::string& probe, int axis, std::optional<double> time) {
  return std::make_shared<ProbeObjective>(probe, axis, time);
}

ObjectivePtr shape_objective(const Vector& target, const std::vector<int>& nodes, const Vector& weights,
                             std::optional<double> time) {
  return std::make_shared<ShapeObjective>(target, nodes, weights, time);
}

ObjectivePtr energy_objective(EnergyPart part, const When& when) {
  return std::make_shared<EnergyObjective>(part, when);
}

ObjectivePtr reaction_objective(const std::vector<int>& nodes, const Vec3& direction, const When& when) {
  return std::make_shared<ReactionObjective>(nodes, direction, when);
}

ObjectivePtr sum_of(std::vector<std::pair<double, ObjectivePtr>> parts, double constant) {
  return std::make_shared<SumObjective>(std::move(parts), constant);
}

ObjectivePtr squared_distance(ObjectivePtr of, Wanted wanted, double c) {
  return std::make_shared<SquaredDistance>(std::move(of), wanted, c);
}

}  // namespace limber
