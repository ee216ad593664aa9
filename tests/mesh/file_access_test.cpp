#include "limber/mesh/io/file_access.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/formats.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "mesh/surface_samples.hpp"

namespace limber::test {
namespace {

namespace fs = std::filesystem;

/// A folder to which a viewer is limited, one beside it, and links from the one into the other.
class Folders : public testing::Test {
 protected:
  Folders() {
    write(inside("a.obj"), "in a");
    write(inside("deeper/b.obj"), "in b");
    write(outside("secret.obj"), "a secret of 24 bytes yet");
    write(outside("named.obj"), "named");
    fs::create_symlink(outside("secret.obj"), inside("link.obj"));
    fs::create_directory_symlink(root_ / "outside", inside("way"));
    fs::create_symlink(inside("a.obj"), inside("own.obj"));
  }
  ~Folders() override { fs::remove_all(root_); }

  static void write(const fs::path& path, const std::string& contents) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << contents;
  }
  std::string inside(const std::string& name) const { return root_ / "inside" / name; }
  std::string outside(const std::string& name) const { return root_ / "outside" / name; }
  FileAccess limited() const { return {{root_ / "inside"}, {outside("named.obj")}}; }

  fs::path root_ = fs::canonical(testing::TempDir()) / ("limber-access-" + std::to_string(::getpid()));
};

template <class Do>
std::string refusal(const Do& what) {
  try {
    what();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST_F(Folders, WhatLiesInsideAndWhatIsNamedIsOpened) {
  const FileAccess access = limited();
  EXPECT_EQ(access.load(inside("a.obj")), "in a");
  EXPECT_EQ(access.load(inside("deeper/../deeper/b.obj")), "in b");
  EXPECT_EQ(access.load(inside("own.obj")), "in a");
  EXPECT_EQ(access.load(outside("named.obj")), "named");
  EXPECT_EQ(FileAccess().load(inside("link.obj")), "a secret of 24 bytes yet") << "the program's user may";
}

TEST_F(Folders, AllElseIsRefusedWithWordsThatDoNotDependOnIt) {
  const FileAccess access = limited();
  for (const std::string& path : {outside("secret.obj"), outside("nothing.obj"), inside("../outside/secret.obj"),
                                  inside("../outside/nothing.obj"), inside("link.obj"), inside("way/secret.obj"),
                                  inside("way/nothing.obj"), std::string("/etc/passwd"), std::string("/nothing"),
                                  root_.string(), inside("../inside-not/x.obj"), std::string("a.obj")}) {
    EXPECT_EQ(refusal([&] { access.load(path); }),
              path + ": " + path + " lies outside the folders of the scene and the output");
    EXPECT_EQ(refusal([&] { access.require(path, "key"); }),
              "key: " + path + " lies outside the folders of the scene and the output");
  }
  const std::string cut = inside("a.obj") + std::string(1, '\0') + ".stl";
  EXPECT_EQ(refusal([&] { access.require(cut, "key"); }), "key: has a zero byte in it; no file has such a name");
}

TEST_F(Folders, PatternsAreCheckedBeforeTheyAreExpanded) {
  write(inside("w_10.obj"), "");
  write(inside("w_9.obj"), "");
  const FileAccess access = limited();
  EXPECT_EQ(access.matching(inside("w_*.obj"), "files"), (std::vector{inside("w_9.obj"), inside("w_10.obj")}));
  EXPECT_TRUE(access.matching(inside("nothing*.obj"), "files").empty());
  for (const std::string& pattern : {outside("*.obj"), inside("../outside/*"), inside("way/*.obj"), std::string("/*")})
    EXPECT_EQ(refusal([&] { access.matching(pattern, "files"); }),
              "files: " + pattern + " lies outside the folders of the scene and the output");
  EXPECT_EQ(refusal([&] { access.matching(inside("lin*.obj"), "files"); }),
            "files: " + inside("link.obj") + " lies outside the folders of the scene and the output");
}

TEST_F(Folders, APatternOfManyStarsIsSoonDone) {
  write(inside(std::string(200, 'a')), "");
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "a*";
  EXPECT_EQ(limited().matching(inside(pattern), "files").size(), 1u);
  EXPECT_TRUE(limited().matching(inside(pattern + "b"), "files").empty());
}

TEST_F(Folders, AFileNamesWhatLiesInItsFolderOrBelow) {
  for (const FileAccess& access : {limited(), FileAccess()}) {
    EXPECT_EQ(access.load_beside(inside("x.gltf"), "a.obj"), "in a");
    EXPECT_EQ(access.load_beside(inside("x.gltf"), "./deeper/../a.obj"), "in a");
    EXPECT_EQ(access.load_beside(inside("x.gltf"), "deeper/b.obj"), "in b");
    for (const std::string& name :
         {std::string("../outside/secret.obj"), std::string("deeper/../../outside/secret.obj"), outside("secret.obj"),
          std::string("/etc/passwd"), "file://" + outside("secret.obj"), std::string("file:secret.obj"),
          std::string("http://example.org/x"), std::string("..\\outside\\secret.obj"), std::string(".."),
          std::string("."), std::string(""), std::string("deeper/"), std::string("a.obj\0.bin", 10)})
      EXPECT_NE(
          refusal([&] { access.load_beside(inside("x.gltf"), name); }).find("may only name files in its own folder"),
          std::string::npos)
          << name;
  }
  for (const char* name : {"link.obj", "way/secret.obj", "way/nothing.obj"})
    EXPECT_NE(refusal([&] { limited().load_beside(inside("x.gltf"), name); }).find("may only name files"),
              std::string::npos)
        << name;
}

TEST_F(Folders, WhatTheUserNamesBringsItsCompanionsAlong) {
  write(outside("mesh/x.node"), "");
  write(outside("mesh/x.ele"), "its companion");
  fs::create_symlink(outside("secret.obj"), outside("mesh/link.ele"));
  const FileAccess access({}, {outside("mesh/x.node")});
  EXPECT_EQ(access.load_beside(outside("mesh/x.node"), "x.ele"), "its companion");
  EXPECT_NE(refusal([&] { access.load_beside(outside("mesh/x.node"), "link.ele"); }), "");
  EXPECT_NE(refusal([&] { access.load(outside("mesh/x.ele")); }), "") << "nobody named it";
  EXPECT_NE(refusal([&] { read_solid_mesh(outside("mesh/x.ele"), access); }).find("lies outside"), std::string::npos);
}

/// A triangle, whose corners stand in a buffer with these keys.
std::string gltf_with(const std::string& buffer) {
  return R"({"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},)"
         R"("indices":1}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},)"
         R"({"bufferView":1,"componentType":5125,"count":3,"type":"SCALAR"}],)"
         R"("bufferViews":[{"buffer":0,"byteLength":36},{"buffer":1,"byteLength":12}],)"
         R"("buffers":[{"byteLength":36,"uri":"data:a/b;base64,)"
         R"(AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"},{"byteLength":12,)" +
         buffer + "}]}";
}

