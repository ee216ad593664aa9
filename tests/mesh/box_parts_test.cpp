/// A box of cells that is shared out: what each process works out for itself must fit together.

#include "limber/mesh/shapes/box_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace limber {
namespace {

using Cells = std::array<int, 3>;

template <class Visit>
void for_each_cell(const CellRange& range, const Visit& visit) {
  for (int k = range.begin[2]; k < range.end[2]; ++k)
    for (int j = range.begin[1]; j < range.end[1]; ++j)
      for (int i = range.begin[0]; i < range.end[0]; ++i) visit(Cells{i, j, k});
}

TEST(BoxParts, EachCellHasOnePart) {
  for (const Cells& cells : {Cells{7, 3, 4}, Cells{1, 1, 20}, Cells{2, 2, 2}, Cells{1, 9, 1}})
    for (int parts = 1; parts <= std::min(9, cells[0] * cells[1] * cells[2]); ++parts) {
      const BoxParts box(cells, parts);
      std::map<Cells, int> part_of;
      for (int p = 0; p < parts; ++p) {
        std::size_t count = 0;
        for_each_cell(box.part(p), [&](const Cells& cell) {
          EXPECT_TRUE(part_of.emplace(cell, p).second);
          ++count;
        });
        EXPECT_GT(count, 0u);
      }
      EXPECT_EQ(part_of.size(), static_cast<std::size_t>(cells[0] * cells[1] * cells[2]));
      for_each_cell({{0, 0, 0}, {cells[0] + 1, cells[1] + 1, cells[2] + 1}}, [&](const Cells& node) {
        std::set<int> around;
        for (const auto& [cell, p] : part_of) {
          bool corner = true;
          for (std::size_t axis = 0; axis < 3; ++axis)
            corner = corner && (cell[axis] == node[axis] || cell[axis] == node[axis] - 1);
          if (corner) around.insert(p);
        }
        EXPECT_EQ(box.holders(node), std::vector<int>(around.begin(), around.end()));
      });
    }
}

TEST(BoxParts, AreOfEqualSizeInALargeBox) {
  const BoxParts box({100, 60, 40}, 7);
  for (int p = 0; p < 7; ++p) {
    const CellRange& part = box.part(p);
    double count = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) count *= part.end[axis] - part.begin[axis];
    EXPECT_NEAR(count, 240000. / 7, .03 * 240000 / 7);
  }
}

TEST(BoxNumbers, AreThoseOfTheMesh) {
  for (const Split split : {Split::five, Split::six})
    for (const Cells& cells : {Cells{4, 3, 5}, Cells{1, 1, 1}, Cells{1, 2, 1}, Cells{2, 1, 3}}) {
      const TetMesh mesh = box_mesh(Vec3::Zero(), Vec3::Ones(), cells, split);
      const auto list = edges(mesh);
      const BoxNumbers numbers(cells, split);
      EXPECT_EQ(numbers.nodes(), static_cast<int>(mesh.nodes.size()));
      EXPECT_EQ(numbers.edges(), static_cast<int>(list.size()));
      for (std::size_t e = 0; e < list.size(); ++e)
        EXPECT_EQ(numbers.of_edge(list[e][0], list[e][1]), static_cast<int>(e));
      for (int layer = 0; layer <= cells[2]; ++layer) {
        const int nodes = layer * (cells[0] + 1) * (cells[1] + 1);
        EXPECT_EQ(numbers.edges_below(layer),
                  std::count_if(list.begin(), list.end(), [&](const auto& edge) { return edge[0] < nodes; }));
      }
    }
}

TEST(BoxMesh, CellsOfAPartAreThoseOfTheWhole) {
  const Cells cells = {4, 3, 5};
  const CellRange range{{1, 0, 2}, {3, 3, 4}};
  const Vec3 origin(.1, .2, .3), size(1, 2, 3);
  for (const Split split : {Split::five, Split::six}) {
    const TetMesh whole = box_mesh(origin, size, cells, split), part = box_mesh(origin, size, cells, split, range);
    const std::vector<int> number = BoxNumbers(cells, split).of_nodes(range);
    ASSERT_EQ(number.size(), part.nodes.size());
    for (std::size_t i = 0; i < number.size(); ++i)
      EXPECT_EQ(part.nodes[i], whole.nodes[static_cast<std::size_t>(number[i])]);
    std::set<std::array<int, 4>> all(whole.tets.begin(), whole.tets.end());
    for (auto t : part.tets) {
      for (int& i : t) i = number[static_cast<std::size_t>(i)];
      EXPECT_EQ(all.erase(t), 1u);
    }
    EXPECT_EQ(part.tets.size(), 2u * 3 * 2 * (split == Split::five ? 5 : 6));
  }
}

}  // namespace
}  // namespace limber
