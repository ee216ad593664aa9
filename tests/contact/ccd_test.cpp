#include "limber/contact/geometry/ccd.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "contact/wide_geometry.hpp"
#include "limber/contact/geometry/distance.hpp"

namespace limber::test {
namespace {

enum class MovingPair { point_triangle, edge_edge, point_edge, point_point };

std::optional<double> impact(MovingPair pair, const FourNodes& x0, const FourNodes& x1) {
  return pair == MovingPair::point_triangle ? time_of_impact_point_triangle(x0, x1) : time_of_impact_edge_edge(x0, x1);
}

double safe_step(MovingPair pair, const FourNodes& x0, const FourNodes& x1, double keep, double minimum) {
  if (pair == MovingPair::point_triangle) return safe_step_point_triangle(x0, x1, keep, minimum);
  if (pair == MovingPair::edge_edge) return safe_step_edge_edge(x0, x1, keep, minimum);
  if (pair == MovingPair::point_edge) return safe_step_point_edge(x0, x1, keep, minimum);
  return safe_step_point_point(x0, x1, keep, minimum);
}

WideNodes at(const FourNodes& x0, const FourNodes& x1, const Wide& t) {
  WideNodes x;
  for (int i = 0; i < 4; ++i) x[i] = wide(x0[i]) + t * (wide(x1[i]) - wide(x0[i]));
  return x;
}

double exact_distance(MovingPair pair, const FourNodes& x0, const FourNodes& x1, const Wide& t) {
  WideNodes x = at(x0, x1, t);
  if (pair == MovingPair::point_triangle) return static_cast<double>(sqrt(wide_point_triangle(x).d2));
  if (pair == MovingPair::edge_edge) return static_cast<double>(sqrt(wide_edge_edge(x).d2));
  if (pair == MovingPair::point_edge) return static_cast<double>(sqrt(wide_point_edge(x).d2));
  return static_cast<double>(norm(x[0] - x[1]));
}

/// Six times the volume of the four nodes, a cubic in t.
Wide volume(const FourNodes& x0, const FourNodes& x1, const Wide& t) {
  const WideNodes x = at(x0, x1, t);
  return dot(x[0] - x[1], cross(x[2] - x[1], x[3] - x[1]));
}

/// The zero of a function that changes sign between a and b.
template <class Function>
Wide bisect(const Function& f, Wide a, Wide b) {
  const bool positive = f(a) > 0;
  for (int i = 0; i < 170; ++i) {
    const Wide m = (a + b) / 2;
    ((f(m) > 0) == positive ? a : b) = m;
  }
  return (a + b) / 2;
}

/// The zeros in [0, 1] of a cubic known by its values, ascending: between the zeros of its derivative it is monotone.
template <class Function>
std::vector<Wide> cubic_zeros(const Function& f) {
  const Wide f0 = f(0), f1 = f(1), f2 = f(2), f3 = f(3);
  const Wide third = (f3 - 3 * f2 + 3 * f1 - f0) / 6, second = (f2 - 2 * f1 + f0) / 2 - 3 * third;
  const Wide first = f1 - f0 - second - third;
  std::vector<Wide> cuts{0};
  const Wide a = 3 * third, b = 2 * second, disc = b * b - 4 * a * first;
  std::vector<Wide> turning;
  if (a == 0 && b != 0) turning.push_back(-first / b);
  if (a != 0 && disc >= 0) turning = {(-b - sqrt(disc)) / (2 * a), (-b + sqrt(disc)) / (2 * a)};
  std::sort(turning.begin(), turning.end());
  for (const Wide& t : turning)
    if (t > 0 && t < 1) cuts.push_back(t);
  cuts.push_back(1);
  std::vector<Wide> zeros;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const Wide low = f(cuts[i]), high = f(cuts[i + 1]);
    if (low == 0) zeros.push_back(cuts[i]);
    if ((low > 0) != (high > 0)) zeros.push_back(bisect(f, cuts[i], cuts[i + 1]));
  }
  return zeros;
}

/// The first time at which the distance vanishes; the motion must not be coplanar all the time.
std::optional<Wide> exact_impact(MovingPair pair, const FourNodes& x0, const FourNodes& x1) {
  for (const Wide& t : cubic_zeros([&](const Wide& s) { return volume(x0, x1, s); }))
    if (exact_distance(pair, x0, x1, t) < 1e-40) return t;
  return std::nullopt;
}

double size_of_pair(const FourNodes& x, MovingPair pair) {
  if (pair == MovingPair::edge_edge) return std::max((x[1] - x[0]).norm(), (x[3] - x[2]).norm());
  return std::max({(x[2] - x[1]).norm(), (x[3] - x[1]).norm(), (x[3] - x[2]).norm()});
}

/// What users are promised.
void check_promise(MovingPair pair, const FourNodes& x0, const FourNodes& x1, const std::optional<Wide>& exact) {
  const std::optional<double> ours = impact(pair, x0, x1);
  const double first = exact_distance(pair, x0, x1, 0);
  if (exact) {
    ASSERT_TRUE(ours.has_value()) << "missed an impact at " << *exact;
    ASSERT_LE(*ours, *exact) << "late";
    if (static_cast<double>(*exact) - *ours > 0.01) {
      ASSERT_LE(exact_distance(pair, x0, x1, *ours), 0.01 * first)
          << "early: " << *ours << " instead of " << *exact << ", first distance " << first;
    }
  } else if (ours) {
    ASSERT_LE(exact_distance(pair, x0, x1, *ours), 1e-3 * std::min(size_of_pair(x0, pair), size_of_pair(x1, pair)))
        << "hit at " << *ours << " that is none";
  }
}

constexpr MovingPair for_users[] = {MovingPair::point_triangle, MovingPair::edge_edge};

/// Touching exactly at t = k/8, in whole numbers times a power of two, so that no rounding enters.
struct ExactImpact {
  FourNodes x0, x1;
  double t;
};

ExactImpact exact_case(Random& random, MovingPair pair) {
  const int most = random.whole(1, 6);
  FourNodes y, v;
  for (Vec3& x : y) x = 8 * random.whole_vec(most);
  for (Vec3& x : v) x = random.whole_vec(most);
  if (random.whole(0, 3) == 0)
    for (Vec3& x : v) x[2] = 0;
  if (random.whole(0, 3) == 0)
    for (Vec3& x : y) x[2] = 8;
  const int s = random.whole(0, 8), t = random.whole(0, 8 - s);
  if (pair == MovingPair::point_triangle)
    y[0] = ((8 - s - t) * y[1] + s * y[2] + t * y[3]) / 8;
  else  // d lies on the line from c through a point of the other edge, beyond it
    y[3] = y[2] + random.whole(1, 4) * (((8 - s) * y[0] + s * y[1]) / 8 - y[2]);
  const int k = random.whole(0, 8);
  const double scale = std::ldexp(1.0, random.whole(-30, 10));
  const Vec3 offset = random.whole(0, 2) == 0 ? Vec3(1000 * random.whole_vec(1000)) : Vec3(Vec3::Zero());
  const Vec3 drift = random.whole(0, 2) == 0 ? Vec3(random.whole_vec(1000)) : Vec3(Vec3::Zero());
  ExactImpact out;
  for (int i = 0; i < 4; ++i) {
    out.x0[i] = scale * (offset + y[i] - k * v[i]);
    out.x1[i] = scale * (offset + y[i] + (8 - k) * v[i] + 8 * drift);
  }
  out.t = k / 8.0;
  return out;
}

TEST(Impact, IsNeverLateOnExactCases) {
  Random random(1);
  for (int i = 0; i < 60000; ++i) {
    for (const MovingPair pair : for_users) {
      const ExactImpact c = exact_case(random, pair);
      const auto ours = impact(pair, c.x0, c.x1);
      ASSERT_TRUE(ours.has_value()) << i << " should touch at " << c.t;
      ASSERT_LE(*ours, c.t) << i;
      ASSERT_GE(*ours, 0);
    }
  }
}

TEST(Impact, KeepsThePromiseOnRandomMotion) {
  Random random(2);
  int hits = 0, misses = 0;
  for (int i = 0; i < 300; ++i) {
    for (const MovingPair pair : for_users) {
      const FourNodes x0 = random.nodes();
      FourNodes x1 = random.nodes();
      for (Vec3& x : x1) x *= 2;
      const auto exact = exact_impact(pair, x0, x1);
      ++(exact ? hits : misses);
      check_promise(pair, x0, x1, exact);
    }
  }
  EXPECT_GT(hits, 50);
  EXPECT_GT(misses, 50);
}

/// Starts close and passes close by: grazing, sliding and rotating about the point of contact.
TEST(Impact, KeepsThePromiseAtSmallGaps) {
  Random random(3);
  int hits = 0, misses = 0;
  for (int i = 0; i < 250; ++i) {
    for (const MovingPair pair : for_users) {
      const double gap = random.power(-9, -2), s = random(0, 1), t = random(0, 1 - s);
      FourNodes x0 = random.nodes(), x1;
      if (pair == MovingPair::point_triangle) {
        const Vec3 n = (x0[2] - x0[1]).cross(x0[3] - x0[1]).normalized();
        x0[0] = (1 - s - t) * x0[1] + s * x0[2] + t * x0[3] + gap * n;
      } else {
        const Vec3 u = x0[1], v = x0[3], a = x0[0], n = u.cross(v).normalized();
        x0 = {a - s * u, a + (1 - s) * u, a + gap * n - t * v, a + gap * n + (1 - t) * v};
      }
      const double motion = random.power(-3, 0);
      for (int j = 0; j < 4; ++j) x1[j] = x0[j] + motion * random.vec();
      const auto exact = exact_impact(pair, x0, x1);
      ++(exact ? hits : misses);
      check_promise(pair, x0, x1, exact);
    }
  }
  EXPECT_GT(hits, 30);
  EXPECT_GT(misses, 30);
}

TEST(Impact, OfSmallFeaturesOnLongWays) {
  Random random(4);
  int hits = 0;
  for (int i = 0; i < 250; ++i) {
    for (const MovingPair pair : for_users) {
      const double size = random.power(-4, 0), when = random(0.05, 0.95), s = random(0, 1), t = random(0, 1 - s);
      FourNodes y = random.nodes(), x0, x1;
      for (Vec3& x : y) x *= size;
      if (pair == MovingPair::point_triangle)
        y[0] = (1 - s - t) * y[1] + s * y[2] + t * y[3];
      else
        y[3] = y[2] + 1.5 * ((1 - s) * y[0] + s * y[1] - y[2]);
      const Vec3 common = random.power(0, 3) * random.vec(), far = 10 * random.vec();
      for (int j = 0; j < 4; ++j) {
        const bool second = pair == MovingPair::point_triangle ? j > 0 : j > 1;
        const Vec3 v = common + (second ? far : Vec3(Vec3::Zero())) + size * random.vec();
        x0[j] = y[j] - when * v;
        x1[j] = y[j] + (1 - when) * v;
      }
      const auto exact = exact_impact(pair, x0, x1);
      if (exact) ++hits;
      check_promise(pair, x0, x1, exact);
    }
  }
  EXPECT_GT(hits, 120);
}

TEST(Impact, KnownTimes) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ(), p(0.25, 0.25, 1);
  const auto falls = [&](const Vec3& to) { return time_of_impact_point_triangle({p, o, x, y}, {to, o, x, y}); };
  EXPECT_NEAR(falls(p - 2 * z).value(), 0.5, 1e-4);
  EXPECT_LE(falls(p - 2 * z).value(), 0.5);
  EXPECT_NEAR(falls(p - z).value(), 1, 1e-4);  // at the very end
  EXPECT_FALSE(falls(p - 0.99 * z).has_value());
  EXPECT_FALSE(falls(p + 5 * z).has_value());
  EXPECT_FALSE(falls(p).has_value());
  EXPECT_FALSE(falls(p + Vec3(2, 0, -2)).has_value());
  // edges
  const auto sweeps = [&](const Vec3& by) {
    return time_of_impact_edge_edge({-x, x, z - y, z + y}, {-x, x, z - y + by, z + y + by});
  };
  EXPECT_NEAR(sweeps(-4 * z).value(), 0.25, 1e-4);
  EXPECT_FALSE(sweeps(-0.99 * z).has_value());
  EXPECT_FALSE(sweeps(Vec3(5, 0, -4)).has_value());
}

