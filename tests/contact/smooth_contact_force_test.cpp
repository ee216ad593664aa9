#include "limber/contact/smooth/smooth_contact_force.hpp"

#include <gtest/gtest.h>

#include "contact/surfaces.hpp"
#include "contact_scenes.hpp"
#include "limber/contact/forces/barrier.hpp"
#include "limber/contact/report.hpp"
#include "limber/contact/smooth/smooth_choice.hpp"
#include "limber/core/parallel.hpp"
#include "support/several_threads.hpp"

namespace limber::test {
namespace {

constexpr double delta = .1;
constexpr double smooth_q_step = 2e-5, smooth_v_step = 5e-4;

std::vector<Vec3> moved(const TriMesh& mesh, const Mat3& A, const Vec3& by) {
  std::vector<Vec3> nodes;
  for (const Vec3& x : mesh.nodes) nodes.push_back(A * x + by);
  return nodes;
}

/// A as −∂g/∂x, along three directions: the bodies have too many nodes for all.
template <class G>
void expect_derivative(const Matrix& A, const G& g, const Vector& x, double h, double tolerance, const char* what) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Vector d = random_vector(x.size(), 1, seed);
    const auto along = [&](const Vector& s) { return Vector(g(x + s[0] * d)); };
    expect_near(A * d, minus_jacobian(along, Vector::Zero(1), h), tolerance, what);
  }
}

/// Smooth surfaces wherever they may be.
struct SmoothCase {
  std::vector<KeptTriangles> kept;
  ContactCase contact;
  std::shared_ptr<SmoothContacts> smooth;

  SmoothCase(const std::string& name, ContactScene scene, double t = 0)
      : contact((kept = choose_smooth_surfaces(scene), ContactCase(name, scene, t))),
        smooth(std::make_shared<SmoothContacts>(contact.collisions)) {}
};

/// Puts the bodies where place(a) says, a from 0 on, until the smallest gap is below δ/2.
template <class Place>
SmoothCase close_up(SmoothCase s, const Place& place) {
  const SmoothContactForce force(s.smooth, s.contact.stiffness);
  for (double a = 0; a < 1 && !(force.smallest_gap(s.contact.u) < delta / 2); a += .005) s.contact.u.q = place(a);
  return s;
}

SmoothCase two_balls(double mu) {
  const TriMesh ball = test::sphere_surface(3);
  SceneBuilder s(delta);
  s.body(moved(ball, Mat3::Identity(), {0, 0, 0}), ball.triangles);
  s.body(moved(ball, Eigen::AngleAxisd(.4, Vec3(1, 2, 3).normalized()).toRotationMatrix(), {.3, 2.4, .1}),
         ball.triangles);
  SmoothCase far("two_balls", s.build(mu));
  return close_up(far, [q = far.contact.u.q](double a) {
    Vector x = q;
    for (Index i = q.size() / 2; i < q.size(); i += 3) x[i + 1] -= a;
    return x;
  });
}

SmoothCase ball_on_moving_block(double mu) {
  const TriMesh ball = test::sphere_surface(3), block = test::cube_surface(3);
  SceneBuilder s(delta);
  s.body(moved(ball, Eigen::AngleAxisd(.3, Vec3(1, 0, 1).normalized()).toRotationMatrix(), {.1, 1.03, .2}),
         ball.triangles);
  s.surface(moved(block, Mat3::Identity(), {0, -1, 0}), block.triangles, {}, 0, steady({.3, .1, 0}, {0, .2, .1}));
  return {"ball_on_moving_block", s.build(mu), .1};
}

SmoothCase rod_on_ball(double mu) {
  const TriMesh ball = test::sphere_surface(4);
  SceneBuilder s(delta);
  s.body(moved(ball, Mat3::Identity(), {0, 0, 0}), ball.triangles);
  s.rod({{-1, 1.1, 0}, {.05, 1.14, .02}, {1, 1.1, .03}}, .04);
  return {"rod_on_ball", s.build(mu)};
}

