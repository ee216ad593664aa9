#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/formats.hpp"
#include "mesh/mesh_samples.hpp"

namespace limber::test {
namespace {

/// Coordinates within `tolerance` [m]; 0 means every bit.
void expect_same_tets(const TetMesh& a, const TetMesh& b, double tolerance = 0) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    EXPECT_LE((a.nodes[i] - b.nodes[i]).cwiseAbs().maxCoeff(), tolerance) << "node " << i;
  EXPECT_EQ(a.tets, b.tets);
}

std::string put_all(const ScratchDir& dir, const Sample& s) {
  for (const auto& [name, contents] : s.files) dir.put(name, contents);
  return dir.path(s.file);
}

TEST(MeshFiles, EveryVariantHoldsTheSameMesh) {
  for (const Sample& s : all_samples()) {
    SCOPED_TRACE(s.label);
    const ScratchDir dir;
    TetMesh m;
    ASSERT_NO_THROW(m = read_mesh(put_all(dir, s))) << reading_error(dir.path(s.file));
    // meshio writes twelve digits into a .vtu in text.
    expect_same_tets(m, expected_cube(), s.label == "ascii.vtu" ? 1e-11 : 0);
    EXPECT_EQ(m.region, s.region);
    EXPECT_EQ(check_and_orient(m, s.label).reordered, 0u);
  }
}

TEST(MeshFiles, PhysicalNamesOfVolumes) {
  const ScratchDir dir;
  for (const char* label : {"gmsh22_ascii.msh", "gmsh22_binary.msh", "gmsh41_ascii.msh", "gmsh41_binary.msh"}) {
    const TetMesh m = read_mesh(put_all(dir, sample(label)));
    EXPECT_EQ(m.region_names, (std::map<std::string, int>{{"soft core", 1}, {"shell", 2}})) << label;
  }
}

TEST(MeshFiles, TetgenByAnyOfItsNames) {
  const ScratchDir dir;
  put_all(dir, sample("tetgen, from 1"));
  for (const char* name : {"a.1", "a.1.node", "a.1.ele"}) expect_same_tets(read_mesh(dir.path(name)), expected_cube());
  std::filesystem::remove(dir.path("a.1.ele"));
  EXPECT_EQ(reading_error(dir.path("a.1.node")), dir.path("a.1.ele") + ": there is no such file");
}

TEST(MeshFiles, RoundTripKeepsEveryBit) {
  TetMesh m = box_mesh({1. / 3, -1e-7, 1e5}, {std::exp(1.), 1e-3, 7}, {3, 2, 2}, Split::five);
  m.nodes[5] += Vec3(1e-17, 5e-324, -0.1);
  for (std::size_t t = 0; t < m.tets.size(); ++t) m.region.push_back(t % 7 == 3 ? -4 : static_cast<int>(t / 20));
  m.region_names = {{"one", 1}, {"two words", 2}};
  const ScratchDir dir;
  for (const char* name : {"m.msh", "m.vtk", "m.vtu", "m.mesh", "m.node", "n.ele"}) {
    SCOPED_TRACE(name);
    write_mesh(m, dir.path(name));
    const TetMesh back = read_mesh(dir.path(name));
    expect_same_tets(m, back);
    EXPECT_EQ(m.region, back.region);
  }
  EXPECT_EQ(read_mesh(dir.path("m.msh")).region_names, m.region_names);
}

TEST(MeshFiles, RoundTripWithoutRegions) {
  const TetMesh m = box_mesh({0, 0, 0}, {1, 1, 1}, {2, 1, 1}, Split::six);
  const ScratchDir dir;
  const auto region_after = [&](const std::string& name) {
    write_mesh(m, dir.path(name));
    const TetMesh back = read_mesh(dir.path(name));
    expect_same_tets(m, back);
    return back.region;
  };
  for (const char* name : {"m.vtk", "m.vtu", "m.node"}) EXPECT_TRUE(region_after(name).empty()) << name;
  EXPECT_EQ(region_after("m.mesh"), std::vector<int>(12, 0));
  EXPECT_EQ(region_after("m.msh"), std::vector<int>(12, 1));
}

TEST(MeshFiles, WritingWhereThereIsNoDirectory) {
  const ScratchDir dir;
  for (const char* name : {"no/m.msh", "no/m.vtk", "no/m.vtu", "no/m.mesh", "no/m.node"})
    EXPECT_THROW(write_mesh(expected_cube(), dir.path(name)), OutputError) << name;
  if (std::filesystem::exists("/dev/full")) {
    std::filesystem::create_symlink("/dev/full", dir.path("full.vtu"));
    EXPECT_THROW(write_mesh(expected_cube(), dir.path("full.vtu")), OutputError);
  }
}

/// Reads a damaged file from memory: it may still hold a mesh, else it must be an InputError that names the file.
/// Returns the error.
std::string read_damaged(const Sample& s, const std::map<std::string, std::string>& files) {
  try {
    TetMesh m = read_mesh(s.file, [&](const std::string& name) { return files.at(name); });
    check_and_orient(m, s.file);
  } catch (const InputError& e) {
    EXPECT_TRUE(e.where().starts_with(std::filesystem::path(s.file).stem().string())) << e.what();
    return e.what();
  }
  return {};
}

TEST(DamagedMeshFiles, CutAtEveryByte) {
  for (const Sample& s : all_samples()) {
    SCOPED_TRACE(s.label);
    for (const auto& [name, contents] : s.files)
      for (std::size_t n = 0; n < contents.size(); ++n) {
        auto files = s.files;
        files[name].resize(n);
        std::string error;
        ASSERT_NO_THROW(error = read_damaged(s, files)) << "cut at " << n;
        EXPECT_TRUE(n >= contents.size() / 2 || !error.empty()) << "cut at " << n;
      }
  }
}

TEST(DamagedMeshFiles, RandomBytes) {
  std::mt19937 random(20240607);
  for (const Sample& s : all_samples()) {
    SCOPED_TRACE(s.label);
    for (const auto& [name, contents] : s.files) {
      for (int trial = 0; trial < 1000; ++trial) {
        auto files = s.files;
        std::string& damaged = files[name];
        const auto changes = 1 + random() % 3;
        for (unsigned c = 0; c < changes; ++c) {
          char& byte = damaged[random() % damaged.size()];
          // Digits for digits half of the time, which gets further into a text file.
          const bool digit = byte >= '0' && byte <= '9' && random() % 2 == 0;
          byte = digit ? static_cast<char>('0' + random() % 10) : static_cast<char>(random() % 256);
        }
        ASSERT_NO_THROW(read_damaged(s, files)) << "trial " << trial;
      }
    }
  }
}

}  // namespace
}  // namespace limber::test
