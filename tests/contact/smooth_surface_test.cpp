#include "limber/contact/smooth/smooth_surface.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "contact/surfaces.hpp"

namespace limber {
namespace {

/// The surface's nodes and, last, one more at x.
Vector positions(const TriMesh& mesh, const Vec3& x) {
  Vector q(3 * static_cast<Index>(mesh.nodes.size()) + 3);
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = mesh.nodes[i];
  q.tail<3>() = x;
  return q;
}

SmoothSurface over(const TriMesh& mesh, double radius) {
  return SmoothSurface(mesh.triangles, positions(mesh, Vec3::Zero()), radius);
}

/// n × n squares on the plane through the origin with this normal, of side 2.
TriMesh plane(int n, const Vec3& normal) {
  TriMesh mesh;
  const Vec3 z = normal.normalized(), x = z.unitOrthogonal(), y = z.cross(x);
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) mesh.nodes.push_back((2.0 * i / n - 1) * x + (2.0 * j / n - 1) * y);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  return mesh;
}

TriMesh wavy(int n) {
  TriMesh mesh = plane(n, Vec3::UnitZ());
  for (Vec3& x : mesh.nodes) x += Vec3(0.05 * std::sin(3 * x.y()), 0, 0.15 * std::sin(2 * x.x()) * std::cos(3 * x.y()));
  return mesh;
}

TEST(SmoothSurface, MeetsAPlaneExactly) {
  const Vec3 normal = Vec3(1, 2, 3).normalized();
  const TriMesh mesh = plane(12, normal);
  SmoothSurface surface = over(mesh, 0.4);
  const int node = static_cast<int>(mesh.nodes.size());
  for (const double height : {-0.04, -0.01, 1e-6, 0.05, 0.25}) {
    const Vec3 x = height * normal + 0.123 * normal.unitOrthogonal();
    surface.update(positions(mesh, x));
    const LocalGap gap = surface.local_gap(node).value();
    EXPECT_NEAR(gap.d, height, 1e-14);
    EXPECT_NEAR(surface.value(x).value(), gap.d, 1e-15);
    EXPECT_EQ(gap.nodes[0], node);
    EXPECT_LT((gap.gradient.head<3>() - normal).norm(), 1e-13);
    EXPECT_LT((gap.hessian.topLeftCorner<3, 3>()).norm(), 1e-12);
  }
}

TEST(SmoothSurface, OutOfRangeThereIsNone) {
  const TriMesh mesh = plane(8, Vec3::UnitZ());
  SmoothSurface surface = over(mesh, 0.5);
  EXPECT_FALSE(surface.value({0, 0, 0.6}));
  EXPECT_FALSE(surface.value({0, 5, 0}));
  EXPECT_FALSE(surface.value({1e30, 0, 0}));
  EXPECT_FALSE(surface.value({0, 0, 0.1}, [](int) { return false; }));
  EXPECT_FALSE(surface.local_gap(static_cast<int>(mesh.nodes.size()), [](int) { return false; }));
  EXPECT_TRUE(surface.value({0, 0, 0.1}));
}

TEST(SmoothSurface, RisesToItsRadiusWhereTheSurfaceLeavesTheRange) {
  const SmoothSurface surface = over(plane(12, Vec3::UnitZ()), 0.4);
  double last = 0;
  for (double z = 0; z < 0.4; z += 0.005)
    if (const auto d = surface.value({0.03, 0.02, z})) {
      EXPECT_GE(*d, last - 1e-12);
      last = *d;
    }
  EXPECT_NEAR(last, 0.4, 1e-3);
  for (double x = 1; x < 1.36; x += 0.01)
    if (const auto d = surface.value({x, 0, 0.01})) last = *d;
  EXPECT_NEAR(last, 0.4, 5e-3);  // beside the rim, level with the plane
}

TEST(SmoothSurface, DerivativesByDifferences) {
  const TriMesh mesh = wavy(10);
  const int node = static_cast<int>(mesh.nodes.size());
  // over the middle, near the rim, high up, where the background takes part, and behind
  for (const Vec3& x : {Vec3(0.1, 0.2, 0.1), Vec3(1.2, 0.3, 0.1), Vec3(-0.2, 0.3, 0.4), Vec3(0.1, 0.2, -0.1)}) {
    const Vector q0 = positions(mesh, x);
    SmoothSurface surface(mesh.triangles, q0, 0.45);
    Vector q = q0 + 0.02 * Vector::Random(q0.size());
    surface.update(q);
    const LocalGap gap = surface.local_gap(node).value();
    EXPECT_LT((gap.hessian - gap.hessian.transpose()).norm(), 1e-11 * gap.hessian.norm());
    const double h = 1e-6;
    for (std::size_t i = 0; i < gap.nodes.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        const Index at = 3 * static_cast<Index>(gap.nodes[i]) + k, here = 3 * static_cast<Index>(i) + k;
        const double keep = q[at];
        q[at] = keep + h;
        surface.update(q);
        const LocalGap p = surface.local_gap(node).value();
        q[at] = keep - h;
        surface.update(q);
        const LocalGap m = surface.local_gap(node).value();
        q[at] = keep;
        ASSERT_EQ(p.nodes, gap.nodes);
        ASSERT_EQ(m.nodes, gap.nodes);
        EXPECT_NEAR((p.d - m.d) / (2 * h), gap.gradient[here], 1e-8 * (1 + gap.gradient.norm()));
        EXPECT_LT(((p.gradient - m.gradient) / (2 * h) - gap.hessian.col(here)).norm(),
                  1e-7 * (1 + gap.hessian.norm()));
      }
  }
}

TEST(SmoothSurface, DoesNotSeeTheOtherSideOfAThinBody) {
  // A plate of thickness .21, its two faces apart from the rim, with r = .4: each face is met as if it were alone.
  TriMesh plate = plane(12, Vec3::UnitZ());
  const TriMesh below = plane(12, -Vec3::UnitZ());
  const int first = static_cast<int>(plate.nodes.size());
  for (const Vec3& x : below.nodes) plate.nodes.push_back(x - 0.21 * Vec3::UnitZ());
  for (const auto& [a, b, c] : below.triangles) plate.triangles.push_back({first + a, first + b, first + c});
  const SmoothSurface surface = over(plate, 0.4);
  for (const double height : {1e-4, 0.05, 0.2}) {
    EXPECT_NEAR(surface.value({0.05, 0.02, height}).value(), height, 1e-14);
    EXPECT_NEAR(surface.value({0.05, 0.02, -0.21 - height}).value(), height, 1e-14);
  }
}

TEST(SmoothSurface, IsInvariantUnderMotionsOfEverything) {
  const TriMesh mesh = wavy(10);
  const Vector q = positions(mesh, {0.1, 0.2, 0.15});
  SmoothSurface surface(mesh.triangles, q, 0.45);
  const int node = static_cast<int>(mesh.nodes.size());
  const LocalGap before = surface.local_gap(node).value();
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  for (std::size_t i = 0; i < before.nodes.size(); ++i) {
    const Vec3 g = before.gradient.segment<3>(3 * static_cast<Index>(i));
    force += g;
    moment += q.segment<3>(3 * static_cast<Index>(before.nodes[i])).cross(g);
  }
  EXPECT_LT(force.norm(), 1e-13);
  EXPECT_LT(moment.norm(), 1e-13);
  const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(1, -1, 2).normalized()).toRotationMatrix();
  Vector moved = q;
  for (Index i = 0; i < q.size(); i += 3) moved.segment<3>(i) = R * q.segment<3>(i) + Vec3(7, -8, 9);
  surface.update(moved);
  EXPECT_NEAR(surface.local_gap(node).value().d, before.d, 1e-13);
}

