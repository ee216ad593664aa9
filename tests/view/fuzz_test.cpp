/// Messages and files that are wrong on purpose: each is heeded or refused, and nothing else happens. A few thousand as
/// a part of the tests; as many as LIMBER_FUZZ_MESSAGES and LIMBER_FUZZ_FILES in the environment say.

#include <gtest/gtest.h>

#include <fstream>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/view/folders.hpp"
#include "limber/view/messages.hpp"
#include "support/damage.hpp"
#include "view/session_talk.hpp"

namespace limber::test {
namespace {

using Json = nlohmann::json;

/// What lies outside all folders: no answer may hold any of it, nor its size.
const std::string secret = "root:x:0:0:UtmostSecret" + std::string(71003, 'q');
const std::vector<std::string> traces = {"UtmostSecret", "71026", "1953460082", "qqqq"};

std::string base64(const std::string& bytes) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned n = 0;
    for (std::size_t k = 0; k < 3; ++k)
      n = n << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[n >> (18 - 6 * k) & 63];
  }
  return text;
}

std::string number_bytes(std::uint32_t n) {
  std::string bytes;
  for (int k = 0; k < 4; ++k) bytes += static_cast<char>(n >> 8 * k & 0xff);
  return bytes;
}

/// A tetrahedron: positions in the container, indices in a buffer with these keys.
std::string glb_of(const std::string& index_buffer) {
  std::string json =
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"translation":[1,0,0]}],)"
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"accessors":[)"
      R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},)"
      R"({"bufferView":1,"componentType":5121,"count":12,"type":"SCALAR"}],)"
      R"("bufferViews":[{"buffer":0,"byteLength":48},{"buffer":1,"byteLength":12}],)"
      R"("buffers":[{"byteLength":48},{"byteLength":12,)" +
      index_buffer + "}]}";
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string positions;
  for (const float x : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f}) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    positions += number_bytes(bits);
  }
  const auto size = static_cast<std::uint32_t>(28 + json.size() + positions.size());
  return "glTF" + number_bytes(2) + number_bytes(size) + number_bytes(static_cast<std::uint32_t>(json.size())) +
         "JSON" + json + number_bytes(48) + std::string("BIN\0", 4) + positions;
}

const std::string own_indices = R"("uri":"data:application/octet-stream;base64,AAIBAAEDAQIDAgAD")";

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : damage_(seed) {}

  std::size_t below(std::size_t n) { return damage_.below(n); }
  template <class T>
  const T& of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  Json value(int depth = 0) {
    switch (below(depth < 3 ? 9 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return static_cast<int>(below(12)) - 3;
      case 3:
        return of(std::vector<double>{0, -0., 1e300, -1e300, 1e-300, .5, 4294967296., 1e19, -1});
      case 4:
        return of(words_);
      case 5:
        return of(paths);
      case 6: {
        Json list = Json::array();
        for (std::size_t n = below(5); n > 0; --n) list.push_back(value(depth + 1));
        return list;
      }
      default: {
        Json object = Json::object();
        for (std::size_t n = below(5); n > 0; --n) object[of(keys_)] = value(depth + 1);
        return object;
      }
    }
  }

  /// A scene with one thing wrong, or none.
  Json scene() {
    Json scene = small_scene();
    if (below(3) == 0) scene["bodies"][0][of(keys_)] = value();
    const Json mesh = of(std::vector<Json>{{{"file", of(paths)}}, {{"surface", of(paths)}, {"tets", 20}}});
    if (below(2) == 0) scene["bodies"][0]["mesh"] = mesh;
    if (below(4) == 0) scene["obstacles"] = {{{"shape", "mesh"}, {"file", of(paths)}}};
    if (below(4) == 0) scene["obstacles"] = {{{"shape", "mesh"}, {"sequence", {{"files", of(paths)}, {"fps", 10}}}}};
    if (below(4) == 0) scene["start"] = {{"run", of(paths)}};
    if (below(3) == 0) scene[of(keys_)] = value();  // last, since it may take the place of the bodies
    return scene;
  }

  std::string file() {
    std::vector<std::string> uris = {own_indices};
    for (const std::string& path : paths) uris.push_back("\"uri\":" + Json(path).dump());
    std::string bytes = glb_of(of(uris));
    for (std::size_t n = below(3); n > 0 && !bytes.empty(); --n) damage_.once(bytes);
    return bytes;
  }

  std::string message() {
    static const std::vector<std::string> requests = {"play",   "pause",   "step",    "restart", "speed", "open",
                                                      "load",   "surface", "panes",   "set",     "fork",  "seek",
                                                      "live",   "pull",    "release", "curve",   "save",  "next",
                                                      "nobody", "show",    "observe", "fit",     "fit",   "cancel"};
    Json m = {{"do", of(requests)}};
    for (std::size_t n = below(4); n > 0; --n) m[of(keys_)] = value();
    if (m["do"] == "load" && below(2) == 0) m["scene"] = scene();
    if (m["do"] == "surface" && below(2) == 0) {
      m["name"] = "a.glb";
      std::string bytes = file();  // a good one would be filled, which takes its time
      damage_.once(bytes);
      m["data"] = base64(bytes);
    }
    if ((m["do"] == "set" || m["do"] == "fork") && below(2) == 0) {
      m["set"] = {{of(key_paths_), value()}};
      if (below(2) == 0) m["frame"] = below(4);
    }
    if (m["do"] == "panes" && below(2) == 0)
      m["methods"] = {"BE", of(std::vector<std::string>{"SIERE", "verlet", "?"})};
    if ((m["do"] == "observe" || m["do"] == "fit") && below(4) > 0) {
      std::string table = "time,corner.x,corner.y\n0,1,0\n0.05,1,nan\n0.1,,-0.01\n";
      if (below(2) == 0) damage_.once(table);
      if (below(3) > 0) {
        m["name"] = "seen.csv";
        m["table"] = table;
      } else {
        m["file"] = of(paths);
      }
      m["vary"] = {{of(key_paths_), below(3) > 0 ? Json{1, 1e6} : value()}};
      if (below(4) == 0) m["starts"] = value();
    }
    if (m["do"] == "pull" && below(2) == 0) {
      m["triangle"] = below(14);
      m["weights"] = {.5, .25, .25};
      m["to"] = {1, 2, 1};
    }
    std::string text = m.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (below(4) == 0) damage_.once(text);
    if (below(200) == 0) text = std::string(1 + below(100000), "[{\""[below(3)]);
    return text;
  }

  std::vector<std::string> paths;  // some of which lead out

 private:
  std::vector<std::string> words_ = {"BE", "TR-BDF2",          "cube", "left", "glb", "mp4", "stress",
                                     "",   "\xf0\x9f\x98\x80", "1 kPa"};
  std::vector<std::string> keys_ = {"do",       "set",     "frame",   "pane",      "to",    "weights", "triangle",
                                    "line",     "methods", "name",    "scene",     "data",  "factor",  "color",
                                    "arrows",   "bodies",  "mesh",    "material",  "young", "time",    "step",
                                    "duration", "density", "contact", "obstacles", "start", "file"};
  std::vector<std::string> key_paths_ = {"bodies[0].mesh.file",
                                         "bodies[0].mesh.surface",
                                         "start.run",
                                         "obstacles[0].file",
                                         "time.step",
                                         "method.name",
                                         "method.modes",
                                         "bodies[0].material.young",
                                         "bodies[0].material.poisson",
                                         "contact.friction",
                                         "a.b.c[0]",
                                         "x[",
                                         "..",
                                         ""};
  Damage damage_;
};

