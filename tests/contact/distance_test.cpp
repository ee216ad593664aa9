#include "limber/contact/geometry/distance.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

#include "contact/wide_geometry.hpp"
#include "limber/contact/forces/barrier.hpp"

namespace limber::test {
namespace {

using Nodes = std::array<Vec3, 4>;

enum class Pair { point_triangle, edge_edge, point_edge };
constexpr Pair pairs[] = {Pair::point_triangle, Pair::edge_edge, Pair::point_edge};

Nearest nearest(Pair pair, const Nodes& x) {
  if (pair == Pair::point_triangle) return point_triangle(x[0], x[1], x[2], x[3]);
  if (pair == Pair::edge_edge) return edge_edge(x[0], x[1], x[2], x[3]);
  return point_edge(x[0], x[1], x[2]);
}

double distance2(Pair pair, const Nodes& x) {
  if (pair == Pair::point_triangle) return point_triangle_distance2(x[0], x[1], x[2], x[3]);
  if (pair == Pair::edge_edge) return edge_edge_distance2(x[0], x[1], x[2], x[3]);
  return point_edge_distance2(x[0], x[1], x[2]);
}

WideNearest wide_nearest(Pair pair, const WideNodes& x) {
  if (pair == Pair::point_triangle) return wide_point_triangle(x);
  if (pair == Pair::edge_edge) return wide_edge_edge(x);
  return wide_point_edge(x);
}

WideNodes widen(const Nodes& x) { return {wide(x[0]), wide(x[1]), wide(x[2]), wide(x[3])}; }

double size_of(const Nodes& x) {
  double size = 0;
  for (const Vec3& y : x) size = std::max(size, (y - x[0]).cwiseAbs().maxCoeff());
  return size;
}

/// The value, to 1e-12 relative unless the distance is at rounding level; the weights; the unit normal.
void check(Pair pair, const Nodes& x, double tolerance = 1e-12) {
  const Nearest at = nearest(pair, x);
  const WideNearest exact = wide_nearest(pair, widen(x));
  const auto d = static_cast<double>(sqrt(exact.d2));
  const double size = size_of(x);
  ASSERT_NEAR(at.n.norm(), 1, 1e-14);
  ASSERT_NEAR(at.w[0] + at.w[1] + at.w[2] + at.w[3], 0, 1e-15);
  if (d < 1e-12 * size) {
    ASSERT_LE(at.d, 2e-12 * size);
  } else {
    ASSERT_NEAR(at.d / d, 1, tolerance) << "d " << d << " size " << size << " k " << at.k;
  }
  ASSERT_NEAR(std::sqrt(distance2(pair, x)), d, 1e-13 * d + 2e-14 * size);
  for (int j = 0; j < at.k; ++j) ASSERT_NEAR(at.n.dot(at.E.col(j)), 0, 1e-9 * size);
}

TEST(Distance, RandomPairsAgreeWithWideArithmetic) {
  Random random(1);
  for (int i = 0; i < 3000; ++i)
    for (const Pair pair : pairs) check(pair, random.nodes());
}

TEST(Distance, EveryRegionIsReached) {
  Random random(2);
  std::array<std::array<int, 3>, 3> seen{};
  for (int i = 0; i < 2000; ++i)
    for (const Pair pair : pairs) ++seen[static_cast<int>(pair)][nearest(pair, random.nodes()).k];
  for (int k = 0; k < 3; ++k) {
    EXPECT_GT(seen[0][k], 50);
    EXPECT_GT(seen[1][k], 50);
  }
  EXPECT_GT(seen[2][0], 50);
  EXPECT_GT(seen[2][1], 50);
  EXPECT_EQ(seen[2][2], 0);
}

TEST(Distance, CloseToTheInteriorOfTheOtherPrimitive) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    Nodes x = random.nodes();
    const double gap = random.power(-11, 0), s = random(0, 1), t = random(0, 1 - s);
    const Vec3 n = (x[2] - x[1]).cross(x[3] - x[1]).normalized();
    x[0] = (1 - s - t) * x[1] + s * x[2] + t * x[3] + gap * n;
    check(Pair::point_triangle, x);
    const Vec3 a = random.vec(), u = random.vec(), v = random.vec(), m = u.cross(v).normalized();
    check(Pair::edge_edge, {a - s * u, a + (1 - s) * u, a + gap * m - t * v, a + gap * m + (1 - t) * v});
    check(Pair::point_edge, {a + gap * m, a - s * u, a + (1 - s) * u, a});
  }
}

