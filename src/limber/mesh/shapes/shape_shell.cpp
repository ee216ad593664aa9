#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/shape_checks.hpp"
#include "limber/mesh/shapes/shapes.hpp"

namespace limber {
namespace {

/// The surface of a block of n × (n + rings) × n cells, laid around a capsule: the ends are halves of a cube, whose
/// faces become parts of a sphere with equal angles between their lines.
struct CapsuleGrid {
  int n = 2;      // even
  int rings = 0;  // of the straight part

  using Place = std::array<int, 3>;
  int along(int axis) const { return axis == 1 ? n + rings : n; }
  bool at_surface(const Place& p) const {
    for (int a = 0; a < 3; ++a)
      if (p[ix(a)] == 0 || p[ix(a)] == along(a)) return true;
    return false;
  }
  /// The direction from the nearest point of the axis, and how far along it that is: −½ … ½.
  std::pair<Vec3, double> direction(const Place& p) const {
    const auto angle = [&](int i) { return std::tan(std::numbers::pi / 4 * (2. * i / n - 1)); };
    const int j = p[1] <= n / 2 ? p[1] : std::max(n / 2, p[1] - rings);
    const double s = rings == 0 ? (p[1] < n / 2   ? -.5
                                   : p[1] > n / 2 ? .5
                                                  : 0)
                                : std::clamp(p[1] - n / 2., 0., static_cast<double>(rings)) / rings - .5;
    return {Vec3(angle(p[0]), angle(j), angle(p[2])).normalized(), s};
  }
};

}  // namespace

TetMesh shell_mesh(const ShellShape& shape) {
  const double r = shape.radius, t = shape.thickness;
  require_positive("radius", r);
  require_positive("thickness", t);
  require_positive("resolution", shape.resolution);
  require_between("thickness", t, 0, .9 * r, "the wall takes 0.9 of the radius at most");
  require_between("length", shape.length, 0, 1e6 * r, "");
  require_between("offset", shape.offset, -.75 * t, .75 * t, "a quarter of the wall must stay");
  require_between("resolution", shape.resolution, 0, r, "it must not exceed the radius");
  if (shape.layers < 1 || shape.layers > 100)
    throw InputError("layers", fmt::format("{} is outside [1, 100]", shape.layers));

  CapsuleGrid grid;
  const double cells = std::numbers::pi / 4 * r / shape.resolution;
  const double rings = shape.length > 0 ? std::max(1., std::round(shape.length / shape.resolution)) : 0;
  require_count(6. * shape.layers * (24 * cells * cells + 8 * cells * rings), shape.max_tets, shape.resolution);
  grid.n = 2 * std::max(1, static_cast<int>(std::round(cells)));
  grid.rings = static_cast<int>(rings);

  TetMesh mesh;
  std::map<CapsuleGrid::Place, int> number;  // of the outermost node at a place; the others follow
  for (int k = 0; k <= grid.along(2); ++k)
    for (int j = 0; j <= grid.along(1); ++j)
      for (int i = 0; i <= grid.along(0); ++i) {
        if (!grid.at_surface({i, j, k})) continue;
        number[{i, j, k}] = static_cast<int>(mesh.nodes.size());
        const auto [out, s] = grid.direction({i, j, k});
        const Vec3 middle(0, s * shape.length, 0), outer = middle + r * out,
                                                   inner = middle + (r - t) * out + Vec3(shape.offset, 0, 0);
        for (int layer = 0; layer <= shape.layers; ++layer)
          mesh.nodes.push_back(outer + static_cast<double>(layer) / shape.layers * (inner - outer));
      }

  // Prisms are cut by the numbers of their nodes, so that neighbours cut their common faces alike.
  const auto add_prism = [&](std::array<int, 3> corners, int layer) {
    std::sort(corners.begin(), corners.end());
    const auto [a, b, c] = corners;
    for (const auto& tet :
         {std::array{a, b, c, c + 1}, std::array{a, b, b + 1, c + 1}, std::array{a, a + 1, b + 1, c + 1}}) {
      std::array<int, 4> nodes;
      for (std::size_t v = 0; v < 4; ++v) nodes[v] = tet[v] + layer;
      const auto x = [&](std::size_t v) -> const Vec3& { return mesh.nodes[ix(nodes[v])]; };
      if ((x(1) - x(0)).cross(x(2) - x(0)).dot(x(3) - x(0)) < 0) std::swap(nodes[2], nodes[3]);
      mesh.tets.push_back(nodes);
    }
  };
  for (int axis = 0; axis < 3; ++axis) {
    const int one = (axis + 1) % 3, other = (axis + 2) % 3;
    for (const int side : {0, grid.along(axis)})
      for (int i = 0; i < grid.along(one); ++i)
        for (int j = 0; j < grid.along(other); ++j) {
          const auto node = [&](int di, int dj) {
            CapsuleGrid::Place p{};
            p[ix(axis)] = side;
            p[ix(one)] = i + di;
            p[ix(other)] = j + dj;
            return number.at(p);
          };
          const std::array<int, 4> quad = {node(0, 0), node(1, 0), node(1, 1), node(0, 1)};
          const auto length = [&](int a, int b) { return (mesh.nodes[ix(a)] - mesh.nodes[ix(b)]).norm(); };
          const bool first = length(quad[0], quad[2]) <= length(quad[1], quad[3]) * (1 + 1e-9);
          for (int layer = 0; layer < shape.layers; ++layer) {
            if (first) {
              add_prism({quad[0], quad[1], quad[2]}, layer);
              add_prism({quad[0], quad[2], quad[3]}, layer);
            } else {
              add_prism({quad[0], quad[1], quad[3]}, layer);
              add_prism({quad[1], quad[2], quad[3]}, layer);
            }
          }
        }
  }
  return mesh;
}

}  // namespace limber
