/// What keeps rigid parts in shape: its derivatives, what it learns, and parts that are put straight.

#include "limber/force/rigid_shapes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "force/differences.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

using namespace test;

RigidShapes two_parts() {
  RigidShapes::Part first{
      {1, 0, 2, 3}, {Vec3(0, 0, 0), Vec3(.3, 0, 0), Vec3(.1, .4, 0), Vec3(0, .1, .5)}, {.1, .1, .1}, .02, 3e4, "first"};
  RigidShapes::Part second = first;
  second.corners = {5, 4, 7, 6};
  second.young = 5e4;
  second.where = "second";
  return RigidShapes({first, second});
}

/// Parts that are moved by x = A X + b, and their velocities by v = B X + c, with A, B of each part.
State affine(const std::array<Mat3, 2>& A, const std::array<Mat3, 2>& B) {
  const std::array<Vec3, 4> rest = {Vec3(0, 0, 0), Vec3(.3, 0, 0), Vec3(.1, .4, 0), Vec3(0, .1, .5)};
  const std::array<std::array<int, 4>, 2> corners = {{{1, 0, 2, 3}, {5, 4, 7, 6}}};
  State u{Vector::Zero(24), Vector::Zero(24), 0};
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t k = 0; k < 4; ++k) {
      block(u.q, corners[p][k]) = A[p] * rest[k] + Vec3(1, -2, .5);
      block(u.v, corners[p][k]) = B[p] * rest[k] + Vec3(.1, .2, .3);
    }
  return u;
}
const Mat3 turned = Eigen::AngleAxisd(1.2, Vec3(1, 2, -1).normalized()).toRotationMatrix();

TEST(RigidShapes, AreConsistent) {
  RigidShapes force = two_parts();
  Mat3 A = turned;
  A(0, 1) += .05;
  A(2, 2) -= .03;
  const State u = affine({A, turned * 1.02}, {A, A});
  expect_force_from_potentials(force, u);
  expect_stiffness(force, u);
  expect_psd(tangent_at(force, u, Definiteness::projected).K);
  expect_restricts(force, u, {0, 1, -1, 2, 3, 4, -1, 5});
}

/// W = V E/2 ‖ε‖²; a stretch by 1 + s has ε = s + s²/2 in one direction. A rotation costs nothing.
TEST(RigidShapes, StoreTheEnergyOfTheirStrain) {
  const RigidShapes force = two_parts();
  const double s = 1e-2, strain = s + s * s / 2;
  Mat3 stretch = Mat3::Identity();
  stretch(1, 1) += s;
  const State u = affine({turned * stretch, turned}, {turned, turned});
  EXPECT_NEAR(force.potentials(u)->stored, .02 * 3e4 / 2 * strain * strain, 1e-12);
  const auto strains = force.strains(u);
  EXPECT_NEAR(strains[0], strain, 1e-14);
  EXPECT_NEAR(strains[1], 0, 1e-14);
}

TEST(RigidShapes, BecomeStifferWhereTheyAreStrained) {
  RigidShapes force = two_parts();
  const auto first = force.memory();
  EXPECT_EQ(first, (std::vector<double>{3e4, 5e4}));
  EXPECT_FALSE(force.stiffen({4e-4, 1e-9}));
  EXPECT_TRUE(force.stiffen({.2, 4e-4}));
  EXPECT_NEAR(force.memory()[0], 3e4 * .2 / RigidShapes::wanted_strain, 1);
  EXPECT_EQ(force.memory()[1], 5e4);
  EXPECT_TRUE(force.remark({9e-4, 0}).empty());
  EXPECT_NE(force.remark({0, 2e-3}).find("second"), std::string::npos);
  const auto learnt = force.memory();
  force.restore(first);
  EXPECT_EQ(force.memory(), first);
  force.restore(learnt);
  EXPECT_EQ(force.memory(), learnt);
  for (int i = 0; i < 50; ++i) force.stiffen({1, 0});
  EXPECT_FALSE(force.stiffen({1, 0}));  // at its end: it is strained by something else
  EXPECT_THROW(force.restore({3e4}), InputError);
  EXPECT_THROW(force.restore({-1, 5e4}), InputError);
  EXPECT_THROW(force.restore({std::numeric_limits<double>::quiet_NaN(), 5e4}), InputError);
  EXPECT_EQ(force.memory()[1], 5e4);
}

TEST(RigidShapes, ArePutStraightAboutTheirCentres) {
  const RigidShapes force = two_parts();
  Mat3 spin;
  spin << 0, -3, 1, 3, 0, -2, -1, 2, 0;
  Mat3 stretch = Mat3::Identity();
  stretch(0, 0) = 1.2;
  stretch(0, 1) = stretch(1, 0) = .1;
  State u = affine({turned * stretch, turned}, {spin * turned * stretch, spin * turned});
  const State before = u;
  force.straighten(u);
  const State expected = affine({turned, turned}, {spin * turned, spin * turned});
  // The centre stays: the rest moves by the difference of the maps there.
  const Vec3 centre(.1, .1, .1), shift = turned * (stretch * centre - centre), drift = spin * shift;
  for (int i = 0; i < 8; ++i) {
    const bool first = i < 4;
    EXPECT_LT((block(u.q, i) - block(expected.q, i) - (first ? shift : Vec3::Zero())).norm(), 1e-12) << i;
    EXPECT_LT((block(u.v, i) - block(expected.v, i) - (first ? drift : Vec3::Zero())).norm(), 1e-11) << i;
  }
  EXPECT_LT(force.strains(u)[0], 1e-13);
}

TEST(RigidShapes, ElsewhereLearnTheSameAndExertNothing) {
  RigidShapes force = two_parts();
  const auto other = force.elsewhere();
  State u = affine({turned * 1.1, turned}, {turned, turned});
  EXPECT_TRUE(force_at(*other, u).isZero(0));
  EXPECT_EQ(other->potentials(u)->stored, 0);
  auto& learns = dynamic_cast<LearningForce&>(*other);
  EXPECT_EQ(learns.strains(u), (std::vector<double>{0, 0}));
  EXPECT_TRUE(learns.stiffen(force.strains(u)));
  force.stiffen(force.strains(u));
  EXPECT_EQ(learns.memory(), force.memory());
}

}  // namespace
}  // namespace limber