TEST(Impact, TouchingAtTheStartIsZero) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  for (const Vec3& p : {Vec3(0.25, 0.25, 0), Vec3(0.5, 0.5, 0), Vec3(0, 0, 0), Vec3(0.3, 0.3, 0)})
    for (const Vec3& by : {z, Vec3(-z), x, o})
      EXPECT_EQ(time_of_impact_point_triangle({p, o, x, y}, {p + by, o, x, y}), 0.0);
  for (const Vec3& by : {z, Vec3(-z), x, o})
    EXPECT_EQ(time_of_impact_edge_edge({-x, x, -y, y}, {-x, x, by - y, by + y}), 0.0);
  EXPECT_EQ(time_of_impact_edge_edge({o, x, 0.5 * x, 2 * x}, {o, x, 0.5 * x + z, 2 * x + z}), 0.0);
}

TEST(Impact, CoplanarMotion) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY();
  const auto runs = [&](const Vec3& from, const Vec3& to) {
    return time_of_impact_point_triangle({from, o, x, y}, {to, o, x, y});
  };
  EXPECT_NEAR(runs({-1, 0.25, 0}, {1, 0.25, 0}).value(), 0.5, 1e-4);  // into a side
  EXPECT_NEAR(runs({-1, -1, 0}, {1, 1, 0}).value(), 0.5, 1e-4);       // into a corner
  EXPECT_FALSE(runs({-1, -0.1, 0}, {2, -0.1, 0}).has_value());        // past a side
  EXPECT_NEAR(runs({-1, 0, 0}, {1, 0, 0}).value(), 0.5, 1e-4);        // along a side
  // a point slides past a side that turns in the plane, at a small gap
  const FourNodes x0{Vec3(0.5, -1e-6, 0), o, x, y}, x1{Vec3(0.5, -0.3, 0), Vec3(0, -0.2, 0), Vec3(1, -0.2, 0), y};
  EXPECT_FALSE(time_of_impact_point_triangle(x0, x1).has_value());
  // edges in one plane: end against side, and collinear end against end
  EXPECT_NEAR(time_of_impact_edge_edge({-x, x, y, 2 * y}, {-x, x, -y, o}).value(), 0.5, 1e-4);
  EXPECT_NEAR(time_of_impact_edge_edge({o, x, 2 * x, 3 * x}, {o, x, o, x}).value(), 0.5, 1e-4);
  EXPECT_FALSE(time_of_impact_edge_edge({o, x, 1.1 * x, 3 * x}, {o, x, 1.01 * x, 2 * x}).has_value());
}