/// Both ends of a long block bent round until they face each other.
SmoothCase bent_block(double mu) {
  const TriMesh block = test::cube_surface(6);
  SceneBuilder s(delta);
  s.self_contact(s.body(moved(block, Vec3(3, .5, .5).asDiagonal(), {0, 0, 0}), block.triangles));
  return close_up({"bent_block", s.build(mu)}, [&](double a) {
    Vector x(3 * static_cast<Index>(block.nodes.size()));
    for (std::size_t i = 0; i < block.nodes.size(); ++i) {
      const Vec3& at = block.nodes[i];
      const double angle = at.x() * (M_PI - 1 + a), R = 1 + .5 * at.y();
      x.segment<3>(3 * static_cast<Index>(i)) = Vec3(R * std::sin(angle), R * std::cos(angle), .5 * at.z());
    }
    return x;
  });
}

/// Cases are made by the tests that use them: every test of this program would wait for them otherwise.
struct SmoothMaker {
  const char* name;
  SmoothCase (*make)(double mu);
};
constexpr std::array smooth_makers{SmoothMaker{"two_balls", two_balls},
                                   SmoothMaker{"ball_on_moving_block", ball_on_moving_block},
                                   SmoothMaker{"rod_on_ball", rod_on_ball}, SmoothMaker{"bent_block", bent_block}};

class Smooth : public ::testing::TestWithParam<SmoothMaker> {
 protected:
  SmoothCase s = GetParam().make(0);
  const ContactCase& c = s.contact;
  SmoothContactForce force{s.smooth, c.stiffness};
  Vector f(const Vector& q) const { return force_at(force, {q, c.u.v, c.u.t}); }
  double energy(const Vector& q) const { return force.potentials({q, c.u.v, c.u.t})->stored; }
};

TEST_P(Smooth, ForceIsMinusTheGradientOfThePotential) {
  ASSERT_GT(s.smooth->at(c.u.q, c.u.t).size(), 0u);
  ASSERT_GT(f(c.u.q).norm(), 1e-2);
  const auto W = [&](const Vector& q) { return Vector::Constant(1, energy(q)); };
  expect_derivative(f(c.u.q).transpose(), W, c.u.q, smooth_q_step, 1e-7, "f = -dW/dq");
}

TEST_P(Smooth, TangentIsTheDerivativeOfTheForceAndItsProjectionIsAbove) {
  const Matrix K = declared_tangent({&force}, c.u).K;
  expect_derivative(
      K, [&](const Vector& q) { return f(q); }, c.u.q, smooth_q_step, 1e-6, "K = -df/dq");
  expect_near(K, K.transpose(), 1e-12, "K = K^T");
  const Matrix P = declared_tangent({&force}, c.u, Definiteness::projected).K;
  expect_psd(P);
  expect_psd(P - K);
}

TEST_P(Smooth, ForcesOfFreeBodiesBalance) {
  if (!c.free) return;
  const Vector g = f(c.u.q);
  Vec3 total = Vec3::Zero(), moment = Vec3::Zero();
  for (int i = 0; i < g.size() / 3; ++i) {
    total += node_of(g, i);
    moment += node_of(c.u.q, i).cross(node_of(g, i));
  }
  EXPECT_LT(total.norm(), 1e-12 * g.norm());
  EXPECT_LT(moment.norm(), 1e-11 * g.norm());
}

TEST_P(Smooth, WhatIsCoupledSoonIncludesWhatIsCoupledNow) {
  Couplings now, soon;
  s.smooth->add_couplings(c.u.q, c.u.t, now);
  s.smooth->add_couplings_soon(c.u.q, c.u.t, soon);
  const auto ordered = [](const Couplings& pairs) {
    std::set<std::pair<int, int>> all;
    for (const auto& [a, b] : pairs) all.emplace(std::max(a, b), std::min(a, b));
    return all;
  };
  const auto first = ordered(now), second = ordered(soon);
  EXPECT_TRUE(std::includes(second.begin(), second.end(), first.begin(), first.end()));
}

/// Every gap keeps a tenth of itself at the end of what max_step allows, and there is something to hold back.
TEST_P(Smooth, StepsStayInTheDomain) {
  const auto before = s.smooth->at(c.u.q, c.u.t);
  Vector dq = Vector::Zero(c.u.q.size());
  for (const SmoothContact& one : before)
    for (std::size_t i = 0; i < one.local.nodes.size(); ++i)
      if (one.local.nodes[i] < c.collisions->scene().body_nodes)
        dq.segment<3>(3 * static_cast<Index>(one.local.nodes[i])) -=
            3 * one.gap * one.local.gradient.segment<3>(3 * static_cast<Index>(i));
  const double step = force.max_step(c.u.q, dq, c.u.t, c.u.t);
  EXPECT_GT(step, 1e-3);
  EXPECT_LT(step, 1);
  EXPECT_EQ(force.max_step(c.u.q, -dq, c.u.t, c.u.t), 1);
  for (const SmoothContact& after : s.smooth->at(c.u.q + step * dq, c.u.t)) {
    double was = delta;
    for (const SmoothContact& one : before)
      if (one.node() == after.node() && one.objects == after.objects) was = one.gap;
    EXPECT_GE(after.gap, .1 * was * (1 - 1e-12));
  }
}

