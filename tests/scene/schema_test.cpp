#include "limber/scene/schema.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "scene/samples.hpp"

namespace limber {
namespace {

nlohmann::json published() { return load_json(std::string(LIMBER_SOURCE_DIR) + "/docs/scene.schema.json"); }

std::set<std::string> names_in(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

}  // namespace

TEST(Schema, HasExactlyTheKeysOfTheReader) {
  const auto defs = published()["$defs"];
  for (const auto& [section, keys] : known_sections()) {
    ASSERT_TRUE(defs.contains(section)) << section;
    std::set<std::string> all, required;
    for (const auto& key : keys) {
      all.insert(key.name);
      if (key.kind == KnownKey::Kind::required) required.insert(key.name);
    }
    EXPECT_EQ(names_in(defs[section]["properties"]), all) << section;
    EXPECT_EQ(defs[section].value("required", std::set<std::string>{}), required) << section;
    EXPECT_EQ(defs[section]["additionalProperties"], false) << section;
  }
  for (const auto& [name, def] : defs.items())
    EXPECT_EQ(def.contains("properties"), known_sections().contains(name)) << name;
}

TEST(Schema, HasExactlyTheWordsOfTheReader) {
  const auto defs = published()["$defs"];
  for (const auto& [kind, words] : known_words()) EXPECT_EQ(defs[kind]["enum"], nlohmann::json(words)) << kind;
  for (const auto& [name, def] : defs.items()) EXPECT_EQ(def.contains("enum"), known_words().contains(name)) << name;
}

/// Each section stands under a heading with its name in backquotes, with one row for each key.
TEST(Schema, EveryKeyIsExplained) {
  std::ifstream file(std::string(LIMBER_SOURCE_DIR) + "/docs/scene.md");
  std::map<std::string, std::set<std::string>> explained;
  std::vector<std::string> sections;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) {
      sections.clear();
      const auto open = line.find("<!-- "), close = line.find(" -->");
      if (open == std::string::npos) continue;
      std::istringstream names(line.substr(open + 5, close - open - 5));
      for (std::string name; names >> name;) sections.push_back(name);
    }
    if (line.starts_with("| `"))
      for (const auto& section : sections) explained[section].insert(line.substr(3, line.find('`', 3) - 3));
  }
  for (const auto& [section, keys] : known_sections())
    for (const auto& key : keys) EXPECT_TRUE(explained[section].contains(key.name)) << section << "." << key.name;
  for (const auto& [section, keys] : explained) EXPECT_TRUE(known_sections().contains(section)) << section;
}

TEST(Schema, DefaultsAreTheReaders) {
  const auto defs = published()["$defs"];
  const Scene scene = read_sample(sample("least.json"));
  const auto value = [&](const char* section, const char* key) { return defs[section]["properties"][key]["default"]; };
  EXPECT_EQ(value("method", "name"), scene.method.name);
  EXPECT_EQ(value("method", "newton_tolerance"), scene.method.newton_tolerance);
  EXPECT_EQ(value("method", "solver"), scene.method.solver);
  EXPECT_EQ(value("method", "merit"), scene.method.merit);
  EXPECT_EQ(value("method", "residual_scaling"), scene.method.residual_scaling);
  EXPECT_EQ(value("method", "nonlinear"), scene.method.nonlinear);
  EXPECT_EQ(value("scene", "gravity")[1], scene.gravity.y());
  EXPECT_EQ(value("material", "model"), scene.bodies[0].materials.at("default").model);
  EXPECT_EQ(value("material", "density"), scene.bodies[0].materials.at("default").density);
  EXPECT_EQ(value("wind", "drag"), WindChoice().drag);
  EXPECT_EQ(value("wind", "density"), WindChoice().density);
  EXPECT_EQ(value("body", "scale"), scene.bodies[0].scale);
  EXPECT_EQ(value("scene", "threads"), scene.threads);
  EXPECT_EQ(value("output", "velocities"), scene.output.velocities);
  EXPECT_EQ(value("body", "thickness"), scene.bodies[0].thickness);
  EXPECT_EQ(value("contact", "friction"), ContactChoice().friction);
  EXPECT_EQ(value("contact", "epsilon"), ContactChoice().epsilon);
  EXPECT_EQ(value("contact", "self"), ContactChoice().self);
  EXPECT_EQ(value("obstacle_mesh", "resolution"), ObstacleChoice().resolution);
  EXPECT_EQ(value("obstacle_mesh", "scale"), ObstacleChoice().scale);
  const auto word = [&](const char* section, const char* key, const char* kind, auto choice) {
    EXPECT_EQ(value(section, key), known_words().at(kind).at(static_cast<std::size_t>(choice))) << key;
  };
  word("contact", "formulation", "formulation", ContactChoice().formulation);
  word("contact", "friction_form", "friction_form", ContactChoice().friction_form);
  word("contact", "surface", "contact_surface", ContactChoice().surface);
  word("contact", "start", "contact_start", ContactChoice().start);
  word("obstacle_mesh", "form", "obstacle_form", ObstacleChoice().form);
}

}  // namespace limber