TEST(SmoothSurface, IsSmoothWhereAPointCrossesEdges) {
  const TriMesh mesh = wavy(10);
  const int node = static_cast<int>(mesh.nodes.size());
  SmoothSurface surface = over(mesh, 0.45);
  const auto at = [&](double s) {
    surface.update(positions(mesh, {s, 0.31 * s, 0.2}));
    return surface.local_gap(node).value();
  };
  // second differences of φ along the path agree with its Hessian everywhere, triangles entering and leaving included
  const Vec3 along(1, 0.31, 0);
  const double h = 1e-4;
  for (double s = -0.6; s < 0.6; s += 0.0137) {
    const LocalGap m = at(s - h), f = at(s), p = at(s + h);
    const double bend = along.dot(f.hessian.topLeftCorner<3, 3>() * along);
    EXPECT_NEAR((p.d - 2 * f.d + m.d) / (h * h), bend, 1e-3 * (1 + std::abs(bend))) << s;
    EXPECT_LT((p.gradient.head<3>() - m.gradient.head<3>()).norm(), 2.1 * h * (1 + f.hessian.norm()));
  }
}

TEST(SmoothSurface, IsSecondOrderAccurateOnASphere) {
  const auto worst = [](int n) {
    const TriMesh mesh = test::sphere_surface(n);
    const SmoothSurface surface = over(mesh, 2.5 * mean_edge(mesh.triangles, positions(mesh, Vec3::Zero())));
    std::mt19937 random(23);
    std::normal_distribution<double> u;
    double error = 0;
    for (int k = 0; k < 300; ++k) {
      const Vec3 x = Vec3{u(random), u(random), u(random)}.normalized();
      error = std::max(error, std::abs(surface.value(x).value()));
    }
    return error;
  };
  const double coarse = worst(12), fine = worst(24);
  RecordProperty("coarse", std::to_string(coarse));
  RecordProperty("fine", std::to_string(fine));
  EXPECT_LT(fine, 0.01);
  EXPECT_GT(coarse / fine, 3.5);
  EXPECT_LT(coarse / fine, 4.5);
}