TEST(Impact, ParallelEdgesAndCollapsedPrimitives) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), z = Vec3::UnitZ();
  EXPECT_NEAR(time_of_impact_edge_edge({o, x, z, z + x}, {o, x, -z, -z + x}).value(), 0.5, 1e-4);
  EXPECT_FALSE(time_of_impact_edge_edge({o, x, z, z + x}, {o, x, 0.01 * z, 0.01 * z + x}).has_value());
  // one moves along the other
  EXPECT_FALSE(time_of_impact_edge_edge({o, x, 1e-5 * z, 1e-5 * z + x}, {o, x, 1e-5 * z + 9 * x, 1e-5 * z + 10 * x})
                   .has_value());
  // triangles without area, edges without length
  EXPECT_NEAR(time_of_impact_point_triangle({0.5 * x + z, o, x, 2 * x}, {0.5 * x - z, o, x, 2 * x}).value(), 0.5, 1e-4);
  EXPECT_NEAR(time_of_impact_point_triangle({z, o, o, o}, {-z, o, o, o}).value(), 0.5, 1e-3);
  EXPECT_NEAR(time_of_impact_edge_edge({z, z, o, o}, {-z, -z, o, o}).value(), 0.5, 1e-3);
  EXPECT_FALSE(time_of_impact_edge_edge({z, z, o, o}, {x, x, o, o}).has_value());
  // a triangle that collapses while the point passes, and one that turns inside out about the point
  EXPECT_NEAR(time_of_impact_point_triangle({z, o, x, Vec3::UnitY()}, {-z, o, o, o}).value(), 0.5, 1e-4);
}

