#pragma once
/// A-search, after You, Zheng & Li (2026): the position of backward Euler, and a velocity between its own, v, and that
/// of A-1, or beyond, with the α at which the step loses no more energy than damping, friction and `keep` say:
///
///     v₁ = (1−α) v + α v_A1,   0 ≤ α ≤ α_max.
///
/// A free fall leads ½ h² g too far down. That is no energy for other motions: what it takes is not given back.

#include <algorithm>
#include <cmath>

#include "limber/time/schemes/a1.hpp"

namespace limber {

class ASearch final : public TimeIntegrator {
 public:
  /// keep: the share of its kinetic energy that a free flight keeps per second.
  ASearch(double keep, double alpha_max) : keep_(keep), alpha_max_(alpha_max) {}

  bool linear() const override { return false; }
  bool ends_at_stage() const override { return false; }
  ForceWeights force_weights() const override { return {.start = 0, .stage = 1, .end = 0}; }
  State step(Dynamics& F, const History& u, double h) const override {
    State end = F.implicit(u[0], h, u[0]);
    const Vector d = A1::velocity(F, u[0], end.v, h) - end.v;
    const EnergyGain g = F.gain(u[0], end, d);
    const double missing = -g.at_stage - g.taken - (1 - std::pow(keep_, h)) * g.kinetic;
    const double alpha = std::min(root(g.curvature, g.slope, missing),
                                  root(g.curvature, g.slope + g.overfallen_slope, missing - g.overfallen));
    end.v += std::min(alpha, alpha_max_) * d;
    return end;
  }

 private:
  /// The positive root of a α² + b α = c. 0 if nothing is missing, or if α would first take more energy than is
  /// missing, as where loads change fast.
  static double root(double a, double b, double c) {
    if (!(a > 0 && c > 0) || (b < 0 && b * b > 4 * a * c)) return 0;
    const double r = std::sqrt(b * b + 4 * a * c);
    return b > 0 ? 2 * c / (b + r) : (r - b) / (2 * a);
  }

  double keep_, alpha_max_;
};

}  // namespace limber
