/// Bodies beside, on and in obstacles, at places where the answer is known.

#include "limber/verify/obstacle_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "limber/core/parallel.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/verify/exact.hpp"

namespace limber {
namespace {

using std::numbers::pi;

/// A cube of 1 m with its lowest corner at the origin, or a chain of nodes, against one obstacle.
class Stage {
 public:
  explicit Stage(int cells = 1, double radius = 0) : radius_(radius) {
    const TetMesh mesh = box_mesh(Vec3::Zero(), Vec3::Ones(), {cells, cells, cells}, Split::five);
    header_.nodes = mesh.nodes;
    header_.tets = mesh.tets;
    header_.bodies = {{"body", 0, static_cast<int>(mesh.nodes.size()), 0, static_cast<int>(mesh.tets.size()), 0, 0}};
  }
  Stage(const std::vector<Vec3>& chain, double radius) : radius_(radius) {
    header_.nodes = chain;
    const int n = static_cast<int>(chain.size());
    for (int i = 0; i + 1 < n; ++i) header_.edges.push_back({i, i + 1});
    header_.bodies = {{"body", 0, n, 0, 0, 0, n - 1}};
  }
  Vector rest() const {
    Vector q(3 * static_cast<Index>(header_.nodes.size()));
    for (std::size_t i = 0; i < header_.nodes.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = header_.nodes[i];
    return q;
  }
  template <class Shape>
  std::vector<FrameFlaw> check(const Shape& shape, const Vector& q, const Motion& motion = {}, double t = 0) const {
    return ObstacleChecker(header_, find_parts(header_, "test"), {{{"it", motion, shape}}, {radius_}}).check(q, t);
  }
  template <class Shape>
  std::vector<FrameFlaw> check(const Shape& shape) const {
    return check(shape, rest());
  }

 private:
  TrajectoryHeader header_;
  double radius_;
};

double deepest(const std::vector<FrameFlaw>& flaws) {
  double d = 0;
  for (const FrameFlaw& f : flaws) d = std::max(d, f.depth);
  return d;
}

Motion moving(const Vec3& by, const Vec3& turn = Vec3::Zero(), const Vec3& pivot = Vec3::Zero()) {
  const auto ramp = [](const Vec3& to) {
    return TimeFunction<Vec3>::table({0, 1}, {Vec3::Zero(), to}, Interpolation::linear, "test");
  };
  return {pivot, ramp(by), ramp(turn)};
}

TriMesh box_surface(const Vec3& low, const Vec3& high) {
  TriMesh m;
  for (int k = 0; k < 8; ++k)
    m.nodes.emplace_back(k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]);
  m.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return m;
}

TEST(ExactSide, IsRightWhereRoundingIsNot) {
  const Vec3 n(1, 1, 0), p(.1, .2, 0);
  EXPECT_EQ(exact::side(p, n, {.2, .1, 5}), 0);
  EXPECT_EQ(exact::side(p, n, {std::nextafter(.2, 1), .1, 5}), 1);
  EXPECT_EQ(exact::side(p, n, {.2, std::nextafter(.1, 0), 5}), -1);
  EXPECT_EQ(exact::side({.8, 0, 0}, n, {.1, .7, 0}), -1) << "as stored, .1 + .7 is less than .8 by 8.3e-17";
  EXPECT_EQ(exact::side({1e300, 0, 0}, {1e-300, 1, 0}, {1e300, 5e-324, 0}), 1);
}

TEST(ObstacleCheck, PlaneThatIsTouched) {
  const Stage stage;
  const PlaneObstacle floor{{3, 0, 2}, {0, 2, 0}};
  EXPECT_EQ(stage.check(floor).size(), 4u) << "the lower corners are on it";
  Vector above = stage.rest();
  for (Index i = 1; i < above.size(); i += 3) above[i] = std::nextafter(above[i], 2);
  EXPECT_TRUE(stage.check(floor, above).empty());
  Vector below = stage.rest();
  below[1] = -.25;
  const auto flaws = stage.check(floor, below);
  ASSERT_EQ(flaws.size(), 4u);
  EXPECT_EQ(flaws[0].flaw, Flaw::obstacle);
  EXPECT_EQ(flaws[0].cells, (std::vector<std::vector<int>>{{0}}));
  EXPECT_DOUBLE_EQ(flaws[0].depth, .25);
}

TEST(ObstacleCheck, PlaneThatMovesAndTurns) {
  const Stage stage;
  const PlaneObstacle floor{{0, -1, 0}, {0, 1, 0}};
  EXPECT_TRUE(stage.check(floor, stage.rest(), moving({0, 1.5, 0}), .5).empty());
  EXPECT_NEAR(deepest(stage.check(floor, stage.rest(), moving({0, 1.5, 0}), 1)), .5, 1e-14);
  // Turned by 90° about z through (0, -1, 0), all x > 0 is behind it.
  EXPECT_NEAR(deepest(stage.check(floor, stage.rest(), moving({0, 0, 0}, {0, 0, pi / 2}, {0, -1, 0}), 1)), 1, 1e-14);
}

TEST(ObstacleCheck, ThicknessCounts) {
  const PlaneObstacle floor{{0, -.1, 0}, {0, 1, 0}};
  EXPECT_TRUE(Stage(1, .0999).check(floor).empty());
  EXPECT_NEAR(deepest(Stage(1, .12).check(floor)), .02, 1e-14);
  const MeshObstacle table{box_surface({-1, -2, -1}, {2, -.1, 2})};
  EXPECT_TRUE(Stage(1, .0999).check(table).empty());
  EXPECT_NEAR(deepest(Stage(1, .12).check(table)), .02, 1e-14);
  const RoundObstacle ball{{.5, -.6, .5}, {.5, -.6, .5}, .5};
  EXPECT_TRUE(Stage(1, .0999).check(ball).empty());
  EXPECT_NEAR(deepest(Stage(1, .12).check(ball)), .02, 1e-14);
  const GridObstacle grid{box_surface({-1, -2, -1}, {2, -.1, 2}), .01};
  EXPECT_TRUE(Stage(1, .1099).check(grid).empty());
  EXPECT_NEAR(deepest(Stage(1, .13).check(grid)), .02, 1e-14);
}

/// The ball meets the middle of a face or of an edge, far from all corners.
TEST(ObstacleCheck, SphereBetweenTheCorners) {
  const Stage stage;
  const auto ball = [](const Vec3& centre, double r) { return RoundObstacle{centre, centre, r}; };
  EXPECT_TRUE(stage.check(ball({.3, 1.2, .4}, .2 - 1e-9)).empty());
  EXPECT_NEAR(deepest(stage.check(ball({.3, 1.2, .4}, .25))), .05, 1e-14);
  EXPECT_EQ(stage.check(ball({.3, 1.2, .4}, .25))[0].cells[0].size(), 3u);
  EXPECT_TRUE(stage.check(ball({.5, 1.3, 1.4}, .5 - 1e-9)).empty());
  EXPECT_NEAR(deepest(stage.check(ball({.5, 1.3, 1.4}, .6))), .1, 1e-14);
  EXPECT_NEAR(deepest(stage.check(ball({.5, 2, .5}, .5), stage.rest(), moving({0, -.6, 0}), 1)), .1, 1e-14);
}

TEST(ObstacleCheck, SphereInsideAndAround) {
  const Stage stage;
  const auto inside = stage.check(RoundObstacle{{.5, .5, .4}, {.5, .5, .4}, .1});
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_TRUE(inside[0].cells.empty() && inside[0].place);
  EXPECT_EQ(stage.check(RoundObstacle{{.5, .5, .4}, {.5, .5, .4}, 5}).size(), 12u + 1)
      << "all triangles, and its centre";
  EXPECT_EQ(stage.check(RoundObstacle{{.5, 3, .4}, {.5, 3, .4}, 8}).size(), 12u);
}

TEST(ObstacleCheck, CapsuleAcrossAnEdge) {
  const Stage stage;
  // Across the edge from (0, 1, 1) to (1, 1, 1), at a right angle to the diagonal, d from it.
  const auto capsule = [](double d, double r) {
    const Vec3 middle = Vec3(.5, 1, 1) + d * Vec3(0, 1, 1).normalized(), along = Vec3(0, 1, -1);
    return RoundObstacle{middle - along, middle + along, r};
  };
  EXPECT_TRUE(stage.check(capsule(.3, .3 - 1e-9)).empty());
  EXPECT_NEAR(deepest(stage.check(capsule(.3, .32))), .02, 1e-14);
  // A needle through the body with both ends outside.
  EXPECT_FALSE(stage.check(RoundObstacle{{.4, -1, .3}, {.45, 2, .35}, 1e-6}).empty());
  // Turned about its middle by 90°: from beside the body to through it.
  const RoundObstacle bar{{2, -1, .5}, {2, 1, .5}, .1};
  EXPECT_TRUE(stage.check(bar, stage.rest(), moving({0, .5, 0}, {0, 0, pi / 2}, {2, 0, .5}), 0).empty());
  EXPECT_NEAR(deepest(stage.check(bar, stage.rest(), moving({-.05, .5, 0}, {0, 0, pi / 2}, {2, 0, .5}), 1)), .1, 1e-9);
}

TEST(ObstacleCheck, BoxIsDecidedExactly) {
  const Stage stage;
  EXPECT_FALSE(stage.check(MeshObstacle{box_surface({.2, -1, .2}, {.8, 0, .8})}).empty()) << "faces that touch";
  EXPECT_TRUE(stage.check(MeshObstacle{box_surface({.2, -1, .2}, {.8, -5e-324, .8})}).empty());
  const auto bar = stage.check(MeshObstacle{box_surface({-1, .4, .4}, {2, .5, .5})});
  EXPECT_FALSE(bar.empty()) << "a bar through the body: no corner of one is in the other";
  for (const FrameFlaw& f : bar) EXPECT_EQ(f.cells[0].size(), 3u);
  const auto pea = stage.check(MeshObstacle{box_surface({.4, .4, .4}, {.5, .5, .5})});
  ASSERT_EQ(pea.size(), 1u);
  EXPECT_TRUE(pea[0].place);
  const auto vault = stage.check(MeshObstacle{box_surface({-1, -1, -1}, {2, 2, 2})});
  ASSERT_EQ(vault.size(), 1u);
  EXPECT_EQ(vault[0].cells[0].size(), 1u);
}

TEST(ObstacleCheck, BoxThatTurns) {
  const Stage stage;
  // A beam beside the body; turned by 45° about its own axis its corner comes nearer by (√2 − 1)/2 of its side.
  const MeshObstacle beam{box_surface({1.1, .1, -1}, {1.6, .6, 2})};
  const Vec3 pivot(1.35, .35, 0);
  EXPECT_TRUE(stage.check(beam, stage.rest(), moving({0, 0, 0}, {0, 0, pi / 4}, pivot), .5).empty());
  EXPECT_TRUE(stage.check(beam, stage.rest(), moving({.0036, 0, 0}, {0, 0, pi / 4}, pivot), 1).empty());
  EXPECT_FALSE(stage.check(beam, stage.rest(), moving({.0035, 0, 0}, {0, 0, pi / 4}, pivot), 1).empty());
}

/// What the sweep finds is what all pairs give.
TEST(ObstacleCheck, BoxAgainstAllPairs) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1, 1);
  const Stage stage(3);
  const TetMesh mesh = box_mesh(Vec3::Zero(), Vec3::Ones(), {3, 3, 3}, Split::five);
  int crossing = 0;
  for (int k = 0; k < 40; ++k) {
    const Vec3 centre{.5 + number(random), .5 + number(random), .5 + number(random)};
    const TriMesh box = box_surface(centre - Vec3(.4, .3, .5), centre + Vec3(.4, .3, .5));
    const Motion motion = moving({0, 0, 0}, {number(random), number(random), number(random)}, centre);
    const Mat3 R = Mat3::Identity() + motion.at(1).R_minus_I;
    std::set<std::vector<int>> expected, found;
    for (const auto& t : boundary_triangles(mesh))
      for (const auto& b : box.triangles) {
        std::array<Vec3, 3> x, y;
        for (std::size_t i = 0; i < 3; ++i) {
          x[i] = mesh.nodes[static_cast<std::size_t>(t[i])];
          y[i] = centre + R * (box.nodes[static_cast<std::size_t>(b[i])] - centre);
        }
        std::vector<int> sorted(t.begin(), t.end());
        std::sort(sorted.begin(), sorted.end());
        if (exact::triangles_meet(x, y)) expected.insert(sorted);
      }
    for (const FrameFlaw& f : stage.check(MeshObstacle{box}, stage.rest(), motion, 1)) {
      if (f.place || f.cells[0].size() != 3) continue;
      std::vector<int> sorted = f.cells[0];
      std::sort(sorted.begin(), sorted.end());
      found.insert(sorted);
    }
    EXPECT_EQ(found, expected);
    crossing += expected.empty() ? 0 : 1;
  }
  EXPECT_GT(crossing, 10);
  EXPECT_LT(crossing, 40);
}

