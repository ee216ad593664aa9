#include "limber/force/mass.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/mesh/element_type.hpp"

namespace limber {

namespace {

void merge(std::vector<NodalMass>& entries) {
  // Stable, so that the sums are taken in the order of the tetrahedra.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const NodalMass& x, const NodalMass& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
  std::size_t last = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].a == entries[last].a && entries[i].b == entries[last].b)
      entries[last].m += entries[i].m;
    else
      entries[++last] = entries[i];
  }
  if (!entries.empty()) entries.resize(last + 1);
}

/// ∫ N_a N_b over one element, n × n [m³].
class ElementMass {
 public:
  explicit ElementMass(ElementKind kind) : rule_(mass_rule(kind)) {
    for (Index q = 0; q < rule_.weights.size(); ++q) {
      values_.push_back(shape_values(kind, rule_.points.row(q)));
      gradients_.push_back(shape_gradients(kind, rule_.points.row(q)));
    }
  }
  Matrix of(const Matrix& X) const {  // positions of the nodes, n × 3
    Matrix m = Matrix::Zero(X.rows(), X.rows());
    for (std::size_t q = 0; q < values_.size(); ++q) {
      const double det = Mat3(X.transpose() * gradients_[q]).determinant();
      m += rule_.weights[static_cast<Index>(q)] * std::abs(det) * values_[q] * values_[q].transpose();
    }
    return m;
  }

 private:
  Quadrature rule_;
  std::vector<Vector> values_;
  std::vector<Matrix> gradients_;
};

}  // namespace

std::vector<NodalMass> element_masses(const ElementMesh& mesh, int first_node, std::span<const double> density,
                                      MassKind kind) {
  eigen_assert(density.size() == mesh.count());
  const ElementMass element(mesh.kind);
  const Index n = node_count(mesh.kind);
  std::vector<NodalMass> entries;
  std::vector<double> lumped(kind == MassKind::lumped ? mesh.nodes.size() : 0, 0.0);
  std::vector<char> used(lumped.size(), 0);
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    const auto nodes = mesh.element(e);
    Matrix X(n, 3);
    for (Index a = 0; a < n; ++a)
      X.row(a) = mesh.nodes[static_cast<std::size_t>(nodes[static_cast<std::size_t>(a)])].transpose();
    const Matrix m = density[e] * element.of(X);
    const double scale = m.sum() / m.trace();
    for (Index a = 0; a < n; ++a) {
      const int i = nodes[static_cast<std::size_t>(a)];
      if (kind == MassKind::lumped) {
        lumped[static_cast<std::size_t>(i)] += scale * m(a, a);
        used[static_cast<std::size_t>(i)] = 1;
        continue;
      }
      for (Index b = 0; b < n; ++b)
        if (const int j = nodes[static_cast<std::size_t>(b)]; i <= j)
          entries.push_back({first_node + i, first_node + j, m(a, b)});
    }
  }
  if (kind == MassKind::lumped) {
    entries.reserve(static_cast<std::size_t>(std::count(used.begin(), used.end(), 1)));
    for (std::size_t i = 0; i < lumped.size(); ++i)
      if (used[i]) entries.push_back({first_node + static_cast<int>(i), first_node + static_cast<int>(i), lumped[i]});
    return entries;
  }
  merge(entries);
  entries.shrink_to_fit();
  return entries;
}

void add_row_sums(const std::vector<NodalMass>& masses, Vector& sums) {
  for (const NodalMass& e : masses) {
    sums[e.a] += e.m;
    if (e.a != e.b) sums[e.b] += e.m;
  }
}

}  // namespace limber
