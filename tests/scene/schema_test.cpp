#include "limber/scene/schema.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "limber/scene/wind.hpp"
#include "scene/samples.hpp"

namespace limber {
namespace {

nlohmann::json published() { return load_json(std::string(LIMBER_SOURCE_DIR) + "/docs/scene.schema.json"); }

std::set<std::string> names_in(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

bool is_section(const std::string& name) {
  const auto& all = known_sections();
  return std::any_of(all.begin(), all.end(), [&](const SectionTable& s) { return s.name == name; });
}

std::string text_of_file(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(LIMBER_SOURCE_DIR) + "/" + name).rdbuf();
  return text.str();
}

}  // namespace

/// `make scene-docs` writes both.
TEST(Schema, DocumentsAreMadeOfTheTables) {
  EXPECT_TRUE(text_of_file("docs/scene.schema.json") == scene_schema()) << "run make scene-docs";
  const std::string page = text_of_file("docs/scene.md");
  EXPECT_TRUE(page == with_key_tables(page)) << "run make scene-docs";
}

TEST(Schema, TablesGoUnderTheirHeadings) {
  std::string page;
  for (const auto& section : known_sections())
    page += "## S <!-- " + section.name + " -->\n\n| key | what | default |\n| `old` | | |\n\nText.\n";
  const std::string renewed = with_key_tables(page);
  EXPECT_EQ(renewed.find("`old`"), std::string::npos);
  EXPECT_NE(renewed.find("## S <!-- camera -->\n\n| key | what | default |\n|---|---|---|\n| `position` | where the "
                         "camera stands [m]; y is up | so that the whole motion is seen, a little from above |\n"),
            std::string::npos);
  EXPECT_NE(renewed.find("| `epsilon` | ε [m/s], positive: sliding speed from which friction is fully developed | "
                         "`0.001` |\n"),
            std::string::npos);
  EXPECT_EQ(with_key_tables(renewed), renewed);
  EXPECT_EQ(error_of([&] { with_key_tables(page + "## T <!-- tme -->\n| key | what | default |\n"); }),
            "scene.md: there is no section 'tme'");
  EXPECT_EQ(error_of([&] { with_key_tables(page.substr(page.find("## S", 1))); })
                .rfind("scene.md: has no table of the "
                       "section 'scene'",
                       0),
            0u);
}

/// What is printed of a form is what it takes: wrong values for it are refused, by a message with the path.
TEST(Schema, FormsRefuseWhatTheyDoNotSay) {
  const auto refused = [](const KnownKey& key, const nlohmann::json& value) {
    const JsonCursor place(value, "path");
    const auto read = [&](auto member) { read_value(place, key.form, member); };
    const std::string error = error_of([&] {
      switch (key.form.kind) {
        case limber::Form::Kind::number:
          return read(0.0);
        case limber::Form::Kind::vector:
          return read(Vec3(0, 0, 0));
        case limber::Form::Kind::whole:
          return read(0);
        case limber::Form::Kind::flag:
          return read(false);
        case limber::Form::Kind::points:
          return read(std::vector<Vec3>());
        case limber::Form::Kind::text:
        case limber::Form::Kind::word:
        case limber::Form::Kind::file:
        case limber::Form::Kind::run_folder:
          return read(std::string());
        case limber::Form::Kind::files:
        case limber::Form::Kind::other:
          throw std::runtime_error("path: read by hand");
      }
    });
    return error.starts_with("path");
  };
  for (const SectionTable& section : known_sections())
    for (const KnownKey& key : section.rows) {
      SCOPED_TRACE(section.name + "." + key.name);
      EXPECT_TRUE(refused(key, nullptr));
      EXPECT_TRUE(refused(key, nlohmann::json::object()));
      if (key.form.kind == limber::Form::Kind::whole) {
        EXPECT_TRUE(refused(key, key.form.least - 1));
        EXPECT_FALSE(refused(key, key.form.least));
      }
      if (key.form.kind != limber::Form::Kind::number) continue;
      const Range& r = key.form.range;
      for (const auto& [end, inward] : {std::pair{r.low, 1e-9}, std::pair{r.high, -1e-9}}) {
        if (!std::isfinite(end)) continue;
        const bool closed = end == r.low ? r.ends != Range::Ends::open : r.ends == Range::Ends::closed;
        EXPECT_EQ(refused(key, end), !closed) << end;
        EXPECT_TRUE(refused(key, end - inward)) << end;
      }
    }
}

TEST(Schema, HasExactlyTheKeysOfTheReader) {
  const auto defs = published()["$defs"];
  for (const auto& [section, keys, exclusive, also] : known_sections()) {
    ASSERT_TRUE(defs.contains(section)) << section;
    std::set<std::string> all, required;
    for (const auto& key : keys) {
      EXPECT_TRUE(all.insert(key.name).second) << section << "." << key.name << " stands twice";
      if (key.kind == KnownKey::Kind::required) required.insert(key.name);
    }
    EXPECT_EQ(names_in(defs[section]["properties"]), all) << section;
    EXPECT_EQ(defs[section].value("required", std::set<std::string>{}), required) << section;
    EXPECT_EQ(defs[section]["additionalProperties"], false) << section;
  }
  for (const auto& [name, def] : defs.items()) EXPECT_EQ(def.contains("properties"), is_section(name)) << name;
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
  for (const SectionTable& section : known_sections())
    for (const auto& key : section.rows)
      EXPECT_TRUE(explained[section.name].contains(key.name)) << section.name << "." << key.name;
  for (const auto& [section, keys] : explained) EXPECT_TRUE(is_section(section)) << section;
}

TEST(Schema, DefaultsAreTheReaders) {
  const auto defs = published()["$defs"];
  const Scene scene = read_sample(sample("least.json"));
  const auto value = [&](const char* section, const char* key) { return defs[section]["properties"][key]["default"]; };
  EXPECT_EQ(value("method", "name"), scene.method.name);
  EXPECT_EQ(value("method", "newton_tolerance"), scene.method.newton_tolerance);
  EXPECT_EQ(value("method", "solver"), scene.method.solver);
  EXPECT_EQ(value("method", "merit"), "auto");
  EXPECT_EQ(scene.method.merit, Merit::automatic);
  EXPECT_EQ(value("method", "residual_scaling"), "mass");
  EXPECT_EQ(scene.method.residual_scaling, ResidualScaling::mass);
  EXPECT_EQ(value("method", "nonlinear"), "newton");
  EXPECT_EQ(scene.method.nonlinear, NonlinearSolver::newton);
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
