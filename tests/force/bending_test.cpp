#include "limber/force/bending.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "force/sheets.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

using namespace test;
using std::numbers::pi;

BendingForce bending(const TriMesh& mesh, double D, RestAngles rest) {
  return BendingForce(mesh, 0, std::vector<double>(mesh.triangles.size(), D), rest, "sheet");
}

/// Two triangles at the edge from 0 to 1, the second one turned up by `angle`; no symmetry.
TriMesh hinge(double angle) {
  return {{Vec3(0, 0, 0), Vec3(1.1, 0, 0), Vec3(0.3, 0.9, 0), Vec3(0.7, -1.2 * std::cos(angle), 1.2 * std::sin(angle))},
          {{0, 1, 2}, {1, 0, 3}}};
}

/// Bent along the direction `along` (of the plane) to a cylinder of radius R, lengths kept.
Vector rolled(const TriMesh& mesh, double R, double direction) {
  const Vec3 m(std::cos(direction), std::sin(direction), 0), t(-m[1], m[0], 0);
  std::vector<Vec3> x;
  for (const Vec3& X : mesh.nodes) {
    const double s = X.dot(m) / R;
    x.push_back(X.dot(t) * t + R * (std::sin(s) * m + (1 - std::cos(s)) * Vec3::UnitZ()));
  }
  return stacked(x);
}

/// W over ½ D/R² per area of a large fine sheet rolled up; edges of the boundary, which do not bend, are counted in.
double cylinder_ratio(const TriMesh& mesh, double area, double direction) {
  const double R = 1;
  return bending(mesh, 3, RestAngles::zero).potentials(at_rest(rolled(mesh, R, direction)))->stored /
         (0.5 * 3 / (R * R) * area);
}

TEST(Bending, AnglesByHand) {
  for (const double angle : {-3.0, -1.0, 0.0, 0.4, 2.0, 3.0}) {
    const auto one = bending(hinge(0), 2, RestAngles::zero);
    const double weight = 1.1 * 1.1 / (0.5 * 1.1 * 0.9 + 0.5 * 1.1 * 1.2);
    EXPECT_NEAR(one.potentials(at_rest(stacked(hinge(angle).nodes)))->stored, weight * angle * angle, 1e-12);
  }
}

TEST(Bending, ForceAndTangentAreDerivatives) {
  for (const double angle : {0.0, 1e-9, -1e-4, 0.3, -1.5, 2.5, -3.0, 3.0})
    for (const double rest : {0.0, 0.8}) {
      SCOPED_TRACE(angle);
      auto one = bending(hinge(rest), 2, RestAngles::of_rest_shape);
      EXPECT_TRUE(one.traits().symmetric && one.traits().has_potential && !one.traits().velocity_dependent);
      EXPECT_EQ(one.traits().energy, EnergyKind::elastic);
      const Vector q = mapped(some_rotation(), Vec3(1, 0, 2), stacked(hinge(angle).nodes));
      expect_force_from_potentials(one, at_rest(q));
      expect_stiffness(one, at_rest(q));
      expect_symmetric(tangent_at(one, at_rest(q)).K);
      expect_balanced(one, at_rest(q));
      expect_invariant(one, q);
      expect_psd(tangent_at(one, at_rest(q), Definiteness::projected).K);
    }
}

TEST(Bending, ProjectionIsThatOfTheEigenvalues) {
  auto one = bending(hinge(0), 2, RestAngles::zero);
  for (const double angle : {0.3, -2.0}) {
    const State u = at_rest(stacked(hinge(angle).nodes));
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(tangent_at(one, u).K);
    EXPECT_LT(eigen.eigenvalues()[0], -1e-3);
    expect_near(
        tangent_at(one, u, Definiteness::projected).K,
        eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose(), 1e-12,
        "projected");
  }
}

TEST(Bending, WholeSheet) {
  const TriMesh mesh = irregular_sheet();
  auto sheet = bending(mesh, 0.1, RestAngles::of_rest_shape);
  const Vector q = stacked(mesh.nodes) + random_vector(60, 0.03, 2);
  EXPECT_LE(force_at(sheet, at_rest(stacked(mesh.nodes))).norm(), 1e-13);
  expect_force_from_potentials(sheet, at_rest(q), 1e-7);
  expect_stiffness(sheet, at_rest(q), 1e-5);
  expect_balanced(sheet, at_rest(q));
  std::vector<int> free(20, -1);
  free[4] = 2, free[7] = 0, free[8] = 1, free[13] = 3;
  expect_restricts(sheet, at_rest(q), free);
  set_threads(1);
  const Vector f = force_at(sheet, at_rest(q));
  set_threads(0);
  EXPECT_EQ(force_at(sheet, at_rest(q)), f);
}

TEST(Bending, PlateStiffness) { EXPECT_NEAR(plate_stiffness(12e6, 0.5, 0.01), 12.0 / (12 * 0.75), 1e-12); }

/// The header's figures. n × n cells; edges on the boundary do not bend, so W lacks their part, O(1/n).
TEST(Bending, CylindersOfRegularSheets) {
  const int n = 50;
  const double a = 0.02, side = n * a;
  const TriMesh squares = grid_sheet(n, n, a, a), equilateral = equilateral_sheet(n, n, a);
  const double area = side * side, skewed = area * std::sqrt(0.75);
  for (const double d : {0.0, pi / 2}) EXPECT_NEAR(cylinder_ratio(squares, area, d), 1 - 1.0 / n, 1e-9);
  for (const double d : {0.0, 0.3, pi / 6, 1.0, pi / 2}) EXPECT_NEAR(cylinder_ratio(equilateral, skewed, d), 1, 0.03);
  EXPECT_NEAR(cylinder_ratio(squares, area, pi / 4), 3, 0.06);
  EXPECT_NEAR(cylinder_ratio(squares, area, -pi / 4), 1, 0.02);
}

