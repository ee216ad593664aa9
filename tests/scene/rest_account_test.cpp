/// A body at rest, whose elastic energy is nothing but rounding, raises no alarm; one that moves slowly is watched.

#include <gtest/gtest.h>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

using nlohmann::json;

TEST(RestAccount, RoundingIsNoGain) {
  json scene = json::parse(R"({"time": {"step": 0.00385, "duration": 0.0154}, "method": "BE", "gravity": [0, 0, 0],
    "bodies": [{"element": "P2", "mesh": {"shape": "box", "size": [0.69, 0.37, 0.39], "cells": [1, 2, 1]},
                "material": {"model": "mooney_rivlin", "c10": 24780, "c01": 6195, "bulk": 61930000, "density": 154.5}}]})");
  for (const double stiffer : {1.0, 1e4})
    for (const double far : {0.0, 5.0}) {
      auto& body = scene["bodies"][0];
      body["material"]["c10"] = 24780 * stiffer;
      body["material"]["c01"] = 6195 * stiffer;
      body["material"]["bulk"] = 61930000 * stiffer;
      body["position"] = {far, 0, far};
      const Scene read = read_scene(scene, vocabulary(), "");
      const Model model = build_model(read);
      Simulation s = build_simulation(read, model);
      const double rounding = elastic_rounding(*model.system, model.start);
      EXPECT_GT(rounding, 0);
      // A wave of 1e-6 of the body's size in its strain would be far above it.
      EXPECT_LT(rounding, 1e-12 * 6e7 * stiffer * .1);
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(s.step().remarks.empty());
      EXPECT_EQ(s.account().share(), 0);
    }
}

}  // namespace
}  // namespace limber
