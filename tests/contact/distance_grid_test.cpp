#include "limber/contact/geometry/distance_grid.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <random>

#include "contact/surfaces.hpp"
#include "limber/contact/geometry/distance.hpp"
#include "limber/contact/geometry/moving_shape.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

using test::cube_surface;
using test::sphere_surface;

std::vector<Vec3> points_about(int n, double size) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> u(-size, size);
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) points.push_back(Vec3{u(random), u(random), u(random)});
  return points;
}

/// A bent cube without symmetry.
TriMesh bent(int n) {
  TriMesh mesh = cube_surface(n);
  for (Vec3& x : mesh.nodes) x = Vec3(0.5 * x.x() + 0.2 * x.y() * x.y(), 0.4 * x.y() + 0.1 * x.z(), 0.3 * x.z());
  return mesh;
}

double brute_distance(const TriMesh& mesh, const Vec3& x) {
  double d2 = std::numeric_limits<double>::infinity();
  for (const auto& t : mesh.triangles)
    d2 = std::min(d2, point_triangle_distance2(x, mesh.nodes[t[0]], mesh.nodes[t[1]], mesh.nodes[t[2]]));
  return std::sqrt(d2);
}

/// The largest error near the surface, |φ| < 0.3.
double worst_error(const ImplicitShape& grid, const ImplicitShape& exact) {
  double worst = 0;
  for (const Vec3& x : points_about(4000, 1.29)) {
    const double d = exact.value(x);
    if (std::abs(d) < 0.3) worst = std::max(worst, std::abs(grid.value(x) - d));
  }
  return worst;
}

TEST(DistanceGrid, IsExactAtItsNodes) {
  const TriMesh mesh = bent(5);
  const DistanceGrid grid(mesh, 12, 0);
  const Box3 box = grid.domain();
  for (double z = box.min.z(); z < box.max.z() + 1e-9; z += 3 * grid.spacing())
    for (double x = box.min.x(); x < box.max.x() + 1e-9; x += 2 * grid.spacing()) {
      const Vec3 at(x, box.min.y() + 4 * grid.spacing(), z);
      EXPECT_NEAR(std::abs(grid.value(at)), brute_distance(mesh, at), 1e-12);
    }
}

TEST(DistanceGrid, OfASphereConverges) {
  const ShapePtr exact = sphere({0, 0, 0}, 1);
  const double coarse = worst_error(DistanceGrid(sphere_surface(12), 12, 0.3), *exact);
  const double fine = worst_error(DistanceGrid(sphere_surface(24), 24, 0.3), *exact);
  RecordProperty("coarse", std::to_string(coarse));
  RecordProperty("fine", std::to_string(fine));
  EXPECT_LT(fine, 2e-3);
  EXPECT_GT(coarse / fine, 3.5);  // second order: the facets' sagitta
}

TEST(DistanceGrid, OfABoxIsExactOverItsFacesAndConvergesAtItsEdges) {
  const ShapePtr exact = box({0, 0, 0}, {1, 1, 1});
  const DistanceGrid grid(cube_surface(1), 24, 0.5);
  for (const Vec3& p : points_about(100, 0.5)) {
    // near the face z = 1, far from where another face is nearest
    const Vec3 x(p.x(), p.y(), 1 + 0.4 * p.z());
    EXPECT_NEAR(grid.value(x), x.z() - 1, 2e-3);
    EXPECT_LT((grid.at(x).gradient - Vec3::UnitZ()).norm(), 2e-2);
  }
  const double coarse = worst_error(DistanceGrid(cube_surface(1), 12, 0.5), *exact);
  const double fine = worst_error(DistanceGrid(cube_surface(1), 48, 0.5), *exact);
  EXPECT_LT(fine, 0.3 * 2.0 / 48);  // a fraction of a cell at edges
  EXPECT_GT(coarse / fine, 3.3);    // first order there
}

TEST(DistanceGrid, DerivativesByDifferences) {
  const DistanceGrid grid(bent(6), 14, 0.1);
  const double h = 1e-5;
  for (const Vec3& x : points_about(300, 1.6)) {  // many beyond the grid's box
    const ImplicitValue f = grid.at(x);
    EXPECT_NEAR(f.value, grid.value(x), 1e-14);
    const Box3 box = grid.domain();
    if (((x - box.min).cwiseAbs().array() < 2 * h).any() || ((x - box.max).cwiseAbs().array() < 2 * h).any()) continue;
    for (int i = 0; i < 3; ++i) {
      const Vec3 e = h * Vec3::Unit(i);
      const ImplicitValue p = grid.at(x + e), m = grid.at(x - e);
      EXPECT_NEAR((p.value - m.value) / (2 * h), f.gradient[i], 1e-7);
      EXPECT_LT(((p.gradient - m.gradient) / (2 * h) - f.hessian.col(i)).norm(), 2e-3);  // third derivatives jump
    }
  }
}

TEST(DistanceGrid, CurvatureIsContinuousAcrossCells) {
  const DistanceGrid grid(bent(6), 14, 0.1);
  const Box3 box = grid.domain();
  for (const Vec3& p : points_about(100, 0.4)) {
    Vec3 x = p;
    x.x() = box.min.x() + grid.spacing() * std::round((p.x() - box.min.x()) / grid.spacing());
    const Vec3 e = 1e-9 * Vec3::UnitX();
    EXPECT_LT((grid.at(x + e).hessian - grid.at(x - e).hessian).norm(), 1e-4);
  }
}

