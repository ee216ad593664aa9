#include "limber/force/plane_stress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {

namespace {

using Unit = V3<double>;
constexpr Unit e1{{1, 0, 0}}, e2{{0, 1, 0}}, e3{{0, 0, 1}};

/// ψ_3 and ψ_33 at diag(s₁, s₂, λ).
struct Slope {
  double first, second;
};

template <class M>
Slope slope(const M& m, double s1, double s2, double l) {
  const auto tangent = m.tangent(diagonal(s1, s2, l), 1.0);
  const auto contracted = tangent.contract(e3);
  return {tangent.stress()(2, 2), tangent.block(contracted, contracted)(2, 2)};
}

/// Newton's method on ψ_3 = 0 within the interval where it is known to change sign; λ there is a minimum of ψ.
template <class M>
double stretch_of_law(const M& m, double s1, double s2) {
  constexpr double closed = 1e-8;
  double low = 0, high = std::numeric_limits<double>::infinity();
  // The small-strain law in logarithms, ν/(1 − ν) = ψ_13/ψ_33 at rest, is nearly right for rubber at any stretch.
  const auto rest = m.tangent(diagonal(1.0, 1.0, 1.0), 1.0);
  const auto contracted = rest.contract(e3);
  const double ratio = rest.block(rest.contract(e1), contracted)(0, 2) / rest.block(contracted, contracted)(2, 2);
  double l = std::clamp(std::pow(s1 * s2, -ratio), 1e-3, 1e3);
  for (int k = 0; k < 200; ++k) {
    const Slope g = slope(m, s1, s2, l);
    if (g.first == 0) return l;
    (g.first < 0 ? low : high) = l;
    if (!M::needs_positive_det && high < closed) return 0;
    double next = l - g.first / g.second;
    if (g.second > 0 && next > low && next < high) {
      const double step = std::abs(next - l);
      l = next;
      if (step <= 1e-9 * l) return l;  // quadratic: the error is now that of rounding
      continue;
    }
    next = std::isinf(high) ? 2 * l : low > 0 ? std::sqrt(low * high) : high / 4;
    if (!(next > low && next < high)) return l;
    l = next;
  }
  return l;
}

template <class M>
PlaneStress response(const M& m, double s1, double s2) {
  PlaneStress r;
  r.thickness = stretch_of_law(m, s1, s2);
  const auto tangent = m.tangent(diagonal(s1, s2, r.thickness), 1.0);
  const auto P = tangent.stress();
  r.first = {P(0, 0), P(1, 1)};
  const auto a1 = tangent.contract(e1), a2 = tangent.contract(e2), a3 = tangent.contract(e3);
  const auto in_first = tangent.block(a1, a1), between = tangent.block(a2, a1), in_second = tangent.block(a2, a2);
  r.second << in_first(0, 0), between(1, 0), between(1, 0), in_second(1, 1);
  r.shear = in_second(0, 0);
  r.shear_swap = between(0, 1);
  const double across = tangent.block(a3, a3)(2, 2);
  if (r.thickness > 0 && across > 0) {
    const Eigen::Vector2d coupling(tangent.block(a1, a3)(0, 2), tangent.block(a2, a3)(1, 2));
    r.second -= coupling * coupling.transpose() / across;
  }
  return r;
}

bool outside(const AnyMaterial& m, double s1, double s2) { return needs_positive_det(m) && !(s1 * s2 > 0); }

}  // namespace

double thickness_stretch(const AnyMaterial& m, double s1, double s2) {
  return std::visit([&](const auto& law) { return stretch_of_law(law, s1, s2); }, m);
}

double plane_stress_energy(const AnyMaterial& m, double s1, double s2) {
  if (outside(m, s1, s2)) return std::numeric_limits<double>::infinity();
  return std::visit([&](const auto& law) { return law.energy(diagonal(s1, s2, stretch_of_law(law, s1, s2))); }, m);
}

PlaneStress plane_stress(const AnyMaterial& m, double s1, double s2) {
  return std::visit([&](const auto& law) { return response(law, s1, s2); }, m);
}

}  // namespace limber