/// A primitive that turns about a point very close to it: the distance hardly changes, the corners move fast.
TEST(Impact, TurningAboutAClosePoint) {
  for (const double gap : {1e-4, 1e-7, 1e-10}) {
    const FourNodes x0{Vec3(0, 0, gap), Vec3(-1, -1, -0.5), Vec3(1, -1, 0.5), Vec3(0, 2, 0)};
    const FourNodes x1{Vec3(0, 0, gap), Vec3(-1, -1, 0.5), Vec3(1, -1, -0.5), Vec3(0, 2, 0)};
    const auto ours = time_of_impact_point_triangle(x0, x1);
    EXPECT_FALSE(ours.has_value()) << gap << " " << *ours;
    EXPECT_EQ(safe_step_point_triangle(x0, x1, 0.1, 0), 1) << gap;
  }
}

/// The same without area and in one plane: the triangle is the edge that turns.
TEST(Impact, FlatPrimitivesTurningAboutAClosePoint) {
  for (const double gap : {1e-3, 1e-5, 1e-8}) {
    const Vec3 p(0.5, -gap, 0), q(0.5, -0.3, -0.1);
    const Vec3 a0(0, -0.3, 0), b0(1, 0.3, 0), a1(0, 0.3, 0), b1(1, -0.3, 0);  // turns about (.5, 0, 0)
    const Vec3 c0 = 0.7 * a0 + 0.3 * b0, c1 = 0.7 * a1 + 0.3 * b1;
    EXPECT_FALSE(time_of_impact_point_triangle({p, a0, b0, c0}, {p, a1, b1, c1}).has_value()) << gap;
    EXPECT_FALSE(time_of_impact_edge_edge({p, q, a0, b0}, {p, q, a1, b1}).has_value()) << gap;
  }
}

