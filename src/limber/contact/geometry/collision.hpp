#pragma once
/// One collision: a pair of points, edges and triangles, or a point with an implicit obstacle.

#include <array>
#include <optional>

#include "limber/contact/geometry/contact_scene.hpp"
#include "limber/contact/geometry/primitives.hpp"

namespace limber {

inline constexpr double least_kept = .1;  // of each gap, or of δ, on the way of one correction

/// One collision at a configuration (except kind `smooth`, used by reports: smooth_contacts.hpp). With x its up to four
/// nodes, gap(x) has the gradient w ⊗ n. The kind is that of the nearest features: point_triangle and edge_edge have
/// their nearest points inside the triangle and both edges. With a mollifier, the kind is that of the pair, which is
/// then not merged.
struct Collision {
  using Kind = CollisionKind;
  Kind kind = Kind::obstacle;
  std::array<int, 4> nodes{-1, -1, -1, -1};  // −1: unused
  int count = 0;                             // of nodes
  std::array<int, 2> objects{};
  int obstacle = -1;  // index in ContactScene::implicit
  int pairs = 1;      // number of primitive pairs with these nearest features: factor of energy, force and tangent
  double gap = 0;     // [m]
  Nearest nearest;    // pairs; for an obstacle's point w = {1}, k = 0
  Mat3 curvature;     // ∇²φ of an implicit obstacle
  double eps_x = 0;   // of the mollifier; 0: m = 1

  const Vec3& normal() const { return nearest.n; }
  /// w₀ … w₃.
  const std::array<double, 4>& weights() const { return nearest.w; }
};

/// Two primitives that collide.
struct MetPair {
  Collision::Kind kind;
  PairNodes nodes;
  double eps_x;  // of the mollifier if m < 1
};
/// A vertex and an edge, ascending, or two vertices, ascending (the last entry is then −1).
using PairFeatures = std::array<int, 3>;

/// If their gap is below `within` [m]. Here and below x: 3 × all nodes.
std::optional<MetPair> meet(const ContactScene& scene, Collision::Kind kind, const PairNodes& nodes, const Vector& x,
                            double within);
Collision collide(const ContactScene& scene, const MetPair& m, const Vector& x);
/// The same collision expressed by its nearest features alone.
Collision reduced(const ContactScene& scene, const Collision& c, const PairFeatures& to);

}  // namespace limber