TEST(DistanceGrid, BoundsHold) {
  const DistanceGrid grid(bent(6), 14, 0.1);
  EXPECT_LT(grid.lipschitz(), 2.5);
  const auto points = points_about(400, 1.2), steps = points_about(20, 1);
  const Box3 bounds = grid.bounds().value();
  for (const Vec3& x : points) {
    const ImplicitValue f = grid.at(x);
    EXPECT_LE(f.gradient.norm(), grid.lipschitz());
    if (f.value <= 0) {
      EXPECT_TRUE((x.array() >= bounds.min.array()).all() && (x.array() <= bounds.max.array()).all());
    }
    for (const double size : {0.02, 0.2})
      for (const Vec3& d : steps) {
        const Vec3 step = size * d;
        const double C = grid.concavity(x, step.norm());
        if (std::isinf(C)) continue;
        EXPECT_GE(grid.value(x + step), f.value + f.gradient.dot(step) - C * step.squaredNorm() / 2 - 1e-12);
      }
  }
}

TEST(DistanceGrid, BeyondItsBoxIsALowerBoundOfTheDistance) {
  const TriMesh mesh = bent(6);
  const DistanceGrid grid(mesh, 14, 0.1);
  for (const Vec3& x : points_about(300, 3)) {
    const double d = brute_distance(mesh, x), value = grid.value(x);
    EXPECT_LT(value, d + 0.1 * grid.spacing());
    EXPECT_GT(value, 0.5 * d - 0.5 * grid.spacing() - (d < 0.4 ? 2 * d : 0));
  }
}

TEST(DistanceGrid, FlippedSurfacesAreTheSame) {
  TriMesh mesh = bent(6);
  const DistanceGrid grid(mesh, 14, 0.1);
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  const DistanceGrid flipped(mesh, 14, 0.1);
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 20) std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
  const DistanceGrid partly(mesh, 14, 0.1);
  int wrong = 0;
  for (const Vec3& x : points_about(300, 0.8)) {
    EXPECT_NEAR(flipped.value(x), grid.value(x), 1e-12);
    // next to a flipped triangle, within a fraction of its size (0.15), the winding number does take the wrong side
    const double error = std::abs(partly.value(x) - grid.value(x));
    EXPECT_LT(error, std::abs(grid.value(x)) < 0.05 ? 0.05 : 0.02) << x.transpose();
    wrong += error > 1e-3;
  }
  EXPECT_LT(wrong, 60);
}

TEST(DistanceGrid, SmallHolesDoNoHarm) {
  TriMesh mesh = sphere_surface(20);
  mesh.triangles.erase(mesh.triangles.begin() + 500, mesh.triangles.begin() + 502);
  EXPECT_FALSE(is_closed(mesh));
  const DistanceGrid grid(mesh, 20, 0.3);
  EXPECT_TRUE(grid.has_inside());
  EXPECT_LT(worst_error(grid, *sphere({0, 0, 0}, 1)), 0.1);  // a hole of a cell's size
  EXPECT_LT(grid.value({0, 0, 0}), -0.9);
}

TEST(DistanceGrid, AnOpenSheetHasNoInside) {
  TriMesh sheet;
  sheet.nodes = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
  const DistanceGrid grid(sheet, 10, 0.2);
  EXPECT_FALSE(grid.has_inside());
  EXPECT_NEAR(grid.value({0.5, 0.5, 0.2}), 0.2, 0.01);
  EXPECT_NEAR(grid.value({0.5, 0.5, -0.2}), 0.2, 0.01);
}

TEST(DistanceGrid, HasTheSameBitsForAnyNumberOfThreads) {
  const TriMesh mesh = bent(6);
  set_threads(1);
  const DistanceGrid one(mesh, 14, 0.1);
  set_threads(4);
  const DistanceGrid four(mesh, 14, 0.1);
  set_threads(0);
  for (const Vec3& x : points_about(300, 0.8)) EXPECT_EQ(one.value(x), four.value(x));
  EXPECT_EQ(one.lipschitz(), four.lipschitz());
}

TEST(DistanceGrid, StepsAlongAConcaveSurfaceAreNotCutShort) {
  const PosedShape ball = MovingShape(distance_grid(sphere_surface(20), 20, 0.3)).pose(0);
  const Vec3 x(0, 0, 1.01), slide(0.05, 0, 0);
  EXPECT_EQ(ball.safe_step(x, slide, 0.1, 0), 1);
  const double s = ball.safe_step({0, 0, 1.25}, {0, 0, -0.5}, 0.1, 0);  // from a gap of 0.25 to one of 0.025
  EXPECT_NEAR(s, 0.45, 2e-3);
  for (const Vec3& y : points_about(60, 1.8)) {
    const double gap = ball.value(y);
    if (gap <= 0) continue;
    const Vec3 dx = -2 * y + Vec3(0.3, 0.2, 0);
    const double end = ball.safe_step(y, dx, 0.2, 0);
    for (int k = 0; k <= 500; ++k) EXPECT_GE(ball.value(y + end * k / 500 * dx), 0.2 * gap - 1e-13);
    EXPECT_LT(ball.value(y + end * dx), 0.21 * gap);
  }
}

}  // namespace
}  // namespace limber