/// Ways to what lies outside.
std::vector<std::string> ways_out(const ViewFolders& folders) {
  const std::string file = folders.in("secret/mesh.obj");
  return {file,
          "../secret/mesh.obj",
          "../../secret/mesh.obj",
          "../secret/*",
          folders.in("secret/*.obj"),
          "file://" + file,
          "%2e%2e/secret/mesh.obj",
          "..%2f..%2fsecret%2fmesh.obj",
          "link.obj",
          folders.in("scenes/link.obj"),
          "way/mesh.obj",
          "../secret",
          "/etc/passwd",
          "mesh.obj",
          "mesh.glb",
          "data:a/b;base64,AAAA",
          std::string("mesh.obj\0.bin", 13)};
}

void write(const std::string& path, const std::string& contents) { std::ofstream(path, std::ios::binary) << contents; }

void fill(const ViewFolders& folders) {
  write(folders.in("secret/mesh.obj"), secret);
  write(folders.in("secret/w_1.obj"), secret);
  write(folders.in("scenes/mesh.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  std::filesystem::create_symlink(folders.in("secret/mesh.obj"), folders.in("scenes/link.obj"));
  std::filesystem::create_directory_symlink(folders.in("secret"), folders.in("scenes/way"));
}

void expect_no_trace(const std::string& text, int number) {
  for (const std::string& trace : traces) ASSERT_EQ(text.find(trace), std::string::npos) << number << ": " << text;
}

TEST(ViewFuzz, Messages) {
  const ViewFolders folders;
  fill(folders);
  Chance chance(1);
  chance.paths = ways_out(folders);
  const int count = fuzz_cases("LIMBER_FUZZ_MESSAGES", 1500);
  int refused = 0, heeded = 0;
  Talk talk(folders.options());
  for (int i = 0; i < count;) {
    // Now and then a scene that is good, so that there is something to ask about.
    Json scene = small_scene();
    scene["output"]["probes"] = {{{"name", "corner"}, {"body", "cube"}, {"point", {1, 0, 0}}}};
    talk.ask({{"do", "load"}, {"name", "small"}, {"scene", scene}});
    const int until = std::min(count, i + 50);
    for (; i < until; ++i) talk.ask_text(chance.message());
    for (const Json& answer : talk.until_all()) {
      ASSERT_NE(answer["is"], "late") << "no answer to message " << i;
      refused += answer["is"] == "error";
      expect_no_trace(answer.dump(), i);
    }
    if (const auto picture = talk.session.picture()) {
      ++heeded;
      topology_message(*picture);
      for (std::size_t p = 0; p < picture->panes.size(); ++p) frame_message(*picture, p, Field::displacement, true);
      expect_no_trace(*picture->scene_message, i);
    }
  }
  EXPECT_GT(refused, count / 4);
  EXPECT_GT(heeded, 0);
  EXPECT_EQ(talk.error({{"do", "load"}, {"name", "small"}, {"scene", small_scene()}}), "") << "it still works";
}

TEST(ViewFuzz, Files) {
  const ViewFolders folders;
  fill(folders);
  const FileAccess access({folders.in("scenes"), folders.in("out")}, {});
  const std::string file = folders.in("scenes/upload.glb");
  write(file, glb_of(own_indices));
  ASSERT_EQ(read_surface_mesh(file, access).polygons(), 4u);
  Chance chance(2);
  chance.paths = ways_out(folders);
  const int count = fuzz_cases("LIMBER_FUZZ_FILES", 2000);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    write(file, chance.file());
    try {
      scene_of_surface(file, access);
    } catch (const InputError& e) {
      ++refused;
      expect_no_trace(e.what(), i);
    }
  }
  EXPECT_GT(refused, count / 2);
}

}  // namespace
}  // namespace limber::test
