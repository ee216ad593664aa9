#include "limber/contact/geometry/ccd.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/contact/geometry/nearest_vector.hpp"

namespace limber {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// A vector between two nodes, at + t rate. Differences of nodes are free of their common motion.
struct Line {
  Vec3 start, rate;
  double size, speed;  // of the largest component

  Line(const Vec3& x0, const Vec3& y0, const Vec3& x1, const Vec3& y1) : start(x0 - y0), rate((x1 - y1) - start) {
    size = start.cwiseAbs().maxCoeff();
    speed = rate.cwiseAbs().maxCoeff();
  }
  Line() : start(Vec3::Zero()), rate(Vec3::Zero()), size(0), speed(0) {}
  Vec3 at(double t) const { return start + t * rate; }
};

/// The pair at one time: nearest vector e, and the rates of the hull's corners Fᵢ.
struct Course {
  Line r, u, v;

  /// What rounding can take from a length computed at t [m].
  double slack(double t) const { return 16 * epsilon * (r.size + u.size + v.size) + t * rate_slack(); }
  /// The same of a rate.
  double rate_slack() const { return 16 * epsilon * (r.speed + u.speed + v.speed); }
};

struct PointPoint : Course {
  PointPoint(const FourNodes& x, const FourNodes& y) : Course{{x[0], x[1], y[0], y[1]}, {}, {}} {}
  static constexpr int corners = 1;
  static Vec3 nearest(const Vec3& r, const Vec3&, const Vec3&) { return r; }
  static std::array<double, 1> corner(double r, double, double) { return {r}; }
};

struct PointEdge : Course {
  PointEdge(const FourNodes& x, const FourNodes& y) : Course{{x[0], x[1], y[0], y[1]}, {x[2], x[1], y[2], y[1]}, {}} {}
  static constexpr int corners = 2;
  static Vec3 nearest(const Vec3& r, const Vec3& u, const Vec3&) { return nearest_vector::point_edge(r, u); }
  static std::array<double, 2> corner(double r, double u, double) { return {r, r - u}; }
};

struct PointTriangle : Course {
  PointTriangle(const FourNodes& x, const FourNodes& y)
      : Course{{x[0], x[1], y[0], y[1]}, {x[2], x[1], y[2], y[1]}, {x[3], x[1], y[3], y[1]}} {}
  static constexpr int corners = 3;
  static Vec3 nearest(const Vec3& r, const Vec3& u, const Vec3& v) { return nearest_vector::point_triangle(r, u, v); }
  static std::array<double, 3> corner(double r, double u, double v) { return {r, r - u, r - v}; }
};

struct EdgeEdge : Course {
  EdgeEdge(const FourNodes& x, const FourNodes& y)
      : Course{{x[0], x[2], y[0], y[2]}, {x[1], x[0], y[1], y[0]}, {x[3], x[2], y[3], y[2]}} {}
  static constexpr int corners = 4;
  static Vec3 nearest(const Vec3& r, const Vec3& u, const Vec3& v) { return nearest_vector::edge_edge(r, u, v); }
  static std::array<double, 4> corner(double r, double u, double v) { return {r, r + u, r - v, r + u - v}; }
};

template <class Pair>
Vec3 nearest_at(const Pair& pair, double t) {
  return Pair::nearest(pair.r.at(t), pair.u.at(t), pair.v.at(t));
}

/// n·Fᵢ of all corners at t.
template <class Pair>
auto heights(const Pair& pair, const Vec3& n, double t) {
  return Pair::corner(n.dot(pair.r.at(t)), n.dot(pair.u.at(t)), n.dot(pair.v.at(t)));
}

/// The time after t in which no n·Fᵢ falls below `floor`; 0 where one lies below it already.
template <class Pair>
double advance(const Pair& pair, const Vec3& n, double t, double floor) {
  const auto height = heights(pair, n, t);
  const auto rate = Pair::corner(n.dot(pair.r.rate), n.dot(pair.u.rate), n.dot(pair.v.rate));
  const double slack = pair.rate_slack();
  double step = std::numeric_limits<double>::infinity();
  for (int i = 0; i < Pair::corners; ++i) {
    if (!(height[i] > floor)) return 0;
    if (rate[i] < slack) step = std::min(step, (height[i] - floor) / (slack - rate[i]));
  }
  return step;
}

/// A quadratic vector polynomial on an interval by its Bernstein coefficients.
struct Quadratic {
  Vec3 c[3];
  double size;  // bounds the products it is made of
};

/// The ends of a line on an interval.
struct Segment {
  Vec3 from, to;
  double size;

