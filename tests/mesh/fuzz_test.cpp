/// Every reader, fed with damaged files: it may read them or throw InputError, and nothing else. As a part of the tests
/// a fixed number of files; with LIMBER_FUZZ_SECONDS=60 in the environment, for so long a format.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/formats.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "mesh/hex_samples.hpp"
#include "mesh/mesh_samples.hpp"
#include "mesh/surface_samples.hpp"
#include "support/damage.hpp"

namespace limber::test {
namespace {

struct Seed {
  std::string label, file;                   // what it is; the name to read
  std::map<std::string, std::string> files;  // name → contents
};

const std::vector<std::string> surface_formats = {"obj", "stl", "ply", "glb", "gltf"};
const std::vector<std::string> volume_formats = {"msh", "vtk", "vtu", "mesh", "node"};

bool is_surface(const std::string& format) {
  return std::find(surface_formats.begin(), surface_formats.end(), format) != surface_formats.end();
}

std::vector<Seed> seeds(const std::string& format) {
  std::vector<Seed> all;
  const auto add = [&](const std::string& label, const std::string& contents) {
    all.push_back({label, "a." + format, {{"a." + format, contents}}});
  };
  if (format == "obj") add("obj", obj_with_everything());
  if (format == "stl") add("ascii", stl_ascii());
  if (format == "stl") add("binary", stl_binary());
  if (format == "ply") add("ascii", ply_ascii());
  if (format == "ply") add("little endian", ply_binary(std::endian::little));
  if (format == "ply") add("big endian", ply_binary(std::endian::big));
  if (format == "glb") add("glb", glb());
  if (format == "gltf") add("gltf", gltf());
  if (is_surface(format)) return all;
  std::vector<Sample> samples = all_samples();
  for (Sample& s : hex_samples()) samples.push_back(std::move(s));
  for (const Sample& s : samples) {
    std::string end = s.file.substr(s.file.find_last_of('.') + 1);
    for (char& c : end) c = static_cast<char>(std::tolower(c));
    if (end == format) all.push_back({s.label, s.file, s.files});
  }
  return all;
}

/// What a reader makes of the files: "" if it reads them or throws InputError, else what it threw.
std::string trouble(const Seed& seed) {
  try {
    if (seed.file.starts_with("a.") && is_surface(seed.file.substr(2))) {
      TriMesh mesh = triangulated(parse_surface_mesh(seed.file, seed.files.at(seed.file)));
      drop_degenerate(mesh);
      return "";
    }
    SolidMesh mesh = read_solid_mesh(seed.file, [&](const std::string& path) {
      const auto found = seed.files.find(path);
      if (found == seed.files.end()) throw InputError(path, "there is no such file");
      return found->second;
    });
    std::visit([&](auto& cells) { check_and_orient(cells, seed.file); }, mesh);
  } catch (const InputError&) {
  } catch (const std::exception& e) {
    return std::string("threw ") + e.what();
  }
  return "";
}

class Fuzz : public testing::TestWithParam<std::string> {};

TEST_P(Fuzz, FilesCutAtEveryByte) {
  for (const Seed& seed : seeds(GetParam()))
    for (const auto& [name, contents] : seed.files)
      for (std::size_t n = 0; n < contents.size(); ++n) {
        Seed cut = seed;
        cut.files[name].resize(n);
        ASSERT_EQ(trouble(cut), "") << seed.label << ": " << name << " cut at byte " << n;
      }
}

TEST_P(Fuzz, DamagedFiles) {
  const std::vector<Seed> from = seeds(GetParam());
  ASSERT_FALSE(from.empty());
  for (const Seed& seed : from) ASSERT_EQ(trouble(seed), "") << seed.label;
  const char* seconds = std::getenv("LIMBER_FUZZ_SECONDS");
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds ? std::atof(seconds) : 0);
  std::uint64_t number = 0;
  for (; seconds ? std::chrono::steady_clock::now() < end : number < 3000; ++number) {
    Damage damage(number);
    Seed broken = from[damage.below(from.size())];
    auto file = broken.files.begin();
    std::advance(file, damage.below(broken.files.size()));
    damage(file->second);
    ASSERT_EQ(trouble(broken), "") << broken.label << ": case " << number;
  }
  RecordProperty("cases", static_cast<int>(number));
}

INSTANTIATE_TEST_SUITE_P(Surfaces, Fuzz, testing::ValuesIn(surface_formats), [](const auto& i) { return i.param; });
INSTANTIATE_TEST_SUITE_P(Volumes, Fuzz, testing::ValuesIn(volume_formats), [](const auto& i) { return i.param; });

}  // namespace
}  // namespace limber::test
