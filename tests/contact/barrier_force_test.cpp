#include "limber/contact/forces/barrier_force.hpp"

#include <gtest/gtest.h>

#include "contact_scenes.hpp"
#include "limber/contact/forces/barrier.hpp"
#include "limber/contact/report.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"

namespace limber::test {
namespace {

constexpr double difference_step = 5e-5;  // [m] small beside gaps of 2 cm and angles of .01

class Barrier : public ::testing::TestWithParam<ContactCase> {
 protected:
  Barrier() : c(GetParam()), force(c.collisions, c.stiffness) {}
  double W(const Vector& q) const { return force.potentials({q, c.u.v, c.u.t})->stored; }
  Vector f(const Vector& q) const { return force_at(force, {q, c.u.v, c.u.t}); }
  ContactCase c;
  BarrierForce force;
};

TEST_P(Barrier, TheCaseHasCollisions) {
  const auto& all = c.collisions->at(c.u.q, c.u.t);
  ASSERT_FALSE(all.empty());
  for (const Collision& one : all) {
    EXPECT_GT(one.gap, .01);
    EXPECT_LT(one.gap, c.collisions->delta());
  }
}

TEST_P(Barrier, ForceIsTheDerivativeOfThePotential) {
  const auto energy = [&](const Vector& q) { return Vector::Constant(1, W(q)); };
  expect_near(f(c.u.q), minus_jacobian(energy, c.u.q, difference_step).transpose(), 1e-8, "f = -dW/dq");
  EXPECT_GT(f(c.u.q).norm(), 1e-2);
  EXPECT_EQ(force.potentials(c.u)->dissipated, 0);
}

TEST_P(Barrier, StiffnessIsTheDerivativeOfTheForce) {
  const DenseTangent T = declared_tangent({&force}, c.u);
  expect_near(T.K, minus_jacobian([&](const Vector& q) { return f(q); }, c.u.q, difference_step), 1e-7, "K = -df/dq");
  EXPECT_TRUE(T.D.isZero(0));
  expect_symmetric(T.K);
}

/// Each pair's block is projected: the sum is semidefinite and not below the exact tangent.
TEST_P(Barrier, ProjectedTangentIsSemidefiniteAndAboveTheExactOne) {
  const Matrix exact = declared_tangent({&force}, c.u).K;
  const Matrix projected = declared_tangent({&force}, c.u, Definiteness::projected).K;
  expect_psd(projected);
  const Vector gain = Eigen::SelfAdjointEigenSolver<Matrix>(Matrix(projected - exact)).eigenvalues();
  EXPECT_GE(gain.minCoeff(), -1e-11 * (1 + exact.norm()));
}

TEST_P(Barrier, FreeBodiesFeelNoNetForceAndTorque) {
  if (c.free) expect_balanced(force, c.u);
}

TEST_P(Barrier, PrescribedNodesAndLowerStorageGiveTheSameNumbers) {
  const int nodes = static_cast<int>(c.u.q.size() / 3);
  std::vector<int> free_index;
  int count = 0;
  for (int i = 0; i < nodes; ++i) free_index.push_back(i % 3 == 1 ? -1 : count++);
  Couplings now, pairs;
  force.add_couplings_at(c.u, now);
  for (const auto& [a, b] : now)
    if (const int i = free_index[static_cast<std::size_t>(a)], j = free_index[static_cast<std::size_t>(b)];
        i >= 0 && j >= 0)
      pairs.emplace_back(i, j);
  const BlockPattern pattern(count, pairs, Storage::lower);
  SparseMatrix K = pattern.zero(), D = pattern.zero();
  TangentBuilder T(pattern, free_index, Definiteness::exact, K.valuePtr(), D.valuePtr());
  force.add_tangent(c.u, T);
  const Matrix some = Matrix(K).selfadjointView<Eigen::Lower>(), all = declared_tangent({&force}, c.u).K;
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b) {
      const int i = free_index[static_cast<std::size_t>(a)], j = free_index[static_cast<std::size_t>(b)];
      if (i < 0 || j < 0) continue;
      EXPECT_LE((some.block(3 * i, 3 * j, 3, 3) - all.block(3 * a, 3 * b, 3, 3)).norm(), 1e-13 * (1 + all.norm()));
    }
}

TEST_P(Barrier, APositionThatIsNotFiniteFailsTheStep) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    State u = c.u;
    Vector f = Vector::Zero(u.q.size()), dq = f;
    u.q[1] = bad;
    dq[2] = bad;
    EXPECT_THROW(force.add_force(u, f), StepFailure);
    EXPECT_THROW(force.max_step(c.u.q, dq, c.u.t, c.u.t), StepFailure);
    EXPECT_NO_THROW(force.add_force(c.u, f));
  }
}

