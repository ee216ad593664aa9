/// Impacts create no energy, whatever the method: a small soft cube falls on its edge, with friction.

#include <gtest/gtest.h>

#include <cctype>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/time/catalog.hpp"

namespace limber {
namespace {

using nlohmann::json;

struct Fall {
  std::string method;
  double step;
};

std::vector<Fall> falls() {
  std::vector<Fall> list;
  for (const MethodInfo& m : method_catalog())
    if (m.splitting != Splitting::printed)  // they take no contact
      for (const double h : {.01, .002}) list.push_back({m.name, h});
  return list;
}

class Impact : public ::testing::TestWithParam<Fall> {};

TEST_P(Impact, CreatesNoEnergy) {
  json scene = json::parse(R"({
    "time": {"step": 0.01, "duration": 0.3},
    "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [0.5, 0.5, 0.5], "cells": [2, 2, 2]},
                "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000},
                "position": [0, 0.3, 0], "rotation": [0.5, 0.3, 0], "velocity": [0, -1, 0]}],
    "contact": {"friction": 0.5},
    "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})");
  scene["method"] = GetParam().method;
  scene["time"]["step"] = GetParam().step;
  const Scene read = read_scene(scene, vocabulary(), "");
  const Model model = build_model(read);
  Simulation simulation = build_simulation(read, model);
  double kinetic = 0;
  bool touched = false;
  const Energies start = simulation.energies();
  double highest = start.total();
  while (simulation.time() < read.time.duration - GetParam().step / 2) {
    simulation.step();
    const Energies e = simulation.energies();
    kinetic = std::max(kinetic, e.kinetic);
    highest = std::max(highest, e.total());
    touched = touched || e.contact > 0;
  }
  EXPECT_TRUE(touched);
  const bool hybrid = simulation.method().kind == MethodKind::hybrid;
  EXPECT_LT(simulation.account().gain(), (hybrid ? .01 : .001) * kinetic);
  // Nothing was put in, but for what contact learnt.
  EXPECT_LT(highest - start.total(), (hybrid ? .01 : .001) * kinetic);
}

INSTANTIATE_TEST_SUITE_P(Catalog, Impact, ::testing::ValuesIn(falls()), [](const auto& info) {
  std::string name = info.param.method + (info.param.step > .005 ? "_10ms" : "_2ms");
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace limber