TEST_P(Smooth, TheSameBitsForAnyNumberOfThreads) {
  set_threads(1);
  const Matrix K = declared_tangent({&force}, c.u).K;
  set_threads(3);
  const auto again = std::make_shared<SmoothContacts>(std::make_shared<Collisions>(c.collisions->scene()));
  EXPECT_EQ(declared_tangent({std::make_unique<SmoothContactForce>(again, c.stiffness).get()}, c.u).K, K);
  set_threads(0);
}

/// Surfaces move with what is asked for, and searches are kept: neither shows in the answers.
TEST_P(Smooth, SeveralThreadsMayAsk) {
  struct Answer {
    State u;
    Vector dq, f;
    double energy, step;
    Couplings soon;
  };
  const auto answer = [&](const State& u, const Vector& dq, const std::shared_ptr<SmoothContacts>& contacts) {
    const SmoothContactForce asked(contacts, c.stiffness);
    Couplings soon;
    contacts->add_couplings_soon(u.q, u.t, soon);
    return Answer{u, dq, force_at(asked, u), asked.potentials(u)->stored, asked.max_step(u.q, dq, u.t, u.t), soon};
  };
  std::vector<Answer> expected;
  for (unsigned k = 0; k < 6; ++k) {
    // The last ones, further apart, make it search again.
    const Vector way = k < 3 ? random_vector(c.u.q.size(), 1e-3, 20 + k) : Vector(.1 * (k - 2) * c.u.q);
    const auto anew = std::make_shared<SmoothContacts>(std::make_shared<Collisions>(c.collisions->scene()));
    expected.push_back(answer({c.u.q + way, c.u.v, c.u.t}, -4 * way, anew));
  }
  for (const Answer& one : expected) ASSERT_TRUE(one.f.allFinite() && std::isfinite(one.energy));
  EXPECT_GT(expected[0].f.norm(), 0);
  on_several_threads([&](int thread) {
    for (int i = 0; i < 12; ++i) {
      const Answer& one = expected[static_cast<std::size_t>(5 * i + thread) % expected.size()];
      const Answer again = answer(one.u, one.dq, s.smooth);
      EXPECT_EQ(again.f, one.f);
      EXPECT_EQ(again.energy, one.energy);
      EXPECT_EQ(again.step, one.step);
      EXPECT_EQ(again.soon, one.soon);
    }
  });
}

/// λ n, summed over a body's contacts, is the force on it; pairs of triangles only guard, at δ/10.
TEST_P(Smooth, ReportedForcesAreThoseThatAct) {
  for (const Collision& one : c.collisions->at(c.u.q, c.u.t)) EXPECT_LT(one.gap, delta / 10);
  if (c.name == "bent_block") return;
  Vec3 reported = Vec3::Zero(), total = Vec3::Zero();
  for (const ContactPoint& p : contact_points(*s.smooth, *c.stiffness, nullptr, c.u)) {
    EXPECT_EQ(to_string(p.kind), "point-smooth");
    EXPECT_NEAR(p.normal.norm(), 1, 1e-14);
    reported += (p.objects[0] == 0 ? 1 : -1) * p.normal_force * p.normal;
  }
  const Vector acts = f(c.u.q);
  for (int i = 0; i < c.collisions->scene().body_nodes; ++i)
    if (c.collisions->scene().surface.object[static_cast<std::size_t>(i)] == 0) total += node_of(acts, i);
  EXPECT_LT((reported - total).norm(), 1e-12 * acts.norm());
}

INSTANTIATE_TEST_SUITE_P(Cases, Smooth, ::testing::ValuesIn(smooth_makers),
                         [](const auto& info) { return info.param.name; });