TEST(ObstacleCheck, SheetOfTriangles) {
  TriMesh sheet;
  sheet.nodes = {{-1, .5, -1}, {3, .5, -1}, {-1, .5, 3}};
  sheet.triangles = {{0, 1, 2}};
  EXPECT_FALSE(Stage().check(MeshObstacle{sheet}).empty());
  for (Vec3& x : sheet.nodes) x[1] = 1.5;
  EXPECT_TRUE(Stage().check(MeshObstacle{sheet}).empty()) << "nothing is inside a sheet";
}

TEST(ObstacleCheck, CylinderAtTheVertices) {
  const Stage stage;
  // Corner (1, 1, 1); the side is .1 √2 away from the axis x = z = 1.1.
  const auto post = [](double r) { return CylinderObstacle{{1.1, -1, 1.1}, {1.1, 4, 1.1}, r}; };
  EXPECT_TRUE(stage.check(post(.1 * std::sqrt(2.) - 1e-9)).empty());
  EXPECT_NEAR(deepest(stage.check(post(.2))), .2 - .1 * std::sqrt(2.), 1e-14);
  // Its flat end above the corners, and its rim beside them.
  EXPECT_TRUE(stage.check(CylinderObstacle{{1, 1 + 1e-9, 1}, {1, 2, 1}, .5}).empty());
  EXPECT_NEAR(deepest(stage.check(CylinderObstacle{{1, .9, 1}, {1, 2, 1}, .5})), .1, 1e-14);
  EXPECT_NEAR(deepest(Stage(1, .06).check(CylinderObstacle{{1.34, 1.04, 1}, {1.34, 2, 1}, .31})), .01, 1e-14);
  const auto inside = stage.check(CylinderObstacle{{.5, .4, .5}, {.5, .6, .5}, .2});
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_TRUE(inside[0].place);
  EXPECT_TRUE(stage.check(CylinderObstacle{{.5, -.2, .5}, {.5, .6, .5}, .2}).empty()) << "acts on vertices only";
}

