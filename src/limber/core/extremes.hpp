#pragma once  // internal
/// Largest and smallest numbers that are NaN where any of the numbers is. What std::max, std::max_element and Eigen's
/// maxCoeff make of a NaN depends on where it stands.

#include <cmath>
#include <limits>
#include <span>

#include "limber/core/types.hpp"

namespace limber {

inline double max_or_nan(double a, double b) { return a > b || std::isnan(a) ? a : b; }
inline double min_or_nan(double a, double b) { return a < b || std::isnan(a) ? a : b; }

/// −∞ of none.
template <class X>
double largest(const Eigen::DenseBase<X>& x) {
  return x.size() == 0 ? -std::numeric_limits<double>::infinity() : x.template maxCoeff<Eigen::PropagateNaN>();
}
/// The largest |x_i|; 0 of none.
template <class X>
double largest_magnitude(const Eigen::MatrixBase<X>& x) {
  return x.size() == 0 ? 0 : x.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
}
/// ∞ of none.
inline double smallest_of(std::span<const double> numbers) {
  double least = std::numeric_limits<double>::infinity();
  for (const double x : numbers) least = min_or_nan(least, x);
  return least;
}

}  // namespace limber