TEST_F(Folders, AGltfFileReadsItsBuffersFromItsOwnFolderOnly) {
  write(inside("deeper/b c.bin"), std::string("\0\0\0\0\1\0\0\0\2\0\0\0", 12));
  write(inside("s.gltf"), gltf_with(R"("uri":"deeper/b%20c.bin")"));
  for (const FileAccess& access : {limited(), FileAccess()})
    EXPECT_EQ(read_surface_mesh(inside("s.gltf"), access).polygons(), 1u);
  for (const std::string& uri : {std::string("../outside/secret.obj"), std::string("%2e%2e/outside/secret.obj"),
                                 std::string("%2E%2E%2Foutside%2Fsecret.obj"), outside("secret.obj"),
                                 "file://" + outside("secret.obj"), std::string("deeper/../../outside/secret.obj"),
                                 std::string("a.obj%00.bin"), std::string("..%5Coutside%5Csecret.obj")}) {
    write(inside("s.gltf"), gltf_with(R"("uri":")" + uri + "\""));
    for (const FileAccess& access : {limited(), FileAccess()}) {
      const std::string said = refusal([&] { read_surface_mesh(inside("s.gltf"), access); });
      EXPECT_NE(said.find("may only name files in its own folder or below"), std::string::npos) << said;
    }
  }
}

TEST_F(Folders, AGlbFileNamesNoOther) {
  for (const char* name : {"s.glb", "S.GLB"}) {
    write(inside(name), gltf_with(R"("uri":"a.obj")"));
    EXPECT_EQ(refusal([&] { read_surface_mesh(inside(name), FileAccess()); }),
              inside(name) + ": names the file \"a.obj\"; only a .gltf file may have its data in another file");
    // Data that stand in the file itself are no other file: corners 0, 1, 2.
    write(inside(name), gltf_with(R"("uri":"data:a/b;base64,AAAAAAEAAAACAAAA")"));
    EXPECT_EQ(read_surface_mesh(inside(name), limited()).polygons(), 1u);
  }
  // A container in a .gltf file: the same.
  std::string container = glb();
  const std::string json = gltf_with(R"("uri":"a.obj")");
  container = "glTF" + std::string("\2\0\0\0", 4);
  const auto add = [&](std::uint32_t n) {
    for (int k = 0; k < 4; ++k) container += static_cast<char>(n >> 8 * k & 0xff);
  };
  add(static_cast<std::uint32_t>(20 + json.size()));
  add(static_cast<std::uint32_t>(json.size()));
  write(inside("s.gltf"), container + "JSON" + json);
  EXPECT_NE(refusal([&] { read_surface_mesh(inside("s.gltf"), FileAccess()); }).find("only a .gltf file"),
            std::string::npos);
}

TEST_F(Folders, MessagesTellNothingOfWhatABufferHolds) {
  write(inside("s.gltf"), gltf_with(R"("uri":"secret.bin")"));
  write(inside("secret.bin"), "toor:x:0:0:root");
  EXPECT_EQ(refusal([&] { read_surface_mesh(inside("s.gltf"), limited()); }),
            inside("s.gltf") + ": corner 0 of a primitive is out of range: it has 3 vertices");
  write(inside("secret.bin"), "short");
  EXPECT_EQ(refusal([&] { read_surface_mesh(inside("s.gltf"), limited()); }),
            inside("s.gltf") + ": a buffer of 12 bytes is announced, but fewer came");
}

TEST_F(Folders, AnObjFileOpensNoOther) {
  write(inside("m.obj"), "mtllib ../outside/secret.obj\nmtllib /etc/passwd\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(read_surface_mesh(inside("m.obj"), limited()).polygons(), 1u);
  write(inside("m.obj"), "call ../outside/secret.obj\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(read_surface_mesh(inside("m.obj"), limited()).polygons(), 1u);
}

TEST_F(Folders, DeepGltfIsRefused) {
  EXPECT_EQ(refusal([] { parse_surface_mesh("a.glb", std::string(400000, '[')); }),
            "a.glb: is nested more than 100 levels deep");
}

}  // namespace
}  // namespace limber::test
