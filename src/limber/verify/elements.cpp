#include "limber/verify/elements.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <limits>

#include "limber/core/errors.hpp"

namespace limber {
CurvedElements::CurvedElements(const TrajectoryHeader& header, int body)
    : body_(body), first_tet_(header.bodies[static_cast<std::size_t>(body)].first_tet) {
  const BodyRange& range = header.bodies[static_cast<std::size_t>(body)];
  const auto fail = [&] {
    throw InputError(range.name,
                     fmt::format("its {} tetrahedra are not elements cut into {}; the trajectory is damaged",
                                 range.tet_count, range.pieces));
  };
  const auto types = element_types();
  const auto type = std::find_if(types.begin(), types.end(), [&](const ElementType& t) {
    return t.pieces.size() > 1 && static_cast<int>(t.pieces.size()) == range.pieces;
  });
  if (type == types.end() || range.tet_count % range.pieces != 0) fail();
  mesh_.kind = static_cast<ElementKind>(type - types.begin());
  mesh_.nodes = header.nodes;
  for (int t = range.first_tet; t < range.first_tet + range.tet_count; t += range.pieces) {
    const auto nodes = joined(mesh_.kind, {header.tets.data() + t, static_cast<std::size_t>(range.pieces)});
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