TEST(ObstacleCheck, TorusAtTheVertices) {
  const Stage stage;
  const Vec3 middle(.5, .5, .5);
  const double corner = std::sqrt(.5);  // from the axis; .5 above or below the middle
  EXPECT_TRUE(stage.check(TorusObstacle{middle, {0, 3, 0}, corner, .5 - 1e-9}).empty());
  EXPECT_NEAR(deepest(stage.check(TorusObstacle{middle, {0, 3, 0}, corner, .6})), .1, 1e-14);
  EXPECT_TRUE(stage.check(TorusObstacle{middle, {0, 1, 0}, 2, 1}).empty()) << "the body is in its hole";
  const auto inside = stage.check(TorusObstacle{middle, {1, 1, 0}, .2, .1});
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_TRUE(inside[0].place);
}

TEST(ObstacleCheck, DistanceGridGivesWayByOneCell) {
  const Stage stage;
  const auto table = [](double top) { return GridObstacle{box_surface({-1, -2, -1}, {2, top, 2}), .05}; };
  EXPECT_TRUE(stage.check(table(.05 - 1e-9)).empty());
  const auto flaws = stage.check(table(.15));
  EXPECT_EQ(flaws.size(), 4u);
  EXPECT_NEAR(deepest(flaws), .1, 1e-14);
  const auto inside = stage.check(GridObstacle{box_surface({.4, .4, .4}, {.5, .5, .5}), .01});
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_TRUE(inside[0].place);
}