/// ε above the sliding speeds of about 1 m/s, and below them.
class SmoothFriction : public ::testing::TestWithParam<std::tuple<std::size_t, double>> {
 protected:
  SmoothCase s = smooth_makers.at(std::get<0>(GetParam())).make(.4);
  const ContactCase& c = s.contact;
  double eps = std::get<1>(GetParam());
  SmoothContactForce normal{s.smooth, c.stiffness};
  SmoothFrictionForce coupled{s.smooth, c.stiffness, FrictionForm::coupled, eps};
  SmoothFrictionForce lagged{s.smooth, c.stiffness, FrictionForm::lagged, eps};
};

TEST_P(SmoothFriction, CoupledTangentIsTheDerivativeOfTheForce) {
  const DenseTangent both = declared_tangent({&normal, &coupled}, c.u), alone = declared_tangent({&normal}, c.u);
  const auto over_q = [&](const Vector& q) { return force_at(coupled, {q, c.u.v, c.u.t}); };
  const auto over_v = [&](const Vector& v) { return force_at(coupled, {c.u.q, v, c.u.t}); };
  ASSERT_GT(over_q(c.u.q).norm(), 1e-3);
  expect_derivative(both.K - alone.K, over_q, c.u.q, smooth_q_step, 1e-6, "K = -df/dq");
  expect_derivative(both.D, over_v, c.u.v, smooth_v_step, 1e-7, "D = -df/dv");
  expect_psd(both.D);
  EXPECT_EQ(coupled.traits().lag, Lag::each_iterate);
}

TEST_P(SmoothFriction, LaggedForceIsTheDerivativeOfItsPotential) {
  lagged.update_lagged(c.u);
  const auto R = [&](const Vector& v) { return Vector::Constant(1, lagged.potentials({c.u.q, v, c.u.t})->dissipated); };
  const auto over_v = [&](const Vector& v) { return force_at(lagged, {c.u.q, v, c.u.t}); };
  expect_derivative(over_v(c.u.v).transpose(), R, c.u.v, smooth_v_step, 1e-8, "f = -dR/dv");
  EXPECT_EQ(over_v(c.u.v), force_at(coupled, c.u)) << "both forms agree where the lagged one is held";
  expect_derivative(declared_tangent({&lagged}, c.u).D, over_v, c.u.v, smooth_v_step, 1e-7, "D = -df/dv");
  expect_psd(declared_tangent({&lagged}, c.u, Definiteness::projected).D);
}

TEST_P(SmoothFriction, TakesEnergyAndBalances) {
  const Vector g = force_at(coupled, c.u);
  const double power = coupled.friction_power(c.u);
  EXPECT_GT(power, 0);
  if (!c.free) return;
  Vec3 total = Vec3::Zero();
  for (int i = 0; i < g.size() / 3; ++i) total += node_of(g, i);
  EXPECT_LT(total.norm(), 1e-12 * g.norm());
  EXPECT_NEAR(-g.dot(c.u.v), power, 1e-12 * power);
}

INSTANTIATE_TEST_SUITE_P(Cases, SmoothFriction,
                         ::testing::Combine(::testing::Range(std::size_t{0}, smooth_makers.size()),
                                            ::testing::Values(.05, 20.0)));

/// Points over the middle of a face, with the thickness of both.
TEST(SmoothContactForce, OverAFlatFaceIsTheClosedForm) {
  const TriMesh block = test::cube_surface(8);
  SceneBuilder s(delta);
  s.body(block.nodes, block.triangles, {}, .02);
  s.body({{.03, 1.09, .05}}, {}, {}, .01);
  SmoothCase made("", s.build());
  const SmoothContactForce force(made.smooth, made.contact.stiffness);
  const Jet b = barrier(.06, delta);  // both thicknesses are taken off
  State u = made.contact.u;
  EXPECT_NEAR(force.smallest_gap(u), .06, 1e-13);
  EXPECT_NEAR(force.potentials(u)->stored, 300 * b.value, 1e-9);
  EXPECT_LT((force_at(force, u).tail<3>() - Vec3(0, -300 * b.first, 0)).norm(), 1e-9);
  u.q[u.q.size() - 2] = 1.14;
  EXPECT_EQ(force.potentials(u)->stored, 0);
  EXPECT_EQ(force.smallest_gap(u), std::numeric_limits<double>::infinity());
  u.q[u.q.size() - 2] = 1.02;
  EXPECT_EQ(force.potentials(u)->stored, std::numeric_limits<double>::infinity());
}

