#include "limber/contact/forces/friction_force.hpp"

#include <gtest/gtest.h>

#include "contact_scenes.hpp"
#include "limber/contact/forces/barrier.hpp"

namespace limber::test {
namespace {

constexpr double mu = .4;
constexpr double q_step = 5e-5, v_step = 5e-4;

/// ε above the sliding speeds of about 1 m/s (sticking) and below them.
struct FrictionCase {
  ContactCase contact;
  double eps;
};

class Friction : public ::testing::TestWithParam<FrictionCase> {
 protected:
  Friction()
      : c(GetParam().contact),
        barrier(c.collisions, c.stiffness),
        coupled(c.collisions, c.stiffness, FrictionForm::coupled, GetParam().eps),
        lagged(c.collisions, c.stiffness, FrictionForm::lagged, GetParam().eps) {
    lagged.update_lagged(c.u);
    coupled.update_lagged(c.u);
  }
  ContactCase c;
  BarrierForce barrier;
  FrictionForce coupled, lagged;
};

TEST_P(Friction, CoupledTangentIsTheDerivativeOfTheForce) {
  // The barrier declares the couplings of the pairs that collide now.
  const DenseTangent both = declared_tangent({&barrier, &coupled}, c.u), normal = declared_tangent({&barrier}, c.u);
  const auto over_q = [&](const Vector& q) { return force_at(coupled, {q, c.u.v, c.u.t}); };
  const auto over_v = [&](const Vector& v) { return force_at(coupled, {c.u.q, v, c.u.t}); };
  ASSERT_GT(over_q(c.u.q).norm(), 1e-3);
  expect_near(both.K - normal.K, minus_jacobian(over_q, c.u.q, q_step), 1e-6, "K = -df/dq");
  expect_near(both.D, minus_jacobian(over_v, c.u.v, v_step), 1e-7, "D = -df/dv");
  expect_psd(both.D);
  const Matrix K = both.K - normal.K;
  EXPECT_GT((K - K.transpose()).norm(), 1e-3 * K.norm()) << "coupled friction has no symmetric tangent";
  EXPECT_EQ(coupled.traits().lag, Lag::each_iterate);
}

TEST_P(Friction, LaggedForceIsTheDerivativeOfItsPotential) {
  const auto R = [&](const Vector& v) { return Vector::Constant(1, lagged.potentials({c.u.q, v, c.u.t})->dissipated); };
  const auto over_v = [&](const Vector& v) { return force_at(lagged, {c.u.q, v, c.u.t}); };
  expect_near(over_v(c.u.v), minus_jacobian(R, c.u.v, v_step).transpose(), 1e-8, "f = -dR/dv");
  const DenseTangent T = declared_tangent({&lagged}, c.u);
  EXPECT_TRUE(T.K.isZero(0));
  expect_near(T.D, minus_jacobian(over_v, c.u.v, v_step), 1e-7, "D = -df/dv");
  expect_psd(T.D);
  EXPECT_EQ(lagged.potentials(c.u)->stored, 0);
  EXPECT_TRUE(lagged.traits().symmetric);
  EXPECT_EQ(lagged.traits().lag, Lag::each_solution);
}

/// Held at another configuration, lagged friction knows nothing of where the nodes are now, and still declares what it
/// couples.
TEST_P(Friction, LaggedForceStaysAsItWasHeld) {
  State away = c.u;
  away.q += random_vector(away.q.size(), 5, 3);
  EXPECT_EQ(force_at(lagged, away), force_at(lagged, c.u));
  EXPECT_EQ(declared_tangent({&lagged}, away).D, declared_tangent({&lagged}, c.u).D);
  lagged.update_lagged(away);
  lagged.update_lagged(c.u);
  EXPECT_EQ(force_at(lagged, away), force_at(coupled, c.u)) << "both forms agree where the lagged one is held";
}

/// After many iterates of one stage coupled friction is that of the last ones that were held; the next stage and the
/// next step begin anew.
TEST_P(Friction, CoupledForceIsHeldWhereItDoesNotSettle) {
  State away = c.u;
  away.q += random_vector(away.q.size(), 1e-3, 3);
  const Vector here = force_at(coupled, c.u), there = force_at(coupled, away);
  ASSERT_NE(here, there);
  for (int i = 0; i < 20; ++i) coupled.update_lagged(c.u);
  EXPECT_EQ(force_at(coupled, away), there);
  for (int i = 0; i < 20; ++i) coupled.update_lagged(c.u);
  coupled.update_lagged(away);
  EXPECT_EQ(force_at(coupled, away), here);
  const DenseTangent T = declared_tangent({&coupled}, away);
  EXPECT_TRUE(T.K.isZero(0));
  expect_near(T.D, declared_tangent({&lagged}, c.u).D, 1e-10, "D of the potential");
  for (int i = 0; i < 20; ++i) coupled.update_lagged(away);
  expect_near(force_at(coupled, c.u), there, 1e-12, "held anew");
  coupled.begin_iterates();
  coupled.update_lagged(c.u);
  EXPECT_EQ(force_at(coupled, away), there) << "another stage";
  for (int i = 0; i < 40; ++i) coupled.update_lagged(c.u);
  EXPECT_EQ(force_at(coupled, away), here);
  coupled.begin_step(c.u);
  EXPECT_EQ(force_at(coupled, away), there) << "another step";
  EXPECT_EQ(coupled.held_stages(), 2);
}

TEST_P(Friction, IsCoupledAgainWhereItWasHeld) {
  EXPECT_FALSE(lagged.couple_again());
  coupled.begin_step(c.u);
  EXPECT_FALSE(coupled.couple_again()) << "it is";
  State away = c.u;
  away.q += random_vector(away.q.size(), 1e-3, 3);
  const Vector here = force_at(coupled, c.u), there = force_at(coupled, away);
  for (int i = 0; i < 30; ++i) coupled.update_lagged(c.u);
  EXPECT_EQ(force_at(coupled, away), here) << "held";
  EXPECT_TRUE(coupled.couple_again());
  coupled.update_lagged(c.u);
  EXPECT_EQ(force_at(coupled, away), there);
  EXPECT_EQ(coupled.held_stages(), 1);
}

/// A tangent for Newton's merit: without what is not symmetric.
TEST_P(Friction, ProjectedTangentsAreThoseOfThePotential) {
  const DenseTangent both = declared_tangent({&barrier, &coupled}, c.u, Definiteness::projected);
  const Matrix normal = declared_tangent({&barrier}, c.u, Definiteness::projected).K;
  EXPECT_LE((both.K - normal).norm(), 1e-12 * (1 + normal.norm()));
  expect_near(both.D, declared_tangent({&lagged}, c.u).D, 1e-12, "D of the potential");
}

/// Between iterates that slide in opposite directions the tangent along the sliding is far from the exact one, which
/// is zero beyond ε: with x = |y|, η = x/s, w = s ŷ before and −y after, the linearised η w = y gives
/// w = s (2η's − 1) ŷ and D = (μλ/η)(1 + η's(2η's − 1)) along ŷ. At rest with itself it is exact again.
TEST_P(Friction, TangentIsStiffWhereSlidingHasTurned) {
  if (c.collisions->moves()) return;
  const double eps = GetParam().eps;
  State back = c.u;
  back.v = -c.u.v;
  lagged.update_lagged(back);
  coupled.begin_step(c.u);
  coupled.update_lagged(back);
  const Matrix D = declared_tangent({&barrier, &coupled}, back).D;
  double expected = 0;
  const Vector x = c.collisions->positions(c.u.q, c.u.t);
  for (const Collision& one : c.collisions->at(c.u.q, c.u.t)) {
    const double lambda = c.stiffness->normal_force(one, c.collisions->delta(), mollifier_value(one, x));
    Vec3 y = Vec3::Zero();
    for (int i = 0; i < one.count; ++i)
      y += one.weights()[static_cast<std::size_t>(i)] *
           c.collisions->velocity(one.nodes[static_cast<std::size_t>(i)], c.u.v, c.u.t);
    y -= one.normal().dot(y) * one.normal();
    const double speed = y.norm(), r = std::min(1., speed / eps), s = r * (2 - r), rate = 1 / ((2 - r) * (2 - r));
    expected += mu * lambda * s * speed * (1 + rate * s * (2 * rate * s - 1));
  }
  EXPECT_NEAR(c.u.v.dot(D * c.u.v), expected, 1e-10 * expected);
  EXPECT_LE((D - D.transpose()).norm(), 1e-12 * D.norm());
  expect_psd(D);
  coupled.update_lagged(back);
  expect_near(declared_tangent({&barrier, &coupled}, back).D, declared_tangent({&lagged}, back).D, 1e-10,
              "D at rest with itself");
}

/// No net force. The pair of friction forces acts across the gap d, so there is a torque d n × F: at most d Σ|F|.
TEST_P(Friction, FreeBodiesFeelNoNetForce) {
  if (!c.free) return;
  const Vector f = force_at(coupled, c.u);
  Vec3 sum = Vec3::Zero(), torque = Vec3::Zero(), expected = Vec3::Zero();
  for (Index i = 0; i < f.size(); i += 3) {
    sum += f.segment<3>(i);
    torque += Vec3(c.u.q.segment<3>(i)).cross(Vec3(f.segment<3>(i)));
  }
  for (const Collision& one : c.collisions->at(c.u.q, c.u.t))
    expected += one.nearest.d * one.normal().cross(coupled.force_on_first(one, c.u, c.u.q));
  EXPECT_LE(sum.norm(), 1e-12 * (1 + f.norm()));
  EXPECT_LE((torque - expected).norm(), 1e-12 * (1 + f.norm()) * (1 + c.u.q.norm()));
}

/// Each collision's friction opposes its sliding and is at most μ λ; together they take power out.
TEST_P(Friction, StaysInTheConeAndOpposesSliding) {
  double power = 0;
  for (const Collision& one : c.collisions->at(c.u.q, c.u.t)) {
    const Vector x = c.collisions->positions(c.u.q, c.u.t);
    const Vec3 F = coupled.force_on_first(one, c.u, x);
    const double lambda = c.stiffness->normal_force(one, c.collisions->delta(), mollifier_value(one, x));
    EXPECT_LE(F.norm(), mu * lambda * (1 + 1e-12));
    EXPECT_LE(std::abs(F.dot(one.normal())), 1e-12 * (1 + F.norm()));
    Vec3 slip = Vec3::Zero();
    for (int i = 0; i < one.count; ++i)
      slip += one.weights()[static_cast<std::size_t>(i)] *
              c.collisions->velocity(one.nodes[static_cast<std::size_t>(i)], c.u.v, c.u.t);
    if (one.obstacle >= 0) slip -= c.collisions->pose(one.obstacle, c.u.t).velocity(node_of(c.u.q, one.nodes[0]));
    slip -= one.normal().dot(slip) * one.normal();
    EXPECT_NEAR(F.dot(slip), -F.norm() * slip.norm(), 1e-10 * (1 + F.norm() * slip.norm()));
    EXPECT_NEAR(F.norm(), mu * lambda * friction_smoothing(slip.norm(), GetParam().eps).value, 1e-10 * (1 + lambda));
    power -= F.dot(slip);
  }
  EXPECT_NEAR(coupled.friction_power(c.u), power, 1e-10 * (1 + power));
  if (c.free) {
    EXPECT_NEAR(-force_at(coupled, c.u).dot(c.u.v), power, 1e-10 * (1 + power));
  }
}

std::vector<FrictionCase> friction_cases() {
  std::vector<FrictionCase> cases;
  for (const double eps : {5.0, .05})
    for (const ContactCase& c : contact_cases(mu)) {
      cases.push_back({c, eps});
      cases.back().contact.name += eps > 1 ? "_sticking" : "_sliding";
    }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Cases, Friction, ::testing::ValuesIn(friction_cases()),
                         [](const auto& info) { return info.param.contact.name; });

/// What moves obstacles puts in what friction does to the bodies and what it dissipates.
TEST_P(Friction, ObstaclesPutInWhatBodiesGetAndWhatIsLost) {
  const double gets = force_at(coupled, c.u).dot(c.u.v), lost = coupled.friction_power(c.u);
  const State after{c.u.q, c.u.v, c.u.t + 1};
  EXPECT_NEAR(coupled.driving_work({c.u, after, Vector::Zero(c.u.q.size())}, c.u), gets + lost,
              1e-12 * (std::abs(gets) + lost));
}

TEST(FrictionForce, RestsWithWhatMovesAlong) {
  SceneBuilder s(.1);
  s.tet({{0, .03, 0}, {1, .5, 0}, {0, .5, 1}, {0, 1, 0}});
  s.implicit(half_space({0, 0, 0}, {0, 1, 0}), steady({.7, 0, -.2}));
  ContactCase c("", s.build(mu), .3);
  for (Index i = 0; i < 12; i += 3) c.u.v.segment<3>(i) = Vec3(.7, 0, -.2);
  const FrictionForce force(c.collisions, c.stiffness, FrictionForm::coupled, .01);
  EXPECT_LE(force_at(force, c.u).norm(), 1e-12);
  c.u.v.setZero();
  const Vec3 F = node_of(force_at(force, c.u), 0), way(.7, 0, -.2);
  EXPECT_GT(F.dot(way), .999999 * F.norm() * way.norm()) << "it is dragged along";
}

TEST(FrictionForce, IsThatOfThePairsOwnCoefficient) {
  SceneBuilder s(.1);
  s.tet({{0, .03, 0}, {1, .5, 0}, {0, .5, 1}, {0, 1, 0}});
  s.implicit(half_space({0, 0, 0}, {0, 1, 0}));
  s.implicit(half_space({-.05, 0, 0}, {1, 0, 0}));
  ContactScene scene = s.build(mu);
  scene.mu[0][2] = scene.mu[2][0] = 0;
  const ContactCase c("", scene);
  const FrictionForce force(c.collisions, c.stiffness, FrictionForm::coupled, 1e-3);
  const auto& both = c.collisions->at(c.u.q, 0);
  const auto rough = std::find_if(both.begin(), both.end(), [](const Collision& x) { return x.objects[1] == 1; });
  const auto smooth = std::find_if(both.begin(), both.end(), [](const Collision& x) { return x.objects[1] == 2; });
  ASSERT_NE(rough, both.end());
  ASSERT_NE(smooth, both.end());
  EXPECT_NEAR(force.force_on_first(*rough, c.u, c.u.q).norm(), mu * c.stiffness->normal_force(*rough, .1, 1), 1e-9);
  EXPECT_EQ(force.force_on_first(*smooth, c.u, c.u.q).norm(), 0);
}

}  // namespace
}  // namespace limber::test
