#include "limber/scene/gradient/fit_plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>

#include "limber/core/programs.hpp"
#include "record/scratch.hpp"

namespace limber::test {
namespace {

/// Damped oscillations about a place, observed with gaps and some noise.
struct Sample {
  explicit Sample(int columns) {
    std::vector<std::string> names;
    for (int c = 0; c < columns; ++c)
      names.push_back(std::string("probe'") + std::to_string(c / 3) + "." + "xyz"[c % 3]);
    const auto motion = [](double t, int c) { return .5 + .1 * c + .02 * std::exp(-t) * std::cos((5 + c) * t); };
    std::vector<double> times;
    Matrix values(30, columns);
    for (int k = 0; k < 30; ++k) {
      times.push_back(.05 * (k + 1));
      for (int c = 0; c < columns; ++c)
        values(k, c) = (k + c) % 7 ? motion(times.back(), c) + .001 * std::sin(37. * k * (c + 1)) : std::nan("");
    }
    fitted.values.resize(400, columns);
    for (int k = 0; k < 400; ++k) {
      fitted.times.push_back(.005 * k);
      for (int c = 0; c < columns; ++c) fitted.values(k, c) = motion(fitted.times.back(), c);
    }
    observations.emplace(times, names, values);
  }
  std::optional<Observations> observations;
  FittedMotion fitted;
};

/// Width and height in a PNG's header.
std::string size_of_picture(const std::string& path) { return read_file(path).substr(16, 8); }

TEST(FitPlot, DrawsTwelveColumnsAtMost) {
  if (!has_program("gnuplot")) GTEST_SKIP();
  const Scratch scratch;
  for (const int columns : {1, 3, 12, 14}) {
    const Sample sample(columns);
    const std::string path = scratch.file(std::to_string(columns) + ".png");
    const auto failed = plot_fit(path, *sample.observations, sample.fitted, "a 'fit' of _x^2");
    EXPECT_FALSE(failed) << *failed;
  }
  EXPECT_NE(size_of_picture(scratch.file("1.png")), size_of_picture(scratch.file("3.png")));
  EXPECT_NE(size_of_picture(scratch.file("3.png")), size_of_picture(scratch.file("12.png")));
  EXPECT_EQ(size_of_picture(scratch.file("14.png")), size_of_picture(scratch.file("12.png")));
}

TEST(FitPlot, DrawsWhatRestsAndWhatWasNeverObserved) {
  if (!has_program("gnuplot")) GTEST_SKIP();
  const Scratch scratch;
  const double nan = std::nan("");
  const Observations observations({0, 1}, {"tip.x", "tip.y"}, (Matrix(2, 2) << 0, nan, 0, nan).finished());
  const auto failed = plot_fit(scratch.file("fit.png"), observations, {{0, 1}, Matrix::Zero(2, 2)}, "rest");
  EXPECT_FALSE(failed) << *failed;
  const Observations once({.5}, {"tip.x"}, Matrix::Ones(1, 1));
  const auto failed_too = plot_fit(scratch.file("fit.png"), once, {{.5}, Matrix::Ones(1, 1)}, "one time");
  EXPECT_FALSE(failed_too) << *failed_too;
}

}  // namespace
}  // namespace limber::test
