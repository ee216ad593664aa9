/// The broad phase against all pairs tried one by one.

#include "limber/contact/geometry/broad_phase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "limber/core/parallel.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {
namespace {

using Pairs = std::vector<std::array<int, 2>>;

struct World {
  ContactSurface surface;
  Vector x;  // 3 × nodes
  MayCollide may;

  int objects() const { return static_cast<int>(may.size()); }

  int add_object(char self) {
    for (auto& row : may) row.push_back(1);
    may.emplace_back(may.size() + 1, 1);
    may.back().back() = self;
    return objects() - 1;
  }

  int add_node(const Vec3& p, int object, double radius = 0) {
    const int node = static_cast<int>(surface.object.size());
    x.conservativeResize(3 * (node + 1));
    x.segment<3>(3 * node) = p;
    surface.object.push_back(object);
    surface.radius.push_back(radius);
    return node;
  }

  /// The lists of points and edges from triangles, the given rods and lone points.
  void finish(const std::vector<std::array<int, 2>>& rods = {}, const std::vector<int>& lone = {}) {
    std::set<int> points(lone.begin(), lone.end());
    std::set<std::array<int, 2>> edges(rods.begin(), rods.end());
    for (const auto& t : surface.triangles)
      for (int k = 0; k < 3; ++k) {
        points.insert(t[k]);
        edges.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
      }
    for (const auto& e : rods) points.insert(e.begin(), e.end());
    surface.points.assign(points.begin(), points.end());
    surface.edges.assign(edges.begin(), edges.end());
  }
};

template <std::size_t N>
struct Swept {
  std::array<int, N> nodes;
  Vec3 low, high;
};

struct BruteForce {
  const World& world;
  const Vector &x0, &x1;
  double reach;

  template <std::size_t N>
  Swept<N> sweep(const std::array<int, N>& nodes) const {
    Swept<N> s{nodes, Vec3::Constant(INFINITY), Vec3::Constant(-INFINITY)};
    for (const int n : nodes)
      for (const Vector* x : {&x0, &x1}) {
        const double grow = reach / 2 + world.surface.radius[static_cast<std::size_t>(n)];
        s.low = s.low.cwiseMin((x->segment<3>(3 * n).array() - grow).matrix());
        s.high = s.high.cwiseMax((x->segment<3>(3 * n).array() + grow).matrix());
      }
    return s;
  }

  template <std::size_t N, std::size_t M>
  bool pair(const std::array<int, N>& a, const std::array<int, M>& b) const {
    for (const int i : a)
      if (std::find(b.begin(), b.end(), i) != b.end()) return false;
    const auto& object = world.surface.object;
    if (!world.may[static_cast<std::size_t>(object[static_cast<std::size_t>(a[0])])]
                  [static_cast<std::size_t>(object[static_cast<std::size_t>(b[0])])])
      return false;
    const auto s = sweep(a);
    const auto t = sweep(b);
    return (s.low.array() <= t.high.array()).all() && (t.low.array() <= s.high.array()).all();
  }

