#pragma once
/// A point u = (q, v, t) of phase space. States form a vector space in which time is a coordinate (ṫ = 1), so an affine
/// combination of states carries the right time. `a` [m/s²] is the algorithmic acceleration of Newmark-type schemes; it
/// is empty for all others.

#include "limber/core/types.hpp"

namespace limber {

struct State {
  Vector q;      // positions [m]
  Vector v;      // velocities [m/s]
  double t = 0;  // time [s]
  Vector a = {};
};

inline State operator+(const State& x, const State& y) { return {x.q + y.q, x.v + y.v, x.t + y.t}; }
inline State operator-(const State& x, const State& y) { return {x.q - y.q, x.v - y.v, x.t - y.t}; }
inline State operator*(double c, const State& x) { return {c * x.q, c * x.v, c * x.t}; }

inline bool is_finite(const State& u) { return u.q.allFinite() && u.v.allFinite(); }

}  // namespace limber
