#pragma once  // internal
/// Minima and maxima that propagate NaN. With std::max, std::max_element and Eigen's maxCoeff, the result depends on
/// where the NaN stands.

#include <cmath>
#include <limits>
#include <span>

#include "limber/core/types.hpp"

namespace limber {

inline double max_or_nan(double a, double b) { return a > b || std::isnan(a) ? a : b; }
inline double min_or_nan(double a, double b) { return a < b || std::isnan(a) ? a : b; }

/// The largest x_i; −∞ if x is empty.
template <class X>
double largest(const Eigen::DenseBase<X>& x) {
  return x.size() == 0 ? -std::numeric_limits<double>::infinity() : x.template maxCoeff<Eigen::PropagateNaN>();
}
/// The largest |x_i|; 0 if x is empty.
template <class X>
double largest_magnitude(const Eigen::MatrixBase<X>& x) {
  return x.size() == 0 ? 0 : x.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
}
/// The smallest number; ∞ if there are none.
inline double smallest_of(std::span<const double> numbers) {
  double least = std::numeric_limits<double>::infinity();
  for (const double x : numbers) least = min_or_nan(least, x);
  return least;
}

}  // namespace limber
