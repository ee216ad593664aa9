#pragma once
/// Springs that pull nodes toward keyed target shapes X(t) of an animation:
///
///     W = k/2 Σ |x_i − X_i(t)|²,   R = c/2 Σ |v_i − Ẋ_i(t)|².

#include "limber/model/force.hpp"
#include "limber/model/time_function.hpp"

namespace limber {

struct TargetShapes {
  KeyTimes times;
  std::vector<Vector> shapes;  // one per key: 3m [m], in the order of the nodes
};

class TargetSprings : public Force, public DampingForce {
 public:
  /// k [N/m], c [N·s/m] per node of the m nodes. Throws InputError(where + key, …) if they are negative or not finite,
  /// or if the shapes do not fit the keys or the nodes.
  TargetSprings(std::vector<int> nodes, TargetShapes targets, double stiffness, double damping,
                const std::string& where);

  ForceTraits traits() const override {
    return {.velocity_dependent = damping_ > 0, .time_dependent = curvatures_.size() > 1};
  }
  void add_couplings(std::vector<std::pair<int, int>>& pairs) const override {
    for (const int i : nodes_) pairs.emplace_back(i, i);
  }
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;
  /// c Σ |v − Ẋ|².
  double damping_power(const State& u) const override;
  /// The work done by moving the targets against the springs and dampers at u.
  double driving_work(const Travel& step, const State& u) const override;

 private:
  /// X or Ẋ of the node at `at`/3, with the keys and weights c of w.
  Vec3 target(const KeyWeights& w, const std::array<double, 4>& c, Index at) const;
  /// Calls visit(node, x − X(t), v − Ẋ(t)) for all nodes.
  template <class Visit>
  void each_deviation(const State& u, const Visit& visit) const;

  std::vector<int> nodes_;
  TargetShapes targets_;
  std::vector<Vector> curvatures_;  // #keys, 3m each
  double stiffness_, damping_;
};

}  // namespace limber
