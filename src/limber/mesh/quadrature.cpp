#include "limber/mesh/quadrature.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace limber {
namespace {

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

/// The four points with barycentric coordinates (a, a, a, 1 − 3a).
void add_orbit(double a, double weight, Quadrature& rule, Index& at) {
  for (int corner = 0; corner < 4; ++corner, ++at) {
    Eigen::Vector4d b = Eigen::Vector4d::Constant(a);
    b[corner] = 1 - 3 * a;
    rule.points.row(at) = b.tail<3>().transpose();
    rule.weights[at] = weight;
  }
}

}  // namespace

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

Quadrature cube_rule(int n) {
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

/// Degree 2 with one orbit; degree 3 with two, whose a and weights the moments up to degree 3 determine.
Quadrature tetrahedron_orbits(Sides sides) {
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

Quadrature triangle_centre() { return {Matrix::Constant(1, 2, 1. / 3), Vector::Constant(1, .5)}; }

Quadrature triangle_rule(int n) {
  const Line u = gauss(n, 1), v = gauss(n, 0);
  Quadrature rule{Matrix(n * n, 2), Vector(n * n)};
  Index at = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j, ++at) {
      rule.points.row(at) << u.points[i], v.points[j] * (1 - u.points[i]);
      rule.weights[at] = u.weights[i] * v.weights[j];
    }
  return rule;
}

Quadrature square_rule(int n) {
  const Line line = gauss(n, 0);
  Quadrature rule{Matrix(n * n, 2), Vector(n * n)};
  Index at = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j, ++at) {
      rule.points.row(at) << 2 * line.points[i] - 1, 2 * line.points[j] - 1;
      rule.weights[at] = 4 * line.weights[i] * line.weights[j];
    }
  return rule;
}

}  // namespace limber
