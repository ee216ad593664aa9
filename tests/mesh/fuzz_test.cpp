/// Every reader, fed with damaged files: it may read them or throw InputError, and nothing else. As a part of the tests
/// a fixed number of files; with LIMBER_FUZZ_SECONDS=60 in the environment, for so long a format.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/formats.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "mesh/hex_samples.hpp"
#include "mesh/mesh_samples.hpp"
#include "mesh/surface_samples.hpp"

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

class Damage {
 public:
  explicit Damage(std::uint64_t number) : random_(number) {}

  void operator()(std::string& s) {
    const int times = 1 + static_cast<int>(below(3));
    for (int k = 0; k < times; ++k) once(s);
  }
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

 private:
  void once(std::string& s) {
    const std::size_t at = below(s.size()), length = std::min(below(40), s.size() - at);
    switch (below(8)) {
      case 0:
        s.resize(at);
        break;
      case 1:
        s.erase(at, length);
        break;
      case 2:
        s.insert(below(s.size() + 1), s.substr(at, length));
        break;
      case 3:
        if (!s.empty()) s[at] = static_cast<char>(s[at] ^ 1 << below(8));
        break;
      case 4:
        if (!s.empty()) s[at] = static_cast<char>(random_());
        break;
      case 5:
        overwrite(s, at);
        break;
      default:
        replace_number(s, at);
    }
  }

  /// Bytes of a number that is often wrong.
  void overwrite(std::string& s, std::size_t at) {
    const std::int64_t numbers[] = {0,     -1,         1,          127,        255,       32767,
                                    65535, 2147483647, 2147483648, 4294967295, INT64_MAX, INT64_MIN};
    const std::int64_t n = numbers[below(std::size(numbers))];
    const std::size_t width = std::min<std::size_t>(std::size_t{1} << below(4), s.size() - at);
    std::memcpy(s.data() + at, &n, width);
  }

  /// The digits at or behind `at`.
  void replace_number(std::string& s, std::size_t at) {
    const char* words[] = {"0",     "-1",  "1", "2",   "4294967296", "99999999999999999999",
                           "1e999", "nan", "-", "3.5", "",           "1e-400"};
    const std::size_t begin = s.find_first_of("0123456789", at);
    if (begin == s.npos) return;
    const std::size_t end = std::min(s.find_first_not_of("0123456789.eE+-", begin), s.size());
    s.replace(begin, end - begin, words[below(std::size(words))]);
  }

  std::mt19937_64 random_;
};

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
