#include "limber/force/callback.hpp"

#include <gtest/gtest.h>

#include "force/differences.hpp"

namespace limber {
namespace {

using namespace test;

// f = −A q³ (componentwise on the coupled dofs) − B v, three nodes; A couples nodes 0 and 2 only.
struct Example {
  Matrix A = Matrix::Zero(9, 9), B = Matrix::Zero(9, 9);
  explicit Example(TangentSymmetry symmetry) {
    for (const Index i : {0, 4, 7}) A(i, i) = 3;
    B.diagonal().setConstant(0.5);
    B(0, 7) = B(7, 0) = 0.2;
    if (symmetry == TangentSymmetry::general) B(0, 7) = 0.9;
  }
  ForceCallbacks callbacks() const {
    ForceCallbacks c;
    c.force = [*this](const Vector& q, const Vector& v, double t) -> Vector {
      return -A * q.array().cube().matrix() - B * v + Vector::Constant(9, t);
    };
    c.stiffness = [*this](const Vector& q, const Vector&, double) -> SparseMatrix {
      return Matrix(A * (3 * q.array().square()).matrix().asDiagonal()).sparseView();
    };
    c.damping = [*this](const Vector&, const Vector&, double) -> SparseMatrix { return B.sparseView(); };
    return c;
  }
};

const State start{random_vector(9, 1, 1), random_vector(9, 1, 2), 0.5};

TEST(CallbackForce, IsTheUsersForceAndTangent) {
  for (const auto symmetry : {TangentSymmetry::symmetric, TangentSymmetry::general}) {
    CallbackForce force("mine", Example(symmetry).callbacks(), symmetry, start);
    const State u{random_vector(9, 1, 3), random_vector(9, 1, 4), 1.5};
    expect_stiffness(force, u);
    expect_damping(force, u);
    expect_restricts(force, u, {1, -1, 0});
    expect_restricts(force, u, {0, 1, 2});
    EXPECT_EQ(force.traits().symmetric, symmetry == TangentSymmetry::symmetric);
    EXPECT_TRUE(force.traits().velocity_dependent);
    EXPECT_FALSE(force.traits().has_potential);
    EXPECT_FALSE(force.potentials(u).has_value());
    EXPECT_NEAR(force.damping_power(u), u.v.dot(Example(symmetry).B * u.v), 1e-13);
  }
}

TEST(CallbackForce, MayHavePotentials) {
  const Example e(TangentSymmetry::symmetric);
  ForceCallbacks c = e.callbacks();
  c.potential = [e](const Vector& q, const Vector&, double t) {
    return (e.A.diagonal().array() * q.array().square().square()).sum() / 4 - t * q.sum();
  };
  c.dissipation = [e](const Vector&, const Vector& v, double) { return v.dot(e.B * v) / 2; };
  CallbackForce force("mine", c, TangentSymmetry::symmetric, start);
  EXPECT_TRUE(force.traits().has_potential);
  expect_force_from_potentials(force, {random_vector(9, 1, 3), random_vector(9, 1, 4), 1.5});
}

TEST(CallbackForce, NeedsNoTangent) {
  ForceCallbacks c;
  c.force = [](const Vector& q, const Vector&, double) -> Vector { return -q; };
  CallbackForce force("plain", c, TangentSymmetry::symmetric, start);
  EXPECT_EQ(force_at(force, start), -start.q);
  EXPECT_EQ(tangent_at(force, start).K.norm(), 0);
  EXPECT_TRUE(force.traits().velocity_dependent);  // nothing says that it is not
  c.potential = [](const Vector& q, const Vector&, double) { return q.squaredNorm() / 2; };
  EXPECT_FALSE(CallbackForce("plain", c, TangentSymmetry::symmetric, start).traits().velocity_dependent);
}

TEST(CallbackForce, AnEntryOutsideTheDeclaredPatternIsNamed) {
  ForceCallbacks c = Example(TangentSymmetry::general).callbacks();
  c.stiffness = [](const Vector&, const Vector&, double t) {
    SparseMatrix K(9, 9);
    K.insert(0, 0) = 1;
    if (t > 1) K.insert(1, 5) = 2;
    return K;
  };
  CallbackForce force("late", c, TangentSymmetry::general, start);
  EXPECT_EQ(tangent_at(force, start).K(0, 0), 1);
  const std::string message = message_of([&] { tangent_at(force, {start.q, start.v, 2}); });
  EXPECT_NE(message.find("force 'late': stiffness has an entry at (1, 5), nodes 0 and 1"), std::string::npos)
      << message;

  c.stiffness = [](const Vector&, const Vector&, double t) {
    SparseMatrix K(9, 9);
    K.insert(1, 5) = t > 1 ? 2 : 0;
    return K;
  };
  CallbackForce declared("declared", c, TangentSymmetry::general, start);
  EXPECT_EQ(tangent_at(declared, {start.q, start.v, 2}).K(1, 5), 2);
}

TEST(CallbackForce, BadResultsAreNamed) {
  const auto build = [](const ForceCallbacks& c, TangentSymmetry s) {
    return message_of([&] { CallbackForce("bad", c, s, start); });
  };
  EXPECT_NE(build({}, TangentSymmetry::symmetric).find("force 'bad': no force function"), std::string::npos);
  ForceCallbacks c = Example(TangentSymmetry::general).callbacks();
  EXPECT_NE(build(c, TangentSymmetry::symmetric).find("said to be symmetric"), std::string::npos);
  c.damping = [](const Vector&, const Vector&, double) { return SparseMatrix(9, 6); };
  EXPECT_NE(build(c, TangentSymmetry::general).find("damping is 9 × 6, but 9 × 9"), std::string::npos);
  c.force = [](const Vector&, const Vector&, double) -> Vector { return Vector::Zero(4); };
  EXPECT_NE(build(c, TangentSymmetry::general).find("4 numbers, but 9"), std::string::npos);
}

}  // namespace
}  // namespace limber
