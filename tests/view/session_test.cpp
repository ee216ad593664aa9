#include "limber/view/session.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "limber/scene/json.hpp"
#include "limber/scene/run/run.hpp"
#include "limber/view/folders.hpp"
#include "view/session_talk.hpp"

namespace limber::test {
namespace {

using Json = nlohmann::json;

void write_text(const std::string& path, const std::string& contents) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << contents;
}

std::string tetrahedron(const std::string& more = "") {
  return "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n" + more;
}

/// With a floor of a mesh's file, which everyone needs who builds the scene.
Json scene_with_obstacle(const std::string& file) {
  Json scene = small_scene();
  scene["obstacles"] = {{{"shape", "mesh"}, {"file", file}, {"position", {0, -5, 0}}}};
  return scene;
}

std::string run_of(const Json& json, const std::string& folder, const std::string& directory) {
  const Document document = document_of(json);
  const Scene scene = read_scene(document, vocabulary(), folder);
  const Model model = build_model(scene);
  RunOptions options;
  options.directory = directory;
  run_scene(document, scene, model, options);
  return directory;
}

TEST(ViewSession, DeepMessagesAreAnErrorOfThePage) {
  const ViewFolders folders;
  Talk talk(folders.options());
  const std::string deep(400000, '['), closed = deep + std::string(deep.size(), ']');
  for (const std::string& message : {deep, closed, R"({"do":"load","scene":{"bodies":)" + closed + "}}",
                                     R"({"do":"set","set":{"bodies[0].mesh.nodes":)" + closed + "}}"}) {
    talk.ask_text(message);
    const auto answers = talk.until_all();
    EXPECT_EQ(answers[0].value("message", ""), "is nested more than 100 levels deep");
  }
  talk.ask({{"do", "load"}, {"name", "small"}, {"scene", small_scene()}});
  std::string path = "a";
  for (int i = 0; i < 100000; ++i) path += ".a";
  EXPECT_NE(talk.error({{"do", "set"}, {"set", {{path, 1}}}}).find("has more than 100 parts"), std::string::npos);
}

TEST(ViewSession, NothingIsToldOfFilesOutsideTheFolders) {
  const ViewFolders folders;
  write_text(folders.in("secret/w_1.obj"), tetrahedron());
  write_text(folders.in("secret/w_2.obj"), tetrahedron());
  write_text(folders.in("scenes/inside.obj"), tetrahedron());
  Talk talk(folders.options());
  const auto load = [&](const Json& scene) { return talk.error({{"do", "load"}, {"scene", scene}}); };
  EXPECT_EQ(load(scene_with_obstacle("inside.obj")), "");
  for (const char* name : {"w_1.obj", "nothing.obj"}) {
    const std::string file = folders.in("secret/") + name;
    EXPECT_EQ(load(scene_with_obstacle(std::string("../secret/") + name)),
              "obstacles[0].file: " + file + " lies outside the folders of the scene and the output");
  }
  Json sequence = small_scene();
  sequence["obstacles"] = {{{"shape", "mesh"}, {"sequence", {{"files", "../secret/w_*.obj"}, {"fps", 10}}}}};
  EXPECT_EQ(load(sequence), "obstacles[0].sequence.files: " + folders.in("secret/w_*.obj") +
                                " lies outside the folders of the scene and the output");
  // The scene that is there may not be changed to that either.
  EXPECT_EQ(
      talk.error({{"do", "set"}, {"set", {{"obstacles[0].file", folders.in("secret/w_1.obj")}}}}),
      "obstacles[0].file: " + folders.in("secret/w_1.obj") + " lies outside the folders of the scene and the output");
  // A word at a key that has a file's name elsewhere is none.
  Json smooth = small_scene();
  smooth["contact"] = {{"surface", "triangles"}};
  EXPECT_EQ(load(smooth), "");
}

TEST(ViewSession, WhatTheUserNamesMayLieAnywhere) {
  const ViewFolders folders;
  write_text(folders.in("meshes/o.obj"), tetrahedron());
  write_text(folders.in("meshes/w_1.obj"), tetrahedron());
  write_text(folders.in("meshes/w_2.obj"), tetrahedron());
  Json scene = scene_with_obstacle("../meshes/o.obj");
  scene["obstacles"].push_back(
      {{"shape", "mesh"}, {"position", {0, -9, 0}}, {"sequence", {{"files", "../meshes/w_*.obj"}, {"fps", 10}}}});
  write_text(folders.in("scenes/a.json"), scene.dump());
  Talk talk(folders.options());
  talk.session.open_path(folders.in("scenes/a.json"), {});
  for (const char* request : {"restart", "step", "step"}) talk.ask({{"do", request}});
  talk.ask({{"do", "set"}, {"set", {{"time.step", .02}}}});
  for (const Json& answer : talk.until_all()) EXPECT_TRUE(answer["is"] != "error" || answer["where"] == "do") << answer;
  ASSERT_TRUE(talk.session.picture());
  EXPECT_EQ(talk.session.picture()->shape->parts().size(), 3u);
  // Its neighbour nobody has named.
  write_text(folders.in("meshes/other.obj"), tetrahedron());
  EXPECT_NE(talk.error({{"do", "set"}, {"set", {{"obstacles[0].file", folders.in("meshes/other.obj")}}}}), "");
}

TEST(ViewSession, AReplayNeedsNoMeshFile) {
  const ViewFolders folders;
  write_text(
      folders.in("meshes/body.mesh"),
      "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra 1\n1 2 3 4 "
      "0\nEnd\n");
  write_text(folders.in("meshes/o.obj"), tetrahedron());
  Json scene = scene_with_obstacle(folders.in("meshes/o.obj"));
  scene["bodies"][0]["mesh"] = {{"file", folders.in("meshes/body.mesh")}};
  scene["output"] = {{"velocities", true}};
  const std::string run = run_of(scene, "", folders.in("scenes/run"));
  std::size_t vertices = 0;
  {
    Talk talk(folders.options());
    talk.session.open_path(run, {});
    talk.until_all();
    ASSERT_TRUE(talk.session.picture());
    vertices = talk.session.picture()->shape->parts()[0].count;
    EXPECT_EQ(talk.session.picture()->shape->parts().size(), 2u);
  }
  std::filesystem::remove_all(folders.in("meshes"));
  Talk talk(folders.options());
  talk.session.open_path(run, {});
  talk.ask({{"do", "seek"}, {"frame", 7}});
  for (const char* request : {"release", "live", "restart", "pause"}) talk.ask({{"do", request}});
  talk.ask({{"do", "save"}, {"pane", 0}});
  for (const Json& answer : talk.until_all()) EXPECT_TRUE(answer["is"] != "error" || answer["where"] == "do") << answer;
  const auto picture = talk.session.picture();
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->shape->parts().size(), 1u);
  EXPECT_EQ(picture->shape->parts()[0].count, vertices);
  EXPECT_EQ(Json::parse(*picture->scene_message)["notes"][0],
            "obstacles[0] is not shown: " + folders.in("meshes/o.obj") + ": there is no such file");
  // To simulate, one needs it.
  EXPECT_NE(talk.error({{"do", "fork"}, {"frame", 3}}).find("there is no such file"), std::string::npos);
}