  Candidates all() const {
    Candidates c;
    const ContactSurface& s = world.surface;
    const auto size = [](const auto& list) { return static_cast<int>(list.size()); };
    std::set<int> joined;
    std::set<std::array<int, 2>> sides;
    for (const auto& e : s.edges) joined.insert(e.begin(), e.end());
    for (const auto& t : s.triangles)
      for (int k = 0; k < 3; ++k) {
        joined.insert(t[k]);
        sides.insert({t[k], t[(k + 1) % 3]});
        sides.insert({t[(k + 1) % 3], t[k]});
      }
    for (int p = 0; p < size(s.points); ++p) {
      const std::array<int, 1> point{s.points[static_cast<std::size_t>(p)]};
      for (int t = 0; t < size(s.triangles); ++t)
        if (pair(point, s.triangles[static_cast<std::size_t>(t)])) c.point_triangle.push_back({p, t});
      for (int e = 0; e < size(s.edges); ++e)
        if (sides.count(s.edges[static_cast<std::size_t>(e)]) == 0 && pair(point, s.edges[static_cast<std::size_t>(e)]))
          c.point_edge.push_back({p, e});
      for (int q = p + 1; q < size(s.points); ++q) {
        const std::array<int, 1> other{s.points[static_cast<std::size_t>(q)]};
        if (joined.count(point[0]) == 0 && joined.count(other[0]) == 0 && pair(point, other))
          c.point_point.push_back({p, q});
      }
    }
    for (int a = 0; a < size(s.edges); ++a)
      for (int b = a + 1; b < size(s.edges); ++b)
        if (pair(s.edges[static_cast<std::size_t>(a)], s.edges[static_cast<std::size_t>(b)]))
          c.edge_edge.push_back({a, b});
    return c;
  }
};

void expect_equal(const Candidates& a, const Candidates& b) {
  EXPECT_EQ(a.point_triangle, b.point_triangle);
  EXPECT_EQ(a.edge_edge, b.edge_edge);
  EXPECT_EQ(a.point_edge, b.point_edge);
  EXPECT_EQ(a.point_point, b.point_point);
}

/// What the broad phase finds, after it was compared with brute force.
Candidates checked(BroadPhase& broad, const World& world, const Vector& x0, const Vector& x1, double reach) {
  Candidates found;
  broad.find(x0, x1, reach, found);
  expect_equal(found, BruteForce{world, x0, x1, reach}.all());
  return found;
}

class RandomMotion {
 public:
  explicit RandomMotion(unsigned seed) : engine_(seed) {}
  double number(double a, double b) { return std::uniform_real_distribution<double>(a, b)(engine_); }
  Vec3 vector(double size) {
    Vec3 v;
    for (int k = 0; k < 3; ++k) v[k] = number(-size, size);
    return v;
  }
  Vector motion(Index n, double size) {
    return Vector::NullaryExpr(n, [&] { return number(-size, size); });
  }

 private:
  std::mt19937_64 engine_;
};

World soup(int count, unsigned seed) {
  World world;
  RandomMotion random(seed);
  const int object = world.add_object(1);
  for (int i = 0; i < count; ++i) {
    const Vec3 centre = random.vector(1);
    std::array<int, 3> t;
    for (int& node : t) node = world.add_node(centre + random.vector(.15), object);
    world.surface.triangles.push_back(t);
  }
  world.finish();
  return world;
}

void add_box(World& world, const Vec3& origin, int cells, int object, double radius = 0) {
  const TetMesh mesh = box_mesh(origin, Vec3::Ones(), {cells, cells, cells}, Split::five);
  const int first = static_cast<int>(world.surface.object.size());
  for (const Vec3& p : mesh.nodes) world.add_node(p, object, radius);
  for (auto t : boundary_triangles(mesh)) {
    for (int& node : t) node += first;
    world.surface.triangles.push_back(t);
  }
}

/// Bodies, rods and single points at random in a box of four metres.
World mixture(unsigned seed) {
  World world;
  RandomMotion random(seed);
  for (int b = 0; b < 3; ++b) add_box(world, random.vector(1.2), 2, world.add_object(b != 1), .01 * b);
  Pairs rods;
  for (int r = 0; r < 6; ++r) {
    const int object = world.add_object(r % 2 == 0);
    Vec3 p = random.vector(1.5);
    int last = world.add_node(p, object, .02);
    for (int i = 0; i < 12; ++i) {
      p += random.vector(.3);
      const int node = world.add_node(p, object, .02);
      rods.push_back({last, node});
      last = node;
    }
  }
  std::vector<int> lone;
  for (int c = 0; c < 2; ++c) {
    const int object = world.add_object(c == 0);
    for (int i = 0; i < 60; ++i) {
      const Vec3 p = random.vector(1.5);
      lone.push_back(world.add_node(p, object, random.number(.01, .1)));
    }
  }
  world.finish(rods, lone);
  world.may[0][2] = world.may[2][0] = 0;
  world.may[1][3] = world.may[3][1] = 0;
  return world;
}

TEST(BroadPhase, SoupsOfTriangles) {
  for (const int count : {1, 2, 5, 40, 150}) {
    const World world = soup(count, static_cast<unsigned>(count));
    BroadPhase broad(world.surface, world.may);
    for (const double reach : {0., .05, .5}) checked(broad, world, world.x, world.x, reach);
  }
}

TEST(BroadPhase, ClosedMesh) {
  World world;
  add_box(world, Vec3::Zero(), 4, world.add_object(1));
  world.finish();
  BroadPhase broad(world.surface, world.may);
  for (const double reach : {0., .1, 10.}) {
    const Candidates found = checked(broad, world, world.x, world.x, reach);
    EXPECT_FALSE(found.edge_edge.empty());
    EXPECT_TRUE(found.point_edge.empty());
    EXPECT_TRUE(found.point_point.empty());
  }
}

TEST(BroadPhase, BodiesRodsAndPointsWithAFilter) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const World world = mixture(seed);
    BroadPhase broad(world.surface, world.may);
    for (const double reach : {0., .03, .3}) {
      const Candidates found = checked(broad, world, world.x, world.x, reach);
      EXPECT_FALSE(found.point_triangle.empty());
      EXPECT_FALSE(found.edge_edge.empty());
      EXPECT_FALSE(found.point_edge.empty());
      EXPECT_FALSE(found.point_point.empty());
    }
  }
}

