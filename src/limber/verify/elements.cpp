#include "limber/verify/elements.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <limits>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

using Tet = std::array<int, 4>;

/// The nodes of the tet10 that tet10_parts cut.
std::vector<int> tet10_of(std::span<const Tet> parts) {
  std::vector<int> nodes(10);
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::size_t k = 0; k < 4; ++k) nodes[static_cast<std::size_t>(tet10_parts[p][k])] = parts[p][k];
  return nodes;
}

/// The nodes of the hex8 that hex8_parts cut, turned so that the smallest number comes first.
std::vector<int> hex8_of(std::span<const Tet> parts) {
  return {parts[0][0], parts[5][2], parts[1][1], parts[1][2], parts[3][2], parts[5][1], parts[0][3], parts[3][1]};
}

}  // namespace

CurvedElements::CurvedElements(const TrajectoryHeader& header, int body)
    : body_(body), first_tet_(header.bodies[static_cast<std::size_t>(body)].first_tet) {
  const BodyRange& range = header.bodies[static_cast<std::size_t>(body)];
  const auto fail = [&] {
    throw InputError(range.name,
                     fmt::format("its {} tetrahedra are not elements cut into {}; the trajectory is damaged",
                                 range.tet_count, range.pieces));
  };
  if (range.pieces == pieces(ElementKind::tet10))
    mesh_.kind = ElementKind::tet10;
  else if (range.pieces == pieces(ElementKind::hex8))
    mesh_.kind = ElementKind::hex8;
  else
    fail();
  if (range.tet_count % range.pieces != 0) fail();
  mesh_.nodes = header.nodes;
  for (int t = range.first_tet; t < range.first_tet + range.tet_count; t += range.pieces) {
    const std::span<const Tet> parts(header.tets.data() + t, static_cast<std::size_t>(range.pieces));
    const auto nodes = mesh_.kind == ElementKind::tet10 ? tet10_of(parts) : hex8_of(parts);
    mesh_.corners.insert(mesh_.corners.end(), nodes.begin(), nodes.end());
  }
  const auto cut = subdivide(mesh_).tets;
  if (!std::equal(cut.begin(), cut.end(), header.tets.begin() + range.first_tet)) fail();
  const Quadrature rule = energy_rule(mesh_.kind, sides(mesh_));
  for (Index p = 0; p < rule.points.rows(); ++p)
    gradients_.push_back(shape_gradients(mesh_.kind, rule.points.row(p).transpose()));
}

double CurvedElements::least_det(std::size_t e, const Vector& q) const {
  const auto nodes = element(e);
  double least = std::numeric_limits<double>::infinity();
  for (const Matrix& dN : gradients_) {
    Mat3 map = Mat3::Zero();
    for (std::size_t a = 0; a < nodes.size(); ++a) map += q.segment<3>(3 * nodes[a]) * dN.row(static_cast<Index>(a));
    least = std::min(least, map.determinant());
  }
  return least;
}

}  // namespace limber
