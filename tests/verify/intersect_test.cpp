/// Exact answers: known cases, all small integer triangles at random against CGAL's own test, and boxes.

#include "limber/verify/intersect.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/intersections.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "limber/verify/exact.hpp"

namespace limber::exact {
namespace {

using Corners = std::array<Vec3, 3>;

bool both_ways(const Corners& s, const Corners& t) {
  const bool met = triangles_meet(s, t);
  EXPECT_EQ(triangles_meet(t, s), met);
  EXPECT_EQ(triangles_meet({s[1], s[0], s[2]}, {t[2], t[0], t[1]}), met);
  return met;
}

const Corners kFlat{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};

TEST(Orientation, HasTheSignOfTheDeterminant) {
  const Vec3 o(0, 0, 0), x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
  EXPECT_EQ(orientation(o, x, y, z), 1);
  EXPECT_EQ(orientation(o, y, x, z), -1);
  EXPECT_EQ(orientation(o, x, y, Vec3(7, -3, 0)), 0);
  EXPECT_EQ(orientation(Point2{0, 0}, Point2{1, 0}, Point2{0, 1}), 1);
  EXPECT_EQ(orientation(Point2{0, 0}, Point2{1, 0}, Point2{5, 0}), 0);
}

/// Plain doubles get the signs wrong near a plane far from the origin; here the last bit decides.
TEST(Orientation, SeesTheLastBit) {
  const Vec3 a(.5, .5, .5), b(12, 12, 12), c(24, 24, 24.000000000000004), d(1e-3, 3, 7);
  EXPECT_NE(orientation(a, b, c, d), 0);
  EXPECT_EQ(orientation(a, b, Vec3(24, 24, 24), d), 0);
  for (const double scale : {1e-150, 1., 1e100}) {
    const Vec3 p(0, 0, 0), q(scale, 0, 0), r(0, scale, 0);
    EXPECT_EQ(orientation(p, q, r, Vec3(scale, scale, scale * 1e-100)), 1);
    EXPECT_EQ(orientation(p, q, r, Vec3(scale, scale, 0)), 0);
  }
}

TEST(Triangles, KnownCases) {
  const double tiny = 1e-300;
  EXPECT_TRUE(both_ways(kFlat, {Vec3(1, 1, -1), Vec3(1, 1, 1), Vec3(2, 2, 5)}));       // pierced
  EXPECT_TRUE(both_ways(kFlat, {Vec3(1, 1, 0), Vec3(1, 1, 1), Vec3(2, 2, 5)}));        // touched by a corner
  EXPECT_FALSE(both_ways(kFlat, {Vec3(1, 1, tiny), Vec3(1, 1, 1), Vec3(2, 2, 5)}));    // by a hair not
  EXPECT_TRUE(both_ways(kFlat, {Vec3(2, 2, 0), Vec3(5, 5, 1), Vec3(5, 5, 2)}));        // corner on an edge
  EXPECT_TRUE(both_ways(kFlat, {Vec3(4, 0, 0), Vec3(5, 5, 1), Vec3(5, 5, 2)}));        // corner on a corner
  EXPECT_TRUE(both_ways(kFlat, {Vec3(3, 3, -1), Vec3(1, 1, 1), Vec3(9, 9, 9)}));       // edges cross at a point
  EXPECT_FALSE(both_ways(kFlat, {Vec3(3, 3, -1), Vec3(2, 2, 1), Vec3(9, 9, 9)}));      // passes by
  EXPECT_TRUE(both_ways(kFlat, {Vec3(.5, .5, 0), Vec3(1, .5, 0), Vec3(.5, 1, 0)}));    // coplanar, within
  EXPECT_TRUE(both_ways(kFlat, {Vec3(-9, -9, 0), Vec3(50, -9, 0), Vec3(-9, 50, 0)}));  // coplanar, around
  EXPECT_FALSE(both_ways(kFlat, {Vec3(3, 3, 0), Vec3(5, 3, 0), Vec3(3, 5, 0)}));       // coplanar, apart
  EXPECT_TRUE(both_ways(kFlat, {Vec3(2, 2, 0), Vec3(5, 3, 0), Vec3(3, 5, 0)}));        // coplanar, touching
  EXPECT_FALSE(both_ways(kFlat, {Vec3(0, 0, 1), Vec3(4, 0, 1), Vec3(0, 4, 1)}));       // parallel planes
}

TEST(Triangles, WithoutArea) {
  const auto line = [](const Vec3& a, const Vec3& b) { return Corners{a, b, Vec3(.5 * (a + b))}; };
  EXPECT_TRUE(both_ways(kFlat, line({1, 1, -1}, {1, 1, 1})));
  EXPECT_TRUE(both_ways(kFlat, line({1, 1, 0}, {9, 9, 0})));
  EXPECT_TRUE(both_ways(kFlat, {Vec3(1, 1, 0), Vec3(1, 1, 0), Vec3(1, 1, 0)}));
  EXPECT_FALSE(both_ways(kFlat, line({3, 3, -1}, {3, 3, 1})));
  EXPECT_FALSE(both_ways(kFlat, line({1, 1, 1}, {2, 1, 3})));
  EXPECT_FALSE(both_ways(kFlat, {Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1)}));
  EXPECT_TRUE(both_ways(line({0, 0, 0}, {2, 2, 2}), line({0, 2, 1}, {2, 0, 1})));     // lines that cross
  EXPECT_FALSE(both_ways(line({0, 0, 0}, {2, 2, 2}), line({0, 2, 1}, {2, 0, 1.5})));  // skew
  EXPECT_TRUE(both_ways(line({0, 0, 0}, {2, 2, 2}), line({1, 1, 1}, {5, 5, 5})));
  EXPECT_FALSE(both_ways(line({0, 0, 0}, {2, 2, 2}), line({3, 3, 3}, {5, 5, 5})));
  const Vec3 p(1, 2, 3), q(1, 2, 4);
  EXPECT_TRUE(both_ways({p, p, p}, {p, p, p}));
  EXPECT_FALSE(both_ways({p, p, p}, {q, q, q}));
}

/// On a small lattice every kind of touching occurs.
TEST(Triangles, AgreeWithCgalOnALattice) {
  using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
  std::mt19937 engine(7);
  const auto cgal = [](const Corners& c) {
    const auto p = [](const Vec3& v) { return Kernel::Point_3(v[0], v[1], v[2]); };
    return Kernel::Triangle_3(p(c[0]), p(c[1]), p(c[2]));
  };
  int met = 0, compared = 0;
  for (const int size : {2, 3, 6}) {
    std::uniform_int_distribution<int> number(0, size);
    const auto random = [&] {
      Vec3 v;
      for (double& x : v) x = number(engine);
      return v;
    };
    for (int i = 0; i < 8000; ++i) {
      const Corners s{random(), random(), random()}, t{random(), random(), random()};
      if (cgal(s).is_degenerate() || cgal(t).is_degenerate()) continue;
      const bool expected = CGAL::do_intersect(cgal(s), cgal(t));
      ASSERT_EQ(triangles_meet(s, t), expected) << i;
      met += expected;
      ++compared;
    }
  }
  EXPECT_GT(compared, 15000);
  EXPECT_GT(met, compared / 10);
  EXPECT_LT(met, compared - compared / 10);
}

struct Mesh {
  Vector q;
  std::vector<Triangle> triangles;
};

Mesh fan(const std::vector<Vec3>& nodes) {
  Mesh mesh;
  mesh.q.resize(static_cast<Index>(3 * nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) mesh.q.segment<3>(static_cast<Index>(3 * i)) = nodes[i];
  return mesh;
}

TEST(Neighbours, ShareANode) {
  // Node 0 is shared by (0, 1, 2) in the plane z = 0 and (0, 3, 4).
  const auto folded = [](const Vec3& c, const Vec3& d) {
    const Mesh m = fan({Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0), c, d});
    const Positions x(m.q);
    const bool met = meet_beyond_shared({0, 1, 2}, {0, 3, 4}, x);
    EXPECT_EQ(meet_beyond_shared({4, 0, 3}, {2, 0, 1}, x), met);
    return met;
  };
  EXPECT_FALSE(folded({1, 1, 1}, {2, 1, 1}));       // above
  EXPECT_TRUE(folded({1, 1, 1}, {1, 1, -1}));       // through the plane of the first, small: its far edge crosses
  EXPECT_TRUE(folded({8, 8, 1}, {8, 8, -1}));       // large: the far edge of the first crosses
  EXPECT_FALSE(folded({-1, -1, 1}, {-1, -1, -1}));  // through the plane, elsewhere
  EXPECT_FALSE(folded({-4, 0, 0}, {0, -4, 0}));     // coplanar, opposite
  EXPECT_TRUE(folded({1, 2, 0}, {2, 1, 0}));        // coplanar, over each other
  EXPECT_TRUE(folded({4, 0, 0}, {8, 8, 1}));        // along an edge only
  EXPECT_TRUE(folded({1, 0, 0}, {8, -8, 1}));
}

TEST(Neighbours, ShareAnEdge) {
  const auto folded = [](const Vec3& d) {
    const Mesh m = fan({Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0), d});
    const Positions x(m.q);
    const bool met = meet_beyond_shared({0, 1, 2}, {1, 0, 3}, x);
    EXPECT_EQ(meet_beyond_shared({0, 3, 1}, {2, 0, 1}, x), met);
    return met;
  };
  EXPECT_FALSE(folded({0, -4, 0}));      // flat
  EXPECT_FALSE(folded({0, 4, 1e-300}));  // almost folded
  EXPECT_TRUE(folded({0, 4, 0}));
  EXPECT_TRUE(folded({9, 1, 0}));
  EXPECT_FALSE(folded({0, 0, 3}));
}