/// What a pair carries at some part of δ it carries, standing guard, at the same part of δ/10.
TEST(SmoothContactForce, TheGuardBearsTheSameLoadAtTheSamePartOfItsReach) {
  const ContactStiffness kappa(two_balls(0).contact.collisions->scene(), ContactStiffness::Rule::given);
  Collision pair;
  pair.objects = {0, 1};
  pair.gap = .3 * delta;
  const double plain = kappa.normal_force(pair, delta, 1);
  pair.gap = .03 * delta;
  EXPECT_GT(plain, 0);
  EXPECT_NEAR(kappa.normal_force(pair, delta / 10, 1), plain, 1e-12 * plain);
}

/// A node's own surroundings are no obstacle to it, however the body turns.
TEST(SmoothContactForce, IsZeroForABodyAlone) {
  const TriMesh ball = test::sphere_surface(8);
  SceneBuilder s(delta);
  s.self_contact(s.body(ball.nodes, ball.triangles));
  SmoothCase made("", s.build());
  EXPECT_TRUE(made.kept.empty());
  EXPECT_TRUE(made.smooth->at(made.contact.u.q, 0).empty());
}

TEST(SmoothContactForce, RaisesKappaWhereGapsHaveSunk) {
  SmoothCase made = two_balls(0);
  const auto kappa =
      std::make_shared<ContactStiffness>(made.contact.collisions->scene(), ContactStiffness::Rule::adaptive);
  SmoothContactForce force(made.smooth, kappa);
  State u = made.contact.u;
  const double before = kappa->of({0, 1});
  EXPECT_FALSE(force.adapt(u, 1e9));
  // Along the second ball's way to the first, until the smallest gap is below δ/100.
  for (int k = 0; k < 60 && !(force.smallest_gap(u) < .01 * delta); ++k) {
    Vector dq = Vector::Zero(u.q.size());
    for (Index i = u.q.size() / 2; i < u.q.size(); i += 3) dq[i + 1] = -.01;
    u.q += force.max_step(u.q, dq, 0, 0) * dq;
  }
  ASSERT_LT(force.smallest_gap(u), .01 * delta);
  const double energy = force.potentials(u)->stored;
  EXPECT_TRUE(force.adapt(u, 0));
  EXPECT_EQ(kappa->of({0, 1}), 2 * before);
  EXPECT_NEAR(force.potentials(u)->stored, 2 * energy, 1e-12 * energy);
  EXPECT_TRUE(force.adapt(u, 1e9));
  EXPECT_GT(kappa->of({0, 1}), 4 * before);
}

TEST(SmoothChoice, LeavesTrianglesToWhatIsCoarseOpenOrThick) {
  const TriMesh ball = test::sphere_surface(6), block = test::cube_surface(4);
  TriMesh open = ball;
  open.triangles.pop_back();
  SceneBuilder s(.01);
  s.body(moved(ball, Mat3::Identity(), {0, 0, 0}), ball.triangles);
  s.body(moved(block, Mat3::Identity(), {5, 0, 0}), block.triangles);
  s.surface(box_corners({-1, -3, -1}, {1, -2, 1}), box_triangles(), {}, 0);
  s.surface(moved(open, Mat3::Identity(), {0, 9, 0}), open.triangles, {}, 0);
  s.surface({{0, 3, 0}}, {}, {}, 1);
  ContactScene scene = s.build();
  std::map<int, std::string> why;
  for (const KeptTriangles& k : choose_smooth_surfaces(scene)) why[k.object] = k.why;
  ASSERT_EQ(why.size(), 3u);
  EXPECT_NE(why[2].find("too few triangles"), std::string::npos);
  EXPECT_NE(why[3].find("not closed"), std::string::npos);
  EXPECT_NE(why[4].find("too thick"), std::string::npos);
  for (std::size_t a = 0; a < 5; ++a) {
    EXPECT_EQ(scene.smooth_radius[a] > 0, a < 2) << a;
    for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(scene.smooth[a][b] != 0, a != b && a < 2 && b < 2) << a << b;
  }
}

TEST(SmoothChoice, RefusesADeltaBeyondTheReachOfTheAverages) {
  const TriMesh ball = test::sphere_surface(6);
  SceneBuilder s(.2);
  s.body(moved(ball, Mat3::Identity(), {0, 0, 0}), ball.triangles);
  ContactScene scene = s.build();
  const auto kept = choose_smooth_surfaces(scene);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_NE(kept[0].why.find("contact.delta"), std::string::npos);
}

}  // namespace
}  // namespace limber::test