/// Candidates are kept between calls; what is found must not show it.
TEST_P(Barrier, CollisionsDoNotDependOnEarlierCalls) {
  const Collisions fresh(c.collisions->scene());
  const auto expected = fresh.at(c.u.q, c.u.t);
  const auto same = [&](const char* what) {
    const auto& found = c.collisions->at(c.u.q, c.u.t);
    ASSERT_EQ(found.size(), expected.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].kind, expected[i].kind) << what;
      EXPECT_EQ(found[i].nodes, expected[i].nodes) << what;
      EXPECT_EQ(found[i].gap, expected[i].gap) << what;
      EXPECT_EQ(found[i].normal(), expected[i].normal()) << what;
    }
  };
  same("at once");
  for (const double far : {.01, .1, 1.0, 100.0}) {
    Vector away = c.u.q;
    for (Index i = 0; i < away.size(); ++i) away[i] += far * std::sin(2.3 * static_cast<double>(i));
    c.collisions->at(away, c.u.t);
    same("after a look elsewhere");
    c.collisions->max_step(away, c.u.q - away, c.u.t, c.u.t);
    same("after a step from elsewhere");
    c.collisions->max_step(c.u.q, away - c.u.q, c.u.t, c.u.t + .1);
    same("after a step to elsewhere");
    c.collisions->nearest(away, c.u.t + .2);
    same("after another time");
  }
}

TEST_P(Barrier, CouplingsDoNotDependOnEarlierCalls) {
  const auto couplings = [&](const Collisions& among) {
    Couplings now, soon;
    among.add_couplings(c.u.q, c.u.t, now);
    among.add_couplings_soon(c.u.q, c.u.t, soon);
    std::set<std::pair<int, int>> first(now.begin(), now.end()), second(soon.begin(), soon.end());
    EXPECT_TRUE(std::includes(second.begin(), second.end(), first.begin(), first.end()));
    return std::pair(first, second);
  };
  const auto expected = couplings(Collisions(c.collisions->scene()));
  c.collisions->at(c.u.q, c.u.t);
  EXPECT_EQ(couplings(*c.collisions), expected);
  Vector away = c.u.q;
  for (Index i = 0; i < away.size(); ++i) away[i] += 3 * std::sin(2.3 * static_cast<double>(i));
  c.collisions->at(away, c.u.t);
  c.collisions->at(c.u.q, c.u.t);
  EXPECT_EQ(couplings(*c.collisions), expected);
  c.collisions->max_step(away, .1 * (c.u.q - away), c.u.t, c.u.t);
  EXPECT_EQ(couplings(*c.collisions), expected);
}

TEST_P(Barrier, TheSameBitsForAnyNumberOfThreads) {
  set_threads(1);
  const Matrix one = declared_tangent({&force}, c.u).K;
  const Vector f_one = f(c.u.q);
  set_threads(3);
  const Collisions fresh(c.collisions->scene());
  const BarrierForce again(std::make_shared<Collisions>(c.collisions->scene()), c.stiffness);
  EXPECT_EQ(declared_tangent({&again}, c.u).K, one);
  EXPECT_EQ(force_at(again, c.u), f_one);
  set_threads(0);
}

TEST_P(Barrier, SmallestGapIsThatOfTheNearestPair) {
  double least = std::numeric_limits<double>::infinity();
  for (const Collision& one : c.collisions->at(c.u.q, c.u.t)) least = std::min(least, one.gap);
  EXPECT_EQ(force.smallest_gap(c.u), least);
  const auto nearest = c.collisions->nearest(c.u.q, c.u.t);
  ASSERT_TRUE(nearest.has_value());
  EXPECT_EQ(nearest->gap, least);
}

