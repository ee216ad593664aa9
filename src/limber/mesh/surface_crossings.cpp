#include "limber/mesh/surface_crossings.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <atomic>

#include "limber/core/parallel.hpp"
#include "limber/mesh/box_tree.hpp"

namespace limber {
namespace {

/// Segments p + s u and q + t v, 0 ≤ s, t ≤ 1: minimise over one with the other fixed, from the four ends and from the
/// common perpendicular, clamped. The minimum of a convex function on a square is at one of these.
double segment_distance(const Vec3& p0, const Vec3& p1, const Vec3& q0, const Vec3& q1) {
  const Vec3 u = p1 - p0, v = q1 - q0, r = p0 - q0;
  const double a = u.dot(u), b = u.dot(v), c = v.dot(v), d = u.dot(r), e = v.dot(r), det = a * c - b * b;
  const auto on_q = [&](double s) { return c > 0 ? std::clamp((b * s + e) / c, 0., 1.) : 0.; };
  const auto on_p = [&](double t) { return a > 0 ? std::clamp((b * t - d) / a, 0., 1.) : 0.; };
  const auto distance = [&](double s, double t) { return (r + s * u - t * v).norm(); };
  double best = std::min({distance(0, on_q(0)), distance(1, on_q(1)), distance(on_p(0), 0), distance(on_p(1), 1)});
  if (det > 0) {
    const double s = std::clamp((b * e - c * d) / det, 0., 1.);
    best = std::min(best, distance(s, on_q(s)));
  }
  return best;
}

using Corners = std::array<Vec3, 3>;

double segment_triangle_distance(const Vec3& p, const Vec3& q, const Corners& t) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double hp = (p - t[0]).dot(n), hq = (q - t[0]).dot(n);
  if ((hp <= 0 && hq >= 0) || (hp >= 0 && hq <= 0)) {
    const Vec3 x = hp == hq ? p : Vec3(p + hp / (hp - hq) * (q - p));
    const auto side = [&](int k) { return (t[(k + 1) % 3] - t[k]).cross(x - t[k]).dot(n); };
    if (side(0) >= 0 && side(1) >= 0 && side(2) >= 0) return 0;
  }
  double best = std::min((nearest_in_triangle(p, t[0], t[1], t[2]) - p).norm(),
                         (nearest_in_triangle(q, t[0], t[1], t[2]) - q).norm());
  for (int k = 0; k < 3; ++k) best = std::min(best, segment_distance(p, q, t[k], t[(k + 1) % 3]));
  return best;
}

class CrossingTest {
 public:
  CrossingTest(const TriMesh& mesh, double tolerance) : mesh_(mesh), tolerance_(tolerance) {}

  bool operator()(int i, int j) const {
    const auto &s = mesh_.triangles[i], &t = mesh_.triangles[j];
    std::array<int, 3> own{}, other{};  // corners of s and t that both have, in s and in t
    int common = 0;
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
        if (s[k] == t[l]) {
          own[common] = k;
          other[common++] = l;
          break;
        }
    if (common == 0) return apart(corners(s), corners(t)) || apart(corners(t), corners(s));
    if (common == 1) return across(s, own[0], t) || across(t, other[0], s);
    return common == 3 || folded(s, t, own, other);
  }

 private:
  Corners corners(const std::array<int, 3>& t) const {
    return {mesh_.nodes[t[0]], mesh_.nodes[t[1]], mesh_.nodes[t[2]]};
  }

  bool apart(const Corners& s, const Corners& t) const {
    for (int k = 0; k < 3; ++k)
      if (segment_triangle_distance(s[k], s[(k + 1) % 3], t) <= tolerance_) return true;
    return false;
  }

  /// Triangles with one common corner cross only if an edge opposite to it meets the other triangle.
  bool across(const std::array<int, 3>& s, int corner, const std::array<int, 3>& t) const {
    const Vec3 &p = mesh_.nodes[s[(corner + 1) % 3]], &q = mesh_.nodes[s[(corner + 2) % 3]];
    return segment_triangle_distance(p, q, corners(t)) <= tolerance_;
  }

  /// Two triangles with a common edge, one lying on the other.
  bool folded(const std::array<int, 3>& s, const std::array<int, 3>& t, const std::array<int, 3>& own,
              const std::array<int, 3>& other) const {
    const Vec3 &a = mesh_.nodes[s[own[0]]], &b = mesh_.nodes[s[own[1]]];
    const Vec3 along = (b - a).normalized();
    const auto off = [&](int node) {
      const Vec3 r = mesh_.nodes[node] - a;
      return Vec3((r - along.dot(r) * along).normalized());
    };
    const Vec3 x = off(s[3 - own[0] - own[1]]), y = off(t[3 - other[0] - other[1]]);
    return x.dot(y) > 0 && x.cross(y).norm() < 1e-6;
  }

  const TriMesh& mesh_;
  double tolerance_;
};

}  // namespace

bool has_crossings(const TriMesh& mesh, double tolerance) {
  std::vector<Box3> boxes;
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.nodes[t[0]], &b = mesh.nodes[t[1]], &c = mesh.nodes[t[2]];
    boxes.push_back({a.cwiseMin(b).cwiseMin(c).array() - tolerance, a.cwiseMax(b).cwiseMax(c).array() + tolerance});
  }
  const BoxTree tree(boxes);
  const CrossingTest crossing(mesh, tolerance);
  std::atomic<bool> found = false;
  parallel_for(static_cast<Index>(boxes.size()), [&](Index i) {
    if (found) return;
    const int own = static_cast<int>(i);
    if (tree.any_meeting(boxes[own], [&](int j) { return j > own && crossing(own, j); })) found = true;
  });
  return found;
}

}  // namespace limber
