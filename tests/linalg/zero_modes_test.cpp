/// Modes without stiffness beside rigid motions: their λ is 0, and not what rounding leaves of it.

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "limber/linalg/modes/modes.hpp"

namespace limber {
namespace {

/// Nodes joined by springs of stiffness k.
struct Truss {
  std::vector<Vec3> nodes;
  std::vector<Eigen::Triplet<double>> entries;

  /// A bar of 1 × 1 × n cells, each with all its diagonals, from `origin` on along x; one of its nodes may be a given
  /// one.
  void add_bar(const Vec3& origin, int n, double k, int first = -1) {
    std::vector<int> at;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j < 4; ++j) {
        if (i == 0 && j == 0 && first >= 0) {
          at.push_back(first);
          continue;
        }
        at.push_back(static_cast<int>(nodes.size()));
        nodes.push_back(origin + .1 * Vec3(i, j % 2, j / 2));
      }
    for (int i = 0; i <= n; ++i)
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < (i < n ? 8 : 4); ++b)
          if (a < b) join(at[static_cast<std::size_t>(4 * i + a)], at[static_cast<std::size_t>(4 * i + b)], k);
  }
  void join(int a, int b, double k) {
    const Vec3 d = (nodes[static_cast<std::size_t>(b)] - nodes[static_cast<std::size_t>(a)]).normalized();
    for (const auto& [i, j, sign] : {std::tuple(a, a, 1.), {b, b, 1.}, {std::max(a, b), std::min(a, b), -1.}})
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) entries.emplace_back(3 * i + r, 3 * j + c, sign * k * d[r] * d[c]);
  }
  SparseMatrix stiffness() const {
    SparseMatrix K(size(), size());
    K.setFromTriplets(entries.begin(), entries.end());
    return SparseMatrix(K.triangularView<Eigen::Lower>());
  }
  Matrix rigid_motions() const {
    Matrix R(size(), 6);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (int a = 0; a < 3; ++a) {
        R.block<3, 1>(3 * static_cast<Index>(i), a) = Vec3::Unit(a);
        R.block<3, 1>(3 * static_cast<Index>(i), 3 + a) = Vec3::Unit(a).cross(nodes[i]);
      }
    return R;
  }
  Index size() const { return 3 * static_cast<Index>(nodes.size()); }
};

SparseMatrix masses(Index n, double m) {
  SparseMatrix M(n, n);
  M.setIdentity();
  return m * M;
}

/// Two bars that share a node turn about it in three ways; dense, and by Lanczos.
TEST(ZeroModes, OfABallJointAreExact) {
  for (const int n : {4, 30})
    for (const double k : {1e-3, 1., 1e9}) {
      Truss t;
      t.add_bar({0, .8, 0}, n, k);
      t.add_bar({-.3, .8, .1}, n, k / 7, 0);
      const Modes modes = lowest_modes(t.stiffness(), masses(t.size(), 1e-3), 12, t.rigid_motions());
      EXPECT_EQ(modes.lambda.head(9), Vector::Zero(9)) << n << " " << k;
      EXPECT_GT(modes.lambda[9], 1e-6 * k / 1e-3) << n << " " << k;
    }
}

/// A spring 1e9 times as weak holds one of these ways: that is no rounding.
TEST(ZeroModes, AreNotThoseOfAWeakSpring) {
  for (const int n : {4, 30}) {
    Truss t;
    t.add_bar({0, .8, 0}, n, 1);
    t.add_bar({-.3, .8, .1}, n, 1, 0);
    t.join(3, static_cast<int>(t.nodes.size()) - 1, 1e-9);
    const Modes modes = lowest_modes(t.stiffness(), masses(t.size(), 1e-3), 10, t.rigid_motions());
    EXPECT_EQ((modes.lambda.array() == 0).count(), 8) << n;
    // One spring on one way x: λ = k (d · Δx)², which is that of x itself.
    const Vector x = modes.X.col(8);
    const std::size_t far = t.nodes.size() - 1;
    const Vec3 d = (t.nodes[far] - t.nodes[3]).normalized(), moved = x.tail<3>() - x.segment<3>(9);
    EXPECT_NEAR(modes.lambda[8] / (1e-9 * std::pow(d.dot(moved), 2)), 1, 1e-3) << n;  // less what K is rounded to
  }
}

/// So is a way that goes on by itself: it is below all zeros.
TEST(ZeroModes, AreNotThoseThatAreUnstable) {
  Truss t;
  t.add_bar({0, .8, 0}, 30, 1);
  t.add_bar({-.3, .8, .1}, 30, 1, 0);
  t.join(3, static_cast<int>(t.nodes.size()) - 1, -1e-9);
  const Modes modes = lowest_modes(t.stiffness(), masses(t.size(), 1e-3), 10, t.rigid_motions());
  EXPECT_LT(modes.lambda[0], 0);
  EXPECT_EQ(modes.lambda.segment(1, 8), Vector::Zero(8));
}

}  // namespace
}  // namespace limber
