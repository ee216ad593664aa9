#pragma once
/// Triangulated sheets in the plane z = 0, and moves of whole states.

#include <Eigen/Geometry>
#include <cmath>

#include "force/differences.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber::test {

/// nx × ny rectangles of dx × dy, each cut along its diagonal from the lower left; row by row, node i + (nx + 1) j.
inline TriMesh grid_sheet(int nx, int ny, double dx, double dy) {
  TriMesh mesh;
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) mesh.nodes.emplace_back(i * dx, j * dy, 0);
  const auto at = [&](int i, int j) { return i + (nx + 1) * j; };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

/// The same sheared by half a square and flattened: equilateral triangles with edges of length a.
inline TriMesh equilateral_sheet(int nx, int ny, double a) {
  TriMesh mesh = grid_sheet(nx, ny, a, a * std::sqrt(0.75));
  for (Vec3& x : mesh.nodes) x[0] -= x[1] / std::sqrt(3.0);
  return mesh;
}

inline bool is_inside(const Vec3& X, double width, double height) {
  const double e = 1e-9;
  return X[0] > e && X[0] < width - e && X[1] > e && X[1] < height - e;
}

/// 1 × 1 in 4 × 3 rectangles, the nodes inside moved at random by up to .07.
inline TriMesh irregular_sheet() {
  TriMesh mesh = grid_sheet(4, 3, 1.0 / 4, 1.0 / 3);
  const Vector r = random_vector(2 * static_cast<Index>(mesh.nodes.size()), 0.07, 5);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i)
    if (is_inside(mesh.nodes[i], 1, 1)) mesh.nodes[i].head<2>() += r.segment<2>(2 * static_cast<Index>(i));
  return mesh;
}

inline Vector stacked(const std::vector<Vec3>& nodes) {
  Vector q(3 * static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = nodes[i];
  return q;
}

inline State at_rest(const Vector& q) { return {q, Vector::Zero(q.size()), 0}; }

/// A x + b at every node.
inline Vector mapped(const Mat3& A, const Vec3& b, const Vector& q) {
  Vector y(q.size());
  for (Index i = 0; i < q.size(); i += 3) y.segment<3>(i) = A * q.segment<3>(i) + b;
  return y;
}

inline Mat3 some_rotation() { return Eigen::AngleAxisd(2.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix(); }

/// W does not change when the whole moves as a rigid body, and f turns with it.
inline void expect_invariant(const Force& force, const Vector& q) {
  const Mat3 R = some_rotation();
  const State u = at_rest(q), moved = at_rest(mapped(R, Vec3(3, -1, 2), q));
  const double W = force.potentials(u)->stored;
  EXPECT_NEAR(force.potentials(moved)->stored, W, 1e-11 * (1 + W));
  const Vector f = force_at(force, u);
  EXPECT_LE((force_at(force, moved) - mapped(R, Vec3::Zero(), f)).norm(), 1e-11 * (1 + f.norm()));
}

}  // namespace limber::test