TEST(Distance, OnTheBordersOfTheRegions) {
  Random random(4);
  for (int i = 0; i < 3000; ++i) {
    Nodes x = random.nodes();
    const double gap = random.power(-8, 0), s = random(0, 1), beyond = random(-1, 1) * random.power(-18, -6);
    const Vec3 n = (x[2] - x[1]).cross(x[3] - x[1]).normalized();
    const int j = 1 + random.below(3), k = 1 + j % 3;
    const Vec3 side = (x[k] - x[j]).cross(n).normalized();
    x[0] = (1 - s) * x[j] + s * x[k] + gap * n + beyond * side;
    check(Pair::point_triangle, x);
    x[0] = x[j] + gap * n + beyond * side;
    check(Pair::point_triangle, x);
    const Vec3 a = random.vec(), u = random.vec(), v = random.vec(), m = u.cross(v).normalized();
    check(Pair::edge_edge, {a + beyond * u, a + u, a + gap * m - s * v, a + gap * m + (1 - s) * v});
    check(Pair::edge_edge, {a + beyond * u, a + u, a + gap * m, a + gap * m + v});
  }
}

TEST(Distance, NearlyParallelEdges) {
  Random random(5);
  for (int i = 0; i < 4000; ++i) {
    const Vec3 a = random.vec(), u = random.vec(), side = random.vec();
    const double angle = i % 5 == 0 ? 0 : random.power(-18, -2), gap = random.power(-6, 0), shift = random(-1.5, 1.5);
    const Vec3 v = random.power(-2, 2) * (u + angle * side), n = u.cross(random.vec()).normalized();
    const Vec3 c = a + shift * u + gap * n;
    check(Pair::edge_edge, {a, a + u, c, c + v});
    check(Pair::edge_edge, {a, a + u, c + v, c});
  }
}

TEST(Distance, ParallelEdgesOfAGrid) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), o = Vec3::Zero();
  for (const double shift : {-3.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0}) {
    const Nearest at = edge_edge(o, x, 0.5 * y + shift * x, 0.5 * y + (shift + 1) * x);
    const double apart = std::max(0.0, std::abs(shift) - 1);
    EXPECT_DOUBLE_EQ(at.d, std::hypot(0.5, apart)) << shift;
    EXPECT_LT(at.k, 2);
  }
}

TEST(Distance, ThinTriangles) {
  Random random(6);
  for (int i = 0; i < 4000; ++i) {
    const Vec3 a = random.vec(), u = random.vec();
    const double angle = i % 5 == 0 ? 0 : random.power(-18, -2), where = random(-1.5, 1.5);
    Nodes x{Vec3::Zero(), a, a + u, a + where * u + angle * random.vec()};
    if (i % 7 == 0) x[3] = x[1 + i % 2];
    const double s = random(-0.5, 1.5);
    x[0] = a + s * u + random.power(-6, 0) * random.vec();
    check(Pair::point_triangle, x);
    std::swap(x[1], x[3]);
    check(Pair::point_triangle, x);
  }
}

TEST(Distance, PrimitivesThatAreOnePoint) {
  const Vec3 a(1, 2, 3), p(1, 2, 5);
  EXPECT_EQ(point_triangle(p, a, a, a).d, 2);
  EXPECT_EQ(point_triangle(p, a, a, a).k, 0);
  EXPECT_EQ(edge_edge(p, p, a, a).d, 2);
  EXPECT_EQ(point_edge(p, a, a).d, 2);
  EXPECT_EQ(edge_edge(p, p, a - Vec3::UnitX(), a + Vec3::UnitX()).d, 2);
  EXPECT_EQ(edge_edge(a - Vec3::UnitX(), a + Vec3::UnitX(), p, p).d, 2);
  EXPECT_EQ(point_point(p, a).d, 2);
  EXPECT_EQ(point_point(p, a).n, Vec3::UnitZ());
}

TEST(Distance, LargeOffsets) {
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    Nodes x = random.nodes();
    const Vec3 offset = random.power(2, 8) * random.vec();
    for (Vec3& y : x) y = offset + random.power(-3, 0) * y;
    for (const Pair pair : pairs) check(pair, x);
  }
}

TEST(Distance, TinyAndHugeFeatures) {
  Random random(8);
  for (const double scale : {1e-200, 1e-90, 1e-12, 1e12, 1e90, 1e200}) {
    for (int i = 0; i < 300; ++i) {
      Nodes x = random.nodes();
      for (Vec3& y : x) y *= scale;
      for (const Pair pair : pairs) {
        const double d = static_cast<double>(sqrt(wide_nearest(pair, widen(x)).d2));
        ASSERT_NEAR(nearest(pair, x).d / d, 1, 1e-12) << scale;
      }
    }
  }
  for (int i = 0; i < 1000; ++i) {
    Nodes x = random.nodes();
    const double small = random.power(-12, -3);
    for (int j = 2; j < 4; ++j) x[j] = x[1] + small * x[j];
    check(Pair::point_triangle, x);
    check(Pair::edge_edge, {x[0], x[1], x[2], x[3]});
    check(Pair::edge_edge, {x[0], x[0] + random.vec(), x[2], x[3]});
  }
}