TEST(ObstacleCheck, ChainsAndSinglePoints) {
  const Stage chain({{-1, .2, 0}, {1, .2, 0}, {1, 2, 0}}, .1);
  EXPECT_TRUE(chain.check(RoundObstacle{{0, 0, 0}, {0, 0, 0}, .1 - 1e-9}).empty());
  const auto flaws = chain.check(RoundObstacle{{0, 0, 0}, {0, 0, 0}, .15});
  ASSERT_EQ(flaws.size(), 1u);
  EXPECT_EQ(flaws[0].cells[0].size(), 2u);
  EXPECT_NEAR(flaws[0].depth, .05, 1e-14);
  EXPECT_FALSE(chain.check(MeshObstacle{box_surface({-.1, -1, -.1}, {.1, .15, .1})}).empty());
  EXPECT_TRUE(chain.check(MeshObstacle{box_surface({-.1, -1, -.1}, {.1, .1 - 1e-9, .1})}).empty());
  const Stage point({{0, 0, 0}}, .1);
  EXPECT_EQ(point.check(MeshObstacle{box_surface({-1, -1, -1}, {1, 1, 1})}).size(), 1u) << "wholly inside";
  EXPECT_NEAR(deepest(point.check(PlaneObstacle{{0, -.05, 0}, {0, 1, 0}})), .05, 1e-14);
}

