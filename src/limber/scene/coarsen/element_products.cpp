#include "limber/scene/coarsen/element_products.hpp"

#include "limber/force/elastic.hpp"
#include "limber/scene/construction/taken_apart.hpp"

namespace limber {
namespace {

/// K at rest of elements that share no node.
SparseMatrix stiffness_apart(const ElementMesh& apart, const BodyMaterials& materials) {
  MechanicalSystem::Parts parts;
  parts.positions.resize(3 * static_cast<Index>(apart.nodes.size()));
  for (std::size_t i = 0; i < apart.nodes.size(); ++i) {
    parts.positions.segment<3>(3 * static_cast<Index>(i)) = apart.nodes[i];
    parts.masses.push_back({static_cast<int>(i), static_cast<int>(i), 1});
  }
  parts.forces.push_back(
      std::make_shared<ElasticForce>(apart, 0, materials.materials, materials.of_element, materials.means));
  MechanicalSystem system(std::move(parts));
  const Vector& rest = system.map().reference();
  Tangent T;
  system.linearize(system.state(rest, Vector::Zero(rest.size()), 0), Definiteness::exact, T);
  return T.K;
}

}  // namespace

ElementProducts::ElementProducts(const PlacedBody& body, MassForm mass)
    : corners_(body.shape.elements.corners),
      each_(node_count(body.shape.elements.kind)),
      count_(static_cast<Index>(body.shape.elements.count())) {
  ElementMesh placed = body.shape.elements;
  placed.nodes = body.nodes;
  const ElementMesh apart = taken_apart(placed);
  K_ = stiffness_apart(apart, body.materials);
  masses_ = element_masses(apart, 0, body.materials.density,
                           mass == MassForm::lumped ? MassKind::lumped : MassKind::consistent);
}

Matrix ElementProducts::on_corners(const Matrix& X) const {
  Matrix Y(3 * static_cast<Index>(corners_.size()), X.cols());
  for (Index k = 0; 3 * k < Y.rows(); ++k)
    Y.middleRows<3>(3 * k) = X.middleRows<3>(3 * static_cast<Index>(corners_[static_cast<std::size_t>(k)]));
  return Y;
}

Matrix ElementProducts::stiffness(const Matrix& X) const {
  const Matrix Y = on_corners(X), KY = K_.selfadjointView<Eigen::Lower>() * Y;
  Matrix products(count_, pair_count(X.cols()));
  for (Index e = 0; e < count_; ++e) {
    const Index first = 3 * each_ * e, rows = 3 * each_;
    for_pairs(X.cols(), [&](Index i, Index j, Index k) {
      products(e, k) = Y.col(i).segment(first, rows).dot(KY.col(j).segment(first, rows));
    });
  }
  return products;
}

Matrix ElementProducts::stiffness_squares(const Matrix& X) const {
  const Matrix Y = on_corners(X), KY = K_.selfadjointView<Eigen::Lower>() * Y;
  Matrix squares(count_, X.cols());
  for (Index e = 0; e < count_; ++e)
    for (Index j = 0; j < X.cols(); ++j)
      squares(e, j) = Y.col(j).segment(3 * each_ * e, 3 * each_).dot(KY.col(j).segment(3 * each_ * e, 3 * each_));
  return squares;
}

Matrix ElementProducts::mass(const Matrix& X) const {
  const Matrix Y = on_corners(X);
  Matrix products = Matrix::Zero(count_, pair_count(X.cols()));
  for (const NodalMass& m : masses_) {
    const Index e = m.a / each_;
    const auto a = Y.middleRows<3>(3 * static_cast<Index>(m.a)), b = Y.middleRows<3>(3 * static_cast<Index>(m.b));
    for_pairs(X.cols(), [&](Index i, Index j, Index k) {
      products(e, k) += m.m * a.col(i).dot(b.col(j));
      if (m.a != m.b) products(e, k) += m.m * b.col(i).dot(a.col(j));
    });
  }
  return products;
}

}  // namespace limber
