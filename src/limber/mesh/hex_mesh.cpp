#include "limber/mesh/hex_mesh.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/mesh/cell_checks.hpp"

namespace limber {
namespace {

constexpr double flat = 1e-14;  // of scaled determinants

/// Corners in units of the reference element's, ±1.
constexpr int signs[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                             {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

/// ∂X/∂ξ of X = Σ x_a Π_k (1 + s_ak ξ_k)/8.
Mat3 map_gradient(const std::array<Vec3, 8>& x, const Vec3& xi) {
  Mat3 map = Mat3::Zero();
  for (std::size_t a = 0; a < 8; ++a) {
    const double u = 1 + signs[a][0] * xi[0], v = 1 + signs[a][1] * xi[1], w = 1 + signs[a][2] * xi[2];
    map += x[a] / 8 * Eigen::RowVector3d(signs[a][0] * v * w, signs[a][1] * u * w, signs[a][2] * u * v);
  }
  return map;
}

double scaled_determinant(const Mat3& map) {
  const double lengths = map.col(0).norm() * map.col(1).norm() * map.col(2).norm();
  return lengths > 0 ? map.determinant() / lengths : 0;
}

Vec3 corner(std::size_t a) { return Vec3(signs[a][0], signs[a][1], signs[a][2]); }

[[noreturn]] void fail_folded(const HexMesh& mesh, const std::vector<std::size_t>& folded, const std::string& where) {
  const auto& hex = mesh.hexes[folded.front()];
  const HexShape s = hex_shape(mesh, folded.front());
  const auto worst = std::min_element(s.at_corner.begin(), s.at_corner.end());
  const auto inside = std::min_element(s.at_point.begin(), s.at_point.end());
  const std::string place = *worst <= flat ? fmt::format("{:.3g} at node {}", *worst,
                                                         hex[static_cast<std::size_t>(worst - s.at_corner.begin())])
                                           : fmt::format("{:.3g} at a point of integration", *inside);
  throw InputError(where,
                   fmt::format("{} of {} hexahedra are folded or flat; the first is hexahedron {} (nodes {}), whose "
                               "scaled Jacobian is {}. It must be positive; the order of nodes is around a face, then "
                               "around the opposite one from the same edge",
                               folded.size(), mesh.hexes.size(), folded.front(), listed(hex), place));
}

void check_parts(const HexMesh& mesh, const std::string& where) {
  for (std::size_t h = 0; h < mesh.hexes.size(); ++h)
    for (const auto& [a, b, c, d] : hex8_parts(mesh.hexes[h])) {
      Mat3 sides;
      sides << mesh.nodes[static_cast<std::size_t>(b)] - mesh.nodes[static_cast<std::size_t>(a)],
          mesh.nodes[static_cast<std::size_t>(c)] - mesh.nodes[static_cast<std::size_t>(a)],
          mesh.nodes[static_cast<std::size_t>(d)] - mesh.nodes[static_cast<std::size_t>(a)];
      if (scaled_determinant(sides) > flat) continue;
      throw InputError(where,
                       fmt::format("the faces of hexahedron {} (nodes {}) are too warped: of the tetrahedra that "
                                   "it is cut into for contact and results, the one of nodes {}, {}, {}, {} is "
                                   "inverted",
                                   h, listed(mesh.hexes[h]), a, b, c, d));
    }
}

}  // namespace

ElementMesh hexahedra(const HexMesh& mesh) {
  ElementMesh out{ElementKind::hex8, mesh.nodes, {}};
  for (const auto& hex : mesh.hexes) out.corners.insert(out.corners.end(), hex.begin(), hex.end());
  return out;
}

HexShape hex_shape(const HexMesh& mesh, std::size_t h) {
  std::array<Vec3, 8> x;
  for (std::size_t a = 0; a < 8; ++a) x[a] = mesh.nodes[static_cast<std::size_t>(mesh.hexes[h][a])];
  HexShape s;
  for (std::size_t a = 0; a < 8; ++a) {
    s.at_corner[a] = scaled_determinant(map_gradient(x, corner(a)));
    // The rule is exact for det ∂X/∂ξ, of degree two in each variable; its weights are 1.
    const Mat3 map = map_gradient(x, corner(a) / std::sqrt(3.));
    s.at_point[a] = scaled_determinant(map);
    s.volume += map.determinant();
  }
  return s;
}

bool HexShape::sound() const {
  const auto positive = [](double d) { return d > flat; };
  return std::all_of(at_corner.begin(), at_corner.end(), positive) &&
         std::all_of(at_point.begin(), at_point.end(), positive);
}

bool HexShape::mirrored() const {
  const auto negative = [](double d) { return d < -flat; };
  return std::all_of(at_corner.begin(), at_corner.end(), negative) &&
         std::all_of(at_point.begin(), at_point.end(), negative);
}

void mirror(std::array<int, 8>& hex) { std::rotate(hex.begin(), hex.begin() + 4, hex.end()); }

MeshNotes check_and_orient(HexMesh& mesh, const std::string& where) {
  check_cells(mesh, mesh.hexes, {"hexahedron", "hexahedra"}, where);
  std::vector<std::size_t> folded;
  MeshNotes notes;
  for (std::size_t h = 0; h < mesh.hexes.size(); ++h) {
    const HexShape shape = hex_shape(mesh, h);
    if (shape.mirrored()) {
      mirror(mesh.hexes[h]);
      ++notes.reordered;
    } else if (!shape.sound()) {
      folded.push_back(h);
    }
  }
  if (!folded.empty()) fail_folded(mesh, folded, where);
  check_parts(mesh, where);
  return notes;
}

}  // namespace limber
