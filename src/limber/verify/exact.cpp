#include "limber/verify/exact.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>

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

}  // namespace limber::exact
