#include "limber/mesh/element_type.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "limber/mesh/quadrature.hpp"

namespace limber {
namespace {

using Edge = std::array<int, 2>;
using Piece = std::array<int, 4>;

// ------------------------------------------------------------------------------------------- triangles and squares

Vector triangle_coordinates(const Eigen::Vector2d& xi) { return Vec3(1 - xi[0] - xi[1], xi[0], xi[1]); }

/// ∂/∂ξ of these, 3 × 2.
Matrix triangle_coordinate_gradients(const Eigen::Vector2d&) {
  Matrix G(3, 2);
  G << -1, -1, 1, 0, 0, 1;
  return G;
}

Vector tri6_values(const Eigen::Vector2d& xi) {
  const double x = xi[0], y = xi[1];
  const Vec3 b(1 - x - y, x, y);
  Vector N(6);
  for (Index k = 0; k < 3; ++k) {
    N[k] = b[k] * (2 * b[k] - 1);
    N[3 + k] = 4 * b[k] * b[(k + 1) % 3];
  }
  return N;
}

Matrix tri6_gradients(const Eigen::Vector2d& xi) {
  const double x = xi[0], y = xi[1];
  const Matrix dB = triangle_coordinate_gradients(xi);
  const Vec3 b(1 - x - y, x, y);
  Matrix G(6, 2);
  for (Index k = 0; k < 3; ++k) {
    const Index next = (k + 1) % 3;
    G.row(k) = (4 * b[k] - 1) * dB.row(k);
    G.row(3 + k) = 4 * (b[k] * dB.row(next) + b[next] * dB.row(k));
  }
  return G;
}

Vector quad4_values(const Eigen::Vector2d& xi) {
  const double x = xi[0], y = xi[1];
  return Eigen::Vector4d((1 - x) * (1 - y), (1 + x) * (1 - y), (1 + x) * (1 + y), (1 - x) * (1 + y)) / 4;
}

Matrix quad4_gradients(const Eigen::Vector2d& xi) {
  const double x = xi[0], y = xi[1];
  Matrix G(4, 2);
  G << y - 1, x - 1, 1 - y, -1 - x, 1 + y, 1 + x, -1 - y, 1 - x;
  return G / 4;
}

// ------------------------------------------------------------------------------------------- tetrahedra

constexpr Edge tet_edges[6] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

Eigen::Vector4d barycentric(const Vec3& xi) { return {1 - xi.sum(), xi[0], xi[1], xi[2]}; }

/// ∂/∂ξ of the barycentric coordinates, 4 × 3.
Matrix barycentric_gradients(const Vec3&) {
  Matrix G(4, 3);
  G << -1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  return G;
}

constexpr int tet4_faces[] = {1, 2, 3, /**/ 0, 3, 2, /**/ 0, 1, 3, /**/ 0, 2, 1};
constexpr Piece tet4_pieces[] = {{0, 1, 2, 3}};

Matrix tet4_nodes() { return Matrix::Identity(4, 4).rightCols<3>(); }
Vector tet4_values(const Vec3& xi) { return barycentric(xi); }

constexpr int tet10_faces[] = {1, 2, 3, 5, 9, 8, /**/ 0, 3, 2, 7, 9, 6, /**/ 0, 1, 3, 4, 8, 7, /**/ 0, 2, 1, 6, 5, 4};
/// Four at the corners, and four in the octahedron between them, cut along its diagonal from middle 02 to middle 13.
constexpr Piece tet10_pieces[] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                  {6, 8, 4, 5}, {6, 8, 5, 9}, {6, 8, 9, 7}, {6, 8, 7, 4}};

Matrix tet10_nodes() {
  Matrix X(10, 3);
  X.topRows<4>() = tet4_nodes();
  for (Index e = 0; e < 6; ++e) X.row(4 + e) = (X.row(tet_edges[e][0]) + X.row(tet_edges[e][1])) / 2;
  return X;
}

Vector tet10_values(const Vec3& xi) {
  const Eigen::Vector4d b = barycentric(xi);
  Vector N(10);
  for (Index a = 0; a < 4; ++a) N[a] = b[a] * (2 * b[a] - 1);
  for (Index e = 0; e < 6; ++e) N[4 + e] = 4 * b[tet_edges[e][0]] * b[tet_edges[e][1]];
  return N;
}

Matrix tet10_gradients(const Vec3& xi) {
  const Eigen::Vector4d b = barycentric(xi);
  const Matrix dB = barycentric_gradients(xi);
  Matrix G(10, 3);
  for (Index a = 0; a < 4; ++a) G.row(a) = (4 * b[a] - 1) * dB.row(a);
  for (Index e = 0; e < 6; ++e) {
    const auto [i, j] = tet_edges[e];
    G.row(4 + e) = 4 * (b[i] * dB.row(j) + b[j] * dB.row(i));
  }
  return G;
}

// ------------------------------------------------------------------------------------------- hexahedra

constexpr int hex8_faces[] = {0,      3, 2, 1, /**/ 4, 5, 6, 7, /**/ 0, 1, 5, 4, /**/ 1, 2, 6, 5, /**/ 2, 3, 7, 6,
                              /**/ 3, 0, 4, 7};
constexpr Edge hex8_edges[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                               {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
/// Of a hex8 with ascending nodes.
constexpr Piece hex8_pieces[] = {{0, 1, 2, 6}, {0, 2, 3, 7}, {0, 2, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

/// The rotations that bring corner k to the place of corner 0.
constexpr int turned_corners[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 3, 0, 5, 6, 7, 4}, {2, 3, 0, 1, 6, 7, 4, 5},
                                      {3, 0, 1, 2, 7, 4, 5, 6}, {4, 7, 6, 5, 0, 3, 2, 1}, {5, 4, 7, 6, 1, 0, 3, 2},
                                      {6, 5, 4, 7, 2, 1, 0, 3}, {7, 6, 5, 4, 3, 2, 1, 0}};
/// Around corner 6: its three faces without it, seen from outside.
constexpr int far_faces[3][3] = {{5, 1, 2}, {2, 3, 7}, {7, 4, 5}};

void cut_hex8(std::span<const int> nodes, std::span<Piece> pieces) {
  const auto all = hex8_parts(nodes);
  std::copy(all.begin(), all.end(), pieces.begin());
}

/// Turned so that the smallest number comes first.
std::vector<int> joined_hex8(std::span<const Piece> p) {
  return {p[0][0], p[5][2], p[1][1], p[1][2], p[3][2], p[5][1], p[0][3], p[3][1]};
}

Matrix hex8_nodes() {
  Matrix X(8, 3);
  X << -1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1;
  return X;
}

Vector hex8_values(const Vec3& xi) {
  const Matrix X = hex8_nodes();
  Vector N(8);
  for (Index a = 0; a < 8; ++a) N[a] = (1 + X(a, 0) * xi[0]) * (1 + X(a, 1) * xi[1]) * (1 + X(a, 2) * xi[2]) / 8;
  return N;
}

Matrix hex8_gradients(const Vec3& xi) {
  const Matrix X = hex8_nodes();
  Matrix G(8, 3);
  for (Index a = 0; a < 8; ++a) {
    const Vec3 one = Vec3::Ones() + X.row(a).transpose().cwiseProduct(xi);
    G.row(a) << X(a, 0) * one[1] * one[2], X(a, 1) * one[0] * one[2], X(a, 2) * one[0] * one[1];
  }
  return G / 8;
}

}  // namespace

// Plain functions without captures. In the order of the enumerations.

constinit const FaceType face_type_rows[] = {
    {3, 3, 0, triangle_coordinates, triangle_coordinate_gradients, triangle_centre},
    {6, 3, 1, tri6_values, tri6_gradients, [] { return triangle_rule(3); }},
    {4, 4, 0, quad4_values, quad4_gradients, [] { return square_rule(2); }},
};

constinit const ElementType element_type_rows[] = {
    {"P1", 4, 4, FaceKind::tri3, tet4_faces, tet_edges, tet4_pieces, nullptr, nullptr,  //
     tet4_nodes, tet4_values, barycentric_gradients,                                    //
     [](Sides) { return conical(1); }, [] { return conical(2); }},
    {"P2", 10, 4, FaceKind::tri6, tet10_faces, tet_edges, tet10_pieces, nullptr, nullptr,  //
     tet10_nodes, tet10_values, tet10_gradients,                                           //
     tetrahedron_orbits, [] { return conical(4); }},
    {"hex", 8, 8, FaceKind::quad4, hex8_faces, hex8_edges, hex8_pieces, cut_hex8, joined_hex8,  //
     hex8_nodes, hex8_values, hex8_gradients,                                                   //
     [](Sides) { return cube_rule(2); }, [] { return cube_rule(3); }},
};

std::span<const ElementType> element_types() { return element_type_rows; }

ElementKind element_kind(std::string_view name) {
  const auto all = element_types();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].name == name) return static_cast<ElementKind>(k);
  throw std::out_of_range("no element is called " + std::string(name));
}

void add_pieces(ElementKind kind, std::span<const int> nodes, std::vector<Piece>& tets) {
  const ElementType& type = element_type(kind);
  const std::size_t first = tets.size();
  tets.resize(first + type.pieces.size());
  const std::span<Piece> added(tets.data() + first, type.pieces.size());
  if (type.cut) return type.cut(nodes, added);
  for (std::size_t p = 0; p < added.size(); ++p)
    for (std::size_t k = 0; k < 4; ++k) added[p][k] = nodes[static_cast<std::size_t>(type.pieces[p][k])];
}

std::vector<int> joined(ElementKind kind, std::span<const Piece> pieces) {
  const ElementType& type = element_type(kind);
  if (type.joined) return type.joined(pieces);
  std::vector<int> nodes(static_cast<std::size_t>(type.nodes));
  for (std::size_t p = 0; p < pieces.size(); ++p)
    for (std::size_t k = 0; k < 4; ++k) nodes[static_cast<std::size_t>(type.pieces[p][k])] = pieces[p][k];
  return nodes;
}

std::array<std::array<int, 4>, 6> hex8_parts(std::span<const int> corners) {
  const auto smallest = std::min_element(corners.begin(), corners.end()) - corners.begin();
  std::array<int, 8> n{};
  for (std::size_t k = 0; k < 8; ++k) n[k] = corners[static_cast<std::size_t>(turned_corners[smallest][k])];
  std::array<std::array<int, 4>, 6> parts{};
  for (std::size_t f = 0; f < 3; ++f) {
    const int a = n[static_cast<std::size_t>(far_faces[f][0])], middle = n[static_cast<std::size_t>(far_faces[f][1])],
              b = n[static_cast<std::size_t>(far_faces[f][2])];
    const bool from_middle = std::min(middle, n[6]) < std::min(a, b);
    parts[(2 * f + 5) % 6] = {n[0], a, middle, from_middle ? n[6] : b};
    parts[2 * f] = {n[0], from_middle ? middle : a, b, n[6]};
  }
  return parts;
}

Vec3 reference_centre(ElementKind kind) {
  return reference_nodes(kind).topRows(corner_count(kind)).colwise().mean().transpose();
}

}  // namespace limber
