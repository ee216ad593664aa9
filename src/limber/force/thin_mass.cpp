#include "limber/force/thin_mass.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <numbers>

#include "limber/core/errors.hpp"

namespace limber {

namespace {

double twice_area(const TriMesh& mesh, std::size_t i) {
  const auto X = [&](std::size_t k) { return mesh.nodes[static_cast<std::size_t>(mesh.triangles[i][k])]; };
  return (X(1) - X(0)).cross(X(2) - X(0)).norm();
}

class Masses {
 public:
  template <std::size_t n>
  void add(const std::array<int, n>& nodes, int first_node, double mass, MassKind kind) {
    for (const int a : nodes)
      for (const int b : nodes) {
        if (kind == MassKind::lumped && a == b) sums_[{first_node + a, first_node + a}] += mass / n;
        if (kind == MassKind::consistent && a <= b)
          sums_[{first_node + a, first_node + b}] += (a == b ? 2 : 1) * mass / (n * (n + 1));
      }
  }
  std::vector<NodalMass> sorted() const {
    std::vector<NodalMass> list;
    for (const auto& [pair, m] : sums_) list.push_back({pair.first, pair.second, m});
    return list;
  }

 private:
  std::map<std::pair<int, int>, double> sums_;
};

}  // namespace

std::vector<double> triangle_areas(const TriMesh& mesh, const std::string& where) {
  std::vector<double> areas;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& [a, b, c] = mesh.triangles[i];
    const auto side = [&](int j, int k) {
      return (mesh.nodes[static_cast<std::size_t>(j)] - mesh.nodes[static_cast<std::size_t>(k)]).squaredNorm();
    };
    const double twice = twice_area(mesh, i);
    if (!(twice > 1e-14 * std::max({side(a, b), side(b, c), side(c, a)})))
      throw InputError(where, fmt::format("triangle {} (nodes {}, {}, {}) has no area at rest", i, a, b, c));
    areas.push_back(twice / 2);
  }
  return areas;
}

std::vector<NodalMass> membrane_masses(const TriMesh& mesh, int first_node, std::span<const double> density,
                                       double thickness, MassKind kind) {
  eigen_assert(density.size() == mesh.triangles.size());
  Masses masses;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    masses.add(mesh.triangles[i], first_node, density[i] * thickness * twice_area(mesh, i) / 2, kind);
  return masses.sorted();
}

std::vector<NodalMass> rod_masses(const std::vector<std::array<int, 2>>& edges, const Vector& q, double density,
                                  double radius, MassKind kind) {
  Masses masses;
  for (const auto& edge : edges) {
    const double length = (q.segment<3>(3 * edge[0]) - q.segment<3>(3 * edge[1])).norm();
    masses.add(edge, 0, density * std::numbers::pi * radius * radius * length, kind);
  }
  return masses.sorted();
}

}  // namespace limber
