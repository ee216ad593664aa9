#pragma once  // internal
/// The equations of statics while a share s of the load is applied:  r(q, s) = −f(q; s) + (1 − s) f₀.
///
/// f(q; s): the force with this share of loads and of prescribed motion. f₀: the residual force at the start without
/// them, for instance from springs under tension. If the start is closer to balance under the whole load (the end of a
/// run), or the system does not know its loads, the whole load acts at any s, and f₀ is the residual force under it.

#include "limber/linalg/solvers/corrected_solver.hpp"
#include "limber/solve/statics.hpp"

namespace limber {

/// Applies a share of the load to a system. The destructor restores the whole load and the prescribed motion.
class AppliedLoad {
 public:
  AppliedLoad(System& system, const State& u, const StaticsWatch& watch);
  ~AppliedLoad() { system_.stand_still(std::nullopt); }
  AppliedLoad(const AppliedLoad&) = delete;
  AppliedLoad& operator=(const AppliedLoad&) = delete;

  void apply(double share);
  double share() const { return share_; }
  System& system() const { return system_; }
  State state(const Vector& q) const { return {q, Vector::Zero(q.size()), t_}; }
  Vector residual(const Vector& q) const { return held_back() - system_.force(state(q)); }
  Vector linearize(const Vector& q, Definiteness d, Tangent& T) const {
    return held_back() - system_.linearize(state(q), d, T);
  }
  /// ∂r/∂s.
  Vector residual_rate(const Vector& q);
  /// W(q) with ∂W/∂q = r; nullopt if there is none.
  std::optional<double> potential(const Vector& q) const;
  /// The largest fraction of the step to q + dq, with the load going to `share`, that stays in the domain.
  double max_step(const Vector& q, const Vector& dq, double share) const;
  Vector held_back() const { return (1 - share_) * out_of_balance_; }

  /// Progress reports: `carries` sets the share that is carried, `tell` reports it with the share being tried.
  void carries(double share) { carried_ = share; }
  void tell(int iterations) const {
    if (watch_) watch_({carried_, share_, iterations});
  }

 private:
  System& system_;
  double t_, share_ = 1;
  bool whole_ = false;  // the whole load acts at any share
  Vector out_of_balance_;
  const StaticsWatch& watch_;
  double carried_ = 0;
};

}  // namespace limber