TEST(SmoothSurface, ANodeOfTheSurfaceMayBeThePoint) {
  const TriMesh mesh = wavy(8);
  Vector q = positions(mesh, Vec3::Zero());
  SmoothSurface surface(mesh.triangles, q, 0.5);
  const int node = 40;
  const LocalGap gap = surface.local_gap(node).value();
  EXPECT_EQ(gap.nodes[0], node);
  EXPECT_EQ(std::count(gap.nodes.begin(), gap.nodes.end(), node), 1);
  const double h = 1e-6;
  for (int k = 0; k < 3; ++k) {
    Vector p = q, m = q;
    p[3 * node + k] += h;
    m[3 * node + k] -= h;
    surface.update(p);
    const double up = surface.local_gap(node)->d;
    surface.update(m);
    EXPECT_NEAR((up - surface.local_gap(node)->d) / (2 * h), gap.gradient[k], 1e-8);
  }
}

TEST(SmoothSurface, FilteredTrianglesDoNotCount) {
  const TriMesh mesh = wavy(8);
  SmoothSurface surface = over(mesh, 0.5);
  TriMesh part = mesh;
  part.triangles.resize(70);
  const SmoothSurface less = over(part, 0.5);
  const Vec3 x(0.0, 0.1, 0.1);
  EXPECT_EQ(surface.value(x, [](int t) { return t < 70; }), less.value(x));
  EXPECT_NE(surface.value(x), less.value(x));
}

TEST(SmoothSurface, ComposesAndProjects) {
  const TriMesh mesh = wavy(8);
  const Vector q = positions(mesh, {0.1, 0.2, 0.2});
  SmoothSurface surface(mesh.triangles, q, 0.45);
  const LocalGap gap = surface.local_gap(static_cast<int>(mesh.nodes.size())).value();
  const Matrix H = compose(gap, -2, 3);
  EXPECT_LT((H + 2 * gap.hessian - 3 * gap.gradient * gap.gradient.transpose()).norm(), 1e-12);
  const Matrix P = compose_projected(gap, -2, 3);
  const Eigen::SelfAdjointEigenSolver<Matrix> of_H(H), of_P(P), of_rest(Matrix(P - H));
  EXPECT_LT(of_H.eigenvalues().minCoeff(), -1e-3);
  EXPECT_GT(of_P.eigenvalues().minCoeff(), -1e-12 * H.norm());
  EXPECT_GT(of_rest.eigenvalues().minCoeff(), -1e-12 * H.norm());
  EXPECT_LT((P * (P - H)).norm(), 1e-11 * H.norm() * H.norm());
}

}  // namespace
}  // namespace limber