TEST(BroadPhase, NothingMayCollide) {
  World world = mixture(3);
  for (auto& row : world.may) std::fill(row.begin(), row.end(), char{0});
  BroadPhase broad(world.surface, world.may);
  const Candidates found = checked(broad, world, world.x, world.x, 1);
  EXPECT_TRUE(found.point_triangle.empty() && found.edge_edge.empty());
}

TEST(BroadPhase, MovingBodies) {
  const World world = mixture(11);
  BroadPhase broad(world.surface, world.may);
  RandomMotion random(5);
  Vector x0 = world.x;
  for (int step = 0; step < 8; ++step) {
    const Vector x1 = x0 + random.motion(x0.size(), .2);
    checked(broad, world, x0, x1, .02);
    x0 = x1;
  }
}

/// A node that flies through a triangle within one step is found although both of its ends are far away.
TEST(BroadPhase, FindsWhatPassesThrough) {
  World world;
  const int a = world.add_object(0), b = world.add_object(0);
  for (const Vec3& p : {Vec3(-1, 0, -1), Vec3(1, 0, -1), Vec3(0, 0, 1)}) world.add_node(p, a);
  world.surface.triangles.push_back({0, 1, 2});
  const int flyer = world.add_node({0, 100, 0}, b);
  world.finish({}, {flyer});
  Vector x1 = world.x;
  x1[3 * flyer + 1] = -100;
  BroadPhase broad(world.surface, world.may);
  EXPECT_EQ(checked(broad, world, world.x, x1, 0).point_triangle, (Pairs{{3, 0}}));
  EXPECT_TRUE(checked(broad, world, world.x, world.x, 0).point_triangle.empty());
}

TEST(BroadPhase, WornTreesAreMadeAnew) {
  const World world = mixture(21);
  BroadPhase broad(world.surface, world.may);
  RandomMotion random(6);
  checked(broad, world, world.x, world.x, .02);
  checked(broad, world, world.x, world.x, .5);
  EXPECT_EQ(broad.rebuilds(), 0);  // another reach is no wear
  Vector x = world.x + random.motion(world.x.size(), 1e-3);
  checked(broad, world, x, x, .02);
  EXPECT_EQ(broad.rebuilds(), 0);
  x = random.motion(world.x.size(), 30);
  checked(broad, world, x, x, .02);
  EXPECT_GT(broad.rebuilds(), 0);
  checked(broad, world, world.x, x, .02);
  checked(broad, world, world.x, world.x, .02);
}