TEST(ViewSession, AFileThatIsNoBase64IsRefused) {
  const ViewFolders folders;
  Talk talk(folders.options());
  EXPECT_EQ(talk.error({{"do", "surface"}, {"name", "a.obj"}, {"data", "TGlt*"}}), "data: is not base64");
  EXPECT_FALSE(std::filesystem::exists(folders.in("out/uploads")));
}

/// A recorded run whose trajectory was cut short after it was opened: showing it fails, and not only where a message
/// is answered.
TEST(ViewSession, WhateverFailsWhileItIsShownBecomesAnError) {
  const ViewFolders folders;
  const std::string run = run_of(small_scene(), "", folders.in("scenes/run"));
  ViewSession session(folders.options(), [] {});
  session.open_path(run, {});
  while (!session.picture()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::filesystem::resize_file(run + "/trajectory.h5", 2048);
  session.pages_are(1);  // asks for a picture
  std::string said;
  for (int k = 0; said.empty() && k < 10000; ++k) {
    for (const ViewAnswer& answer : session.take_answers()) said += answer.text;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_NE(said.find("trajectory.h5"), std::string::npos) << said;
  session.ask(1, R"({"do": "still there"})");
  std::string answered;
  for (int k = 0; answered.find("still there") == std::string::npos && k < 10000; ++k) {
    for (const ViewAnswer& answer : session.take_answers()) answered += answer.text;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_NE(answered.find("still there"), std::string::npos);
}

}  // namespace
}  // namespace limber::test
