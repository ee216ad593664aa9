#pragma once  // internal
/// ∂f/∂t at a state, by differences of fourth order to the right: keys of a table of loads or motions often lie where a
/// step starts.

#include "limber/model/system.hpp"

namespace limber {

/// f: the force at u. h [s]: the step it is for; only times from u.t to a small part of h later are looked at.
inline Vector force_rate(const System& system, const State& u, const Vector& f, double h) {
  const double d = 1e-2 * h;
  const auto later = [&](int k) { return system.force({u.q, u.v, u.t + k * d}); };
  return (48 * later(1) - 25 * f - 36 * later(2) + 16 * later(3) - 3 * later(4)) / (12 * d);
}

}  // namespace limber
