#include "limber/force/rod.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>
#include <numbers>

#include "force/sheets.hpp"

namespace limber {
namespace {

using namespace test;
using Edges = std::vector<std::array<int, 2>>;
using std::numbers::pi;

Edges chain(int edges) {
  Edges list;
  for (int i = 0; i < edges; ++i) list.push_back({i, i + 1});
  return list;
}
Vector straight(int edges, double length) {
  Vector q = Vector::Zero(3 * (edges + 1));
  for (int i = 0; i <= edges; ++i) q[3 * i] = i * length;
  return q;
}
/// Two edges of lengths 1 and .7 at the angle φ.
Vector bent(double angle) { return Vector{{0, 0, 0, 1, 0, 0, 1 + 0.7 * std::cos(angle), 0.7 * std::sin(angle), 0}}; }
RodBending corner(double rest) { return RodBending(chain(2), bent(rest), 2, RestAngles::of_rest_shape, "rod"); }

/// Differences over 1e-4, since a bent rod's energy varies on the scale η κ₀.
void expect_consistent(RodBending& rod, const Vector& q) {
  const auto W = [&](const Vector& x) { return Vector::Constant(1, rod.potentials(at_rest(x))->stored); };
  const auto f = [&](const Vector& x) { return force_at(rod, at_rest(x)); };
  expect_near(f(q), minus_jacobian(W, q, 1e-4).transpose(), 1e-8, "f = -dW/dq");
  expect_near(tangent_at(rod, at_rest(q)).K, minus_jacobian(f, q, 1e-4), 1e-8, "K = -df/dq");
  expect_symmetric(tangent_at(rod, at_rest(q)).K);
  expect_psd(tangent_at(rod, at_rest(q), Definiteness::projected).K);
  expect_balanced(rod, at_rest(q));
  expect_invariant(rod, q);
}

TEST(Rod, ForceAndTangentAreDerivatives) {
  for (const double rest : {0.0, 0.3, 2.0}) {
    auto rod = corner(rest);
    EXPECT_TRUE(rod.traits().symmetric && rod.traits().has_potential && !rod.traits().velocity_dependent);
    EXPECT_EQ(rod.traits().energy, EnergyKind::elastic);
    for (const double angle : {0.0, 1e-8, 1e-3, 0.29, 1.0, 2.0}) {
      SCOPED_TRACE(angle);
      expect_consistent(rod, mapped(some_rotation(), Vec3(1, 2, 3), bent(angle)));
    }
  }
}

TEST(Rod, WholeChain) {
  const Vector q = straight(5, 0.4) + random_vector(18, 0.1, 1), u = q + random_vector(18, 0.1, 2);
  RodBending curved(chain(5), q, 3, RestAngles::of_rest_shape, "rod"), flat(chain(5), q, 3, RestAngles::zero, "rod");
  EXPECT_LE(force_at(curved, at_rest(q)).norm(), 1e-11);
  EXPECT_LE(curved.potentials(at_rest(q))->stored, 1e-28);
  EXPECT_GT(force_at(flat, at_rest(q)).norm(), 1);
  expect_consistent(curved, u);
  expect_consistent(flat, u);
  expect_restricts(curved, at_rest(u), {0, -1, 3, 2, -1, 1});
}

/// W = ½ B/l̄ (2 tan(φ/2))² of a straight rod; of a bent one 0 at φ₀ and ∂²W/∂φ² = B/l̄ there.
TEST(Rod, EnergyByHand) {
  const double mean = 0.85;
  for (const double angle : {0.1, 1.0, 3.0})
    EXPECT_NEAR(corner(0).potentials(at_rest(bent(angle)))->stored,
                0.5 * 2 / mean * std::pow(2 * std::tan(angle / 2), 2), 1e-10 * std::pow(std::tan(angle / 2), 2));
  for (const double rest : {0.01, 0.5, 2.5}) {
    const auto W = [&](double angle) { return corner(rest).potentials(at_rest(bent(angle)))->stored; };
    EXPECT_NEAR(W(rest), 0, 1e-20);
    const double h = 1e-3 * rest;
    EXPECT_NEAR((W(rest + h) + W(rest - h)) / (h * h), 2 / mean, 1e-3);
    EXPECT_NEAR(W(-rest), 0, 1e-20);  // bent to the other side
  }
}

TEST(Rod, NearlyStraightKeepsItsDigits) {
  for (const double angle : {1e-5, 1e-8, 1e-12})
    EXPECT_NEAR(corner(0).potentials(at_rest(bent(angle)))->stored / (angle * angle / 0.85), 1, 1e-9);
}

TEST(Rod, FoldingIsForbidden) {
  Vector q = bent(0);
  q[6] = 0.5;
  EXPECT_EQ(corner(0).potentials(at_rest(q))->stored, std::numeric_limits<double>::infinity());
}

/// A straight rod closed to a ring of radius R: 2πR · B/(2R²), at second order.
TEST(Rod, Ring) {
  double last = 0;
  for (const int n : {20, 40, 80}) {
    Edges edges;
    Vector q(3 * n);
    for (int i = 0; i < n; ++i) {
      edges.push_back({i, (i + 1) % n});
      q.segment<3>(3 * i) = 2 * Vec3(std::cos(2 * pi * i / n), std::sin(2 * pi * i / n), 0);
    }
    const RodBending ring(edges, q, 5, RestAngles::zero, "ring");
    const double error = ring.potentials(at_rest(q))->stored / (pi * 5 / 2) - 1;
    EXPECT_NEAR(error, 5.0 / 6 * pi * pi / (n * n), 0.02 * error);
    if (last != 0) {
      EXPECT_NEAR(last / error, 4, 0.1);
    }
    last = error;
    const RodBending coil(edges, q, 5, RestAngles::of_rest_shape, "ring");
    EXPECT_LE(coil.potentials(at_rest(q))->stored, 1e-20);
  }
}

TEST(Rod, Stiffness) { EXPECT_NEAR(rod_stiffness(1e9, 0.01), 1e9 * pi / 4 * 1e-8, 1e-12); }

/// Clamped in the middle of the first edge: F L³/(3 E I) at the tip, and F L/(E A) along.
TEST(Rod, Cantilever) {
  const double young = 1e7, radius = 0.01, length = 1, load = 1e-3, B = rod_stiffness(young, radius);
  double last = 0;
  for (const int n : {10, 20, 40}) {
    const Vector q = straight(n, length / (n - 0.5));
    RodBending rod(chain(n), q, B, RestAngles::of_rest_shape, "rod");
    PointSprings stretch(rod_springs(chain(n), q, young, radius, "rod"), n + 1, EnergyKind::elastic, "rod");
    const Matrix K = tangent_at(rod, at_rest(q)).K + tangent_at(stretch, at_rest(q)).K;
    Vector f = Vector::Zero(q.size() - 6);
    f[f.size() - 2] = load;
    f[f.size() - 3] = load;
    const Vector x = Eigen::PartialPivLU<Matrix>(Matrix(K.bottomRightCorner(f.size(), f.size()))).solve(f);
    const double error = x[x.size() - 2] / (load * length * length * length / (3 * B)) - 1;
    EXPECT_LE(std::abs(error), 0.6 / (n * n));
    if (last != 0) {
      EXPECT_NEAR(last / error, 4, 0.5);
    }
    last = error;
    EXPECT_NEAR(x[x.size() - 3], load * (length * (n - 1) / (n - 0.5)) / (young * pi * radius * radius), 1e-12);
    EXPECT_NEAR(x[x.size() - 1], 0, 1e-15);
  }
}

/// Euler's load π² B/L² of a rod held at both ends: there its tangent becomes singular.
TEST(Rod, Buckling) {
  const int n = 40;
  const double young = 1e7, radius = 0.01, length = 1, B = rod_stiffness(young, radius);
  const Vector q = straight(n, length / n);
  RodBending rod(chain(n), q, B, RestAngles::of_rest_shape, "rod");
  const auto softest = [&](double pressure) {
    auto springs = rod_springs(chain(n), q, young, radius, "rod");
    for (Spring& s : springs) s.rest_length += pressure / s.stiffness;
    PointSprings stretch(springs, n + 1, EnergyKind::elastic, "rod");
    const Matrix K = tangent_at(rod, at_rest(q)).K + tangent_at(stretch, at_rest(q)).K;
    const Index inner = q.size() - 6;
    return Eigen::SelfAdjointEigenSolver<Matrix>(Matrix(K.block(3, 3, inner, inner))).eigenvalues()[0];
  };
  const double euler = pi * pi * B / (length * length);
  EXPECT_GT(softest(0.995 * euler), 0);
  EXPECT_LT(softest(1.005 * euler), 0);
}

/// Three edges at a node hold their angles to each other, also where others are to become straight.
TEST(Rod, ABranchIsWelded) {
  const Vector q{{0, 0, 0, 1, 0, 0, 2, 0.1, 0, 1.4, 0.9, 0.1}};
  for (const auto rest : {RestAngles::of_rest_shape, RestAngles::zero}) {
    RodBending branch({{0, 1}, {1, 2}, {1, 3}}, q, 2, rest, "branch");
    EXPECT_LE(force_at(branch, at_rest(q)).norm(), 1e-12);
    expect_consistent(branch, q + random_vector(12, 0.2, 3));
    Vector turned = q;
    turned.tail<3>() = Vec3(1.1, 0.95, 0.1);
    EXPECT_GT(branch.potentials(at_rest(turned))->stored, 0.05);
  }
}

TEST(Rod, BadInputIsNamed) {
  const auto build = [](const Edges& edges, const Vector& q, double B) {
    return message_of([&] { RodBending(edges, q, B, RestAngles::of_rest_shape, "rod"); });
  };
  EXPECT_EQ(build(chain(2), bent(1), 1), "");
  EXPECT_NE(build(chain(2), bent(1), -1).find("rod.stiffness: -1"), std::string::npos);
  EXPECT_NE(build(chain(2), bent(pi), 1).find("rod: the edges from node 1 to 0 and 2 lie on each other"),
            std::string::npos);
  EXPECT_EQ(build(chain(1), Vector::Zero(6), 1), "rod: edge 0 (nodes 0, 1) has no length at rest");
  EXPECT_EQ(message_of([&] { rod_springs(chain(1), Vector::Zero(6), 1, 1, "rod"); }),
            "rod: edge 0 (nodes 0, 1) has no length at rest");
}

}  // namespace
}  // namespace limber
