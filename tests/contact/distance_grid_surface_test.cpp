/// Where the interpolated distance of a grid says "outside", the true surface is at most one cell away: what
/// `limber check` grants obstacles of this form.

#include <gtest/gtest.h>

#include <random>

#include "contact_scenes.hpp"
#include "limber/contact/geometry/distance_grid.hpp"
#include "limber/mesh/winding.hpp"

namespace limber::test {
namespace {

/// The deepest point, in cells, that lies inside the true surface and outside of the grid's.
double lost_depth(const TriMesh& mesh, int cells) {
  const DistanceGrid grid(mesh, cells, 0);
  const WindingTree tree(mesh);
  const Box3 box = bounding_box(mesh.nodes);
  const double cell = (box.max - box.min).maxCoeff() / cells;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(0, 1);
  double deepest = 0;
  for (int k = 0; k < 40000; ++k) {
    const Vec3 x = box.min + Vec3{number(random), number(random), number(random)}.cwiseProduct(box.max - box.min);
    if (grid.value(x) > 0 && std::abs(tree.winding(x)) > .5) deepest = std::max(deepest, tree.distance(x));
  }
  return deepest / cell;
}

TEST(DistanceGridSurface, StaysWithinOneCellOfTheTrueOne) {
  TriMesh box{box_corners({0, 0, 0}, {1, .7, .4}), box_triangles()};
  TriMesh tilted = box, spike = box;
  const Mat3 R = Mat3::Identity() + rotation_minus_identity({.4, .7, -.3});
  for (Vec3& x : tilted.nodes) x = R * x;
  for (Vec3& x : spike.nodes)
    if (x[0] > .5) x = Vec3(1, .35 + .02 * (x[1] - .35), .2 + .02 * (x[2] - .2));
  double worst = 0;
  for (const TriMesh* mesh : {&box, &tilted, &spike})
    for (const int cells : {8, 20, 33}) worst = std::max(worst, lost_depth(*mesh, cells));
  EXPECT_LT(worst, 1);
  EXPECT_GT(worst, .01) << "corners are rounded: nothing was measured";
  RecordProperty("cells", std::to_string(worst));
}

}  // namespace
}  // namespace limber::test
