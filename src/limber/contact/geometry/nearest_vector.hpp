#pragma once  // internal
/// Nearest vectors in plain double precision, from position differences: e is accurate to about 1e-15 of the largest
/// difference. For culling and continuous collision detection, which need no derivatives.

#include "limber/core/types.hpp"

namespace limber::nearest_vector {

/// The stationary point of |r + s u + t v| over all s and t. `thin`: u and v are nearly parallel, so s and t are
/// inaccurate.
struct Crossing {
  bool exists = false, thin = true;
  double s = 0, t = 0;
  Vec3 e;
};

inline constexpr double thin_sine2 = 1e-6, parallel_sine2 = 1e-26;  // sin² of the angle between u and v

inline Crossing crossing(const Vec3& r, const Vec3& u, const Vec3& v) {
  Crossing at;
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  if (!(uu > 0) || !(vv > 0)) return at;
  const double along = uv / uu;
  const Vec3 q = v - along * u;
  const double qq = q.squaredNorm();
  if (!(qq > parallel_sine2 * vv)) return at;
  at.exists = true;
  at.thin = qq < thin_sine2 * vv;
  at.t = -q.dot(r) / qq;
  at.s = -u.dot(r) / uu - along * at.t;
  at.e = r + at.s * u + at.t * v;
  const double dt = -q.dot(at.e) / qq, ds = -u.dot(at.e) / uu - along * dt;
  at.s += ds;
  at.t += dt;
  at.e += ds * u + dt * v;
  return at;
}

/// From the nearest point of the edge a, a + u to p = a + r. Inside the edge, e is orthogonalised to u a second time,
/// so that its direction is accurate to rounding of the positions, however short e is.
inline Vec3 point_edge(const Vec3& r, const Vec3& u) {
  const double uu = u.squaredNorm(), ru = r.dot(u);
  if (!(ru > 0)) return r;
  if (!(ru < uu)) return r - u;
  const Vec3 e = r - (ru / uu) * u;
  return e - (e.dot(u) / uu) * u;
}

inline void keep_shorter(Vec3& best, double& best2, const Vec3& e) {
  const double e2 = e.squaredNorm();
  if (e2 < best2) best = e, best2 = e2;
}

/// A point outside a convex set is nearest to a side that it violates; with reliable parameters only those are checked.
inline constexpr double side_margin = 1e-9;

/// From the nearest point of the triangle a, a + u, a + v to p = a + r.
inline Vec3 point_triangle(const Vec3& r, const Vec3& u, const Vec3& v) {
  const Crossing in = crossing(r, -u, -v);
  const double rest = 1 - in.s - in.t;
  const bool inside = in.exists && in.s > 0 && in.t > 0 && rest > 0;
  if (inside && !in.thin) return in.e;
  Vec3 best = inside ? in.e : r;
  double best2 = best.squaredNorm();
  if (in.thin || in.t <= side_margin) keep_shorter(best, best2, point_edge(r, u));
  if (in.thin || in.s <= side_margin) keep_shorter(best, best2, point_edge(r, v));
  if (in.thin || rest <= side_margin) keep_shorter(best, best2, point_edge(r - u, v - u));
  return best;
}

/// From the nearest point of the edge c, c + v to that of the edge a, a + u, with r = a − c.
inline Vec3 edge_edge(const Vec3& r, const Vec3& u, const Vec3& v) {
  const Crossing in = crossing(r, u, -v);
  const bool inside = in.exists && in.s > 0 && in.s < 1 && in.t > 0 && in.t < 1;
  if (inside && !in.thin) return in.e;
  Vec3 best = inside ? in.e : r;
  double best2 = best.squaredNorm();
  if (in.thin || in.s <= side_margin) keep_shorter(best, best2, point_edge(r, v));
  if (in.thin || in.s >= 1 - side_margin) keep_shorter(best, best2, point_edge(r + u, v));
  if (in.thin || in.t <= side_margin) keep_shorter(best, best2, -point_edge(-r, u));
  if (in.thin || in.t >= 1 - side_margin) keep_shorter(best, best2, -point_edge(v - r, u));
  return best;
}

}  // namespace limber::nearest_vector