TEST(SafeStep, KeepsTheShareOfTheGap) {
  Random random(5);
  int stopped = 0, early = 0;
  for (int i = 0; i < 1200; ++i) {
    for (const MovingPair pair :
         {MovingPair::point_triangle, MovingPair::edge_edge, MovingPair::point_edge, MovingPair::point_point}) {
      const FourNodes x0 = random.nodes();
      FourNodes x1 = random.nodes();
      const double motion = random.power(-2, 1);
      for (int j = 0; j < 4; ++j) x1[j] = x0[j] + motion * x1[j];
      const double keep = random(0, 0.9), d0 = exact_distance(pair, x0, x1, 0);
      const double minimum = i % 2 == 0 ? 0 : d0 * random(0, 0.99);
      const double s = safe_step(pair, x0, x1, keep, minimum);
      ASSERT_GT(s, 0);
      ASSERT_LE(s, 1);
      const double floor = minimum + keep * (d0 - minimum);
      for (int j = 0; j <= 8; ++j)
        ASSERT_GE(exact_distance(pair, x0, x1, Wide(s) * j / 8), floor * (1 - 1e-13)) << j << " of " << s;
      if (s < 1) {
        ++stopped;
        if (exact_distance(pair, x0, x1, s) - floor > 0.051 * (d0 - floor)) ++early;
      }
    }
  }
  EXPECT_GT(stopped, 600);
  EXPECT_LT(early, stopped / 50);
}

TEST(SafeStep, NeverReachesAnExactImpact) {
  Random random(6);
  for (int i = 0; i < 60000; ++i) {
    for (const MovingPair pair : for_users) {
      const ExactImpact c = exact_case(random, pair);
      const double s = safe_step(pair, c.x0, c.x1, 0, 0);
      ASSERT_LE(s, c.t);
      ASSERT_GE(s, 0);
    }
  }
}

TEST(SafeStep, Edges) {
  const Vec3 o = Vec3::Zero(), x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  const FourNodes above{Vec3(0.2, 0.2, 1), o, x, y}, below{Vec3(0.2, 0.2, -1), o, x, y};
  EXPECT_EQ(safe_step_point_triangle(above, above, 0.1, 0), 1);
  EXPECT_EQ(safe_step_point_triangle(above, below, 0.1, 1), 0);    // already as near as the thickness
  EXPECT_EQ(safe_step_point_triangle(above, below, 0.1, 1.5), 0);  // nearer
  EXPECT_NEAR(safe_step_point_triangle(above, below, 0.1, 0), 0.45, 1e-12);
  EXPECT_NEAR(safe_step_point_triangle(above, below, 0.1, 0.5), 0.225, 1e-12);
  EXPECT_EQ(safe_step_point_triangle({o, o, x, y}, {z, o, x, y}, 0.1, 0), 0);  // touching
  // motion in common is no approach
  FourNodes far = above;
  for (Vec3& v : far) v += Vec3(1e6, -3e5, 7);
  EXPECT_EQ(safe_step_point_triangle(above, far, 0.9, 0), 1);
  EXPECT_NEAR(safe_step_point_point({o, x, o, o}, {x, o, o, o}, 0.1, 0), 0.45, 1e-12);
  EXPECT_NEAR(safe_step_point_edge({z, -x, x, o}, {-z, -x, x, o}, 0.1, 0), 0.45, 1e-12);
  EXPECT_NEAR(safe_step_edge_edge({-x, x, z - y, z + y}, {-x, x, -z - y, -z + y}, 0.1, 0), 0.45, 1e-12);
}

}  // namespace
}  // namespace limber::test
