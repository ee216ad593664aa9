#include "limber/scene/construction/unusual.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "limber/scene/json.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;

/// A box of 1 m that flies, with keys put in by their JSON pointers.
std::vector<std::string> notes_with(const std::vector<std::pair<std::string, nlohmann::json>>& puts) {
  auto json = nlohmann::json::parse(R"({
    "time": {"step": 0.01, "duration": 0.1},
    "bodies": [{"mesh": {"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]},
                "material": {"young": 1e5, "poisson": 0.3, "density": 1000}}]})");
  for (const auto& [pointer, value] : puts) json[nlohmann::json::json_pointer(pointer)] = value;
  const Scene scene = read_scene(json, vocabulary(), "");
  return unusual_numbers(scene, build_model(scene));
}

/// One note, which names all of these.
void expect_note(const std::vector<std::string>& notes, const std::vector<std::string>& words) {
  ASSERT_EQ(notes.size(), 1u) << ::testing::PrintToString(notes);
  for (const auto& word : words) EXPECT_NE(notes[0].find(word), std::string::npos) << word << "\n" << notes[0];
}

/// An octahedron with corners so far from its middle.
std::string octahedron(double radius) {
  const fs::path path = fs::temp_directory_path() / fmt::format("limber_octahedron_{}.obj", radius);
  std::ofstream file(path);
  for (int axis = 0; axis < 3; ++axis)
    for (const int sign : {1, -1})
      file << "v " << (axis == 0) * sign * radius << " " << (axis == 1) * sign * radius << " "
           << (axis == 2) * sign * radius << "\n";
  file << "f 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";
  return path.string();
}

TEST(Unusual, NumbersAsTheyShouldBe) { EXPECT_EQ(notes_with({}), std::vector<std::string>{}); }

TEST(Unusual, Moduli) {
  expect_note(notes_with({{"/bodies/0/material/young", 100}}),
              {"bodies[0].material.young", "100 Pa", "gelatine", "\"100 kPa\""});
  EXPECT_TRUE(notes_with({{"/bodies/0/material/young", 500}}).empty());
  expect_note(notes_with({{"/bodies/0/material/young", 2e14}}), {"bodies[0].material.young", "2e+14 Pa", "steel"});
}

TEST(Unusual, Densities) {
  expect_note(notes_with({{"/bodies/0/material/density", 1}}), {"bodies[0].material.density", "1 kg/m³", "water 1000"});
  EXPECT_TRUE(notes_with({{"/bodies/0/material/density", 15}}).empty());
  expect_note(notes_with({{"/bodies/0/material/density", 1e6}}), {"bodies[0].material.density", "osmium"});
}

TEST(Unusual, Rotations) {
  expect_note(notes_with({{"/bodies/0/rotation", {0, 90, 0}}}), {"bodies[0].rotation", "90 rad", "\"90 deg\""});
  EXPECT_TRUE(notes_with({{"/bodies/0/rotation", {0, "90 deg", 6.28}}}).empty());
  expect_note(notes_with({{"/contact", nlohmann::json::object()},
                          {"/obstacles",
                           {{{"name", "wall"},
                             {"shape", "box"},
                             {"center", {5, 0, 0}},
                             {"size", {1, 1, 1}},
                             {"rotation", {45, 0, 0}}}}}}),
              {"obstacles[0].rotation", "45 rad"});
}

TEST(Unusual, SizesAndMasses) {
  const auto filled = [](double radius, const nlohmann::json& scale) {
    const auto notes = notes_with({{"/bodies/0/mesh", {{"surface", octahedron(radius)}, {"resolution", radius / 5}}},
                                   {"/bodies/0/scale", scale}});
    fs::remove(octahedron(radius));
    return notes;
  };
  expect_note(filled(100, 1), {"bodies[0].scale", "m long", "millimetres", "0.001"});
  EXPECT_TRUE(filled(100, 0.001).empty());
  expect_note(filled(20, 1), {"bodies[0]: its mass is", "kg/m³"});
  expect_note(filled(0.1, 0.001), {"bodies[0].scale", "only 0.0001"});
  expect_note(notes_with({{"/bodies/0/mesh/size", {200, 200, 200}}}), {"bodies[0]", "8e+09 kg"});
  EXPECT_TRUE(notes_with({{"/bodies/0/mesh/size", {200, 5, 5}}}).empty());
}

TEST(Unusual, DampingRatiosOfAFreeBody) {
  const nlohmann::json ratios = {{1, 0.05}, {10, 0.05}};
  expect_note(
      notes_with({{"/bodies/0/damping/ratios", ratios}}),
      {"bodies[0].damping.ratios", "0.571 1/s", "brakes the flight", "1.21 s"});  // α = 2 · 0.05 · 2π · 1 · 10/11
  EXPECT_TRUE(notes_with({{"/bodies/0/damping/ratios", ratios}, {"/bodies/0/pin", {"left"}}}).empty());
  EXPECT_TRUE(notes_with({{"/bodies/0/damping/mass", 0.5}}).empty());
  EXPECT_TRUE(notes_with({{"/bodies/0/damping/stiffness", 0.01}}).empty());
}

TEST(Unusual, NoneOfTheScenesThatComeWithLimber) {
  int scenes = 0;
  for (const auto& entry : fs::directory_iterator(LIMBER_SOURCE_DIR "/scenes")) {
    if (entry.path().extension() != ".json") continue;
    const Scene scene = load_scene(entry.path().string());
    EXPECT_EQ(unusual_numbers(scene, build_model(scene)), std::vector<std::string>{}) << entry.path();
    ++scenes;
  }
  EXPECT_GE(scenes, 19);
}

TEST(Unusual, NothingDampsByDefault) {
  const auto damped = [](const char* body) {
    return has_damping(read_scene(
        {{"time", {{"step", 0.01}, {"duration", 0.1}}}, {"bodies", {nlohmann::json::parse(body)}}}, vocabulary(), ""));
  };
  EXPECT_FALSE(damped(R"({"mesh": {"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]},
                          "material": {"young": 1e5, "poisson": 0.3}})"));
  EXPECT_TRUE(damped(R"({"mesh": {"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]},
                         "material": {"young": 1e5, "poisson": 0.3}, "damping": {"mass": 1}})"));
}

}  // namespace
}  // namespace limber
