#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/exchange/catalog.hpp"
#include "limber/exchange/output_file.hpp"
#include "limber/exchange/parts.hpp"

namespace limber {
namespace {

/// Two bodies: a square of vertices 4, 3, 1, 0 and a line from 6 to 5; nothing uses vertex 2.
MovingSurface square_and_line() {
  MovingSurface s;
  for (int i = 0; i < 7; ++i) s.mesh.positions.emplace_back(i, 0, 0);
  s.mesh.corners = {4, 3, 1, 0};
  s.mesh.corner_uv = {-1, -1, -1, -1};
  s.mesh.first_corner = {0, 4};
  s.mesh.labels = {{"square", "", "", ""}};
  s.mesh.label = {0};
  s.mesh.lines = {{6, 5}};
  s.mesh.line_label = {0};
  s.bodies = {"square", "none", "line"};
  s.polygon_body = {0};
  s.line_body = {2};
  s.times = {0, 0.5};
  s.positions = [mesh = s.mesh](std::size_t) { return mesh.positions; };
  return s;
}

TEST(Parts, BodiesHaveTheVerticesThatTheyUseInOrder) {
  const auto parts = body_parts(square_and_line());
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "square");
  EXPECT_EQ(parts[0].vertices, (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_EQ(parts[0].mesh.corners, (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(parts[1].name, "line");
  EXPECT_EQ(parts[1].vertices, (std::vector<std::size_t>{5, 6}));
  EXPECT_EQ(parts[1].mesh.lines, (std::vector<std::array<int, 2>>{{1, 0}}));
  EXPECT_EQ(parts[1].mesh.positions[1], Vec3(6, 0, 0));
}

TEST(Parts, TheWholeLeavesOutWhatNothingUses) {
  const SurfacePart all = whole_part(square_and_line(), "all");
  EXPECT_EQ(all.vertices, (std::vector<std::size_t>{0, 1, 3, 4, 5, 6}));
  EXPECT_EQ(all.mesh.lines, (std::vector<std::array<int, 2>>{{5, 4}}));
}

TEST(EvenRate, OfEvenTimesOnly) {
  EXPECT_EQ(even_rate({0, 0.01, 0.02, 0.03}), 100);
  EXPECT_EQ(even_rate({0.1, 0.1 + 1 / 24.0, 0.1 + 2 / 24.0}), 24);
  EXPECT_NEAR(even_rate({0, 0.3, 0.6}), 10 / 3.0, 1e-12);
  EXPECT_EQ(even_rate({7}), 24);
  EXPECT_THROW(even_rate({0, 0.01, 0.03}), InputError);
  EXPECT_THROW(even_rate({0, 0, 0}), InputError);
}

TEST(Put, BothByteOrders) {
  std::string bytes;
  put<std::endian::little>(bytes, std::int32_t{0x01020304});
  put<std::endian::big>(bytes, std::int32_t{0x01020304});
  EXPECT_EQ(bytes, std::string("\4\3\2\1\1\2\3\4"));
}

TEST(Formats, AreFoundByExtension) {
  EXPECT_EQ(find_export_format("a.b/x.GLB", "here").extension, ".glb");
  try {
    find_export_format("x.fbx", "--output");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where(), "--output");
    for (const ExportFormat& format : export_formats())
      EXPECT_NE(e.message().find(format.extension), std::string::npos) << format.extension;
  }
}

TEST(OutputFile, KeepsTheOldOneUntilItIsFinished) {
  const auto folder = std::filesystem::temp_directory_path() / ("limber-exchange-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "x.bin").string();
  write_atomically(path, "old");
  {
    OutputFile file(path);
    file.write(std::string(3 << 20, 'n'));
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_FALSE(std::filesystem::exists(temporary_name(path)));
  OutputFile file(path);
  file.write("new");
  file.finish();
  EXPECT_EQ(read_file(path), "new");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace limber
