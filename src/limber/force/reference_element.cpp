#include "limber/force/reference_element.hpp"

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>

namespace limber {
namespace {

Eigen::Vector4d barycentric(const Vec3& xi) { return {1 - xi.sum(), xi[0], xi[1], xi[2]}; }

/// ∂/∂ξ of the barycentric coordinates, 4 × 3.
Matrix barycentric_gradients() {
  Matrix G(4, 3);
  G << -1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  return G;
}

/// n points of Gauss on [0, 1] for the weight (1 − x)^power: nodes are eigenvalues of Jacobi's matrix.
struct Line {
  Vector points, weights;
};
Line gauss(int n, int power) {
  const double a = power;
  Matrix J = Matrix::Zero(n, n);
  for (int k = 0; k < n; ++k) {
    const double s = 2 * k + a;
    J(k, k) = k == 0 ? -a / (a + 2) : -a * a / (s * (s + 2));
    if (k + 1 == n) break;
    const double m = k + 1, t = 2 * m + a;
    // With a second exponent of 0; the first off-diagonal has a factor that cancels.
    const double square = k == 0 ? 4 * (1 + a) / ((2 + a) * (2 + a) * (3 + a))
                                 : 4 * m * (m + a) * m * (m + a) / (t * t * (t + 1) * (t - 1));
    J(k, k + 1) = J(k + 1, k) = std::sqrt(square);
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(J);
  Line line;
  line.points = (eigen.eigenvalues().array() + 1) / 2;
  line.weights = eigen.eigenvectors().row(0).cwiseAbs2().transpose() / (a + 1);
  return line;
}

/// n³ points for polynomials of degree 2n − 1, by mapping a cube onto the tetrahedron.
Quadrature conical(int n) {
  const Line x = gauss(n, 2), y = gauss(n, 1), z = gauss(n, 0);
  Quadrature rule{Matrix(n * n * n, 3), Vector(n * n * n)};
  Index at = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k, ++at) {
        const double u = x.points[i], v = y.points[j] * (1 - u), w = z.points[k] * (1 - u - v);
        rule.points.row(at) << u, v, w;
        rule.weights[at] = x.weights[i] * y.weights[j] * z.weights[k];
      }
  return rule;
}

Quadrature cube(int n) {
  const Line line = gauss(n, 0);
  Quadrature rule{Matrix(n * n * n, 3), Vector(n * n * n)};
  Index at = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k, ++at) {
        rule.points.row(at) << 2 * line.points[i] - 1, 2 * line.points[j] - 1, 2 * line.points[k] - 1;
        rule.weights[at] = 8 * line.weights[i] * line.weights[j] * line.weights[k];
      }
  return rule;
}

/// The four points with barycentric coordinates (a, a, a, 1 − 3a).
void add_orbit(double a, double weight, Quadrature& rule, Index& at) {
  for (int corner = 0; corner < 4; ++corner, ++at) {
    Eigen::Vector4d b = Eigen::Vector4d::Constant(a);
    b[corner] = 1 - 3 * a;
    rule.points.row(at) = b.tail<3>().transpose();
    rule.weights[at] = weight;
  }
}

/// Degree 2 with one orbit; degree 3 with two, whose a and weights the moments up to degree 3 determine.
Quadrature orbits(Sides sides) {
  Index at = 0;
  if (sides == Sides::straight) {
    Quadrature rule{Matrix(4, 3), Vector(4)};
    add_orbit((5 - std::sqrt(5.)) / 20, 1. / 24, rule, at);
    return rule;
  }
  Quadrature rule{Matrix(8, 3), Vector(8)};
  add_orbit(0.3281550767476014037, 0.1363845451132444497 / 6, rule, at);
  add_orbit(0.1079692688100047469, 0.1136154548867555503 / 6, rule, at);
  return rule;
}

}  // namespace

Matrix reference_nodes(ElementKind kind) {
  Matrix X(node_count(kind), 3);
  if (kind == ElementKind::hex8) {
    X << -1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1;
    return X;
  }
  X.topRows<4>() = Matrix::Identity(4, 4).rightCols<3>();
  if (kind == ElementKind::tet10)
    for (std::size_t e = 0; e < tet10_middles.size(); ++e)
      X.row(4 + static_cast<Index>(e)) = (X.row(tet10_middles[e][0]) + X.row(tet10_middles[e][1])) / 2;
  return X;
}

Vector shape_values(ElementKind kind, const Vec3& xi) {
  Vector N(node_count(kind));
  if (kind == ElementKind::hex8) {
    const Matrix X = reference_nodes(kind);
    for (Index a = 0; a < 8; ++a) N[a] = (1 + X(a, 0) * xi[0]) * (1 + X(a, 1) * xi[1]) * (1 + X(a, 2) * xi[2]) / 8;
    return N;
  }
  const Eigen::Vector4d b = barycentric(xi);
  if (kind == ElementKind::tet4) return b;
  for (Index a = 0; a < 4; ++a) N[a] = b[a] * (2 * b[a] - 1);
  for (std::size_t e = 0; e < tet10_middles.size(); ++e)
    N[4 + static_cast<Index>(e)] = 4 * b[tet10_middles[e][0]] * b[tet10_middles[e][1]];
  return N;
}

