#include "limber/scene/scene_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "limber/core/errors.hpp"
#include "limber/record/temporary_directory.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

using Json = nlohmann::json;

/// A file at each key that names one, and words that are none at keys of the same name.
Document scene_of_files() {
  return Document::parse(R"({
    "time": {"step": 0.01, "duration": 1},
    "contact": {"surface": "smooth"},
    "start": {"run": "runs/a"},
    "bodies": [{"name": "file", "mesh": {"file": "m/x.msh"}, "material": {"young": 1e5, "poisson": 0.4}},
               {"mesh": {"surface": "../s.obj", "tets": 100}, "material": {"young": 1e5, "poisson": 0.4}}],
    "obstacles": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
                  {"shape": "mesh", "file": "o.stl"},
                  {"shape": "mesh", "sequence": {"files": ["w_1.obj", "w/w_2.obj"], "fps": 10}},
                  {"shape": "mesh", "sequence": {"files": "none_*.obj", "fps": 10}}]})",
                         "scene.json");
}

TEST(SceneFiles, TheTablesSayWhichKeysNameThem) {
  std::vector<std::string> keys;
  for (const SectionTable& section : known_sections())
    for (const AnyKey& row : section.rows)
      if (row.form.kind == Form::Kind::file || row.form.kind == Form::Kind::files ||
          row.form.kind == Form::Kind::run_folder)
        keys.push_back(section.name + "." + row.name);
  EXPECT_EQ(keys, (std::vector<std::string>{"start.run", "mesh_surface.surface", "mesh_file.file", "obstacle_mesh.file",
                                            "sequence.files"}));
}

TEST(SceneFiles, BecomeAbsoluteWhereverTheyStand) {
  const Document scene = with_absolute_paths(scene_of_files(), "/scenes/here");
  const Json& json = json_of(scene);
  EXPECT_EQ(json["bodies"][0]["mesh"]["file"], "/scenes/here/m/x.msh");
  EXPECT_EQ(json["bodies"][0]["name"], "file");
  EXPECT_EQ(json["bodies"][1]["mesh"]["surface"], "/scenes/s.obj");
  EXPECT_EQ(json["contact"]["surface"], "smooth");
  EXPECT_EQ(json["start"]["run"], "/scenes/here/runs/a");
  EXPECT_EQ(json["obstacles"][1]["file"], "/scenes/here/o.stl");
  EXPECT_EQ(json["obstacles"][2]["sequence"]["files"], Json({"/scenes/here/w_1.obj", "/scenes/here/w/w_2.obj"}));
  EXPECT_EQ(json["obstacles"][3]["sequence"]["files"], "/scenes/here/none_*.obj");
  EXPECT_EQ(files_named_in(scene),
            (std::vector<std::string>{"/scenes/here/m/x.msh", "/scenes/s.obj", "/scenes/here/o.stl",
                                      "/scenes/here/w_1.obj", "/scenes/here/w/w_2.obj", "/scenes/here/none_*.obj",
                                      "/scenes/here/runs/a", "/scenes/here/runs/a/trajectory.h5"}));
}

TEST(SceneFiles, APatternIsOnlyExpandedWhereOneMayLook) {
  const TemporaryDirectory folder;
  for (const char* name : {"w_2.obj", "w_10.obj", "w_1.obj"}) std::ofstream(folder.path() / name) << "";
  const Document scene = Document::parse(
      R"({"obstacles": [{"shape": "mesh", "sequence": {"files": "w_*.obj", "fps": 10}}]})", "scene.json");
  const std::string here = std::filesystem::canonical(folder.path()).string();
  const Document whole = with_absolute_paths(scene, here);
  EXPECT_EQ(json_of(whole)["obstacles"][0]["sequence"]["files"],
            Json({here + "/w_1.obj", here + "/w_2.obj", here + "/w_10.obj"}));
  try {
    with_absolute_paths(scene, here, FileAccess({"/nowhere"}, {}));
    FAIL() << "it looked";
  } catch (const InputError& e) {
    EXPECT_EQ(e.where(), "obstacles[0].sequence.files");
    EXPECT_EQ(e.message(), here + "/w_*.obj lies outside the folders of the scene and the output");
  }
}

TEST(SceneFiles, AnEmptyNameIsLeftToTheReader) {
  const Document scene = Document::parse(R"({"bodies": [{"mesh": {"file": ""}}]})", "scene.json");
  EXPECT_EQ(json_of(with_absolute_paths(scene, ""))["bodies"][0]["mesh"]["file"], "");
}

TEST(SceneFiles, EachKeyIsRefusedByItsName) {
  const Document whole = with_absolute_paths(scene_of_files(), "/scenes/here");
  const auto refused = [&](std::vector<std::string> allowed) {
    try {
      read_scene(whole, vocabulary(), "", FileAccess({"/nowhere"}, allowed));
    } catch (const InputError& e) {
      return e.where();
    }
    return std::string();
  };
  std::vector<std::string> allowed;
  EXPECT_EQ(refused(allowed), "start.run");
  allowed.push_back("/scenes/here/runs/a");
  EXPECT_EQ(refused(allowed), "bodies[0].mesh.file");
  allowed.push_back("/scenes/here/m/x.msh");
  EXPECT_EQ(refused(allowed), "bodies[1].mesh.surface");
  allowed.push_back("/scenes/s.obj");
  EXPECT_EQ(refused(allowed), "obstacles[1].file");
  allowed.push_back("/scenes/here/o.stl");
  EXPECT_EQ(refused(allowed), "obstacles[2].sequence.files[0]");
  allowed.push_back("/scenes/here/w_1.obj");
  EXPECT_EQ(refused(allowed), "obstacles[2].sequence.files[1]");
  allowed.push_back("/scenes/here/w/w_2.obj");
  EXPECT_EQ(refused(allowed), "obstacles[3].sequence.files");
  EXPECT_EQ(refused(files_named_in(whole)), "");
}

}  // namespace
}  // namespace limber
