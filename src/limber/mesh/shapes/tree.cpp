#include "limber/mesh/shapes/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/mesh/fill/stuffing.hpp"
#include "limber/mesh/shape_checks.hpp"
#include "limber/mesh/shapes/tree_branches.hpp"

namespace limber {
namespace {

void check(const TreeShape& s) {
  require_positive("trunk_length", s.trunk_length);
  require_positive("trunk_radius", s.trunk_radius);
  require_between("trunk_radius", s.trunk_radius, 0, 0.25 * s.trunk_length, "a quarter of the length at most");
  require_between("levels", s.levels, 0, 12);
  require_between("branches", s.branches, 1, 12);
  require_between("length_ratio", s.length_ratio, 0.2, 1.2);
  require_between("radius_ratio", s.radius_ratio, 0.3, 0.95);
  require_between("spread", s.spread, 0.1, 2);
  require_between("twist", s.twist, -10, 10);
  require_between("gravity_bend", s.gravity_bend, -3, 3);
  require_between("variation", s.variation, 0, 1);
}

double thinnest_radius(const std::vector<TreePiece>& pieces) {
  double least = pieces.front().cone.radius;
  for (const TreePiece& p : pieces) least = std::min(least, p.cone.radius_at(p.cone.length));
  return least;
}

/// Of the cones, which overlap where they meet.
double volume_of_tree(const std::vector<TreePiece>& pieces) {
  double sum = 0;
  for (const TreePiece& p : pieces) {
    const double r = p.cone.radius, q = p.cone.radius_at(p.cone.length);
    sum += std::numbers::pi / 3 * p.cone.length * (r * r + r * q + q * q);
  }
  return sum;
}

constexpr double coarsest_per_radius = 1.1;

}  // namespace

double coarsest_resolution(const TreeShape& shape) {
  check(shape);
  return coarsest_per_radius * thinnest_radius(grow_tree(shape));
}

TetMesh tree_mesh(const TreeShape& shape) {
  check(shape);
  require_positive("resolution", shape.resolution);
  std::vector<TreePiece> pieces = grow_tree(shape);
  const double thinnest = thinnest_radius(pieces), spacing = shape.resolution / stuffed_mean_edge;
  require_between("resolution", shape.resolution, 0, coarsest_per_radius * thinnest,
                  fmt::format("the thinnest branch has the radius {:.4g}", thinnest));
  require_count(12 * volume_of_tree(pieces) / std::pow(spacing, 3), shape.max_tets, shape.resolution);

  const TreeField tree(std::move(pieces));
  Box3 box = tree.box();
  box.min[1] = 0;  // a plane of the lattice
  Stuffed result =
      stuff([&](const Vec3& x) { return std::max(tree(x), -x[1]); }, {.box = box, .spacing = spacing, .lipschitz = 1});
  if (result.components != 1)
    throw InputError("resolution",
                     fmt::format("at {} the tree falls into {} pieces; choose a finer one, or fewer levels",
                                 shape.resolution, result.components));
  return std::move(result.mesh);
}

}  // namespace limber