Matrix shape_gradients(ElementKind kind, const Vec3& xi) {
  Matrix G(node_count(kind), 3);
  if (kind == ElementKind::hex8) {
    const Matrix X = reference_nodes(kind);
    for (Index a = 0; a < 8; ++a) {
      const Vec3 one = Vec3::Ones() + X.row(a).transpose().cwiseProduct(xi);
      G.row(a) << X(a, 0) * one[1] * one[2], X(a, 1) * one[0] * one[2], X(a, 2) * one[0] * one[1];
    }
    return G / 8;
  }
  const Eigen::Vector4d b = barycentric(xi);
  Matrix dB = barycentric_gradients();
  if (kind == ElementKind::tet4) return dB;
  for (Index a = 0; a < 4; ++a) G.row(a) = (4 * b[a] - 1) * dB.row(a);
  for (std::size_t e = 0; e < tet10_middles.size(); ++e) {
    const auto [i, j] = tet10_middles[e];
    G.row(4 + static_cast<Index>(e)) = 4 * (b[i] * dB.row(j) + b[j] * dB.row(i));
  }
  return G;
}

Quadrature energy_rule(ElementKind kind, Sides sides) {
  if (kind == ElementKind::hex8) return cube(2);
  return kind == ElementKind::tet4 ? conical(1) : orbits(sides);
}

Sides sides(const ElementMesh& mesh) {
  if (mesh.kind != ElementKind::tet10) return Sides::straight;
  const Matrix X = reference_nodes(mesh.kind);
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    const auto nodes = mesh.element(e);
    const auto x = [&](std::size_t a) { return mesh.nodes[static_cast<std::size_t>(nodes[a])]; };
    Mat3 map;
    map << x(1) - x(0), x(2) - x(0), x(3) - x(0);
    for (std::size_t a = 4; a < 10; ++a)
      if ((x(a) - x(0) - map * X.row(static_cast<Index>(a)).transpose()).norm() > 1e-12 * map.norm())
        return Sides::curved;
  }
  return Sides::straight;
}

Quadrature mass_rule(ElementKind kind) {
  if (kind == ElementKind::hex8) return cube(3);
  return conical(kind == ElementKind::tet4 ? 2 : 4);
}

Vector shape_values(FaceKind kind, const Eigen::Vector2d& xi) {
  const double x = xi[0], y = xi[1];
  if (kind == FaceKind::quad4)
    return Eigen::Vector4d((1 - x) * (1 - y), (1 + x) * (1 - y), (1 + x) * (1 + y), (1 - x) * (1 + y)) / 4;
  const Vec3 b(1 - x - y, x, y);
  if (kind == FaceKind::tri3) return b;
  Vector N(6);
  for (Index k = 0; k < 3; ++k) {
    N[k] = b[k] * (2 * b[k] - 1);
    N[3 + k] = 4 * b[k] * b[(k + 1) % 3];
  }
  return N;
}

Matrix shape_gradients(FaceKind kind, const Eigen::Vector2d& xi) {
  const double x = xi[0], y = xi[1];
  Matrix G(node_count(kind), 2);
  if (kind == FaceKind::quad4) {
    G << y - 1, x - 1, 1 - y, -1 - x, 1 + y, 1 + x, -1 - y, 1 - x;
    return G / 4;
  }
  Matrix dB(3, 2);
  dB << -1, -1, 1, 0, 0, 1;
  if (kind == FaceKind::tri3) return dB;
  const Vec3 b(1 - x - y, x, y);
  for (Index k = 0; k < 3; ++k) {
    const Index next = (k + 1) % 3;
    G.row(k) = (4 * b[k] - 1) * dB.row(k);
    G.row(3 + k) = 4 * (b[k] * dB.row(next) + b[next] * dB.row(k));
  }
  return G;
}

Quadrature surface_rule(FaceKind kind) {
  if (kind == FaceKind::tri3) return {Matrix::Constant(1, 2, 1. / 3), Vector::Constant(1, .5)};
  const bool square = kind == FaceKind::quad4;
  const int n = square ? 2 : 3;
  const Line u = gauss(n, square ? 0 : 1), v = gauss(n, 0);
  Quadrature rule{Matrix(n * n, 2), Vector(n * n)};
  Index at = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j, ++at) {
      if (square)
        rule.points.row(at) << 2 * u.points[i] - 1, 2 * v.points[j] - 1;
      else
        rule.points.row(at) << u.points[i], v.points[j] * (1 - u.points[i]);
      rule.weights[at] = (square ? 4 : 1) * u.weights[i] * v.weights[j];
    }
  return rule;
}

}  // namespace limber
