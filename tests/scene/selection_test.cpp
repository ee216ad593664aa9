#include "limber/scene/selection.hpp"

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// 3 × 3 × 3 nodes on [0, 2] × [0, 4] × [-1, 1], x fastest.
std::vector<Vec3> grid() {
  std::vector<Vec3> nodes;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) nodes.emplace_back(i, 2 * j, k - 1);
  return nodes;
}

using What = decltype(SelectionPart::what);
std::vector<int> chosen(const What& what) { return resolve({"pin", {{"pin[0]", what}}}, grid()); }

std::string selection_error(const Selection& selection) {
  try {
    resolve(selection, grid());
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST(Selection, SidesAreExtremesOfTheAxes) {
  const auto nodes = grid();
  struct {
    Side side;
    int axis;
    double value;
  } const cases[] = {{Side::left, 0, 0}, {Side::right, 0, 2}, {Side::bottom, 1, 0},
                     {Side::top, 1, 4},  {Side::back, 2, -1}, {Side::front, 2, 1}};
  for (const auto& c : cases) {
    const auto found = chosen(c.side);
    EXPECT_EQ(found.size(), 9u);
    for (const int i : found) EXPECT_EQ(nodes[i][c.axis], c.value);
  }
  EXPECT_EQ(chosen(Side::all).size(), 27u);
}

TEST(Selection, SidesForgiveRounding) {
  auto nodes = grid();
  nodes[0].x() += 1e-9;
  EXPECT_EQ(resolve({"", {{"", Side::left}}}, nodes).size(), 9u);
  nodes[0].x() += 1e-3;
  EXPECT_EQ(resolve({"", {{"", Side::left}}}, nodes).size(), 8u);
}

TEST(Selection, BoxIncludesItsFaces) {
  EXPECT_EQ(chosen(InBox{{0, 0, -1}, {1, 2, -1}}), (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(chosen(InBox{{1, 2, 0}, {1, 2, 0}}), (std::vector<int>{13}));
}

TEST(Selection, PlaneTakesWhatIsOnItOrBehind) {
  EXPECT_EQ(chosen(BehindPlane{{0, 0, 0}, {1, 0, 0}}), chosen(Side::left));
  EXPECT_EQ(chosen(BehindPlane{{1, 0, 0}, {3, 0, 0}}).size(), 18u);
  EXPECT_EQ(chosen(BehindPlane{{2, 0, 0}, {-1, 0, 0}}), chosen(Side::right));
  EXPECT_EQ(chosen(BehindPlane{{0, 0, -1}, {1, 1, 1}}), (std::vector<int>{0}));
}

TEST(Selection, ListsKeepTheirOrder) { EXPECT_EQ(chosen(NodeList{{7, 3, 20}}), (std::vector<int>{7, 3, 20})); }

TEST(Selection, AUnionHasEachNodeOnce) {
  const Selection both{"pin", {{"pin[0]", NodeList{{18, 2}}}, {"pin[1]", InBox{{0, 0, -1}, {2, 0, -1}}}}};
  EXPECT_EQ(resolve(both, grid()), (std::vector<int>{18, 2, 0, 1}));
  EXPECT_TRUE(resolve({"pin", {}}, grid()).empty());
}

TEST(Selection, AnEmptyPartNamesItsKey) {
  const SelectionPart outside{"bodies[0].pin[1]", InBox{{5, 5, 5}, {6, 6, 6}}};
  EXPECT_EQ(selection_error({"bodies[0].pin", {{"bodies[0].pin[0]", Side::left}, outside}}),
            "bodies[0].pin[1]: catches no node; the shape extends over [0, 0, -1] to [2, 4, 1] m");
}

TEST(Selection, AnIndexOutOfRangeNamesItsKey) {
  EXPECT_EQ(selection_error({"pin", {{"bodies[0].pin[0]", NodeList{{3, 27}}}}}),
            "bodies[0].pin[0].nodes[1]: 27 is out of range: the body has 27 nodes, 0 to 26");
}

}  // namespace limber
