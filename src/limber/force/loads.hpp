#pragma once
/// The same given force F(t) [N] on each node of a set,  W = −F(t) · Σ x_i.

#include "limber/model/force.hpp"
#include "limber/model/time_function.hpp"

namespace limber {

class NodalLoads : public Force, public LoadForce {
 public:
  /// A node listed twice is loaded twice.
  NodalLoads(std::vector<int> nodes, TimeFunction<Vec3> force) : nodes_(std::move(nodes)), force_(std::move(force)) {}

  ForceTraits traits() const override { return {.time_dependent = !force_.is_constant()}; }
  void add_couplings(std::vector<std::pair<int, int>>& pairs) const override {
    for (const int i : nodes_) pairs.emplace_back(i, i);
  }
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State& u) const override;
  void apply(double share) override { share_ = share; }
  double driving_work(const Travel& step, const State& u) const override {
    return beyond_work_at(step, step.a.q + step.way, u.t);
  }

 private:
  std::vector<int> nodes_;
  TimeFunction<Vec3> force_;
  double share_ = 1;
};

}  // namespace limber
