/// A cube on three planes of symmetry, drawn in x: it yields at the yield stress, unloads with E, and stays longer.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/core/nodes.hpp"
#include "limber/model/energies.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {
namespace {

constexpr double bar_young = 1e9, bar_yield = 2e6, bar_hardening = 1e8, most_drawn = .02;

constexpr double slip =
    (bar_young * (most_drawn + most_drawn * most_drawn / 2) - bar_yield) / (bar_young + bar_hardening);
/// What is left of the drawn length without a force: E₁₁ = α.
double left_drawn() { return std::sqrt(1 + 2 * slip) - 1; }

/// Drawn until t = 10 s, then back until 11 s; so light that it is at rest in each of its steps.
Scene drawn_bar(const std::string& element) {
  const std::string script = fmt::format(R"([{{"nodes": "right", "axes": "x", "keys": [{{"time": 0}},
          {{"time": 10, "translation": [{}, 0, 0]}}, {{"time": 11, "translation": [{}, 0, 0]}}]}}])",
                                         most_drawn, left_drawn());
  return read_scene(Document::parse(fmt::format(R"({{"time": {{"step": 0.1, "duration": 20}}, "gravity": [0, 0, 0],
        "method": {{"name": "BE", "newton_tolerance": 1e-13, "linear_tolerance": 1e-13}},
        "bodies": [{{"element": "{}", "mesh": {{"shape": "box", "size": [1, 1, 1], "cells": [2, 2, 2]}},
          "material": {{"model": "st_venant_kirchhoff", "young": {}, "poisson": 0.3, "density": 1e-4, "yield": {},
                        "hardening": {}}},
          "pin": [{{"nodes": "left", "axes": "x"}}, {{"nodes": "bottom", "axes": "y"}}, {{"nodes": "back", "axes": "z"}}],
          "script": {}}}]}})",
                                                element, bar_young, bar_yield, bar_hardening, script),
                                    "test"),
                    vocabulary(), ".");
}

double pull(const Model& model, const State& u) {
  const Vector r = reactions(*model.system, u);
  double sum = 0;
  const auto& held = model.system->prescribed_nodes();
  for (int k = 0; k < static_cast<int>(held.size()); ++k)
    if (model.bodies[0].rest.nodes[ix(held[ix(k)])][0] < .5) sum -= block(r, k)[0];
  return sum;
}

/// In uniaxial stress S, with Green's strain E₁₁ = S/E + α and S = σ_y + H α while it flows.
TEST(PlasticBar, YieldsUnloadsAndStaysLonger) {
  for (const std::string element : {"hex", "P1"}) {
    const Scene scene = drawn_bar(element);
    const Model model = build_model(scene);
    Simulation simulation = build_simulation(scene, model);
    double alpha = 0;
    int elastic = 0, flowing = 0;
    for (int k = 1; k <= 130; ++k) {
      simulation.step();
      const double t = .1 * k, drawn = t < 10 ? most_drawn * t / 10
                                              : most_drawn + std::min(t - 10, 1.) * (left_drawn() - most_drawn);
      const double strain = drawn + drawn * drawn / 2;
      double S = bar_young * (strain - alpha);
      if (S > bar_yield + bar_hardening * alpha) {
        alpha = (bar_young * strain - bar_yield) / (bar_young + bar_hardening);
        S = bar_yield + bar_hardening * alpha;
        ++flowing;
      } else {
        ++elastic;
      }
      EXPECT_NEAR(pull(model, simulation.state()), (1 + drawn) * S, 1e-7 * bar_yield) << element << " at " << t;
    }
    EXPECT_EQ(elastic, 9 + 30) << "up to a strain of 0.2 %, and on the way back";
    EXPECT_EQ(flowing, 91);
    EXPECT_EQ(alpha, slip);
    EXPECT_GT(left_drawn(), .015);
    EXPECT_NEAR(pull(model, simulation.state()), 0, 1e-7 * bar_yield) << "it stays longer";
    // Flow keeps the volume: det of diag(√(1 + 2α), √(1 − α), √(1 − α)).
    EXPECT_NEAR(model.min_det_F(simulation.system().full(simulation.state()).q), std::sqrt(1 + 2 * slip) * (1 - slip),
                1e-9);
  }
}

TEST(PlasticBar, HasNoViscosityBeside) {
  const Scene scene = read_scene(
      Document::parse(R"({"time": {"step": 0.1, "duration": 1}, "bodies": [{"mesh": {"shape": "box", "size": [1, 1, 1],
        "cells": [1, 1, 1]}, "material": {"model": "st_venant_kirchhoff", "young": 1e5, "poisson": 0.3, "yield": 1e3,
        "viscosity": [{"share": 0.2, "time": 1}]}}]})",
                      "test"),
      vocabulary(), ".");
  EXPECT_THROW(build_model(scene), InputError);
}

}  // namespace
}  // namespace limber
