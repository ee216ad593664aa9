/// How far neighbours have moved, against all pairs of triangles one by one.

#include "limber/contact/geometry/patches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/contact/geometry/distance.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

/// A strip of 2n × n squares in the plane z = 0, twice: objects 0 and 1, one `apart` above the other.
struct Strips {
  ContactSurface surface;
  MayCollide may{{1, 1}, {1, 1}};
  Vector rest;

  Strips(int n, double apart) {
    const int across = n + 1, nodes = (2 * n + 1) * across;
    rest.resize(6 * nodes);
    for (int object = 0; object < 2; ++object)
      for (int i = 0; i < nodes; ++i) {
        surface.points.push_back(object * nodes + i);
        surface.object.push_back(object);
        surface.radius.push_back(.001);
        rest.segment<3>(3 * static_cast<Index>(object * nodes + i)) =
            Vec3(static_cast<double>(i / across) / n, static_cast<double>(i % across) / n, apart * object);
      }
    for (int object = 0; object < 2; ++object)
      for (int i = 0; i < 2 * n; ++i)
        for (int j = 0; j < n; ++j) {
          const int a = object * nodes + i * across + j;
          surface.triangles.push_back({a, a + across, a + 1});
          surface.triangles.push_back({a + 1, a + across, a + across + 1});
        }
  }

  /// Every node i goes to to(i, its place).
  template <class To>
  Vector moved(const To& to) const {
    Vector x(rest.size());
    for (int i = 0; i < static_cast<int>(surface.object.size()); ++i)
      x.segment<3>(3 * static_cast<Index>(i)) = to(i, point(rest, i));
    return x;
  }
};

double triangles_apart(const Vector& x, const std::array<int, 3>& a, const std::array<int, 3>& b) {
  double least = 1e300;
  for (int i = 0; i < 3; ++i) {
    least = std::min(least, point_triangle_distance2(point(x, a[i]), point(x, b[0]), point(x, b[1]), point(x, b[2])));
    least = std::min(least, point_triangle_distance2(point(x, b[i]), point(x, a[0]), point(x, a[1]), point(x, a[2])));
    for (int j = 0; j < 3; ++j)
      least = std::min(least, edge_edge_distance2(point(x, a[i]), point(x, a[(i + 1) % 3]), point(x, b[j]),
                                                  point(x, b[(j + 1) % 3])));
  }
  return std::sqrt(least);
}

/// The largest relative way of nodes of two triangles that are within reach at one of several places on the way.
double true_spread(const Strips& s, const Vector& x, const Vector& y, double within) {
  double most = 0;
  for (const auto& a : s.surface.triangles)
    for (const auto& b : s.surface.triangles) {
      bool near = false;
      for (const double at : {0.0, .25, .5, .75, 1.0})
        near = near || triangles_apart((1 - at) * x + at * y, a, b) - .002 < within;
      if (!near) continue;
      for (const int i : a)
        for (const int j : b) most = std::max(most, (point(y, i) - point(x, i) - point(y, j) + point(x, j)).norm());
    }
  return most;
}

double wide_spread(const Vector& x, const Vector& y) {  // of all nodes
  double most = 0;
  for (int i = 0; i < x.size() / 3; ++i)
    for (int j = 0; j < i; ++j) most = std::max(most, (point(y, i) - point(x, i) - point(y, j) + point(x, j)).norm());
  return most;
}

/// However many pairs of patches are watched one by one.
double spread(const Patches& patches, const Vector& x, const Vector& y, double within) {
  const double all = patches.spread(patches.layout(x, 0, false), y, within);
  for (const double reach : {.003, .08, .5, 1e5})
    EXPECT_EQ(patches.spread(patches.layout(x, reach, false), y, within), all);
  return all;
}

TEST(Patches, BoundTheWaysOfWhatMayMeet) {
  const Strips s(5, .1);
  const Patches patches(s.surface, s.may, s.rest);
  EXPECT_GT(patches.count(), 10u);
  for (const double turn : {.02, .1, .5}) {
    // Both are twisted, the upper one goes down and aside.
    const Vector y = s.moved([&](int i, const Vec3& at) {
      const double angle = turn * at.x();
      const bool upper = s.surface.object[static_cast<std::size_t>(i)] == 1;
      return Vec3(at.x(), std::cos(angle) * at.y() - std::sin(angle) * at.z(),
                  std::sin(angle) * at.y() + std::cos(angle) * at.z() - (upper ? .06 + .02 * at.y() : 0));
    });
    const double bound = spread(patches, s.rest, y, .02), truth = true_spread(s, s.rest, y, .02);
    EXPECT_GT(truth, 0);
    EXPECT_GE(bound, truth) << turn;
  }
}

/// The smallest gap of nodes whose gap is `reach` or more at x, on the straight way to y.
double least_gap(const Vector& x, const Vector& y, double reach) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < x.size() / 3; ++i)
    for (int j = 0; j < i; ++j) {
      const Vec3 d = point(x, i) - point(x, j), e = point(y, i) - point(y, j) - d;
      if (d.norm() - .002 < reach) continue;
      const double at = std::clamp(-d.dot(e) / std::max(e.squaredNorm(), 1e-30), 0., 1.);
      least = std::min(least, (d + at * e).norm() - .002);
    }
  return least;
}