  Segment(const Line& x, double t0, double t1) : from(x.at(t0)), to(x.at(t1)), size(x.size + t1 * x.speed) {}
  Segment(const Vec3& x, const Vec3& y, double bound) : from(x), to(y), size(bound) {}
  Segment operator-(const Segment& y) const { return {from - y.from, to - y.to, size + y.size}; }
  Segment operator+(const Segment& y) const { return {from + y.from, to + y.to, size + y.size}; }
};

Quadratic cross(const Segment& x, const Segment& y) {
  return {{x.from.cross(y.from), 0.5 * (x.from.cross(y.to) + x.to.cross(y.from)), x.to.cross(y.to)}, x.size * y.size};
}

/// The Bernstein coefficients of N·x, and what rounding can do to them: less than 100 ε times the product of the
/// largest components of the three vectors.
struct Cubic {
  double f[4], slack;

  Cubic(const Quadratic& N, const Segment& x)
      : f{N.c[0].dot(x.from), (N.c[0].dot(x.to) + 2 * N.c[1].dot(x.from)) / 3,
          (2 * N.c[1].dot(x.to) + N.c[2].dot(x.from)) / 3, N.c[2].dot(x.to)},
        slack(100 * epsilon * N.size * x.size) {}

  /// A polynomial whose coefficients have one sign has no zero.
  bool has_no_zero() const {
    const double sign = std::copysign(1.0, f[0]);
    return sign * f[0] > slack && sign * f[1] > slack && sign * f[2] > slack && sign * f[3] > slack;
  }
};

/// Is the distance |N·r|/|N| of the planes through the primitives at least `floor` throughout? By the coefficients of
/// (N·r)² − floor² N², of degree 6.
bool planes_stay_apart(const Quadratic& N, const Segment& r, double floor) {
  const Cubic cubic(N, r);
  if (!cubic.has_no_zero()) return false;
  constexpr double three[4] = {1, 3, 3, 1}, two[3] = {1, 2, 1};
  double f2[7]{}, n2[5]{}, raised[7]{};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      f2[i + j] +=
          (three[i] * (std::abs(cubic.f[i]) - cubic.slack)) * (three[j] * (std::abs(cubic.f[j]) - cubic.slack));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) n2[i + j] += two[i] * two[j] * (N.c[i].dot(N.c[j]) + 200 * epsilon * N.size * N.size);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j) raised[i + j] += two[j] * n2[i];
  for (int k = 0; k < 7; ++k)
    if (!(f2[k] * (1 - 1e-14) > floor * floor * raised[k])) return false;
  return true;
}

bool is_negative(const Quadratic& M, const Quadratic& N) {
  const double bound = -400 * epsilon * M.size * N.size;
  return M.c[0].dot(N.c[0]) < bound && M.c[2].dot(N.c[2]) < bound &&
         M.c[0].dot(N.c[1]) + M.c[1].dot(N.c[0]) < 2 * bound && M.c[1].dot(N.c[2]) + M.c[2].dot(N.c[1]) < 2 * bound &&
         M.c[0].dot(N.c[2]) + 4 * M.c[1].dot(N.c[1]) + M.c[2].dot(N.c[0]) < 6 * bound;
}

/// Are the lines or planes never met within the primitive on [t0, t1]? Where they touch, N·r = 0 with N = u × v, and
/// the parameters of the touching points, which are (…×…)·N / N², lie in their range. (N = 0 proves nothing.)
bool algebra_says_free(const PointTriangle& pair, double t0, double t1) {
  const Segment r(pair.r, t0, t1), u(pair.u, t0, t1), v(pair.v, t0, t1);
  const Quadratic N = cross(u, v);
  return Cubic(N, r).has_no_zero() || is_negative(cross(r, v), N) || is_negative(cross(u, r), N) ||
         is_negative(cross(u - r, v - r), N);
}

bool algebra_says_free(const EdgeEdge& pair, double t0, double t1) {
  const Segment r(pair.r, t0, t1), u(pair.u, t0, t1), v(pair.v, t0, t1);
  const Quadratic N = cross(u, v);
  return Cubic(N, r).has_no_zero() || is_negative(cross(v, r), N) || is_negative(cross(r + u, v), N) ||
         is_negative(cross(u, r), N) || is_negative(cross(r - v, u), N);
}

/// Do all corners stay at least `floor` above a plane through 0 on [t0, t1], fixed or turning with an edge h? Its
/// normal is that of the nearest points in the middle, or n(t) = w × h(t) that agrees with it there.
template <class Pair>
bool plane_stays_below(const Pair& pair, double t0, double t1, double floor) {
  const Vec3 e = nearest_at(pair, 0.5 * (t0 + t1));
  const double d = e.norm(), slack = pair.slack(t1);
  if (!(d > floor + slack)) return false;
  const auto above = [&](const Vec3& n0, const Vec3& n1, double least) {
    const auto first = heights(pair, n0, t0), last = heights(pair, n1, t1);
    const auto early = heights(pair, n0, t1), late = heights(pair, n1, t0);
    for (int i = 0; i < Pair::corners; ++i)
      if (!(first[i] > least) || !(last[i] > least) || !(early[i] + late[i] > 2 * least)) return false;
    return true;
  };
  const Vec3 n = e / d;
  if (above(n, n, floor + slack)) return true;
  const Segment u(pair.u, t0, t1), v(pair.v, t0, t1);
  for (const Segment& h : {u, v, v - u}) {
    const Vec3 w = (h.from + h.to).cross(n);
    const Vec3 n0 = w.cross(h.from), n1 = w.cross(h.to);
    const double length = std::max(n0.norm(), n1.norm());
    if (above(n0, n1, (floor + slack) * length + 4 * slack * w.norm() * h.size)) return true;
  }
  return false;
}

