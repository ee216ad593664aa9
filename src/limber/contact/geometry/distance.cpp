#include "limber/contact/geometry/distance.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/contact/geometry/nearest_vector.hpp"

namespace limber {
namespace {

using nearest_vector::parallel_sine2;
using nearest_vector::side_margin;
using nearest_vector::thin_sine2;

/// x − y = high + low without rounding. Where d is much smaller than the primitives, rounding these differences and the
/// sum e would lose its digits; with them exact, an error in β enters d only squared.
struct Exact {
  Vec3 high, low;
};

Exact minus(const Vec3& x, const Vec3& y) {
  Exact r;
  for (int i = 0; i < 3; ++i) {
    const double high = x[i] - y[i], gone = x[i] - high;
    r.high[i] = high;
    r.low[i] = (x[i] - (high + gone)) + (gone - y[i]);
  }
  return r;
}

/// a + b = sum, with `error` what rounding took away.
inline double sum(double a, double b, double& error) {
  const double s = a + b, c = s - a;
  error += (a - (s - c)) + (b - c);
  return s;
}

/// r + s u (+ t v), rounded once.
Vec3 along(const Exact& r, double s, const Exact& u) {
  Vec3 e;
  for (int i = 0; i < 3; ++i) {
    const double p = s * u.high[i];
    double low = r.low[i] + s * u.low[i] + std::fma(s, u.high[i], -p);
    const double high = sum(r.high[i], p, low);
    e[i] = high + low;
  }
  return e;
}

Vec3 along(const Exact& r, double s, const Exact& u, double t, const Exact& v) {
  Vec3 e;
  for (int i = 0; i < 3; ++i) {
    const double p = s * u.high[i], q = t * v.high[i];
    double low = r.low[i] + s * u.low[i] + t * v.low[i] + std::fma(s, u.high[i], -p) + std::fma(t, v.high[i], -q);
    const double high = sum(sum(r.high[i], p, low), q, low);
    e[i] = high + low;
  }
  return e;
}

/// The stationary point of |r + s u + t v|, its residual taken exactly and corrected once, or more where u and v are
/// nearly parallel (each correction gains the factor 1e-16/angle).
nearest_vector::Crossing crossing(const Exact& r, const Exact& u, const Exact& v) {
  nearest_vector::Crossing at;
  const double uu = u.high.squaredNorm(), vv = v.high.squaredNorm();
  if (!(uu > 0) || !(vv > 0)) return at;
  const double ratio = u.high.dot(v.high) / uu;
  const Vec3 q = v.high - ratio * u.high;
  const double qq = q.squaredNorm();
  if (!(qq > parallel_sine2 * vv)) return at;
  at.exists = true;
  at.thin = qq < thin_sine2 * vv;
  const int corrections = at.thin ? 4 : 1;
  at.e = r.high;
  for (int i = 0; i <= corrections; ++i) {
    const double dt = -q.dot(at.e) / qq, ds = -u.high.dot(at.e) / uu - ratio * dt;
    at.s += ds;
    at.t += dt;
    if (i < corrections)
      at.e = along(r, at.s, u, at.t, v);
    else
      at.e += ds * u.high + dt * v.high;
  }
  return at;
}

/// The point of an edge, at a + s(b − a), that is nearest to p; e leads to p.
struct OnEdge {
  double s = 0;
  Vec3 e, u;
};

OnEdge on_edge(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Exact r = minus(p, a), u = minus(b, a);
  OnEdge at{0, r.high, u.high};
  const double uu = u.high.squaredNorm();
  if (!(uu > 0)) return at;
  const double first = r.high.dot(u.high) / uu;
  if (first <= -side_margin) return at;
  if (first < 1 + side_margin) {
    Vec3 e = along(r, -first, u);
    const double ds = e.dot(u.high) / uu;
    e -= ds * u.high;
    const double s = first + ds;
    if (s <= 0) return at;
    if (s < 1) return {s, e, u.high};
  }
  return {1, p - b, u.high};
}

void set_point_point(Nearest& out, int p, int q) {
  out.k = 0;
  out.w = {};
  out.w[p] = 1;
  out.w[q] = -1;
}

/// Node p against the edge of nodes a and b; sign −1 where p belongs to the second primitive.
void set_point_edge(Nearest& out, int p, int a, int b, double sign, const OnEdge& at) {
  out.w = {};
  out.w[p] = sign;
  out.w[a] = -sign * (1 - at.s);
  out.w[b] = -sign * at.s;
  out.k = at.s > 0 && at.s < 1 ? 1 : 0;
  if (out.k == 0) return;
  out.dw[0] = {};
  out.dw[0][a] = sign;
  out.dw[0][b] = -sign;
  out.E.col(0) = -sign * at.u;
}

Vec3 any_orthogonal(const Vec3& u) {
  Index smallest;
  u.cwiseAbs().minCoeff(&smallest);
  const Vec3 n = u.cross(Vec3::Unit(smallest));
  const double length = n.norm();
  return length > 0 ? Vec3(n / length) : Vec3::UnitX();
}

/// d and n from e. Below what the exact sums resolve the primitives touch, and n is orthogonal to u and v.
void set_vector(Nearest& out, const Vec3& e, const Vec3& r, const Vec3& u, const Vec3& v) {
  out.d = e.norm();
  const double size = r.cwiseAbs().maxCoeff() + u.cwiseAbs().maxCoeff() + v.cwiseAbs().maxCoeff();
  if (out.d > 1e-30 * size) {
    out.n = e / out.d;
    return;
  }
  out.d = 0;
  const Vec3 normal = u.cross(v);
  const double length = normal.norm();
  if (length > 1e-13 * u.norm() * v.norm())
    out.n = normal / length;
  else
    out.n = any_orthogonal(u.squaredNorm() > v.squaredNorm() ? u : v);
}

/// The power of two by which differences must be multiplied so that products of four of them stay in range; 1 mostly.
double range_factor(const Vec3& r, const Vec3& u, const Vec3& v) {
  const double size = std::max({r.cwiseAbs().maxCoeff(), u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff()});
  if ((size > 1e-70 && size < 1e70) || size == 0 || !std::isfinite(size)) return 1;
  return std::ldexp(1.0, -std::ilogb(size));
}

template <class Function>
Nearest rescaled(double factor, const Vec3& x0, const Vec3& x1, const Vec3& x2, const Vec3& x3,
                 const Function& nearest) {
  Nearest out = nearest(factor * x0, factor * x1, factor * x2, factor * x3);
  out.d /= factor;
  out.E /= factor;
  return out;
}

/// The shortest of the candidates on the boundary.
struct Shortest {
  double e2 = std::numeric_limits<double>::infinity();
  OnEdge at;
  int p = 0, a = 0, b = 0;
  double sign = 1;

