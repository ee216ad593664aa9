#include "limber/mesh/tet_patches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {
namespace {

std::map<int, std::vector<std::size_t>> patch_members(const std::vector<int>& patch) {
  std::map<int, std::vector<std::size_t>> members;
  for (std::size_t e = 0; e < patch.size(); ++e) members[patch[e]].push_back(e);
  return members;
}

std::vector<int> one_group(const ElementMesh& mesh) { return std::vector<int>(mesh.count(), 0); }

Vec3 centre_of(const ElementMesh& mesh, std::size_t e) {
  Vec3 c = Vec3::Zero();
  for (const int i : mesh.element(e)) c += mesh.nodes[static_cast<std::size_t>(i)] / 4;
  return c;
}

class BoxPatches : public testing::TestWithParam<Split> {};

/// The patches of a box are its cells.
TEST_P(BoxPatches, AreTheCells) {
  const ElementMesh mesh = linear_elements(box_mesh({.1, .2, .3}, {4, 3, 2}, {4, 3, 2}, GetParam()));
  const auto patch = compact_patches(mesh, one_group(mesh));
  const auto members = patch_members(patch);
  EXPECT_EQ(members.size(), 24u);
  for (const auto& [number, list] : members) {
    EXPECT_GE(number, 0);
    EXPECT_EQ(list.size(), GetParam() == Split::five ? 5u : 6u);
    std::set<std::vector<int>> cells;
    for (const std::size_t e : list) {
      const Vec3 c = centre_of(mesh, e) - Vec3(.1, .2, .3);
      cells.insert({static_cast<int>(c[0]), static_cast<int>(c[1]), static_cast<int>(c[2])});
    }
    EXPECT_EQ(cells.size(), 1u) << "patch " << number;
  }
}

/// Whatever the mesh: each takes part in one patch, which hangs together by faces and has tetrahedra of one group.
TEST_P(BoxPatches, HangTogetherAndKeepToTheirGroup) {
  ElementMesh mesh = linear_elements(box_mesh({0, 0, 0}, {1, 1, 1}, {4, 4, 4}, GetParam()));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> u(-.06, .06);
  for (Vec3& x : mesh.nodes)
    for (double& coordinate : x) coordinate += u(random);
  std::vector<int> group;
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    const Vec3 c = centre_of(mesh, e);
    group.push_back(c.norm() < .4 ? -1 : c[0] + c[1] < 1 ? 0 : 3);
  }
  const auto patch = compact_patches(mesh, group);
  for (const auto& [number, list] : patch_members(patch)) {
    if (number < 0) {
      for (const std::size_t e : list) EXPECT_EQ(group[e], -1);
      continue;
    }
    EXPECT_LE(list.size(), 16u);
    std::vector<std::size_t> reached{list.front()};
    const auto touch = [&](std::size_t a, std::size_t b) {
      return std::count_if(mesh.element(a).begin(), mesh.element(a).end(), [&](int i) {
               return std::find(mesh.element(b).begin(), mesh.element(b).end(), i) != mesh.element(b).end();
             }) == 3;
    };
    for (std::size_t k = 0; k < reached.size(); ++k)
      for (const std::size_t e : list)
        if (touch(reached[k], e) && std::find(reached.begin(), reached.end(), e) == reached.end()) reached.push_back(e);
    EXPECT_EQ(reached.size(), list.size()) << "patch " << number;
    for (const std::size_t e : list) EXPECT_EQ(group[e], group[list.front()]);
    if (list.size() >= 4) continue;  // few are a patch only where nothing else of their group is beside them
    for (const std::size_t e : list)
      for (std::size_t other = 0; other < mesh.count(); ++other)
        EXPECT_TRUE(group[other] != group[e] || !touch(e, other) || patch[other] == number) << "patch " << number;
  }
}

INSTANTIATE_TEST_SUITE_P(Splits, BoxPatches, testing::Values(Split::five, Split::six));

/// Where there is no ring and no neighbourhood of five: a chain of tetrahedra, each on a face of the one before.
TEST(TetPatches, AChainIsCutIntoPieces) {
  ElementMesh chain;
  for (int i = 0; i < 23; ++i) {
    const double a = i * 2.3;
    chain.nodes.emplace_back(std::cos(a), std::sin(a), .5 * i);
  }
  for (int i = 0; i < 20; ++i) chain.corners.insert(chain.corners.end(), {i, i + 1, i + 2, i + 3});
  const auto members = patch_members(compact_patches(chain, one_group(chain)));
  EXPECT_GE(members.size(), 3u);
  for (const auto& [number, list] : members) {
    EXPECT_GE(number, 0);
    EXPECT_LE(list.size(), 10u);
  }
}

TEST(TetPatches, OneTetrahedronIsAPatch) {
  const ElementMesh one{ElementKind::tet4, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 1, 2, 3}};
  EXPECT_EQ(compact_patches(one, one_group(one)), std::vector<int>{0});
}

}  // namespace
}  // namespace limber
