#pragma once
/// ∂f/∂t at a state, by differences to the right: keys of a table of loads or motions often lie where a step starts.

#include "limber/model/system.hpp"

namespace limber {

/// f: the force at u. h [s]: the step it is for; only times from u.t to a small part of h later are looked at.
inline Vector force_rate(const System& system, const State& u, const Vector& f, double h) {
  const double d = 1e-3 * h;
  State later = u;
  later.t = u.t + d;
  const Vector near = system.force(later);
  later.t = u.t + 2 * d;
  return (4 * near - 3 * f - system.force(later)) / (2 * d);
}

}  // namespace limber