TEST(Distance, TouchingHasAUnitNormalAndNoDistance) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  for (const Vec3& p : {Vec3(0.25, 0.25, 0), Vec3(0.5, 0, 0), Vec3(0, 0, 0), Vec3(0.5, 0.5, 0)}) {
    const Nearest at = point_triangle(p, o, x, y);
    EXPECT_EQ(at.d, 0);
    EXPECT_DOUBLE_EQ(std::abs(at.n[2]), 1);
  }
  const Nearest crossing = edge_edge(-x, x, -y, y);
  EXPECT_EQ(crossing.d, 0);
  EXPECT_DOUBLE_EQ(std::abs(crossing.n[2]), 1);
  const Nearest overlap = edge_edge(o, x, 0.5 * x, 2 * x);
  EXPECT_EQ(overlap.d, 0);
  EXPECT_DOUBLE_EQ(overlap.n.norm(), 1);
  EXPECT_NEAR(overlap.n.dot(x), 0, 1e-15);
  EXPECT_EQ(point_edge(0.5 * z, o, z).d, 0);
  EXPECT_NEAR(point_edge(0.5 * z, o, z).n.dot(z), 0, 1e-15);
  EXPECT_EQ(point_point(x, x).d, 0);
  EXPECT_EQ(point_point(x, x).n.norm(), 1);
  EXPECT_EQ(point_triangle(x, x, x, x).d, 0);
}

using WideGradient = std::array<Wide, 12>;

WideGradient wide_gradient(const WideNearest& at) {
  WideGradient g;
  const Wide d = sqrt(at.d2);
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) g[3 * i + c] = at.w[i] * at.e[c] / d;
  return g;
}

/// All derivatives by central differences of 1e-20 in 80 digits, against wide n, w and ∇d.
void check_derivatives(Pair pair, const Nodes& x) {
  const Nearest at = nearest(pair, x);
  const WideNodes y = widen(x);
  const WideNearest base = wide_nearest(pair, y);
  const WideGradient g = wide_gradient(base);
  const Vec12 ours = gradient(at);
  for (int i = 0; i < 12; ++i) ASSERT_NEAR(ours[i], static_cast<double>(g[i]), 1e-11);
  Mat12 H;
  Eigen::Matrix<double, 3, 12> dn;
  Eigen::Matrix<double, 4, 12> dw;
  const Wide h("1e-20");
  for (int j = 0; j < 12; ++j) {
    WideNodes plus = y, minus = y;
    plus[j / 3][j % 3] += h;
    minus[j / 3][j % 3] -= h;
    const WideNearest p = wide_nearest(pair, plus), m = wide_nearest(pair, minus);
    const WideGradient gp = wide_gradient(p), gm = wide_gradient(m);
    for (int i = 0; i < 12; ++i) H(i, j) = static_cast<double>((gp[i] - gm[i]) / (2 * h));
    for (int i = 0; i < 4; ++i) dw(i, j) = static_cast<double>((p.w[i] - m.w[i]) / (2 * h));
    for (int c = 0; c < 3; ++c) dn(c, j) = static_cast<double>((p.e[c] / sqrt(p.d2) - m.e[c] / sqrt(m.d2)) / (2 * h));
  }
  const double near = 1e-10;
  ASSERT_LE((hessian(at) - H).norm(), near * H.norm()) << "k " << at.k;
  ASSERT_LE((normal_derivative(at) - dn).norm(), near * dn.norm());
  Eigen::Matrix<double, 4, 2> by_parameter;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 4; ++i) by_parameter(i, j) = j < at.k ? at.dw[j][i] : 0;
  ASSERT_LE((by_parameter * parameter_derivative(at) - dw).norm(), near * (1 + dw.norm()));
  const Mat12 composed = compose(at, -3, 7);
  ASSERT_LE((composed + 3 * H - 7 * ours * ours.transpose()).norm(), near * composed.norm());
}

TEST(DistanceDerivatives, AgreeWithWideDifferences) {
  Random random(9);
  std::array<int, 3> seen{};
  for (int i = 0; i < 60; ++i) {
    for (const Pair pair : pairs) {
      const Nodes x = random.nodes();
      ++seen[nearest(pair, x).k];
      check_derivatives(pair, x);
    }
  }
  for (const int count : seen) EXPECT_GT(count, 10);
}