TEST(Patches, KnowWhatStaysApartOfWhatTurnsAndBends) {
  const Strips s(12, .1);
  const Patches patches(s.surface, s.may, s.rest);
  constexpr double within = .02;
  int kept = 0, lost = 0;
  for (const double reach : {.1, .3})
    for (const double turn : {.02, .1, .3, 1.})
      for (const double bend : {0., .01, .1, .5}) {
        const Vector y = s.moved([&](int, const Vec3& at) {
          const double angle = turn + bend * at.x();
          return Vec3(std::cos(angle) * at.x() - std::sin(angle) * at.y(),
                      std::sin(angle) * at.x() + std::cos(angle) * at.y(), (1 - bend) * at.z() + 3 * turn);
        });
        const double gap = patches.kept_gap(patches.layout(s.rest, reach, true), y, within, reach);
        ++(gap >= within ? kept : lost);
        if (gap >= within) {
          EXPECT_GE(least_gap(s.rest, y, reach), gap) << reach << " " << turn << " " << bend;
        }
      }
  EXPECT_GT(kept, 5);
  EXPECT_GT(lost, 5);
  // A turn as a whole is no spread.
  const Vector turned = s.moved([](int, const Vec3& at) {
    return Vec3(std::cos(.8) * at.x() - std::sin(.8) * at.y(), std::sin(.8) * at.x() + std::cos(.8) * at.y(), at.z());
  });
  const auto rest = patches.layout(s.rest, .2, true);
  EXPECT_GT(patches.spread(rest, turned, within) + within, .2);
  EXPECT_LT(patches.kept_gap(patches.layout(s.rest, .2, false), turned, within, .2), within);
  EXPECT_GE(patches.kept_gap(rest, turned, within, .2), within);
}

TEST(Patches, WhatStaysApartMayFlyAsItLikes) {
  const Strips s(6, .1);
  const Patches patches(s.surface, s.may, s.rest);
  const Vector y = s.moved([&](int i, const Vec3& at) {
    return Vec3(at +
                (s.surface.object[static_cast<std::size_t>(i)] == 1 ? Vec3(0, 0, 100) : Vec3(0, 1e-3 * at.x(), 0)));
  });
  // Boxes say nothing of which way things go: 100 m of way are enough to meet what stood .1 m away.
  EXPECT_GE(spread(patches, s.rest, y, .01), 100);
  const Vector far = y;
  const Vector later = s.moved([&](int i, const Vec3& at) {
    return Vec3(at +
                (s.surface.object[static_cast<std::size_t>(i)] == 1 ? Vec3(0, 0, 150) : Vec3(0, 2e-3 * at.x(), 0)));
  });
  const double felt = spread(patches, far, later, .01);
  EXPECT_LT(felt, 3e-3);
  EXPECT_GT(felt, 1e-5);
}

TEST(Patches, WhatComesFromFarIsSeen) {
  const Strips s(6, 3);
  const Patches patches(s.surface, s.may, s.rest);
  const auto lowered = [&](double by) {
    return s.moved([&](int i, const Vec3& at) {
      return Vec3(at.x(), at.y(), at.z() - (s.surface.object[static_cast<std::size_t>(i)] == 1 ? by : 0));
    });
  };
  for (const bool bending : {false, true}) {
    const auto rest = patches.layout(s.rest, .1, bending);
    EXPECT_GE(patches.kept_gap(rest, lowered(2.9), .02, .1), .09);
    EXPECT_LT(patches.kept_gap(rest, lowered(2.99), .02, .1), .02);
    EXPECT_LT(patches.kept_gap(rest, lowered(50), .02, .1), .02);
  }
}

TEST(Patches, OfATwistOnlyWhatNeighboursFeelCounts) {
  const Strips s(20, 5);
  const Patches patches(s.surface, s.may, s.rest);
  const Vector y = s.moved([&](int, const Vec3& at) {
    const double angle = .03 * (at.x() - 1);
    return Vec3(at.x(), std::cos(angle) * at.y() - std::sin(angle) * at.z(),
                std::sin(angle) * at.y() + std::cos(angle) * at.z());
  });
  EXPECT_LT(spread(patches, s.rest, y, .002), .5 * wide_spread(s.rest, y));
}

TEST(Patches, ObjectsThatMayNotCollideDoNotCount) {
  Strips s(6, .01);
  s.may = {{0, 0}, {0, 0}};
  const Patches patches(s.surface, s.may, s.rest);
  EXPECT_EQ(spread(patches, s.rest, 3 * s.rest, .1), 0);
}

/// A fan round one node: that one alone is a first node, and no node is a point.
TEST(Patches, NodesThatNoPrimitiveBeginsWith) {
  constexpr int rim = 60;
  ContactSurface fan;
  fan.object.assign(rim + 1, 0);
  fan.radius.assign(rim + 1, 0);
  Vector x = Vector::Zero(3 * (rim + 1));
  for (int i = 0; i < rim; ++i) {
    fan.triangles.push_back({0, 1 + i, 1 + (i + 1) % rim});
    x.segment<3>(3 * (1 + i)) = Vec3(std::cos(.1 * i), std::sin(.1 * i), 0);
  }
  const Patches patches(fan, {{1}}, x);
  EXPECT_EQ(patches.count(), 1u);
  EXPECT_GE(spread(patches, x, 2 * x, .1), 1);
}

TEST(Patches, OfNothing) {
  const Patches patches({}, {}, Vector());
  EXPECT_EQ(patches.count(), 0u);
  EXPECT_EQ(spread(patches, Vector(), Vector(), 1), 0);
}

}  // namespace
}  // namespace limber
