#pragma once  // internal
/// ∂f/∂t at a state, by fourth-order forward differences: keys of load or motion tables often coincide with the start
/// of a step.

#include "limber/model/system.hpp"

namespace limber {

/// f: the force at u. h [s]: the step length; f is sampled only within a small part of h after u.t.
inline Vector force_rate(const System& system, const State& u, const Vector& f, double h) {
  const double d = 1e-2 * h;
  const auto later = [&](int k) { return system.force({u.q, u.v, u.t + k * d}); };
  return (48 * later(1) - 25 * f - 36 * later(2) + 16 * later(3) - 3 * later(4)) / (12 * d);
}

}  // namespace limber