/// Lists depend on the arguments only, not on what the same object was asked before.
TEST(BroadPhase, EarlierCallsLeaveNoTrace) {
  const World world = mixture(4);
  RandomMotion random(8);
  BroadPhase used(world.surface, world.may), fresh(world.surface, world.may);
  Candidates a, b;
  const Vector far = world.x + random.motion(world.x.size(), 5);
  used.find(far, world.x, .3, a);
  used.find(world.x, world.x, .05, a);
  fresh.find(world.x, world.x, .05, b);
  expect_equal(a, b);
}

TEST(BroadPhase, PrimitivesWithoutSize) {
  World world;
  const int object = world.add_object(1);
  Pairs rods;
  std::vector<int> lone;
  for (int i = 0; i < 10; ++i) {
    const Vec3 p(.1 * (i / 2), 0, 0);  // two of each kind at each place
    const int n = world.add_node(p, object);
    world.add_node(p, object);
    world.add_node(p, object);
    world.surface.triangles.push_back({n, n + 1, n + 2});
    rods.push_back({world.add_node(p, object), world.add_node(p, object)});
    lone.push_back(world.add_node(p, object));
  }
  for (auto& r : rods) std::sort(r.begin(), r.end());
  world.finish(rods, lone);
  BroadPhase broad(world.surface, world.may);
  EXPECT_EQ(checked(broad, world, world.x, world.x, 0).point_point.size(), 5u);
}

TEST(BroadPhase, AllNodesAtOnePlace) {
  World world = mixture(2);
  for (Index i = 0; i < world.x.size(); ++i) world.x[i] = i % 3 == 0 ? .7 : -.1;
  BroadPhase broad(world.surface, world.may);
  checked(broad, world, world.x, world.x, 0);
  const World spread = mixture(2);
  checked(broad, world, spread.x, spread.x, .1);
}

TEST(BroadPhase, EmptyLists) {
  Candidates found;
  found.edge_edge.push_back({1, 2});
  BroadPhase nothing(ContactSurface{}, {});
  nothing.find(Vector(), Vector(), .1, found);
  EXPECT_TRUE(found.edge_edge.empty());

  World one;
  const int object = one.add_object(1);
  one.add_node({0, 0, 0}, object);
  one.add_node({1, 0, 0}, object);
  one.finish({}, {1});  // node 0 collides with nothing
  BroadPhase single(one.surface, one.may);
  single.find(one.x, one.x, 10, found);
  EXPECT_TRUE(found.point_point.empty());
}

/// Pairs at exactly reach + radii are found wherever the scene lies, in spite of rounding.
TEST(BroadPhase, ReachIsConservative) {
  RandomMotion random(12);
  for (int i = 0; i < 2000; ++i) {
    World world;
    const int a = world.add_object(0), b = world.add_object(0);
    const double far = std::pow(10., random.number(-3, 6));
    const double reach = std::pow(10., random.number(-6, 0)), r0 = random.number(0, 1), r1 = random.number(0, 1);
    const Vec3 p = random.vector(far);
    Vec3 q = p;
    const int axis = i % 3;
    q[axis] += reach + r0 + r1;
    // The distance of the rounded positions may be more than wanted by a rounding: then it is not asked for.
    const long double distance = static_cast<long double>(q[axis]) - p[axis];
    if (distance > static_cast<long double>(reach) + r0 + r1) q[axis] = std::nextafter(q[axis], p[axis]);
    world.add_node(p, a, r0);
    world.add_node(q, b, r1);
    world.finish({}, {0, 1});
    Candidates found;
    BroadPhase(world.surface, world.may).find(world.x, world.x, reach, found);
    ASSERT_EQ(found.point_point.size(), 1u) << i;
  }
}

TEST(BroadPhase, SameListsForAnyNumberOfThreads) {
  const World world = soup(500, 9);
  RandomMotion random(3);
  const Vector x1 = world.x + random.motion(world.x.size(), .1);
  Candidates one, two;
  set_threads(1);
  BroadPhase(world.surface, world.may).find(world.x, x1, .1, one);
  set_threads(2);
  BroadPhase(world.surface, world.may).find(world.x, x1, .1, two);
  set_threads(0);
  expect_equal(one, two);
  EXPECT_GT(one.edge_edge.size(), 1000u);
}

}  // namespace
}  // namespace limber
