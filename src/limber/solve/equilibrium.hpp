#pragma once  // internal
/// The equations of statics while a share s of the load is applied:  r(q, s) = −f(q; s) + (1 − s) f₀.
///
/// f(q; s): with this share of loads and of prescribed motion. f₀: what is out of balance at the start without them,
/// such as springs under tension. Where the start is nearer to balance with all of the load (the end of a run), or the
/// system does not know its loads, it has all of them at any s, and f₀ is what is out of balance then.

#include "limber/linalg/solvers/corrected_solver.hpp"
#include "limber/solve/statics.hpp"

namespace limber {

/// The load on a system and how much of it is applied. When it is gone, all of it is, and the system in motion again.
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
  /// The largest part of the way to q + dq and this share that is free.
  double max_step(const Vector& q, const Vector& dq, double share) const;
  Vector held_back() const { return (1 - share_) * out_of_balance_; }

  /// For who watches: the share that is carried, and that another one is being tried.
  void carries(double share) { carried_ = share; }
  void tell(int iterations) const {
    if (watch_) watch_({carried_, share_, iterations});
  }

 private:
  System& system_;
  double t_, share_ = 1;
  bool whole_ = false;  // all loads act at any share
  Vector out_of_balance_;
  const StaticsWatch& watch_;
  double carried_ = 0;
};

}  // namespace limber
