#include "limber/force/rest_powers.hpp"

#include <Eigen/Geometry>

#include "limber/core/parallel.hpp"
#include "limber/force/point_gradients.hpp"

namespace limber {
namespace {

constexpr double element_cost = 5e3;  // [ns]

/// Sums at nodes what add(e, to) adds at the nodes of each element, #n × 3.
template <class Add>
void sum_at_nodes(const ElementMesh& mesh, Eigen::Ref<Vector> to, const Add& add) {
  const Index n = node_count(mesh.kind);
  Matrix all = Matrix::Zero(3, static_cast<Index>(mesh.corners.size()));
  in_pieces(
      mesh.count(), 64, [&](std::size_t e) { add(e, all.middleCols(static_cast<Index>(e) * n, n)); }, element_cost);
  for (Index k = 0; k < all.cols(); ++k)
    to.segment<3>(3 * static_cast<Index>(mesh.corners[static_cast<std::size_t>(k)])) += all.col(k);
}

/// Σ u_a g_aᵀ over the nodes of an element.
Mat3 slope_of(const Vector& u, std::span<const int> nodes, std::span<const Vec3> g) {
  Mat3 F = Mat3::Zero();
  for (std::size_t a = 0; a < nodes.size(); ++a) F += block(u, nodes[a]) * g[a].transpose();
  return F;
}

using Column9 = Eigen::Matrix<double, 9, 1>;

}  // namespace

void add_elastic_rest_powers(const ElementMesh& mesh, const std::vector<AnyMaterial>& materials,
                             const std::vector<int>& material_of_element, const Vector& x, const Vector& w,
                             Eigen::Ref<Vector> to) {
  const PointGradients shape(mesh);
  sum_at_nodes(mesh, to, [&](std::size_t e, auto&& at_nodes) {
    const AnyMaterial& material = materials[ix(material_of_element[e])];
    const auto nodes = mesh.element(e);
    std::vector<Vec3> g;
    for (std::size_t point = 0; point < shape.points(); ++point) {
      g.clear();
      const double volume = shape.append(e, point, g);
      const Mat3 F = slope_of(x, nodes, g), W = slope_of(w, nodes, g), P = stress(material, F);
      const Column9 change = hessian(material, F) * Eigen::Map<const Column9>(W.data());
      const Mat3 dP = Eigen::Map<const Mat3>(change.data());
      const double power = P.cwiseProduct(W).sum();
      const Mat3 A = -volume * (power * Mat3::Identity() - F.transpose() * dP - W.transpose() * P);
      for (std::size_t a = 0; a < g.size(); ++a) at_nodes.col(static_cast<Index>(a)) += A * g[a];
    }
  });
}

void add_mass_rest_powers(const ElementMesh& mesh, std::span<const double> density, MassKind kind, const Vector& w,
                          const Vector& y, Eigen::Ref<Vector> to) {
  const Quadrature rule = mass_rule(mesh.kind);
  const PointGradients shape(mesh, rule);
  std::vector<Vector> values;
  for (Index p = 0; p < rule.weights.size(); ++p) values.push_back(shape_values(mesh.kind, rule.points.row(p)));
  sum_at_nodes(mesh, to, [&](std::size_t e, auto&& at_nodes) {
    const auto nodes = mesh.element(e);
    const auto n = static_cast<Index>(nodes.size());
    std::vector<Vec3> g;
    std::vector<double> volume;
    for (std::size_t p = 0; p < values.size(); ++p) volume.push_back(shape.append(e, p, g));
    // At a point, what the sum m_ab w_a · y_b has of its volume, by its derivative.
    Vector of_volume(rule.weights.size());
    if (kind == MassKind::consistent) {
      for (std::size_t p = 0; p < values.size(); ++p) {
        Vec3 W = Vec3::Zero(), Y = Vec3::Zero();
        for (Index a = 0; a < n; ++a) {
          W += values[p][a] * block(w, nodes[static_cast<std::size_t>(a)]);
          Y += values[p][a] * block(y, nodes[static_cast<std::size_t>(a)]);
        }
        of_volume[static_cast<Index>(p)] = W.dot(Y);
      }
    } else {
      // (Σ V) (Σ V N_a² w_a · y_a)/(Σ V N_a²)
      Vector at_point(of_volume.size()), squares(of_volume.size());
      double whole = 0, sum = 0, trace = 0;
      for (std::size_t p = 0; p < values.size(); ++p) {
        double own = 0;
        for (Index a = 0; a < n; ++a) {
          const int node = nodes[static_cast<std::size_t>(a)];
          own += values[p][a] * values[p][a] * block(w, node).dot(block(y, node));
        }
        at_point[static_cast<Index>(p)] = own;
        squares[static_cast<Index>(p)] = values[p].squaredNorm();
        whole += volume[p];
        sum += volume[p] * own;
        trace += volume[p] * values[p].squaredNorm();
      }
      of_volume = sum / trace + (whole / trace * at_point.array() - whole * sum / (trace * trace) * squares.array());
    }
    for (std::size_t p = 0; p < values.size(); ++p)
      for (Index a = 0; a < n; ++a)
        at_nodes.col(a) += density[e] * volume[p] * of_volume[static_cast<Index>(p)] *
                           g[p * nodes.size() + static_cast<std::size_t>(a)];
  });
}

void add_mass_rest_powers(const TriMesh& mesh, double density, double thickness, MassKind kind, const Vector& w,
                          const Vector& y, Eigen::Ref<Vector> to) {
  for (const auto& nodes : mesh.triangles) {
    double of_area = 0;  // what the sum has of the area, but for the density
    Vec3 W = Vec3::Zero(), Y = Vec3::Zero();
    for (const int a : nodes) {
      of_area += block(w, a).dot(block(y, a));
      W += block(w, a);
      Y += block(y, a);
    }
    of_area = kind == MassKind::lumped ? of_area / 3 : (of_area + W.dot(Y)) / 12;
    const auto X = [&](std::size_t k) { return mesh.nodes[ix(nodes[k % 3])]; };
    const Vec3 normal = (X(1) - X(0)).cross(X(2) - X(0)).normalized();
    for (std::size_t k = 0; k < 3; ++k)
      to.segment<3>(3 * static_cast<Index>(nodes[k])) +=
          density * thickness * of_area / 2 * normal.cross(X(k + 2) - X(k + 1));
  }
}

}  // namespace limber
