#pragma once
/// A picture of a fit, drawn by gnuplot: for each observed column the observations as points and the fitted motion as a
/// line.

#include <optional>
#include <string>
#include <vector>

#include "limber/scene/gradient/observations.hpp"

namespace limber {

/// The columns of the observations as the fitted scene has them, at times of its own.
struct FittedMotion {
  std::vector<double> times;  // [s]
  Matrix values;              // #times × #columns [m]
};

/// Draws the picture `path`: the first twelve columns where there are more, and the title says so. Empty on success;
/// otherwise why there is none, as where gnuplot is missing.
std::optional<std::string> plot_fit(const std::string& path, const Observations& observations,
                                    const FittedMotion& fitted, const std::string& title);

}  // namespace limber
