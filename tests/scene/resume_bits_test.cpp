/// A motion that goes on after a snapshot and one that is resumed from it have the same bits: whatever solvers, modes
/// and forces have learnt until then is either in the snapshot or forgotten by both.

#include <gtest/gtest.h>

#include "limber/core/nodes.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/run_checkpoint.hpp"
#include "limber/solve/interior_point.hpp"

namespace limber {
namespace {

using nlohmann::json;

struct ResumedMotion {
  const char* name;
  const char* scene;
  int every, steps;  // from snapshot to snapshot, in all
};

void PrintTo(const ResumedMotion& motion, std::ostream* out) { *out << motion.name; }

const ResumedMotion resumed_motions[] = {
    // The mass has a solver of its own, which learns how many iterations it takes.
    {"quadratic_elements", R"({"time": {"step": 0.01, "duration": 1}, "bodies": [{"element": "P2", "pin": "left",
      "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [4, 4, 4]}, "material": {"young": 1e6, "poisson": 0.4}}]})",
     4, 12},
    {"consistent_mass_and_damping", R"({"time": {"step": 0.005, "duration": 1}, "method": "gen-alpha",
      "bodies": [{"mass": "consistent", "pin": "left", "mesh": {"shape": "box", "size": [1, 0.3, 0.3], "cells": [16, 5, 5]},
      "material": {"young": 3e5, "poisson": 0.3}, "damping": {"stiffness": 0.002, "mass": 0.3, "at": "current"}}]})",
     3, 9},
    // Whether a factor pays is weighed once for a pattern.
    {"a_factor_that_was_weighed", R"({"time": {"step": "10 ms", "duration": 1}, "bodies": [
      {"mesh": {"shape": "box", "size": [0.1523, 0.2144, 0.2795], "cells": [5, 3, 3]},
       "material": {"young": 106600.0, "poisson": 0.49}},
      {"mesh": {"shape": "rope", "radius": 0.07518, "resolution": 0.06435},
       "material": {"young": 223300.0, "poisson": 0.3}, "pin": "left"}]})",
     4, 24},
    {"multigrid", R"({"time": {"step": 0.01, "duration": 1}, "method": {"name": "SDIRK", "solver": "multigrid"},
      "bodies": [{"pin": "left", "mesh": {"shape": "box", "size": [2, 0.4, 0.4], "cells": [20, 4, 4]},
      "material": {"young": 1e6, "poisson": 0.3}}]})",
     3, 9},
    {"gmres", R"({"time": {"step": 0.01, "duration": 1}, "method": {"name": "BDF2", "solver": "gmres"},
      "bodies": [{"pin": "left", "mesh": {"shape": "box", "size": [1, 0.2, 0.2], "cells": [6, 2, 2]},
      "material": {"young": 1e5, "poisson": 0.3}}]})",
     3, 9},
    {"lbfgs", R"({"time": {"step": 0.01, "duration": 1}, "method": {"name": "BE", "nonlinear": "lbfgs"},
      "bodies": [{"pin": "left", "mesh": {"shape": "box", "size": [1, 0.2, 0.2], "cells": [10, 3, 3]},
      "material": {"young": 1e5, "poisson": 0.3}}]})",
     3, 9},
    {"exponential", R"({"time": {"step": 0.005, "duration": 1}, "method": "ERE", "bodies": [{"mass": "consistent",
      "pin": "left", "mesh": {"shape": "box", "size": [1, 0.3, 0.3], "cells": [8, 4, 4]},
      "material": {"young": 1e5, "poisson": 0.3}}]})",
     3, 9},
    {"explicit", R"({"time": {"step": 0.0002, "duration": 1}, "method": "RK4", "bodies": [{"element": "P2",
      "pin": "left", "mesh": {"shape": "box", "size": [1, 0.3, 0.3], "cells": [6, 2, 2]},
      "material": {"young": 1e5, "poisson": 0.3}}]})",
     20, 60},
    {"frozen_tangent", R"({"time": {"step": 0.01, "duration": 1}, "method": "SSDIRK", "bodies": [{"pin": "left",
      "mesh": {"shape": "box", "size": [1, 0.3, 0.3], "cells": [12, 4, 4]}, "material": {"young": 1e5, "poisson": 0.4},
      "damping": {"stiffness": 0.002, "at": "frozen"}}]})",
     5, 15},
    {"hybrid", R"({"time": {"step": 0.01, "duration": 1}, "method": {"name": "TR-BDF2ERE", "modes": 12},
      "bodies": [{"pin": "left", "mesh": {"shape": "box", "size": [2, 0.5, 0.4], "cells": [12, 4, 3]},
      "material": {"young": 1e5, "poisson": 0.4}}, {"position": [0, 1, 0], "angular_velocity": [1, 2, 3],
      "mesh": {"shape": "box", "size": [1, 0.3, 0.2], "cells": [5, 2, 2]}, "material": {"young": 1e5, "poisson": 0.4}}]})",
     7, 28},
    {"hybrid_with_contact", R"({"time": {"step": 0.01, "duration": 1}, "method": {"name": "SIERE", "modes": 14},
      "bodies": [{"pin": "left", "mesh": {"shape": "box", "size": [1, 0.2, 0.3], "cells": [6, 1, 2]},
      "material": {"young": 1e5, "poisson": 0.4}}, {"position": [0.5, 0.21, 0.05], "velocity": [0, -2, 0],
      "mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, "material": {"young": 1e5, "poisson": 0.4}}],
      "contact": {"friction": 0.3}})",
     7, 28},
    {"impact_with_friction", R"({"time": {"step": 0.01, "duration": 1}, "method": "TR-BDF2", "bodies": [
      {"mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3]}, "position": [0, 0.02, 0],
       "velocity": [1, -9, 0], "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3}},
      {"mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, "position": [0.05, 0.3, 0.03],
       "rotation": [0.1, 0.3, 0.2], "velocity": [0, -9, 0], "element": "hex", "material": {"young": 1e5, "poisson": 0.3}}],
      "contact": {"friction": 0.4}, "obstacles": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})",
     4, 12},
    {"lagged_friction_on_a_ram", R"({"time": {"step": 0.01, "duration": 1}, "method": "BDF2", "bodies": [
      {"mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3]}, "position": [0, 0.002, 0],
       "material": {"young": 1e5, "poisson": 0.3}}],
      "contact": {"friction": 0.4, "friction_form": "lagged"}, "obstacles": [
      {"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}, {"shape": "sphere", "center": [-0.15, 0.1, 0.1],
       "radius": 0.1, "motion": {"keys": [{"time": 0}, {"time": 0.3, "translation": [0.3, 0, 0]}]}}]})",
     6, 24},
    {"smooth_surfaces", R"({"time": {"step": 0.01, "duration": 1}, "method": "BE", "bodies": [
      {"mesh": {"shape": "box", "size": [0.4, 0.1, 0.4], "cells": [4, 1, 4]}, "pin": "bottom",
       "material": {"young": 1e5, "poisson": 0.3}},
      {"mesh": {"shape": "sphere", "radius": 0.08, "resolution": 0.05}, "position": [0.2, 0.2, 0.2],
       "velocity": [0.5, -2, 0], "material": {"young": 1e5, "poisson": 0.3}}],
      "contact": {"surface": "smooth", "delta": 2e-3, "friction": 0.3}})",
     6, 18},
    {"inequalities", R"({"time": {"step": 0.01, "duration": 1}, "method": "BE", "bodies": [
      {"mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, "position": [0, 0.05, 0],
       "velocity": [0, -2, 0], "material": {"young": 1e5, "poisson": 0.3}}], "contact": {"formulation": "velocity"},
      "obstacles": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})",
     4, 12},
    {"thin_bodies", R"({"time": {"step": 0.005, "duration": 1}, "method": "BE", "bodies": [
      {"mesh": {"shape": "sheet", "size": [0.4, 0.4], "cells": [8, 8]}, "position": [0, 0.03, 0], "thickness": "2 mm",
       "material": {"young": 1e5, "poisson": 0.3, "density": 400}, "damping": {"stiffness": 0.001, "at": "frozen"}},
      {"mesh": {"shape": "chain", "from": [0, 0.1, 0.2], "to": [0.4, 0.1, 0.2], "segments": 12}, "thickness": "5 mm",
       "material": {"young": 1e6, "poisson": 0.3, "density": 900}}],
      "contact": {"delta": "2 mm", "friction": 0.3},
      "obstacles": [{"shape": "sphere", "center": [0.2, -0.1, 0.2], "radius": 0.12}]})",
     5, 20},
    {"gas_and_viscosity", R"({"time": {"step": 0.01, "duration": 1}, "method": "TR-BDF2", "bodies": [{"pin": "bottom",
      "mesh": {"shape": "shell", "radius": "5 cm", "length": "4 cm", "thickness": "8 mm", "layers": 1, "resolution": "2 cm"},
      "material": {"young": 1e5, "poisson": 0.4, "viscosity": [{"share": 0.3, "time": 0.05}]},
      "cavities": [{"gas": {"time": {"keys": [[0, 1], [0.2, 1.1]]}}}]}]})",
     4, 12},
    {"rigid_parts_and_a_load", R"({"time": {"step": 0.01, "duration": 1}, "method": "SDIRK", "bodies": [{"pin": "left",
      "mesh": {"shape": "box", "size": [0.6, 0.1, 0.1], "cells": [12, 2, 2]},
      "regions": {"bone": {"box": {"min": [0.35, 0, 0], "max": [0.45, 0.1, 0.1]}}},
      "materials": {"bone": {"young": 1e9, "poisson": 0.3}, "default": {"young": 1e6, "poisson": 0.4}},
      "rigid": [{"region": "bone"}], "loads": [{"nodes": "right", "total_force": [0, 0, 2], "time": {"sine": {"frequency": 3}}}]}]})",
     4, 12},
    {"releases", R"({"time": {"step": 0.01, "duration": 1}, "method": {"name": "SBDF2ERE", "modes": 9}, "bodies": [
      {"mesh": {"shape": "box", "size": [1, 0.3, 0.3], "cells": [6, 2, 2]}, "material": {"young": 1e5, "poisson": 0.3},
       "pin": ["left", {"nodes": "right", "until": 0.05}],
       "script": [{"nodes": {"box": {"min": [0.4, 0.2, -1], "max": [0.6, 1, 1]}}, "until": 0.12,
                   "keys": [{"time": 0}, {"time": 0.12, "translation": [0, 0.05, 0]}]}]}]})",
     5, 20},
    {"stitches", R"({"time": {"step": 0.01, "duration": 1}, "method": "TR-BDF2", "bodies": [
      {"name": "block", "mesh": {"shape": "box", "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]}, "pin": "left",
       "material": {"young": 1e7, "poisson": 0.3}},
      {"name": "tongue", "mesh": {"shape": "box", "size": [0.4, 0.06, 0.1], "cells": [12, 3, 4], "origin": [0.1, 0.02, 0]},
       "material": {"young": 3e5, "poisson": 0.4}}], "stitches": [{"body": "tongue", "nodes": "left", "to": "block"}]})",
     4, 12},
};