/// Equilateral triangles on a sphere and on a saddle: Poisson's ratio −1/3.
TEST(Bending, EquilateralTrianglesActAsAPlate) {
  const int n = 60;
  const double a = 0.01, area = std::sqrt(0.75) * n * n * a * a, k = 0.01;
  const TriMesh mesh = equilateral_sheet(n, n, a);
  const auto sheet = bending(mesh, 1, RestAngles::zero);
  for (const double second : {k, -k, 0.0}) {
    Vector q = stacked(mesh.nodes);
    for (Index i = 0; i < q.size(); i += 3) q[i + 2] = (k * q[i] * q[i] + second * q[i + 1] * q[i + 1]) / 2;
    const double H = (k + second) / 2, d = (k - second) / 2, plate = area * (2.0 / 3 * H * H + 4.0 / 3 * d * d);
    EXPECT_NEAR(sheet.potentials(at_rest(q))->stored / plate, 1, 0.025);
  }
}

TEST(Bending, RestAnglesAreTakenFromTheShape) {
  TriMesh tube = grid_sheet(8, 3, 0.2, 0.2);
  const Vector q = rolled(tube, 0.5, 0.4);
  for (std::size_t i = 0; i < tube.nodes.size(); ++i) tube.nodes[i] = q.segment<3>(3 * static_cast<Index>(i));
  // The angle of rest and that of the state may be compiled differently: they agree to rounding, 1e-15 each, squared.
  EXPECT_LT(bending(tube, 1, RestAngles::of_rest_shape).potentials(at_rest(q))->stored, 1e-26);
  EXPECT_GT(bending(tube, 1, RestAngles::zero).potentials(at_rest(q))->stored, 0.1);
}

/// A pair folded flat at rest has ±π; the angle is counted from there, without a jump.
TEST(Bending, FoldedAtRest) {
  auto fold = bending(hinge(pi), 2, RestAngles::of_rest_shape);
  for (const double by : {-0.2, -1e-3, 1e-3, 0.2}) {
    const State u = at_rest(stacked(hinge(pi + by).nodes));
    EXPECT_NEAR(fold.potentials(u)->stored / fold.potentials(at_rest(stacked(hinge(pi + 0.1).nodes)))->stored,
                by * by / 0.01, 1e-9);
    expect_stiffness(fold, at_rest(stacked(hinge(pi + 0.3).nodes)));
  }
}

TEST(Bending, OrientationDoesNotMatter) {
  TriMesh turned = hinge(0);
  std::swap(turned.triangles[1][0], turned.triangles[1][1]);
  const State u = at_rest(stacked(hinge(0.7).nodes));
  EXPECT_NEAR(bending(turned, 1, RestAngles::zero).potentials(u)->stored,
              bending(hinge(0), 1, RestAngles::zero).potentials(u)->stored, 1e-14);
}

TEST(Bending, ThreeTrianglesAtAnEdge) {
  TriMesh book = hinge(0.2);
  book.nodes.emplace_back(0.5, 0.2, 1);
  book.triangles.push_back({0, 1, 4});
  auto pages = bending(book, 2, RestAngles::of_rest_shape);
  EXPECT_LE(force_at(pages, at_rest(stacked(book.nodes))).norm(), 1e-13);
  const State u = at_rest(stacked(book.nodes) + random_vector(15, 0.2, 3));
  expect_force_from_potentials(pages, u);
  expect_stiffness(pages, u);
  // The third page resists a turn against both others.
  Vector q = stacked(book.nodes);
  q[12] += 0.01, q[13] += 0.05;
  EXPECT_GT(pages.potentials(at_rest(q))->stored, 1e-4);
}

TEST(Bending, AShrunkenTriangleGivesNumbers) {
  auto one = bending(hinge(0.5), 2, RestAngles::of_rest_shape);
  Vector line = stacked(hinge(0).nodes);
  line[7] = 0;
  for (const Vector& q : {line, Vector(Vector::Ones(12))}) {
    EXPECT_TRUE(std::isfinite(one.potentials(at_rest(q))->stored));
    EXPECT_TRUE(force_at(one, at_rest(q)).allFinite());
    for (const auto d : {Definiteness::exact, Definiteness::projected})
      EXPECT_TRUE(tangent_at(one, at_rest(q), d).K.allFinite());
  }
}

TEST(Bending, BadInputIsNamed) {
  const auto build = [](const TriMesh& mesh, double D) {
    return message_of([&] { bending(mesh, D, RestAngles::zero); });
  };
  EXPECT_EQ(build(hinge(1), 1), "");
  EXPECT_NE(build(hinge(1), -1).find("sheet.stiffness: -1"), std::string::npos);
  EXPECT_NE(build(hinge(1), std::numeric_limits<double>::infinity()).find("sheet.stiffness: inf"), std::string::npos);
  TriMesh flat = hinge(0);
  flat.nodes[3] = Vec3(2, 0, 0);
  EXPECT_EQ(build(flat, 1), "sheet: triangle 1 (nodes 1, 0, 3) has no area at rest");
}

}  // namespace
}  // namespace limber