constexpr int most_advances = 256;
constexpr int quick_advances = 3;  // mostly enough
constexpr double used_up = 0.05;   // of the distance that may be lost, and of the time: less is not worth an advance

/// Where a primitive turns about a near point its corners move fast and advances are short; the planes tell more.
template <class Pair>
double widen(const Pair& pair, int advances, double t, double step, double floor, double& width) {
  const bool quick = advances < 3 * quick_advances;
  width = std::max(width, 4 * step);
  for (; width > step; width *= 0.25) {
    const double end = std::min(1.0, t + width);
    const Segment r(pair.r, t, end), u(pair.u, t, end), v(pair.v, t, end);
    if (!planes_stay_apart(cross(u, v), r, floor) && (quick || !plane_stays_below(pair, t, end, floor))) continue;
    const double found = width;
    width *= 4;
    return found;
  }
  width = 4 * step;
  return step;
}

template <class Pair>
double safe_step(const Pair& pair, double keep, double minimum, double most) {
  double t = 0, floor = 0, last = 0, width = 0;
  for (int i = 0; i < most_advances; ++i) {
    const Vec3 e = nearest_at(pair, t);
    const double d = e.norm(), slack = pair.slack(t);
    if (i == 0) {
      if (!(d - slack > minimum)) return 0;
      floor = minimum + keep * std::min(d - minimum, most);
      last = used_up * (d - floor);
    }
    if (!(d - floor > slack)) return t;
    double step = advance(pair, e / d, t, floor + slack);
    if constexpr (Pair::corners > 1)
      if (i >= quick_advances && t + step < 1) step = widen(pair, i, t, step, floor + slack, width);
    if (!(t + step < 1)) return 1;
    t += step;
    if (step == 0 || (d - floor <= last && step <= used_up * t)) return t;
  }
  return t;
}

constexpr int most_trials = 20000;

/// Walks from 0 to 1 over intervals that are proven free, each as wide as the proofs allow, until the pair is so close
/// that it counts as touching. When the trials are used up what is proven is all that can be said.
template <class Pair>
std::optional<double> time_of_impact(const Pair& pair) {
  const double first = nearest_at(pair, 0).norm();
  if (!(first > pair.slack(0))) return 0.0;
  const auto size = [&](double t) {
    return std::max({pair.u.at(t).norm(), pair.v.at(t).norm(), (pair.u.at(t) - pair.v.at(t)).norm()});
  };
  const double smallest = std::min(size(0), size(1));
  const double touching = std::min(1e-3 * first, smallest > 0 ? 1e-5 * smallest : first);
  double t = 0, width = 1;
  for (int i = 0; i < most_trials; ++i) {
    const Vec3 e = nearest_at(pair, t);
    const double d = e.norm(), slack = pair.slack(t);
    if (d <= std::max(touching, 4 * slack)) return t;
    const double sure = advance(pair, e / d, t, 2 * slack);
    if (t + sure >= 1) return std::nullopt;
    width = std::max(width, 2 * sure);
    while (width > sure) {
      const double end = std::min(1.0, t + width);
      if (algebra_says_free(pair, t, end) || plane_stays_below(pair, t, end, 0)) break;
      width *= 0.25;
      ++i;
    }
    t += std::max(width, sure);
    if (t >= 1) return std::nullopt;
    width *= 4;
  }
  return t;
}

}  // namespace

double safe_step_point_point(const FourNodes& x0, const FourNodes& x1, double keep, double minimum, double most) {
  return safe_step(PointPoint(x0, x1), keep, minimum, most);
}
double safe_step_point_edge(const FourNodes& x0, const FourNodes& x1, double keep, double minimum, double most) {
  return safe_step(PointEdge(x0, x1), keep, minimum, most);
}
double safe_step_point_triangle(const FourNodes& x0, const FourNodes& x1, double keep, double minimum, double most) {
  return safe_step(PointTriangle(x0, x1), keep, minimum, most);
}
double safe_step_edge_edge(const FourNodes& x0, const FourNodes& x1, double keep, double minimum, double most) {
  return safe_step(EdgeEdge(x0, x1), keep, minimum, most);
}

std::optional<double> time_of_impact_point_triangle(const FourNodes& x0, const FourNodes& x1) {
  return time_of_impact(PointTriangle(x0, x1));
}
std::optional<double> time_of_impact_edge_edge(const FourNodes& x0, const FourNodes& x1) {
  return time_of_impact(EdgeEdge(x0, x1));
}

}  // namespace limber
