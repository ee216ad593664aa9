#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/scene/schema.hpp"
#include "scene/samples.hpp"

namespace limber {

/// "<keys of time>" stands for the list of this section's keys, so that samples stay as they are when it grows.
std::string with_key_lists(std::string text) {
  for (const SectionTable& section : known_sections())
    if (const std::string list = "<keys of " + section.name + ">"; text.find(list) != text.npos)
      text.replace(text.find(list), list.size(), join(key_names(section.name)));
  return text;
}

/// An expected error that ends in "..." tells only the path; other rooms word the rest.
TEST(BadScenes, FailWithTheKeysPath) {
  for (const auto& file : json_files(samples() / "bad"))
    for (const auto& wrong : load_json(file.string())) {
      const std::string expected = with_key_lists(wrong["error"]),
                        got = error_of([&] { read_sample(wrong_scene(wrong)); });
      if (expected.ends_with("..."))
        EXPECT_EQ(got.substr(0, expected.size() - 3) + "...", expected) << file << wrong;
      else
        EXPECT_EQ(got, expected) << file << wrong;
    }
}

/// Numbers, words and the like are refused by the form in their table (Schema.FormsRefuseWhatTheyDoNotSay).
TEST(BadScenes, ThereIsOneForEveryKeyThatIsReadByHand) {
  std::set<std::string> covered;
  for (const auto& file : json_files(samples() / "bad"))
    for (const auto& wrong : load_json(file.string())) covered.insert(wrong["key"].get<std::string>());
  for (const SectionTable& section : known_sections())
    for (const auto& key : section.rows)
      EXPECT_TRUE(key.form.kind != limber::Form::Kind::other || covered.contains(section.name + "." + key.name))
          << section.name << "." << key.name;
}

TEST(BadScenes, NotFiniteNumbersFromAProgram) {
  for (const double x : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto scene = sample("full.json");
    scene["bodies"][0]["material"]["poisson"] = x;
    EXPECT_EQ(error_of([&] { read_sample(scene); }),
              "bodies[0].material.poisson: " + std::to_string(x) + " is not finite");
    scene = sample("full.json");
    scene["bodies"][2]["mesh"]["nodes"][3][1] = x;
    EXPECT_EQ(error_of([&] { read_sample(scene); }),
              "bodies[2].mesh.nodes[3][1]: " + std::to_string(x) + " is not finite");
    scene = sample("full.json");
    scene["threads"] = x;
    EXPECT_EQ(error_of([&] { read_sample(scene); }).rfind("threads: ", 0), 0u);
  }
}

TEST(BadScenes, ASceneIsAnObject) {
  EXPECT_EQ(error_of([] { read_sample(nlohmann::json::array()); }), "scene: expected an object {…}, got []");
}

TEST(BadScenes, LongValuesAreCut) {
  auto scene = sample("least.json");
  scene["time"] = std::string(1000, 'x');
  EXPECT_LT(error_of([&] { read_sample(scene); }).size(), 150u);
  // The cut must not fall inside a character of several bytes: Python could not decode the message.
  for (const char* shift : {"", "x"}) {
    std::string text = shift;
    for (int i = 0; i < 100; ++i) text += "é";
    scene["time"] = text;
    const std::string error = error_of([&] { read_sample(scene); });
    EXPECT_EQ(error.substr(error.size() - 5), "é...") << error;
  }
}

TEST(BadScenes, AMethodThatCannotSplitOffModesSaysWhy) {
  auto scene = sample("least.json");
  Vocabulary words = test_vocabulary();
  words.without_modes["newmark"] = "there is no frame that moves with them";
  for (const char* name : {"newmarkERE", "Newmark-ERE"}) {
    scene["method"] = name;
    EXPECT_EQ(error_of([&] { read_scene(scene, words, ""); }), "method: there is no frame that moves with them");
  }
  for (const auto& [key, value] : {std::pair<const char*, nlohmann::json>{"modes", 3}, {"refresh", "once"}}) {
    scene["method"] = {{"name", "newmark"}, {key, value}};
    EXPECT_EQ(error_of([&] { read_scene(scene, words, ""); }),
              std::string("method.") + key + ": there is no frame that moves with them");
    scene["method"]["name"] = "BE";
    EXPECT_NO_THROW(read_scene(scene, words, ""));
  }
}

}  // namespace limber