/// As it comes back from a file.
Snapshot through_a_file(const Snapshot& s) {
  return to_snapshot(parse_checkpoint(checkpoint_bytes(to_checkpoint(s, {}, {})), "checkpoint.bin"));
}

std::string snapshot_bytes(const Snapshot& s) { return checkpoint_bytes(to_checkpoint(s, {}, {})); }

class ResumedBits : public ::testing::TestWithParam<ResumedMotion> {
 protected:
  void SetUp() override {
    const bool inequalities = scene_.contact && scene_.contact->formulation != ContactChoice::Formulation::barrier;
    if (inequalities && !has_interior_point()) GTEST_SKIP() << "built without an interior-point solver";
  }

  Scene scene_ = read_scene(json::parse(GetParam().scene), vocabulary(), "");
};

TEST_P(ResumedBits, AreThoseOfTheMotionThatGoesOn) {
  const Model model = build_model(scene_);
  Simulation whole = build_simulation(scene_, model);
  for (int done = 0; done < GetParam().steps; done += GetParam().every) {
    const Snapshot from = whole.snapshot();
    const Model other = build_model(scene_);
    Simulation resumed = build_simulation(scene_, other);
    resumed.restore(through_a_file(from));
    for (int k = 0; k < GetParam().every; ++k) {
      const StepRecord a = whole.step(), b = resumed.step();
      ASSERT_EQ(whole.state().q, resumed.state().q) << "step " << done + k;
      ASSERT_EQ(whole.state().v, resumed.state().v) << "step " << done + k;
      ASSERT_EQ(whole.energies().total(), resumed.energies().total()) << "step " << done + k;
      ASSERT_EQ(a.newton_iterations, b.newton_iterations) << "step " << done + k;
      ASSERT_EQ(a.substeps.size(), b.substeps.size()) << "step " << done + k;
    }
    ASSERT_EQ(snapshot_bytes(whole.snapshot()), snapshot_bytes(resumed.snapshot())) << "step " << done;
  }
}

/// A simulation that has gone its own way is as good as a new one.
TEST_P(ResumedBits, DoNotDependOnWhatWasThereBefore) {
  const Model model = build_model(scene_), other = build_model(scene_);
  Simulation used = build_simulation(scene_, model), fresh = build_simulation(scene_, other);
  const int before = GetParam().steps / 3, after = GetParam().every;
  for (int k = 0; k < before; ++k) used.step();
  const Snapshot from = used.snapshot();
  for (int k = before; k < GetParam().steps; ++k) used.step();
  used.restore(from);
  fresh.restore(from);
  for (int k = 0; k < after; ++k) {
    used.step();
    fresh.step();
  }
  EXPECT_EQ(snapshot_bytes(used.snapshot()), snapshot_bytes(fresh.snapshot()));
}

INSTANTIATE_TEST_SUITE_P(Scenes, ResumedBits, ::testing::ValuesIn(resumed_motions),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace limber
