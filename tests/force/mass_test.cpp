#include "limber/force/mass.hpp"

#include <gtest/gtest.h>

#include "force/differences.hpp"
#include "limber/force/gravity.hpp"

namespace limber {
namespace {

using namespace test;

TetMesh two_tets() {
  TetMesh mesh;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {1, 2, 3}};
  mesh.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  return mesh;
}

TEST(Mass, LumpedPutsAQuarterOnEachNode) {
  TetMesh mesh;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
  mesh.tets = {{0, 1, 2, 3}};  // V = 1
  const std::vector<double> density{8};
  const auto masses = element_masses(linear_elements(mesh), 10, density, MassKind::lumped);
  ASSERT_EQ(masses.size(), 4u);
  for (int i = 0; i < 4; ++i) {
    const NodalMass& m = masses[static_cast<std::size_t>(i)];
    EXPECT_EQ(m.a, 10 + i);
    EXPECT_EQ(m.b, 10 + i);
    EXPECT_DOUBLE_EQ(m.m, 2);
  }
}

TEST(Mass, ConsistentIsTheIntegralOfShapeFunctions) {
  TetMesh mesh;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
  mesh.tets = {{0, 1, 2, 3}};
  const auto masses = element_masses(linear_elements(mesh), 0, std::vector<double>{20}, MassKind::consistent);
  ASSERT_EQ(masses.size(), 10u);
  for (const NodalMass& m : masses) EXPECT_DOUBLE_EQ(m.m, m.a == m.b ? 2 : 1);
}

TEST(Mass, TotalsAndRowSums) {
  const TetMesh mesh = two_tets();
  const std::vector<double> density{1000, 300};
  const double total = 1000 * std::abs(signed_volume(mesh, 0)) + 300 * std::abs(signed_volume(mesh, 1));
  const auto lumped = element_masses(linear_elements(mesh), 2, density, MassKind::lumped);
  const auto consistent = element_masses(linear_elements(mesh), 2, density, MassKind::consistent);
  Vector rows = Vector::Zero(7), rows_consistent = Vector::Zero(7);
  add_row_sums(lumped, rows);
  add_row_sums(consistent, rows_consistent);
  EXPECT_NEAR(rows.sum(), total, 1e-10);
  EXPECT_EQ(rows[0], 0);
  EXPECT_NEAR((rows - rows_consistent).norm(), 0, 1e-10);
}

TEST(Mass, EachPairOnceInOrder) {
  for (const MassKind kind : {MassKind::lumped, MassKind::consistent}) {
    const auto masses = element_masses(linear_elements(two_tets()), 0, std::vector<double>{1, 1}, kind);
    for (const NodalMass& m : masses) EXPECT_LE(m.a, m.b);
    for (std::size_t i = 1; i < masses.size(); ++i)
      EXPECT_LT(std::pair(masses[i - 1].a, masses[i - 1].b), std::pair(masses[i].a, masses[i].b));
  }
}

TEST(Gravity, IsTheWeightAndItsPotential) {
  Gravity gravity(Vector{{1.0, 0.0, 2.5}}, Vec3(0.1, -9.81, 0.3));
  const State u{random_vector(9, 2, 1), random_vector(9, 2, 2), 0.3};
  const Vector f = force_at(gravity, u);
  EXPECT_DOUBLE_EQ(f[1], -9.81);
  EXPECT_EQ(f[4], 0);
  EXPECT_DOUBLE_EQ(f[7], -9.81 * 2.5);
  expect_force_from_potentials(gravity, u);
  expect_stiffness(gravity, u);
  expect_damping(gravity, u);
  EXPECT_EQ(gravity.traits().energy, EnergyKind::gravitational);
  // A metre higher costs m g.
  State higher = u;
  for (Index i = 1; i < 9; i += 3) higher.q[i] += 1;
  EXPECT_NEAR(gravity.potentials(higher)->stored - gravity.potentials(u)->stored, 3.5 * 9.81, 1e-12);
}

}  // namespace
}  // namespace limber
