/// What statics applies in parts: forces, stiffness and energy of a share of a load, and nodes on a part of their way.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "force/differences.hpp"
#include "limber/core/nodes.hpp"
#include "limber/force/cavity.hpp"
#include "limber/force/gravity.hpp"
#include "limber/force/loads.hpp"
#include "limber/force/surface_loads.hpp"
#include "limber/force/wind.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {
namespace {

using namespace test;

Vector positions_of(const TetMesh& mesh) {
  Vector q(3 * static_cast<Index>(mesh.nodes.size()));
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) block(q, static_cast<int>(i)) = mesh.nodes[i];
  return q;
}

class SharesOfLoads : public ::testing::Test {
 protected:
  TetMesh mesh = box_mesh({0, 0, 0}, {1, 2, 3}, {1, 1, 1}, Split::five);
  Vector rest = positions_of(mesh);
  FaceMesh faces = triangle_faces(boundary_triangles(mesh));
  State u{rest + .2 * random_vector(rest.size(), 1, 1), Vector::Zero(rest.size()), 0};

  void expect_shares(Force& force) const {
    auto* load = dynamic_cast<LoadForce*>(&force);
    ASSERT_NE(load, nullptr);
    const Vector whole = force_at(force, u);
    ASSERT_GT(whole.norm(), 0);
    load->apply(.3);
    EXPECT_LT((force_at(force, u) - .3 * whole).norm(), 1e-12 * whole.norm());
    if (force.traits().has_potential) {
      expect_force_from_potentials(force, u);
      expect_stiffness(force, u);
    }
    load->apply(1);
    EXPECT_EQ(force_at(force, u), whole) << "to the bit";
  }
};

TEST_F(SharesOfLoads, AreProportional) {
  const int n = static_cast<int>(mesh.nodes.size());
  Gravity gravity(Vector::LinSpaced(n, 1, 2), Vec3(0, -9.81, 1));
  NodalLoads nodal({1, 2}, TimeFunction<Vec3>::constant(Vec3(1, 2, 3)));
  Wind wind(boundary_triangles(mesh), TimeFunction<Vec3>::constant(Vec3(3, 1, 0)), 1.2, 1, "wind");
  const auto traction = make_traction(faces, rest, TimeFunction<Vec3>::constant(Vec3(4, 5, 6)));
  const auto pressure = make_pressure(faces, rest, TimeFunction<double>::constant(7));
  for (Force* force : {static_cast<Force*>(&gravity), static_cast<Force*>(&nodal), static_cast<Force*>(&wind),
                       traction.get(), pressure.get()})
    expect_shares(*force);
}

TEST_F(SharesOfLoads, OfACavityAreOfWhatIsFilledIn) {
  const auto gas = make_cavity(faces, rest, CavityGas{.ambient = 10, .amount = TimeFunction<double>::constant(3)});
  const auto liquid = make_cavity(faces, rest, CavityLiquid{.bulk = 10, .volume = TimeFunction<double>::constant(3)});
  const double V = gas->volume(u.q), V0 = 6;
  for (const double share : {0., .25, 1.}) {
    for (const auto& cavity : {gas, liquid}) dynamic_cast<LoadForce&>(*cavity).apply(share);
    EXPECT_NEAR(gas->pressure(V, 0), 10 * ((1 + 2 * share) * V0 / V - 1), 1e-12);
    EXPECT_NEAR(liquid->pressure(V, 0), 10 * (1 + 2 * share - V / V0), 1e-12);
    expect_force_from_potentials(*gas, u);
  }
}

TEST_F(SharesOfLoads, PrescribedNodesStandStillOnTheirWay) {
  const int n = static_cast<int>(mesh.nodes.size());
  std::vector<NodalMass> masses;
  for (int i = 0; i < n; ++i) masses.push_back({i, i, 1});
  Motion motion;
  motion.pivot = Vec3(.1, .2, .3);
  motion.rotation = TimeFunction<Vec3>::sine(Vec3(0, 0, 1), .25, 0, Vec3::Zero());  // 1 rad at t = 1
  motion.translation = TimeFunction<Vec3>::sine(Vec3(.4, 0, .2), .25, 0, Vec3::Zero());
  MechanicalSystem::Parts parts{rest, masses, {std::make_shared<Gravity>(Vector::Ones(n), Vec3(0, -2, 0))}, {}, 1};
  parts.prescriptions = {{{0, 3}, motion}};
  MechanicalSystem system(std::move(parts));
  const State start{system.restrict_to_free(rest), Vector::Zero(system.size()), .8};
  const State moving = system.full(start);
  EXPECT_GT(block(moving.v, 3).norm(), .01);

  system.stand_still(.5);
  const State still = system.full(start);
  const double s = std::sin(.4 * std::numbers::pi);
  const Mat3 R = Eigen::AngleAxisd(.5 * s, Vec3::UnitZ()).toRotationMatrix();
  for (const int i : {0, 3}) {
    const Vec3 x = motion.pivot + R * (Vec3(block(rest, i)) - motion.pivot) + .5 * s * Vec3(.4, 0, .2);
    EXPECT_LT((Vec3(block(still.q, i)) - x).norm(), 1e-14);
    EXPECT_EQ(block(still.v, i).norm(), 0);
  }
  EXPECT_EQ(system.force(start)[1], -1) << "half the weight";

  system.stand_still(std::nullopt);
  EXPECT_EQ(system.full(start).q, moving.q);
  EXPECT_EQ(system.full(start).v, moving.v);
  EXPECT_EQ(system.force(start)[1], -2);
}

}  // namespace
}  // namespace limber
