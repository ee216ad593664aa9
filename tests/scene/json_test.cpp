#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "limber/core/errors.hpp"
#include "scene/samples.hpp"

namespace limber {
namespace {

std::string parse_error(const std::string& text) {
  return error_of([&] { parse_json(text, "s.json"); });
}

nlohmann::json changed(nlohmann::json json, const std::string& assignment) {
  apply_override(json, assignment);
  return json;
}

std::string override_error(const std::string& assignment) {
  return error_of([&] { changed(sample("full.json"), assignment); });
}

}  // namespace

TEST(Json, SyntaxErrorsNameLineAndColumn) {
  EXPECT_EQ(parse_error("{\n  \"a\": 1,\n  \"b\": oops\n}").rfind("s.json:3:8: ", 0), 0u)
      << parse_error("{\n  \"a\": 1,\n  \"b\": oops\n}");
  EXPECT_EQ(parse_error("{\"a\": 1,}").rfind("s.json:1:9: ", 0), 0u) << parse_error("{\"a\": 1,}");
  EXPECT_EQ(parse_error("").rfind("s.json:1:1: ", 0), 0u);
  EXPECT_EQ(parse_error("{\n\"a\": [0, NaN]}").rfind("s.json:2:", 0), 0u);
  EXPECT_EQ(parse_error("{\n\"a\": 1e999}"), "s.json:2:6: number overflow parsing '1e999'");
}

TEST(Json, AKeyThatStandsTwiceIsAnError) {
  EXPECT_EQ(parse_error("{\"a\": 1, \"a\": 2}"), "s.json: the key 'a' stands twice");
  EXPECT_EQ(parse_error("{\"b\": [1, [2], {}, {\"c\": {\"d\": 1}, \"e\": 5, \"c\": 2}]}"),
            "s.json: the key 'b[3].c' stands twice");
  EXPECT_EQ(parse_error("{\"a\": {\"x\": 1}, \"b\": {\"x\": 1}, \"c\": [{\"x\": 1}, {\"x\": 2}]}"), "");
}

TEST(Json, DeepNestingIsAnError) {
  EXPECT_EQ(parse_error(std::string(1000000, '[')), "s.json: is nested more than 100 levels deep");
}

TEST(Json, AMissingFileIsAnError) {
  EXPECT_EQ(error_of([] { load_json("no/such.json"); }), "no/such.json: there is no such file");
  EXPECT_EQ(error_of([] { load_json(LIMBER_SOURCE_DIR); }),
            std::string(LIMBER_SOURCE_DIR) + ": is a folder, not a scene file (JSON)");
}

TEST(Override, SetsValuesByPath) {
  const auto full = sample("full.json");
  EXPECT_EQ(changed(full, "time.step=0.5")["time"]["step"], 0.5);
  EXPECT_EQ(changed(full, "time.step=5 ms")["time"]["step"], "5 ms");
  EXPECT_EQ(changed(full, "bodies[1].point_mass[2]=9")["bodies"][1]["point_mass"][2], 9);
  EXPECT_EQ(
      changed(
          full,
          "bodies[0].targets[0].keys[1].positions[1][0]=4")["bodies"][0]["targets"][0]["keys"][1]["positions"][1][0],
      4);
  EXPECT_EQ(changed(full, "gravity=[0, 0, 0]")["gravity"], (nlohmann::json{0, 0, 0}));
  EXPECT_EQ(changed(full, "output.directory=a=b")["output"]["directory"], "a=b");
  EXPECT_EQ(changed(full, "method=BE")["method"], "BE");
}

TEST(Override, MakesObjectsThatAreMissing) {
  EXPECT_EQ(changed(sample("least.json"), "output.fps=24")["output"], (nlohmann::json{{"fps", 24}}));
  EXPECT_EQ(changed(sample("variants.json"), "method.newton_tolerance=1e-9")["method"],
            (nlohmann::json{{"name", "tr-bdf2"}, {"newton_tolerance", 1e-9}}));
}

TEST(Override, ErrorsNameTheSegment) {
  EXPECT_EQ(override_error("time.step"), "time.step: expected key=value, for example time.step=0.01");
  EXPECT_EQ(override_error("=3"), "=3: expected key=value, for example time.step=0.01");
  EXPECT_EQ(override_error("bodies[4].name=x"), "bodies: [4] is out of range: the list has 4 elements");
  EXPECT_EQ(override_error("bodies.name=x"), "bodies: is not an object, so it has no key 'name'");
  EXPECT_EQ(override_error("time[0]=x"), "time: is not a list, so it has no [0]");
  EXPECT_EQ(override_error("time.duration.x=1"), "time.duration: is not an object, so it has no key 'x'");
  EXPECT_EQ(override_error("bodies[x].name=1"), "bodies[x].name: '[x]' is not the number of a list's element");
  EXPECT_EQ(override_error("bodies[0.name=1"), "bodies[0.name: 'bodies[0' has unbalanced brackets");
  EXPECT_EQ(override_error("bodies[0]x=1"), "bodies[0]x: 'bodies[0]x' has unbalanced brackets");
  for (const char* wrong : {"a..b=1", ".a=1", "a.=1"}) EXPECT_NE(override_error(wrong), "") << wrong;
}

TEST(Override, UnknownKeysAreLeftToTheReader) {
  const auto json = changed(sample("least.json"), "time.stpe=1");
  EXPECT_EQ(error_of([&] { read_sample(json); }), "time.stpe: unknown key 'stpe'; did you mean 'step'?");
}

TEST(Document, IsLoadedChangedAndWritten) {
  Document scene = Document::parse(R"({"time": {"step": 0.1}, "method": "BE"})", "here");
  const Document before = scene;
  scene.set("time.step=0.2");
  scene.set("method.name=TR");
  EXPECT_EQ(Document::parse(scene.text(), "back").text(), scene.text());
  EXPECT_EQ(json_of(scene), nlohmann::json::parse(R"({"time": {"step": 0.2}, "method": {"name": "TR"}})"));
  EXPECT_EQ(json_of(before)["time"]["step"], 0.1);  // copies are apart
  EXPECT_EQ(error_of([&] { scene.set("time"); }), "time: expected key=value, for example time.step=0.01");
  EXPECT_EQ(error_of([] { Document::parse("{", "here"); }).rfind("here:1:2: ", 0), 0u);
  EXPECT_EQ(Document().text(), "{}");
}

TEST(Document, IsWrittenWhateverItHolds) {
  const Document odd = document_of({{"steps", 500}, {"loss", std::nan("")}, {"name", "a\xff"}});
  const auto back = nlohmann::json::parse(odd.text());
  EXPECT_EQ(back["steps"], 500);
  EXPECT_TRUE(back["loss"].is_null());
}

}  // namespace limber
