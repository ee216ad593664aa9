/// No method gives a motion more energy than it was given: bars that spin, beams that are let go, a bar that sags.
/// LIMBER_ENERGY=all runs every combination (`make energy`); without it, one step length, coarser meshes, shorter runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "limber/core/nodes.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/time/catalog.hpp"

namespace limber {
namespace {

using nlohmann::json;

bool all_runs() {
  const char* asked = std::getenv("LIMBER_ENERGY");
  return asked && std::string(asked) == "all";
}

std::vector<double> steps() { return all_runs() ? std::vector{.02, .01, .005} : std::vector{.02}; }

/// Explicit methods are stable for small steps only, and the printed forms gain by themselves, as their curves say.
std::vector<std::string> judged_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& m : method_catalog())
    if (m.kind != MethodKind::explicit_ && m.splitting != Splitting::printed) names.push_back(m.name);
  return names;
}

/// The largest total energy above that of the start, as a share of the largest kinetic and elastic energy.
double largest_gain(json scene, const std::string& method, double step, double duration,
                    const std::function<Vector(const Vector&)>& shape = {}) {
  scene["method"] = method;
  scene["time"] = {{"step", step}, {"duration", duration}};
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  Simulation simulation = build_simulation(read, model);
  if (shape) {
    const State all = simulation.system().full(simulation.state());
    const State bent = simulation.system().state(shape(all.q), all.v, 0);
    simulation.set_state(bent.q, bent.v);
  }
  const Energies start = simulation.energies();
  double highest = start.total(), in_play = start.kinetic + start.elastic;
  while (simulation.time() < duration - step / 2) {
    simulation.step();
    const Energies e = simulation.energies();
    highest = std::max(highest, e.total());
    in_play = std::max(in_play, e.kinetic + e.elastic);
  }
  EXPECT_GT(in_play, 0);
  return (highest - start.total()) / in_play;
}

/// What the catalog promises: methods that solve each stage by Newton keep within a tenth of a percent.
double allowed(const std::string& method) {
  const MethodInfo& info = find_method(method);
  const bool close = info.kind == MethodKind::hybrid || info.kind == MethodKind::implicit;
  return close && method != "midpoint" ? .001 : .005;
}

class Energy : public ::testing::TestWithParam<std::string> {};

TEST_P(Energy, OfASpinningBar) {
  for (const double young : {5e4, 1e6, 1e8})
    for (const double h : steps()) {
      json bar = json::parse(R"({"gravity": [0, 0, 0], "bodies": [{
        "mesh": {"shape": "box", "size": [1, 0.3, 0.2], "cells": [5, 2, 1]},
        "material": {"model": "neo_hookean", "young": 1, "poisson": 0.35, "density": 1000},
        "angular_velocity": [1.5, 2, 4.3]}]})");
      if (!all_runs()) bar["bodies"][0]["mesh"]["cells"] = {4, 1, 1};
      bar["bodies"][0]["material"]["young"] = young;
      EXPECT_LT(largest_gain(bar, GetParam(), h, 10), allowed(GetParam())) << "E = " << young << ", h = " << h;
    }
}

/// Beams that are let go from an arc of a circle, which lifts their tips by so much.
TEST_P(Energy, OfAPluckedBeam) {
  json beam = json::parse(R"({"gravity": [0, 0, 0], "bodies": [{
    "mesh": {"shape": "box", "size": [1, 0.1, 0.1], "cells": [16, 2, 2]},
    "material": {"young": 2e6, "poisson": 0.4, "density": 1000}, "pin": "left"}]})");
  if (!all_runs()) beam["bodies"][0]["mesh"]["cells"] = {8, 1, 1};
  for (const double lift : all_runs() ? std::vector{.012, .118, .391} : std::vector{.012, .391}) {
    double curvature = 2 * lift;  // of (1 − cos κ)/κ = lift, by Newton
    for (int i = 0; i < 50; ++i) {
      const double f = (1 - std::cos(curvature)) / curvature - lift;
      curvature -= f / ((std::sin(curvature) - f - lift) / curvature);
    }
    const auto arc = [&](Vector q) {
      for (Index i = 0; i < q.size(); i += 3) {
        const double s = curvature * q[i], r = 1 / curvature - q[i + 1];
        q[i] = r * std::sin(s);
        q[i + 1] = 1 / curvature - r * std::cos(s);
      }
      return q;
    };
    for (const double h : steps())
      EXPECT_LT(largest_gain(beam, GetParam(), h, all_runs() ? 10 : 3, arc), allowed(GetParam()))
          << "tip " << lift << " m, h = " << h;
  }
}

TEST_P(Energy, OfABarThatSags) {
  json bar = json::parse(R"({"bodies": [{
    "mesh": {"shape": "box", "size": [1, 0.1, 0.1], "cells": [10, 2, 2]},
    "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000}, "pin": "left"}]})");
  if (!all_runs()) bar["bodies"][0]["mesh"]["cells"] = {6, 1, 1};
  for (const double h : steps())
    EXPECT_LT(largest_gain(bar, GetParam(), h, all_runs() ? 5 : 3), allowed(GetParam())) << "h = " << h;
}

INSTANTIATE_TEST_SUITE_P(Catalog, Energy, ::testing::ValuesIn(judged_methods()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

/// Corrections are solved for as closely where motions are small: the trapezoidal rule keeps the energy of a linear
/// beam that moves at 1 m/s and at a tenth of a micrometre a second. Positions of some metres are rounded, and the
/// smaller the motion is, the more its energy feels that: by 4e-14 to 1e-13 m/s over v.
TEST(SmallMotions, KeepTheirEnergy) {
  for (const double v : {1., 1e-3, 1e-5, 1e-7}) {
    const double allowed = 1e-6 + 4e-13 / v;
    json beam =
        json::parse(R"({"gravity": [0, 0, 0], "method": "TR", "time": {"step": 0.01, "duration": 5}, "bodies": [{
      "mesh": {"shape": "box", "size": [8, 1, 1], "cells": [16, 2, 2]},
      "material": {"model": "linear", "young": 1e8, "poisson": 0.3, "density": 1000}, "pin": "left"}]})");
    beam["bodies"][0]["velocity"] = {0, v, 0};
    const Scene read = read_scene(beam, vocabulary(), "");
    const Model model = build_model(read);
    Simulation simulation = build_simulation(read, model);
    const double start = simulation.energies().total();
    for (int i = 0; i < 500; ++i) {
      simulation.step();
      ASSERT_NEAR(simulation.energies().total(), start, allowed * start) << v << " m/s, step " << i;
    }
  }
}

}  // namespace
}  // namespace limber