/// A box [0, 2]³ of 2 × 2 squares a side; rays from lattice points run along its edges and through its nodes.
TEST(Winding, OfABoxAndOfItsInside) {
  Mesh mesh;
  std::vector<Vec3> nodes;
  for (int i = 0; i < 27; ++i) nodes.emplace_back(i % 3, i / 3 % 3, i / 9);
  mesh = fan(nodes);
  const auto id = [](int x, int y, int z) { return x + 3 * y + 9 * z; };
  for (int side = 0; side < 3; ++side)
    for (const int level : {0, 2})
      for (int u = 0; u < 2; ++u)
        for (int v = 0; v < 2; ++v) {
          std::array<int, 4> corner;
          for (int k = 0; k < 4; ++k) {
            std::array<int, 3> at;
            at[static_cast<std::size_t>(side)] = level;
            at[static_cast<std::size_t>((side + 1) % 3)] = u + (k == 1 || k == 2);
            at[static_cast<std::size_t>((side + 2) % 3)] = v + (k >= 2);
            corner[static_cast<std::size_t>(k)] = id(at[0], at[1], at[2]);
          }
          if (level == 0) std::swap(corner[1], corner[3]);
          mesh.triangles.push_back({corner[0], corner[1], corner[2]});
          mesh.triangles.push_back({corner[0], corner[2], corner[3]});
        }
  const Positions x(mesh.q);
  for (double a = -.5; a <= 2.5; a += .5)
    for (double b = -.5; b <= 2.5; b += .5)
      for (double c = -.5; c <= 2.5; c += .5) {
        const Vec3 p(a, b, c);
        const bool inside = (p.array() > 0).all() && (p.array() < 2).all();
        const bool outside = (p.array() < 0).any() || (p.array() > 2).any();
        if (!inside && !outside) continue;
        EXPECT_EQ(winding_number(p, mesh.triangles, x), inside ? 1 : 0) << p.transpose();
      }
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(winding_number({1, 1, 1}, mesh.triangles, x), -1);
}

}  // namespace
}  // namespace limber::exact