TEST(ObstacleCheck, SameForAnyNumberOfThreads) {
  const Stage stage(6, .01);
  const MeshObstacle box{box_surface({.3, .3, .3}, {1.5, 1.4, 1.3})};
  set_threads(1);
  const auto one = stage.check(box);
  set_threads(2);
  const auto two = stage.check(box);
  set_threads(0);
  ASSERT_EQ(one.size(), two.size());
  ASSERT_GT(one.size(), 20u);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].cells, two[i].cells);
}

/// Against the least of the distances of many points of both.
TEST(DistanceOf, AgainstSamples) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  constexpr int n = 24;
  const auto samples = [&](const Simplex& s) {
    std::vector<Vec3> all;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j)
        all.push_back(s[0] + i / double(n) * (s[1 % s.size()] - s[0]) + j / double(n) * (s[2 % s.size()] - s[0]));
    return all;
  };
  for (int k = 0; k < 120; ++k) {
    Simplex a(static_cast<std::size_t>(1 + k % 3)), b(static_cast<std::size_t>(1 + k / 3 % 3));
    for (Vec3& x : a) x = Vec3{number(random), number(random), number(random)};
    for (Vec3& x : b) x = Vec3{number(random) + .7, number(random), number(random)};
    double least = 10;
    for (const Vec3& x : samples(a))
      for (const Vec3& y : samples(b)) least = std::min(least, (x - y).norm());
    const double d = distance_of(a, b);
    EXPECT_LE(d, least + 1e-14);
    EXPECT_GE(d, least - 5. / n);
    EXPECT_NEAR(d, distance_of(b, a), 1e-14);
    if (d == 0 && a.size() + b.size() > 2) {
      EXPECT_TRUE(simplices_meet(a, b));
    }
  }
}

TEST(DistanceOf, KnownValues) {
  const Simplex t = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_DOUBLE_EQ(distance_of({{.2, .2, .3}}, t), .3);
  EXPECT_DOUBLE_EQ(distance_of({{1, 1, 0}}, t), std::sqrt(.5));
  EXPECT_DOUBLE_EQ(distance_of({{-3, -4, 0}}, t), 5);
  EXPECT_DOUBLE_EQ(distance_of({{.3, .3, -1}, {.3, .3, 1}}, t), 0);
  EXPECT_DOUBLE_EQ(distance_of({{-1, -1, .25}, {3, 1.5, .25}}, t), .25);
  EXPECT_DOUBLE_EQ(distance_of({{0, 0, 0}, {1, 0, 0}}, {{.5, -1, .5}, {.5, 1, .5}}), .5);
  EXPECT_DOUBLE_EQ(distance_of({{0, 0, 0}, {1, 0, 0}}, {{2, 0, 0}, {3, 0, 0}}), 1);
  EXPECT_DOUBLE_EQ(distance_of({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{1.5, 2, 0}}), 2) << "a triangle without area";
}

