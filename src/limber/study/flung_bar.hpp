#pragma once  // internal
/// A scene that is hard on semi-implicit methods: a bar of soft rubber, held at its left end, whose rest is flung
/// upwards, so that it bends over, whips back and swings.

#include <nlohmann/json.hpp>

namespace limber {

/// 1 × .2 × .2 m, E = 100 kPa, ν = .4, stable neo-Hookean, 200 tetrahedra, no damping. speed [m/s], h [s], duration
/// [s].
inline nlohmann::json flung_bar(double speed, double h, double duration) {
  return {{"time", {{"step", h}, {"duration", duration}}},
          {"gravity", {0, -9.81, 0}},
          {"bodies",
           {{{"name", "bar"},
             {"mesh", {{"shape", "box"}, {"size", {1, 0.2, 0.2}}, {"cells", {10, 2, 2}}, {"split", "five"}}},
             {"material", {{"model", "stable_neo_hookean"}, {"young", 1e5}, {"poisson", 0.4}, {"density", 1000}}},
             {"pin", {"left"}},
             {"velocity", {0, speed, 0}}}}}};
}

}  // namespace limber
