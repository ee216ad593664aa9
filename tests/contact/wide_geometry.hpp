#pragma once
/// Distances in 80 decimal digits: the least over all features of the pair, each by its normal equations.

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <optional>
#include <random>

#include "limber/core/types.hpp"

namespace limber::test {

namespace mp = boost::multiprecision;
using Wide = mp::number<mp::cpp_bin_float<80>, mp::et_off>;
using WideVec = std::array<Wide, 3>;
using WideNodes = std::array<WideVec, 4>;

inline WideVec wide(const Vec3& x) { return {Wide(x[0]), Wide(x[1]), Wide(x[2])}; }
inline WideVec operator-(const WideVec& x, const WideVec& y) { return {x[0] - y[0], x[1] - y[1], x[2] - y[2]}; }
inline WideVec operator+(const WideVec& x, const WideVec& y) { return {x[0] + y[0], x[1] + y[1], x[2] + y[2]}; }
inline WideVec operator*(const Wide& s, const WideVec& x) { return {s * x[0], s * x[1], s * x[2]}; }
inline Wide dot(const WideVec& x, const WideVec& y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }
inline WideVec cross(const WideVec& x, const WideVec& y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}
inline Wide norm(const WideVec& x) { return sqrt(dot(x, x)); }

struct WideNearest {
  Wide d2 = -1;  // negative: none yet
  WideVec e;
  std::array<Wide, 4> w;

  void consider(const WideNodes& x, const std::array<Wide, 4>& weights) {
    WideVec sum{};
    for (int i = 0; i < 4; ++i) sum = sum + weights[i] * x[i];
    const Wide s = dot(sum, sum);
    if (d2 >= 0 && s >= d2) return;
    d2 = s, e = sum, w = weights;
  }
};

inline void consider_edge(WideNearest& best, const WideNodes& x, int p, int a, int b, int sign) {
  const WideVec u = x[b] - x[a];
  const Wide uu = dot(u, u);
  Wide s = uu > 0 ? Wide(dot(x[p] - x[a], u) / uu) : Wide(0);
  if (s < 0) s = 0;
  if (s > 1) s = 1;
  std::array<Wide, 4> w{};
  w[p] += sign, w[a] -= sign * (1 - s), w[b] -= sign * s;
  best.consider(x, w);
}

inline WideNearest wide_point_edge(const WideNodes& x) {
  WideNearest best;
  consider_edge(best, x, 0, 1, 2, 1);
  return best;
}

inline WideNearest wide_point_triangle(const WideNodes& x) {
  WideNearest best;
  consider_edge(best, x, 0, 1, 2, 1);
  consider_edge(best, x, 0, 1, 3, 1);
  consider_edge(best, x, 0, 2, 3, 1);
  const WideVec u = x[2] - x[1], v = x[3] - x[1], r = x[0] - x[1];
  const Wide A = dot(u, u), B = dot(u, v), C = dot(v, v), D = A * C - B * B;
  if (D > 0) {
    const Wide s = (C * dot(u, r) - B * dot(v, r)) / D, t = (A * dot(v, r) - B * dot(u, r)) / D;
    if (s >= 0 && t >= 0 && s + t <= 1) best.consider(x, {1, s + t - 1, -s, -t});
  }
  return best;
}

inline WideNearest wide_edge_edge(const WideNodes& x) {
  WideNearest best;
  consider_edge(best, x, 0, 2, 3, 1);
  consider_edge(best, x, 1, 2, 3, 1);
  consider_edge(best, x, 2, 0, 1, -1);
  consider_edge(best, x, 3, 0, 1, -1);
  const WideVec u = x[1] - x[0], v = x[3] - x[2], r = x[0] - x[2];
  const Wide A = dot(u, u), B = dot(u, v), C = dot(v, v), D = A * C - B * B;
  if (D > 0) {
    const Wide s = (B * dot(v, r) - C * dot(u, r)) / D, t = (A * dot(v, r) - B * dot(u, r)) / D;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best.consider(x, {1 - s, s, t - 1, -t});
  }
  return best;
}

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double operator()(double low = -1, double high = 1) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }
  double power(double low, double high) { return std::pow(10, (*this)(low, high)); }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  int below(int n) { return whole(0, n - 1); }
  Vec3 vec() { return {(*this)(), (*this)(), (*this)()}; }
  std::array<Vec3, 4> nodes() { return {vec(), vec(), vec(), vec()}; }
  Vec3 whole_vec(int most) {
    Vec3 v;
    for (double& x : v) x = whole(-most, most);
    return v;
  }

 private:
  std::mt19937 generator_;
};

}  // namespace limber::test
