#pragma once
/// The beam of the paper at four sizes: 8 × 1 × 1 m, ν = .4, ρ = 1000 kg/m³, both ends pinned, h = .01 s, gravity.

#include <string>

#include "limber/scene/build/build.hpp"

namespace limber::bench {

struct Size {
  const char* name;
  std::array<int, 3> cells;
  int steps;  // measured a run
};
inline constexpr Size sizes[] = {
    {"2560", {32, 4, 4}, 100}, {"20k", {64, 8, 8}, 20}, {"70k", {96, 12, 12}, 8}, {"160k", {128, 16, 16}, 4}};

struct Stiffness {
  const char* name;
  double young;  // [Pa]
};
inline constexpr Stiffness stiffnesses[] = {{"soft", 1e5}, {"stiff", 1e8}};

inline Scene beam(const std::array<int, 3>& cells, double young, const std::string& method,
                  const std::string& material = "stable_neo_hookean") {
  Scene scene;
  scene.time = {0.01, 5};
  scene.method.name = method;
  BodyChoice body;
  body.where = "bodies[0]";
  body.name = "beam";
  BoxShape box;
  box.size = {8, 1, 1};
  box.cells = cells;
  body.mesh = box;
  MaterialChoice m;
  m.where = "bodies[0].material";
  m.model = material;
  m.density = 1000;
  m.parameters = {{"young", young}, {"poisson", 0.4}};
  body.materials["default"] = m;
  body.pin = {"bodies[0].pin", {{"bodies[0].pin[0]", Side::left}, {"bodies[0].pin[1]", Side::right}}};
  scene.bodies.push_back(body);
  return scene;
}

/// Of modes_bench.cpp.
void add_modes_benchmarks();

}  // namespace limber::bench