  void consider(const std::array<const Vec3*, 4>& x, int i, int j, int k, double s) {
    const OnEdge next = on_edge(*x[i], *x[j], *x[k]);
    const double next2 = next.e.squaredNorm();
    if (!(next2 < e2)) return;
    e2 = next2;
    at = next;
    p = i, a = j, b = k, sign = s;
  }
};

}  // namespace

Nearest point_point(const Vec3& p, const Vec3& q) {
  Nearest out;
  set_point_point(out, 0, 1);
  const Vec3 e = p - q;
  out.d = e.stableNorm();
  if (out.d > 0) out.n = (e / e.cwiseAbs().maxCoeff()).normalized();
  return out;
}

Nearest point_edge(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 r = p - a, u = b - a;
  if (const double f = range_factor(r, u, Vec3::Zero()); f != 1)
    return rescaled(f, p, a, b, b, [](auto& x, auto& y, auto& z, auto&) { return point_edge(x, y, z); });
  const OnEdge at = on_edge(p, a, b);
  Nearest out;
  set_point_edge(out, 0, 1, 2, 1, at);
  set_vector(out, at.e, r, u, Vec3::Zero());
  return out;
}

Nearest point_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Exact r = minus(p, a), u = minus(a, b), v = minus(a, c);
  if (const double f = range_factor(r.high, u.high, v.high); f != 1) return rescaled(f, p, a, b, c, point_triangle);
  Nearest out;
  const nearest_vector::Crossing in = crossing(r, u, v);
  const double rest = 1 - in.s - in.t;
  const bool inside = in.exists && in.s > 0 && in.t > 0 && rest > 0;
  Shortest edge;
  if (!inside || in.thin) {
    const std::array x{&p, &a, &b, &c};
    if (in.thin || in.t <= side_margin) edge.consider(x, 0, 1, 2, 1);
    if (in.thin || in.s <= side_margin) edge.consider(x, 0, 1, 3, 1);
    if (in.thin || rest <= side_margin) edge.consider(x, 0, 2, 3, 1);
  }
  if (inside && in.e.squaredNorm() <= edge.e2) {
    out.k = 2;
    out.w = {1, -rest, -in.s, -in.t};
    out.dw = {{{0, 1, -1, 0}, {0, 1, 0, -1}}};
    out.E << u.high, v.high;
    set_vector(out, in.e, r.high, u.high, v.high);
  } else {
    set_point_edge(out, edge.p, edge.a, edge.b, edge.sign, edge.at);
    set_vector(out, edge.at.e, r.high, u.high, v.high);
  }
  return out;
}

Nearest edge_edge(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Exact r = minus(a, c), u = minus(b, a), v = minus(c, d);
  if (const double f = range_factor(r.high, u.high, v.high); f != 1) return rescaled(f, a, b, c, d, edge_edge);
  Nearest out;
  const nearest_vector::Crossing in = crossing(r, u, v);
  const bool inside = in.exists && in.s > 0 && in.s < 1 && in.t > 0 && in.t < 1;
  Shortest end;
  if (!inside || in.thin) {
    const std::array x{&a, &b, &c, &d};
    if (in.thin || in.s <= side_margin) end.consider(x, 0, 2, 3, 1);
    if (in.thin || in.s >= 1 - side_margin) end.consider(x, 1, 2, 3, 1);
    if (in.thin || in.t <= side_margin) end.consider(x, 2, 0, 1, -1);
    if (in.thin || in.t >= 1 - side_margin) end.consider(x, 3, 0, 1, -1);
  }
  if (inside && in.e.squaredNorm() <= end.e2) {
    out.k = 2;
    out.w = {1 - in.s, in.s, in.t - 1, -in.t};
    out.dw = {{{-1, 1, 0, 0}, {0, 0, 1, -1}}};
    out.E << u.high, v.high;
    set_vector(out, in.e, r.high, u.high, v.high);
  } else {
    set_point_edge(out, end.p, end.a, end.b, end.sign, end.at);
    set_vector(out, end.sign * end.at.e, r.high, u.high, v.high);
  }
  return out;
}

double point_point_distance2(const Vec3& p, const Vec3& q) { return (p - q).squaredNorm(); }

double point_edge_distance2(const Vec3& p, const Vec3& a, const Vec3& b) {
  return nearest_vector::point_edge(p - a, b - a).squaredNorm();
}

double point_triangle_distance2(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  return nearest_vector::point_triangle(p - a, b - a, c - a).squaredNorm();
}

double edge_edge_distance2(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return nearest_vector::edge_edge(a - c, b - a, d - c).squaredNorm();
}

}  // namespace limber
