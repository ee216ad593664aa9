/// A manufactured solution of linear elasticity, u = A sin(k·x + c), on a cube: with the load that it needs and its
/// values on the boundary, elements of degree p must find it with an error of order p + 1.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <numeric>

#include "limber/force/elastic.hpp"

namespace limber {
namespace {

constexpr double solid_young = 1000, solid_poisson = .3;
const Vec3 A(1, -.6, .8), k(2.2, 1.7, -1.9);
constexpr double c = .4;

Vec3 exact(const Vec3& x) { return A * std::sin(k.dot(x) + c); }

/// −div σ = −(λ + μ) ∇(∇·u) − μ Δu.
Vec3 load(const Vec3& x) {
  const double mu = solid_young / (2 * (1 + solid_poisson)),
               lambda = solid_young * solid_poisson / ((1 + solid_poisson) * (1 - 2 * solid_poisson));
  return ((lambda + mu) * A.dot(k) * k + mu * k.squaredNorm() * A) * std::sin(k.dot(x) + c);
}

ElementMesh cube(ElementKind kind, int cells) {
  const std::array<int, 3> n{cells, cells, cells};
  if (kind == ElementKind::hex8) return box_hexahedra(Vec3::Zero(), Vec3::Ones(), n);
  return elements_of(box_mesh(Vec3::Zero(), Vec3::Ones(), n, Split::six), kind);
}

/// visit(position, values of the shape functions, volume, nodes) at points of a rule that is finer than the elements'.
template <class Visit>
void integrate(const ElementMesh& mesh, const Visit& visit) {
  const Quadrature rule = mass_rule(mesh.kind == ElementKind::hex8 ? mesh.kind : ElementKind::tet10);
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    const auto nodes = mesh.element(e);
    Matrix X(node_count(mesh.kind), 3);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      X.row(static_cast<Index>(a)) = mesh.nodes[static_cast<std::size_t>(nodes[a])].transpose();
    for (Index q = 0; q < rule.weights.size(); ++q) {
      const Vector N = shape_values(mesh.kind, rule.points.row(q));
      const double det = Mat3(X.transpose() * shape_gradients(mesh.kind, rule.points.row(q))).determinant();
      visit(Vec3(X.transpose() * N), N, rule.weights[q] * std::abs(det), nodes);
    }
  }
}

/// The L² norm of the error.
double error(const ElementMesh& mesh) {
  const int count = static_cast<int>(mesh.nodes.size());
  std::vector<int> free(static_cast<std::size_t>(count), -1);
  int unknown = 0;
  for (int i = 0; i < count; ++i) {
    const Vec3& x = mesh.nodes[static_cast<std::size_t>(i)];
    if (x.minCoeff() > 1e-9 && x.maxCoeff() < 1 - 1e-9) free[static_cast<std::size_t>(i)] = unknown++;
  }
  ElasticForce elastic(mesh, 0, {make_material({"linear", solid_young, solid_poisson, {}}, "m")},
                       std::vector<int>(mesh.count(), 0));
  std::vector<std::pair<int, int>> pairs, coupled;
  elastic.add_couplings(pairs);
  for (const auto& [a, b] : pairs)
    if (const int i = free[static_cast<std::size_t>(a)], j = free[static_cast<std::size_t>(b)]; i >= 0 && j >= 0)
      coupled.emplace_back(i, j);
  const BlockPattern pattern(unknown, coupled, Storage::lower);
  elastic.bind(pattern, free);
  Vector rest(3 * count), u(3 * count), f = Vector::Zero(3 * count);
  for (int i = 0; i < count; ++i) {
    rest.segment<3>(3 * i) = mesh.nodes[static_cast<std::size_t>(i)];
    u.segment<3>(3 * i) = free[static_cast<std::size_t>(i)] < 0 ? exact(rest.segment<3>(3 * i)) : Vec3::Zero();
  }
  SparseMatrix K = pattern.zero();
  TangentBuilder T(pattern, free, Definiteness::exact, K.valuePtr(), nullptr);
  elastic.linearize({rest + u, Vector()}, f, T);
  integrate(mesh, [&](const Vec3& x, const Vector& N, double volume, std::span<const int> nodes) {
    for (std::size_t a = 0; a < nodes.size(); ++a)
      f.segment<3>(3 * nodes[a]) += volume * N[static_cast<Index>(a)] * load(x);
  });
  Vector right(3 * unknown);
  for (int i = 0; i < count; ++i)
    if (const int n = free[static_cast<std::size_t>(i)]; n >= 0) right.segment<3>(3 * n) = f.segment<3>(3 * i);
  const Vector solution = Eigen::SimplicialLDLT<SparseMatrix>(K).solve(right);
  for (int i = 0; i < count; ++i)
    if (const int n = free[static_cast<std::size_t>(i)]; n >= 0) u.segment<3>(3 * i) = solution.segment<3>(3 * n);
  double square = 0;
  integrate(mesh, [&](const Vec3& x, const Vector& N, double volume, std::span<const int> nodes) {
    Vec3 found = Vec3::Zero();
    for (std::size_t a = 0; a < nodes.size(); ++a) found += N[static_cast<Index>(a)] * u.segment<3>(3 * nodes[a]);
    square += volume * (found - exact(x)).squaredNorm();
  });
  return std::sqrt(square);
}

TEST(Convergence, OrderOfTheDegreePlusOne) {
  const double p1 = std::log2(error(cube(ElementKind::tet4, 6)) / error(cube(ElementKind::tet4, 12)));
  const double p2 = std::log2(error(cube(ElementKind::tet10, 3)) / error(cube(ElementKind::tet10, 6)));
  const double hex = std::log2(error(cube(ElementKind::hex8, 5)) / error(cube(ElementKind::hex8, 10)));
  EXPECT_NEAR(p1, 2, .12);
  EXPECT_NEAR(p2, 3, .12);
  EXPECT_NEAR(hex, 2, .12);
}

}  // namespace
}  // namespace limber