TEST(DistanceOf, SolidWinding) {
  const TriMesh box = box_surface({0, 0, 0}, {1, 2, 3});
  std::vector<Simplex> all;
  for (const auto& t : box.triangles)
    all.push_back({box.nodes[static_cast<std::size_t>(t[0])], box.nodes[static_cast<std::size_t>(t[1])],
                   box.nodes[static_cast<std::size_t>(t[2])]});
  EXPECT_NEAR(solid_winding({.3, 1.9, 2.9}, all), 1, 1e-14);
  EXPECT_NEAR(solid_winding({-.3, 1.9, 2.9}, all), 0, 1e-14);
  all.resize(10);  // without the side x = 1, which fills a sixth of what a cube's middle sees
  EXPECT_LT(solid_winding({.3, 1.9, 2.9}, all), 1);
}

TEST(ObstacleCheck, EdgesAndPointsOfAMesh) {
  const Stage stage;  // the cube [0, 1]³
  const std::vector<Vec3> beside = {{-1, 1.2, .5}, {2, 1.2, .5}, {.5, 1.3, .5}};
  EXPECT_TRUE(stage.check(MeshObstacle{{beside, {}}, {{0, 1}}, {2}}).empty());
  const auto near = stage.check(MeshObstacle{{beside, {}}, {{0, 1}}, {2}, .25});
  EXPECT_NEAR(deepest(near), .05, 1e-14) << "the edge is .2 m above";
  EXPECT_NEAR(deepest(stage.check(MeshObstacle{{beside, {}}, {}, {2}, .5})), .2, 1e-14);
  const auto through = stage.check(MeshObstacle{{{{.4, -1, .3}, {.4, 2, .3}}, {}}, {{0, 1}}, {}});
  ASSERT_EQ(through.size(), 2u) << "through the bottom and the top";
  for (const FrameFlaw& f : through) EXPECT_EQ(f.cells[0].size(), 3u);
}

TEST(ObstacleCheck, EachPieceIsLookedForInsideBodies) {
  const Stage stage;
  // Of three points one is inside; of two lines none is wholly, but one wholly outside.
  const auto points = stage.check(MeshObstacle{{{{3, 0, 0}, {.4, .5, .6}, {-1, 0, 0}}, {}}, {}, {0, 1, 2}});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].place, Vec3(.4, .5, .6));
  EXPECT_TRUE(points[0].cells.empty());
  EXPECT_TRUE(stage.check(MeshObstacle{{{{3, 0, 0}, {1.1, .5, .6}, {-1, 0, 0}}, {}}, {}, {0, 1, 2}}).empty());
  const std::vector<Vec3> lines = {{3, 0, 0}, {3, 1, 0}, {.2, .2, .3}, {.6, .8, .7}};
  ASSERT_EQ(stage.check(MeshObstacle{{lines, {}}, {{0, 1}, {2, 3}}, {}}).size(), 1u);
}

TEST(ObstacleCheck, AMeshOfASequenceIsWhereItIsAtThatTime) {
  const Stage stage;
  const TriMesh low = box_surface({0, -1, 0}, {1, -.5, 1}), high = box_surface({0, -1, 0}, {1, .5, 1});
  const auto sequence = std::make_shared<NodeSequence>(
      std::vector<double>{1, 3}, std::vector<std::vector<Vec3>>{low.nodes, high.nodes}, Interpolation::linear, "test");
  const MeshObstacle rising{low, {}, {}, 0, sequence};
  for (const double t : {0., 1., 1.9}) EXPECT_TRUE(stage.check(rising, stage.rest(), {}, t).empty()) << t;
  for (const double t : {2., 2.5, 9.}) EXPECT_FALSE(stage.check(rising, stage.rest(), {}, t).empty()) << t;
  EXPECT_TRUE(stage.check(rising, stage.rest(), moving({0, -1, 0}), 2.5).empty()) << "the motion acts on top of it";
}

}  // namespace
}  // namespace limber
