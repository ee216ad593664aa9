/// Pairs that are nearest at the same features are one collision: it acts as they do together. The reference looks at
/// every pair of primitives for itself.

#include <gtest/gtest.h>

#include <map>

#include "contact_scenes.hpp"
#include "limber/contact/forces/barrier.hpp"
#include "limber/contact/forces/tangent_plane.hpp"
#include "limber/contact/report.hpp"

namespace limber::test {
namespace {

constexpr double pair_mu = .4, eps = .7;

/// Sums over all pairs of primitives with a gap below δ.
struct Sum {
  int pairs = 0;
  double energy = 0;
  Vector normal, friction;
  Matrix K, D;  // of the barrier; of friction that lags

  Sum(const ContactCase& c) {
    const Index n = c.u.q.size();
    const Vector x = c.collisions->positions(c.u.q, c.u.t);
    normal = friction = Vector::Zero(x.size());
    K = D = Matrix::Zero(x.size(), x.size());
    for (const Collision& one : c.collisions->near(c.u.q, c.u.t, c.collisions->delta())) add(c, one, x);
    normal = normal.head(n).eval();
    friction = friction.head(n).eval();
    K = K.topLeftCorner(n, n).eval();
    D = D.topLeftCorner(n, n).eval();
  }

  void add(const ContactCase& c, const Collision& one, const Vector& x) {
    ++pairs;
    EXPECT_EQ(one.pairs, 1);
    const Jet b = barrier(one.gap, c.collisions->delta(one));
    const Mollifier m = mollifier(one, x);
    const double kappa = c.stiffness->of(one.objects);
    const Vec12 g = gradient(one.nearest);
    const Vec12 force = -kappa * (m.value * b.first * g + b.value * m.gradient);
    Mat12 H = compose(one.nearest, m.value * b.first, m.value * b.second) + b.value * m.hessian;
    H += b.first * (g * m.gradient.transpose() + m.gradient * g.transpose());
    energy += kappa * m.value * b.value;
    Vec3 y = Vec3::Zero();
    for (std::size_t i = 0; i < static_cast<std::size_t>(one.count); ++i)
      y += one.weights()[i] * c.collisions->velocity(one.nodes[i], c.u.v, c.u.t);
    const Mat3 P = tangent_plane(one.normal());
    y = P * y;
    const double pressure = -pair_mu * kappa * m.value * b.first;
    const Mat3 G = pressure * P * friction_slope(y, eps) * P;
    for (int i = 0; i < one.count; ++i) {
      const Index row = 3 * static_cast<Index>(one.nodes[static_cast<std::size_t>(i)]);
      const double w = one.weights()[static_cast<std::size_t>(i)];
      normal.segment<3>(row) += force.segment<3>(3 * i);
      friction.segment<3>(row) -= w * pressure * friction_factor(y.norm(), eps) * y;
      for (int j = 0; j < one.count; ++j) {
        const Index column = 3 * static_cast<Index>(one.nodes[static_cast<std::size_t>(j)]);
        K.block<3, 3>(row, column) += kappa * H.block<3, 3>(3 * i, 3 * j);
        D.block<3, 3>(row, column) += w * one.weights()[static_cast<std::size_t>(j)] * G;
      }
    }
  }
};

void expect_the_same(const ContactCase& c) {
  SCOPED_TRACE(c.name);
  const Sum sum(c);
  const BarrierForce force(c.collisions, c.stiffness);
  FrictionForce friction(c.collisions, c.stiffness, FrictionForm::lagged, eps);
  friction.update_lagged(c.u);
  const double tolerance = 1e-11;
  EXPECT_NEAR(force.potentials(c.u)->stored, sum.energy, tolerance * sum.energy);
  expect_near(force_at(force, c.u), sum.normal, tolerance, "force");
  expect_near(declared_tangent({&force}, c.u).K, sum.K, tolerance, "tangent");
  expect_near(force_at(friction, c.u), sum.friction, tolerance, "friction");
  expect_near(declared_tangent({&friction}, c.u).D, sum.D, tolerance, "tangent of friction");
  int pairs = 0;
  double normal = 0;
  std::map<std::pair<Collision::Kind, std::array<int, 4>>, int> seen;
  for (const Collision& one : c.collisions->at(c.u.q, c.u.t)) {
    pairs += one.pairs;
    EXPECT_EQ((++seen[{one.kind, one.nodes}]), 1) << "the same features twice";
    normal += c.stiffness->normal_force(one, c.collisions->delta(one), 1);
  }
  EXPECT_EQ(pairs, sum.pairs);
  double reported = 0;
  for (const Collision& one : c.collisions->near(c.u.q, c.u.t, c.collisions->delta()))
    reported += c.stiffness->normal_force(one, c.collisions->delta(one), 1);
  EXPECT_NEAR(normal, reported, tolerance * reported);
}

/// n × n nodes in a plane of constant y, one metre apart.
void add_sheet(SceneBuilder& s, int n, const Vec3& origin, unsigned seed, double noise) {
  std::vector<Vec3> nodes;
  std::vector<std::array<int, 3>> triangles;
  const Vector shift = random_vector(3 * n * n, noise, seed);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      nodes.push_back(origin + Vec3(i, 0, k) + Vec3(shift.segment<3>(3 * static_cast<Index>(k * n + i))));
      if (i + 1 == n || k + 1 == n) continue;
      const int a = k * n + i;
      triangles.push_back({a, a + n, a + 1});
      triangles.push_back({a + 1, a + n, a + n + 1});
    }
  s.body(nodes, triangles);
}

TEST(MergedPairs, OfStackedSheetsActAsAllOfThem) {
  // Right above each other, beside each other by half a cell (points over edges), and about there.
  for (const double shift : {0., .5, .25})
    for (const double noise : {0., 1e-9, 1e-3, .02}) {
      SceneBuilder s(.1);
      for (unsigned i = 0; i < 3; ++i) add_sheet(s, 3, {shift * i, .06 * i, shift * i}, 7 + i, noise);
      const ContactCase c("shift " + std::to_string(shift) + ", noise " + std::to_string(noise), s.build(pair_mu));
      expect_the_same(c);
      if (shift != 0 || noise != 0) continue;
      EXPECT_LT(5 * c.collisions->at(c.u.q, c.u.t).size(), 2 * c.collisions->near(c.u.q, c.u.t, .1).size());
    }
}

TEST(MergedPairs, OfRandomBodiesActAsAllOfThem) {
  int merged = 0, cases = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SceneBuilder s(.6);
    const auto corners = [&](unsigned k, const Vec3& at) {
      // Every other one on a coarse lattice: parallel edges, corners over corners, flat triangles and points for edges.
      Vector x = random_vector(12, 1, 5 * seed + k);
      if (seed % 2 == 0) x = (2 * x).array().round() / 2;
      std::vector<Vec3> nodes;
      for (Index i = 0; i < 12; i += 3) nodes.push_back(x.segment<3>(i) + at);
      return nodes;
    };
    s.tet(corners(0, {0, 0, 0}));
    s.tet(corners(1, {.25, 2, 0}));
    const auto rod = corners(2, {0, 0, 2});
    s.rod({rod[0], rod[1], rod[2]}, seed % 3 == 0 ? .05 : 0);
    s.rod({rod[1] + Vec3(.2, .2, .2), rod[3]}, 0);
    s.surface(corners(3, {2.25, 0, 0}), {{0, 1, 2}, {1, 2, 3}}, {}, 0);
    const ContactCase c("seed " + std::to_string(seed), s.build(pair_mu));
    const auto all = c.collisions->near(c.u.q, c.u.t, .6);
    if (all.empty() || std::any_of(all.begin(), all.end(), [](const Collision& x) { return x.gap < .02; })) continue;
    expect_the_same(c);
    ++cases;
    merged += c.collisions->at(c.u.q, c.u.t).size() < all.size();
  }
  EXPECT_GT(cases, 60);
  EXPECT_GT(merged, 40);
}

/// A point over a node meets the triangles around it there, one over an edge the two beside it, one over a face that
/// one.
TEST(MergedPairs, CountWhatMeetsAtAFeature) {
  SceneBuilder s(.1);
  add_sheet(s, 3, {0, 0, 0}, 1, 0);
  s.body({{1, .05, 1}}, {}, {}, 0);      // over the middle node: six triangles
  s.body({{.6, .05, 1}}, {}, {}, 0);     // over an inner edge: two triangles
  s.body({{.25, .05, .25}}, {}, {}, 0);  // over a face
  const Collisions collisions(s.build());
  std::map<int, std::map<Collision::Kind, int>> met;  // by point
  for (const Collision& c : collisions.at(collisions.scene().rest, 0))
    met[c.nodes[0] < 9 ? c.nodes[1] : c.nodes[0]][c.kind] += c.pairs;
  using Kind = Collision::Kind;
  EXPECT_EQ(met[9], (std::map<Kind, int>{{Kind::point_point, 6}}));
  EXPECT_EQ(met[10], (std::map<Kind, int>{{Kind::point_edge, 2}}));
  EXPECT_EQ(met[11], (std::map<Kind, int>{{Kind::point_triangle, 1}}));
}

}  // namespace
}  // namespace limber::test
