#pragma once  // internal
/// Shape gradients at the points of elements, one element at a time.

#include <Eigen/LU>
#include <cmath>
#include <utility>
#include <vector>

#include "limber/core/nodes.hpp"
#include "limber/mesh/element_mesh.hpp"

namespace limber {

/// The gradients of an element's nodes and the volume that belongs to each point.
struct PointGradients {
  /// At the points of the elastic energy, or of a rule.
  explicit PointGradients(const ElementMesh& mesh) : PointGradients(mesh, energy_rule(mesh.kind, sides(mesh))) {}
  PointGradients(const ElementMesh& mesh, Quadrature rule) : mesh_(mesh), rule_(std::move(rule)) {
    for (Index p = 0; p < rule_.weights.size(); ++p)
      reference_.push_back(shape_gradients(mesh.kind, rule_.points.row(p)));
  }
  std::size_t points() const { return reference_.size(); }
  /// Appends those of element e at a point, and gives the volume [m³].
  double append(std::size_t e, std::size_t point, std::vector<Vec3>& gradients) const {
    const auto own = mesh_.element(e);
    Matrix X(static_cast<Index>(own.size()), 3);
    for (std::size_t a = 0; a < own.size(); ++a) X.row(static_cast<Index>(a)) = mesh_.nodes[ix(own[a])].transpose();
    const Mat3 map = X.transpose() * reference_[point];  // ∂X/∂ξ
    const Matrix g = reference_[point] * map.inverse();
    for (Index a = 0; a < g.rows(); ++a) gradients.emplace_back(g.row(a).transpose());
    return rule_.weights[static_cast<Index>(point)] * std::abs(map.determinant());
  }

 private:
  const ElementMesh& mesh_;
  Quadrature rule_;
  std::vector<Matrix> reference_;
};

}  // namespace limber
