#include "limber/scene/gradient/fit_plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

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

TEST(FitPlot, DrawsOneToManyColumns) {
  const Scratch scratch;
  const char* keep = std::getenv("LIMBER_KEEP_PICTURES");  // a folder
  for (const int columns : {1, 3, 5, 12, 14}) {
    const Sample sample(columns);
    const std::string name = "fit" + std::to_string(columns) + ".png";
    const auto failed = plot_fit(scratch.file(name), *sample.observations, sample.fitted, "a 'fit' of _x^2");
    if (!has_program("gnuplot")) {
      EXPECT_NE(failed.value_or("").find("gnuplot was not found"), std::string::npos);
      continue;
    }
    EXPECT_FALSE(failed) << *failed;
    EXPECT_GT(std::filesystem::file_size(scratch.file(name)), 10'000u);
    if (keep) std::filesystem::copy_file(scratch.file(name), std::filesystem::path(keep) / name);
  }
}

}  // namespace
}  // namespace limber::test
