#include "limber/verify/distance_of.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "limber/verify/intersect.hpp"

namespace limber {
namespace {

double point_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double square = along.squaredNorm();
  const double s = square > 0 ? std::clamp(along.dot(p - a) / square, 0., 1.) : 0;
  return (a + s * along - p).norm();
}

/// From the segments' interiors; ∞ where the nearest points are not there.
double interior_segment_segment(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = d - c, normal = u.cross(v);
  const double square = normal.squaredNorm();
  if (!(square > 0)) return std::numeric_limits<double>::infinity();
  const double s = (c - a).cross(v).dot(normal) / square, t = (c - a).cross(u).dot(normal) / square;
  if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) return std::numeric_limits<double>::infinity();
  return (a + s * u - c - t * v).norm();
}

/// From the inside of a triangle; ∞ where the foot of p lies elsewhere.
double interior_point_triangle(const Vec3& p, const Simplex& t) {
  const Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]);
  const double square = normal.squaredNorm();
  if (!(square > 0)) return std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k)
    if (normal.dot((t[(k + 1) % 3] - t[k]).cross(p - t[k])) < 0) return std::numeric_limits<double>::infinity();
  return std::abs(normal.dot(p - t[0])) / std::sqrt(square);
}

std::size_t edge_count(const Simplex& s) { return s.size() == 3 ? 3 : s.size() - 1; }

double point_simplex(const Vec3& p, const Simplex& s) {
  double d = s.size() == 3   ? interior_point_triangle(p, s)
             : s.size() == 1 ? (p - s[0]).norm()
                             : point_segment(p, s[0], s[1]);
  if (s.size() == 3)
    for (std::size_t k = 0; k < 3; ++k) d = std::min(d, point_segment(p, s[k], s[(k + 1) % 3]));
  return d;
}

}  // namespace

bool simplices_meet(const Simplex& a, const Simplex& b) {
  if (a.size() < b.size()) return simplices_meet(b, a);
  if (a.size() < 3) return exact::segments_meet(a.front(), a.back(), b.front(), b.back());
  if (b.size() == 3) return exact::triangles_meet({a[0], a[1], a[2]}, {b[0], b[1], b[2]});
  return exact::segment_meets_triangle(b.front(), b.back(), a[0], a[1], a[2]);
}

double distance_of(const Simplex& a, const Simplex& b) {
  if (simplices_meet(a, b)) return 0;
  double d = std::numeric_limits<double>::infinity();
  for (const Vec3& p : a) d = std::min(d, point_simplex(p, b));
  for (const Vec3& p : b) d = std::min(d, point_simplex(p, a));
  for (std::size_t i = 0; i < edge_count(a); ++i)
    for (std::size_t j = 0; j < edge_count(b); ++j)
      d = std::min(d, interior_segment_segment(a[i], a[(i + 1) % a.size()], b[j], b[(j + 1) % b.size()]));
  return d;
}

double solid_winding(const Vec3& p, const std::vector<Simplex>& triangles) {
  double half_angle = 0;
  for (const Simplex& t : triangles) {
    const Vec3 a = t[0] - p, b = t[1] - p, c = t[2] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    half_angle += std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return half_angle / (2 * std::numbers::pi);
}

}  // namespace limber
