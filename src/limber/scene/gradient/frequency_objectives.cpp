/// Objectives of the modes of a scene at rest. With K x = λ M x and xᵀM x = 1, dλ = xᵀ(dK − λ dM) x; by the place u of
/// the nodes K changes so that dλ = −f''(u)[x, x] · du. Modes of one cluster share their derivative, the mean of that
/// of all, so that it does not depend on which vectors of their space were found.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/scene/gradient/objectives.hpp"
#include "limber/scene/run/facts.hpp"

namespace limber {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

State at_rest(const Model& model) {
  State u = model.start;
  u.v.setZero();
  return u;
}

struct ElasticModes {
  Vector lambda;
  Matrix X;
};

bool in_one_cluster(double a, double b) { return b - a <= 1e-6 * b; }

/// The lowest modes with λ > 0: at least `count`, in whole clusters.
ElasticModes elastic_modes(const Model& model, int count) {
  const Index most = model.system->size();
  for (Index asked = count + 8;; asked *= 2) {
    const Index now = std::min(asked, most);
    const Modes found = scene_modes(model, at_rest(model), static_cast<int>(now), ModeSearch::automatic);
    const Index rigid = (found.lambda.array() == 0).count(), unstable = (found.lambda.array() < 0).count();
    if (unstable > 0)
      throw InputError("modes", fmt::format("the scene is not in a stable equilibrium at its start: λ = {:.3g} 1/s²",
                                            found.lambda[0]));
    const Index elastic = now - rigid;
    if (elastic < count && now == most)
      throw InputError("modes", fmt::format("{} are asked for, but the scene has {} modes with a frequency above 0",
                                            count, elastic));
    if (elastic < count) continue;
    Index end = count;
    while (end < elastic && in_one_cluster(found.lambda[rigid + end - 1], found.lambda[rigid + end])) ++end;
    if (end == elastic && now < most) continue;
    return {found.lambda.segment(rigid, end), found.X.middleCols(rigid, end)};
  }
}

/// Of each mode the mean over its cluster.
Vector shared_in_clusters(const Vector& lambda, Vector x) {
  for (Index first = 0, end; first < x.size(); first = end) {
    for (end = first + 1; end < x.size() && in_one_cluster(lambda[end - 1], lambda[end]);) ++end;
    x.segment(first, end - first).setConstant(x.segment(first, end - first).mean());
  }
  return x;
}

class ModesObjective : public Objective {
 public:
  explicit ModesObjective(int count) : count_(count) {}

  long steps(const DifferentiableRun& run) const override {
    MechanicalSystem& system = *run.model().system;
    if (stores_the_past(system)) throw InputError("objective", "the modes of a viscous body have no gradient");
    if (ContactPart* contact = system.contact(); contact && !contact->forces().force(at_rest(run.model())).isZero(0))
      throw InputError("objective", "things touch at the start: the modes then have no gradient");
    return 0;
  }

  ObjectiveValue at(DifferentiableRun& run, const RunStates& states) const override {
    const Model& model = run.model();
    const ElasticModes modes = elastic_modes(model, count_);
    const Vector frequencies = modes.lambda.cwiseSqrt() / two_pi;
    Vector slopes = Vector::Zero(frequencies.size());  // ∂J/∂f
    ObjectiveValue result{.value = of_frequencies(frequencies.head(count_), slopes)};
    if (run.parameters().empty()) return result;
    result.by_states.resize(static_cast<std::size_t>(states.count()));
    result.by_parameters = run.zeros();
    const Vector shares =
        shared_in_clusters(modes.lambda, slopes.cwiseQuotient(2 * two_pi * two_pi * frequencies));  // ∂J/∂λ
    Vector& by_place = result.by_states[0].q = Vector::Zero(3 * static_cast<Index>(model.system->nodes()));
    for (Index k = 0; k < shares.size(); ++k)
      if (shares[k] != 0) add_mode(run, modes.lambda[k], modes.X.col(k), shares[k], by_place, result.by_parameters);
    return result;
  }

 private:
  /// J, and its derivatives by each.
  virtual double of_frequencies(const Vector& frequencies, Vector& slopes) const = 0;

  static void add_mode(DifferentiableRun& run, double lambda, const Vector& x, double share, Vector& by_place,
                       ParameterLists& to) {
    const MechanicalSystem& system = *run.model().system;
    const State u = at_rest(run.model());
    const CallEquation pencil{{{.u = u, .dq = x, .dv = Vector::Zero(x.size())}}, -lambda * x};
    run.add_powers(pencil, -share * x, to);
    const State full = system.full(u);
    const Vector d = system.spread(x), here = system.full_force(full);
    const double step = 1e-3 * system.length_scale() / d.lpNorm<Eigen::Infinity>();
    const auto curvature = [&](double s) {
      const State ahead{full.q + s * d, full.v, full.t}, behind{full.q - s * d, full.v, full.t};
      return Vector((system.full_force(ahead) - 2 * here + system.full_force(behind)) / (s * s));
    };
    Vector change = (4 * curvature(step) - curvature(2 * step)) / 3;
    // Where prescribed nodes are is among what parameters change at fixed unknowns.
    for (const int node : system.map().prescribed_nodes())
      block(change, node) = system.map().free_part(node, block(change, node));
    by_place -= share * change;
  }

  int count_;
};

class WantedFrequencies final : public ModesObjective {
 public:
  explicit WantedFrequencies(const std::vector<ModeBlock>& blocks) : ModesObjective(count(blocks)), blocks_(blocks) {}

 private:
  static int count(const std::vector<ModeBlock>& blocks) {
    int sum = 0;
    for (const ModeBlock& b : blocks) {
      if (b.modes < 1) throw InputError("frequencies", fmt::format("a block of {} modes", b.modes));
      if (!(b.wanted > 0 && std::isfinite(b.wanted)))
        throw InputError("frequencies", fmt::format("{} Hz is not a frequency above 0", b.wanted));
      sum += b.modes;
    }
    if (sum == 0) throw InputError("frequencies", "is empty");
    return sum;
  }
  double of_frequencies(const Vector& frequencies, Vector& slopes) const override {
    double sum = 0;
    Index first = 0;
    const auto all = static_cast<double>(frequencies.size());
    for (const ModeBlock& b : blocks_) {
      const double off = frequencies.segment(first, b.modes).mean() / b.wanted - 1;
      sum += b.modes * off * off / all;
      slopes.segment(first, b.modes).setConstant(2 * off / b.wanted / all);
      first += b.modes;
    }
    return sum;
  }

  std::vector<ModeBlock> blocks_;
};

class MeanFrequency final : public ModesObjective {
 public:
  MeanFrequency(int first, int last) : ModesObjective(last), first_(first) {
    if (first < 1 || last < first)
      throw InputError("modes", fmt::format("{} to {} are not modes, which count from 1", first, last));
  }

 private:
  double of_frequencies(const Vector& frequencies, Vector& slopes) const override {
    const Index count = frequencies.size() - (first_ - 1);
    slopes.segment(first_ - 1, count).setConstant(1 / static_cast<double>(count));
    return frequencies.tail(count).mean();
  }

  int first_;
};

}  // namespace

ObjectivePtr frequencies_objective(const std::vector<ModeBlock>& blocks) {
  return std::make_shared<WantedFrequencies>(blocks);
}

ObjectivePtr frequency_objective(int first, int last) { return std::make_shared<MeanFrequency>(first, last); }

}  // namespace limber