/// What is reported adds up to what acts: Σ λ n over a body's collisions is its contact force, mollifiers aside.
TEST_P(Barrier, ReportedForcesAreThoseThatAct) {
  if (c.name == "nearly_parallel_edges" || c.name == "stacked_sheets" || c.name == "self_contact") return;
  const auto points = contact_points(*c.collisions, *c.stiffness, nullptr, c.u);
  const auto& object = c.collisions->scene().surface.object;
  const int bodies = object[static_cast<std::size_t>(c.collisions->scene().body_nodes - 1)] + 1;
  const Vector acts = f(c.u.q);
  for (int b = 0; b < bodies; ++b) {
    Vec3 reported = Vec3::Zero(), total = Vec3::Zero();
    for (const ContactPair& p : contact_pairs(points)) {
      if (p.objects[0] == b) reported += p.normal_force;
      if (p.objects[1] == b) reported -= p.normal_force;
    }
    for (int i = 0; i < static_cast<int>(acts.size() / 3); ++i)
      if (object[static_cast<std::size_t>(i)] == b) total += node_of(acts, i);
    EXPECT_LE((reported - total).norm(), 1e-12 * (1 + acts.norm())) << "body " << b;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Barrier, ::testing::ValuesIn(contact_cases(0)),
                         [](const auto& info) { return info.param.name; });

TEST(BarrierForce, OfAPointOnAPlaneIsTheClosedForm) {
  SceneBuilder s(.1);
  s.body({{0, .03, 0}}, {}, {}, .01);
  s.implicit(half_space({0, 0, 0}, {0, 2, 0}));
  const ContactCase c("", s.build());
  const BarrierForce force(c.collisions, c.stiffness);
  const Jet b = barrier(.02, .1);  // the point's thickness is taken off
  EXPECT_NEAR(force.potentials(c.u)->stored, 300 * b.value, 1e-10);
  EXPECT_NEAR(force_at(force, c.u)[1], -300 * b.first, 1e-9);
  EXPECT_NEAR(declared_tangent({&force}, c.u).K(1, 1), 300 * b.second, 1e-7);
  EXPECT_NEAR(force.smallest_gap(c.u), .02, 1e-15);
  State out = c.u;
  out.q[1] = .12;
  EXPECT_EQ(force.potentials(out)->stored, 0);
  EXPECT_EQ(force_at(force, out).norm(), 0);
  out.q[1] = .01;
  EXPECT_EQ(force.potentials(out)->stored, std::numeric_limits<double>::infinity());
}

/// What moves obstacles works against the barrier: what W gains while the bodies rest.
TEST(BarrierForce, ObstaclesPutInWhatTheEnergyGainsBesideRestingBodies) {
  SceneBuilder s(.1);
  s.tet({{0, .05, 0}, {1, .3, .1}, {.2, .9, .1}, {.1, .2, 1}});
  s.implicit(half_space({0, 0, 0}, {.1, 1, .05}), steady({.1, .4, -.2}, {.2, .1, .3}, {.5, 0, 0}));
  s.surface(box_corners({.3, .4, -.6}, {.7, .8, -.01}), box_triangles(), {}, 0, steady({0, -.1, .3}, {.3, 0, .2}));
  const ContactCase c("moving obstacles", s.build(), 1e-3);
  const BarrierForce force(c.collisions, c.stiffness);
  ASSERT_GE(c.collisions->at(c.u.q, c.u.t).size(), 2u);
  const auto stored = [&](double t) { return force.potentials({c.u.q, c.u.v, t})->stored; };
  const double step = 1e-6, rate = (stored(c.u.t + step) - stored(c.u.t - step)) / (2 * step);
  EXPECT_GT(std::abs(rate), 1e-2);
  const State before{c.u.q, c.u.v, c.u.t - step}, after{c.u.q, c.u.v, c.u.t + step};
  EXPECT_NEAR(force.driving_work({before, after, Vector::Zero(c.u.q.size())}, c.u), 2 * step * rate,
              1e-6 * 2 * step * std::abs(rate));
}

TEST(BarrierForce, TellsWhetherObstaclesMove) {
  for (const bool moves : {false, true}) {
    SceneBuilder s(.1);
    s.body({{0, .03, 0}}, {}, {}, .01);
    s.implicit(half_space({0, 0, 0}, {0, 1, 0}), moves ? steady({0, 1, 0}) : Motion{});
    const ContactCase c("", s.build());
    EXPECT_EQ(BarrierForce(c.collisions, c.stiffness).traits().time_dependent, moves);
  }
}

}  // namespace
}  // namespace limber::test
