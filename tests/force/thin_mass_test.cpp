#include "limber/force/thin_mass.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "force/sheets.hpp"

namespace limber {
namespace {

using namespace test;

Matrix dense(const std::vector<NodalMass>& masses, Index n) {
  Matrix M = Matrix::Zero(n, n);
  for (const NodalMass& e : masses) {
    EXPECT_LE(e.a, e.b);
    EXPECT_EQ(M(e.a, e.b), 0) << "twice";
    M(e.a, e.b) = M(e.b, e.a) = e.m;
  }
  return M;
}

TEST(ThinMass, SheetOfTwoTriangles) {
  const TriMesh mesh = grid_sheet(1, 1, 3, 2);  // triangles 0 1 3 and 0 3 2, 3 m² each
  const std::vector<double> density{100, 200};
  const Matrix lumped = dense(membrane_masses(mesh, 2, density, 0.01, MassKind::lumped), 6);
  EXPECT_LE((lumped.diagonal() - Vector{{0, 0, 3, 1, 2, 3}}).norm(), 1e-14);
  EXPECT_EQ(lumped.sum(), lumped.trace());
  const Matrix consistent = dense(membrane_masses(mesh, 2, density, 0.01, MassKind::consistent), 6);
  EXPECT_LE((consistent.rowwise().sum() - lumped.diagonal()).norm(), 1e-14);
  // ∫ ρ t x² over both triangles
  const Vector x{{0, 0, 0, 3, 0, 3}};
  EXPECT_NEAR(x.dot(consistent * x), 0.01 * (100 * 27.0 * 2 / 4 + 200 * (2 * 9 - 27.0 * 2 / 4)), 1e-12);
}

TEST(ThinMass, Rod) {
  const Vector q{{0, 0, 0, 2, 0, 0, 2, 1, 0}};
  const double each = 1000 * std::numbers::pi * 0.01 * 0.01;  // [kg/m]
  const Matrix lumped = dense(rod_masses({{1, 0}, {1, 2}}, q, 1000, 0.01, MassKind::lumped), 3);
  EXPECT_LE((lumped.diagonal() - each * Vector{{1, 1.5, 0.5}}).norm(), 1e-14);
  const Matrix consistent = dense(rod_masses({{1, 0}, {1, 2}}, q, 1000, 0.01, MassKind::consistent), 3);
  const Vector s{{0, 2, 3}};
  EXPECT_NEAR(s.dot(consistent * s), each * 9, 1e-13);  // ∫ s² from 0 to 3
}

TEST(ThinMass, ATriangleOfNoAreaIsNamed) {
  TriMesh mesh = grid_sheet(1, 1, 1, 1);
  EXPECT_EQ(triangle_areas(mesh, "m"), (std::vector<double>{0.5, 0.5}));
  mesh.nodes[1] = mesh.nodes[0];
  EXPECT_EQ(message_of([&] { triangle_areas(mesh, "m"); }), "m: triangle 0 (nodes 0, 1, 3) has no area at rest");
}

}  // namespace
}  // namespace limber
