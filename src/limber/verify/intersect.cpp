#include "limber/verify/intersect.hpp"

#include <algorithm>
#include <cassert>

#include "limber/verify/exact.hpp"

namespace limber::exact {
namespace {

/// Without the coordinate `axis`.
Point2 project(const Vec3& p, int axis) { return {p[(axis + 1) % 3], p[(axis + 2) % 3]}; }

bool one_side(int a, int b, int c) { return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0); }

/// c is on the line through a and b: is it between them?
bool between(const Point2& a, const Point2& b, const Point2& c) {
  return std::min(a.x, b.x) <= c.x && c.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= c.y &&
         c.y <= std::max(a.y, b.y);
}

bool segments_meet(const Point2& p, const Point2& q, const Point2& a, const Point2& b) {
  const int pa = orientation(p, q, a), pb = orientation(p, q, b), ap = orientation(a, b, p), aq = orientation(a, b, q);
  if (pa * pb < 0 && ap * aq < 0) return true;
  return (pa == 0 && between(p, q, a)) || (pb == 0 && between(p, q, b)) || (ap == 0 && between(a, b, p)) ||
         (aq == 0 && between(a, b, q));
}

bool meet_in_projection(const Point2& p, const Point2& q, const Point2& a, const Point2& b, const Point2& c) {
  if (segments_meet(p, q, a, b) || segments_meet(p, q, b, c) || segments_meet(p, q, c, a)) return true;
  const int ab = orientation(a, b, p), bc = orientation(b, c, p), ca = orientation(c, a, p);
  return one_side(ab, bc, ca) && (ab != 0 || bc != 0 || ca != 0);
}

/// Along at least one axis the common plane projects without loss, and no projection parts what meets: so sets of one
/// plane meet exactly if all three projections do.
bool coplanar_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  for (int axis = 0; axis < 3; ++axis)
    if (!meet_in_projection(project(p, axis), project(q, axis), project(a, axis), project(b, axis), project(c, axis)))
      return false;
  return true;
}

/// All of t strictly on one side of the plane of s.
bool apart(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t) {
  const int first = orientation(s[0], s[1], s[2], t[0]);
  return first != 0 && orientation(s[0], s[1], s[2], t[1]) == first && orientation(s[0], s[1], s[2], t[2]) == first;
}

bool an_edge_meets(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t) {
  for (std::size_t k = 0; k < 3; ++k)
    if (segment_meets_triangle(s[k], s[(k + 1) % 3], t[0], t[1], t[2])) return true;
  return false;
}

/// Triangles (u, v, a) and (u, v, b): folded flat onto each other?
bool folded_flat(const Vec3& u, const Vec3& v, const Vec3& a, const Vec3& b) {
  if (orientation(u, v, a, b) != 0) return false;
  for (int axis = 0; axis < 3; ++axis) {
    const Point2 pu = project(u, axis), pv = project(v, axis);
    if (orientation(pu, pv, project(a, axis)) * orientation(pu, pv, project(b, axis)) > 0) return true;
  }
  return false;
}

/// The nodes of t, those that s has too first.
struct Shared {
  Triangle nodes;
  int count = 0;
};
Shared shared_first(const Triangle& t, const Triangle& s) {
  Shared result{t, 0};
  const auto middle = std::stable_partition(result.nodes.begin(), result.nodes.end(),
                                            [&](int node) { return std::find(s.begin(), s.end(), node) != s.end(); });
  result.count = static_cast<int>(middle - result.nodes.begin());
  return result;
}

std::array<Vec3, 3> corners(const Triangle& t, const Positions& x) { return {x[t[0]], x[t[1]], x[t[2]]}; }

/// The side on which p + (ε, ε²), ε → 0, lies of the line from a to b; 0 only if a = b.
int perturbed_side(const Point2& a, const Point2& b, const Point2& p) {
  const int side = orientation(a, b, p);
  if (side != 0) return side;
  if (a.y != b.y) return a.y < b.y ? -1 : 1;
  return (a.x < b.x) - (b.x < a.x);
}

}  // namespace

bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b) {
  if (orientation(p, q, a, b) != 0) return false;
  for (int axis = 0; axis < 3; ++axis)  // in one plane: as in coplanar_meet
    if (!segments_meet(project(p, axis), project(q, axis), project(a, axis), project(b, axis))) return false;
  return true;
}

bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const int above = orientation(a, b, c, p), below = orientation(a, b, c, q);
  if (above * below > 0) return false;
  const int ab = orientation(p, q, a, b), bc = orientation(p, q, b, c), ca = orientation(p, q, c, a);
  if (above != 0 || below != 0) return one_side(ab, bc, ca);
  // All in one plane, or the triangle has no area; then they still lie in one plane, or do not meet.
  if (ab != 0 || bc != 0 || ca != 0) return false;
  return coplanar_meet(p, q, a, b, c);
}

bool triangles_meet(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t) {
  // If closed triangles have a point in common, then an edge of one has a point in common with the other.
  return !apart(s, t) && !apart(t, s) && (an_edge_meets(s, t) || an_edge_meets(t, s));
}

bool meet_beyond_shared(const Triangle& s, const Triangle& t, const Positions& x) {
  const Shared in_s = shared_first(s, t), in_t = shared_first(t, s);
  assert(in_s.count == in_t.count);
  const std::array<Vec3, 3> a = corners(in_s.nodes, x), b = corners(in_t.nodes, x);
  if (in_s.count == 0) return triangles_meet(a, b);
  // With a point in common, they have the segment to the shared node in common; prolonged, it leaves one of the two
  // through the edge opposite to that node.
  if (in_s.count == 1)
    return segment_meets_triangle(a[1], a[2], b[0], b[1], b[2]) || segment_meets_triangle(b[1], b[2], a[0], a[1], a[2]);
  return in_s.count == 3 || folded_flat(a[0], a[1], a[2], b[2]);
}

int winding_number(const Vec3& p, const std::vector<Triangle>& surface, const Positions& x) {
  // A ray from p along +z, moved by (ε, ε²) in x and y so that it meets no edge.
  int number = 0;
  const Point2 foot = project(p, 2);
  for (const Triangle& t : surface) {
    const std::array<Vec3, 3> c = corners(t, x);
    if (std::max({c[0][2], c[1][2], c[2][2]}) < p[2]) continue;
    const Point2 a = project(c[0], 2), b = project(c[1], 2), d = project(c[2], 2);
    const int side = perturbed_side(a, b, foot);
    if (side == 0 || perturbed_side(b, d, foot) != side || perturbed_side(d, a, foot) != side) continue;
    const int above = orientation(c[0], c[1], c[2], p) * side;
    if (above < 0) number += side;
  }
  return number;
}

}  // namespace limber::exact