TEST(DistanceDerivatives, HoldCloseToContact) {
  Random random(10);
  for (int i = 0; i < 40; ++i) {
    const double gap = random.power(-9, -3), s = random(0.1, 0.4), t = random(0.1, 0.4);
    Nodes x = random.nodes();
    const Vec3 n = (x[2] - x[1]).cross(x[3] - x[1]).normalized();
    x[0] = (1 - s - t) * x[1] + s * x[2] + t * x[3] + gap * n;
    check_derivatives(Pair::point_triangle, x);
    const Vec3 a = random.vec(), u = random.vec(), v = random.vec(), m = u.cross(v).normalized();
    check_derivatives(Pair::edge_edge, {a - s * u, a + (1 - s) * u, a + gap * m - t * v, a + gap * m + (1 - t) * v});
    check_derivatives(Pair::point_edge, {a + gap * m, a - s * u, a + (1 - s) * u, a});
  }
}

Mat12 dense_projection(const Mat12& A) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver{Matrix(A)};
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).asDiagonal() * solver.eigenvectors().transpose();
}

TEST(DistanceDerivatives, ProjectionIsTheDenseOne) {
  Random random(11);
  for (int i = 0; i < 500; ++i) {
    for (const Pair pair : pairs) {
      Nodes x = random.nodes();
      if (i % 2 == 0) {
        const double gap = random.power(-6, 0);
        x[0] = 0.3 * x[1] + 0.3 * x[2] + 0.4 * x[3] + gap * random.vec();
      }
      const Nearest at = nearest(pair, x);
      const double delta = at.d * random(1.001, 10);
      const Jet b = barrier(at.d, delta);
      for (const auto& [first, second] : {std::pair{b.first, b.second}, {1.0, -2.0}, {-1.0, 0.0}, {1.0, 0.0}}) {
        const Mat12 exact = compose(at, first, second), ours = compose_projected(at, first, second);
        ASSERT_LE((ours - dense_projection(exact)).norm(), 1e-12 * exact.norm()) << at.k << " " << at.d;
        ASSERT_LE((ours - ours.transpose()).norm(), 1e-15 * ours.norm());
      }
    }
  }
}

TEST(DistanceDerivatives, MollifierByWideDifferences) {
  Random random(12);
  const auto value = [](const WideNodes& x, double eps) {
    const WideVec y = cross(x[1] - x[0], x[3] - x[2]);
    const Wide ratio = dot(y, y) / eps;
    return ratio < 1 ? Wide((2 - ratio) * ratio) : Wide(1);
  };
  for (int i = 0; i < 30; ++i) {
    Nodes x = random.nodes();
    x[3] = x[2] + (x[1] - x[0]) + 0.02 * random.vec();
    const double eps = 1e-3 * (x[1] - x[0]).squaredNorm() * (x[3] - x[2]).squaredNorm();
    const Mollifier m = edge_mollifier(x[0], x[1], x[2], x[3], eps);
    const WideNodes y = widen(x);
    EXPECT_NEAR(m.value, static_cast<double>(value(y, eps)), 1e-13);
    EXPECT_DOUBLE_EQ(m.value, edge_mollifier_value(x[0], x[1], x[2], x[3], eps));
    const Wide h("1e-20");
    Vec12 g;
    Mat12 H;
    for (int j = 0; j < 12; ++j) {
      const auto moved = [&](int k, const Wide& dj, const Wide& dk) {
        WideNodes z = y;
        z[j / 3][j % 3] += dj;
        z[k / 3][k % 3] += dk;
        return value(z, eps);
      };
      g[j] = static_cast<double>((moved(j, h, 0) - moved(j, -h, 0)) / (2 * h));
      for (int k = 0; k < 12; ++k)
        H(j, k) =
            static_cast<double>((moved(k, h, h) - moved(k, h, -h) - moved(k, -h, h) + moved(k, -h, -h)) / (4 * h * h));
    }
    EXPECT_LE((m.gradient - g).norm(), 1e-11 * (1 + g.norm()));
    EXPECT_LE((m.hessian - H).norm(), 1e-11 * (1 + H.norm()));
  }
}

TEST(DistanceDerivatives, MollifierIsOneAwayFromParallel) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY();
  const Mollifier m = edge_mollifier(o, x, o, y, 1e-3);
  EXPECT_EQ(m.value, 1);
  EXPECT_EQ(m.gradient.norm(), 0);
  EXPECT_EQ(m.hessian.norm(), 0);
  EXPECT_EQ(edge_mollifier(o, x, y, x + y, 1e-3).value, 0);
}

}  // namespace
}  // namespace limber::test
