#include "limber/verify/exact.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Exact_rational.h>

#include <cmath>

namespace limber::exact {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

Kernel::Point_3 to_cgal(const Vec3& p) { return {p[0], p[1], p[2]}; }
Kernel::Point_2 to_cgal(const Point2& p) { return {p.x, p.y}; }

}  // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return CGAL::orientation(to_cgal(a), to_cgal(b), to_cgal(c), to_cgal(d));
}

int orientation(const Point2& a, const Point2& b, const Point2& c) {
  return CGAL::orientation(to_cgal(a), to_cgal(b), to_cgal(c));
}

int side(const Vec3& p, const Vec3& n, const Vec3& x) {
  double sum = 0, size = 0;
  for (int k = 0; k < 3; ++k) {
    sum += n[k] * (x[k] - p[k]);
    size += std::abs(n[k]) * (std::abs(x[k]) + std::abs(p[k]));
  }
  if (std::abs(sum) > 1e-14 * size && size > 1e-280) return sum > 0 ? 1 : -1;
  CGAL::Exact_rational exact = 0;
  for (int k = 0; k < 3; ++k)
    exact += CGAL::Exact_rational(n[k]) * (CGAL::Exact_rational(x[k]) - CGAL::Exact_rational(p[k]));
  return CGAL::sign(exact);
}

}  // namespace limber::exact
