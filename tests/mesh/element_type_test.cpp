#include "limber/mesh/element_type.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace limber {
namespace {

const ElementKind kinds[] = {ElementKind::tet4, ElementKind::tet10, ElementKind::hex8};
const Vec3 inside[] = {{.1, .2, .3}, {.25, .25, .25}, {.6, .1, .05}};

double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
double monomial(const Vec3& x, int i, int j, int k) {
  return std::pow(x[0], i) * std::pow(x[1], j) * std::pow(x[2], k);
}

/// ∫ x^i y^j z^k over the reference element.
double moment(ElementKind kind, int i, int j, int k) {
  if (kind != ElementKind::hex8) return factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
  double product = 1;
  for (const int n : {i, j, k}) product *= n % 2 == 1 ? 0 : 2. / (n + 1);
  return product;
}

double sum(const Quadrature& rule, int i, int j, int k) {
  double s = 0;
  for (Index q = 0; q < rule.weights.size(); ++q) s += rule.weights[q] * monomial(rule.points.row(q), i, j, k);
  return s;
}

/// All monomials of the degree (of each variable in a cube).
void expect_exact(ElementKind kind, const Quadrature& rule, int degree) {
  for (int i = 0; i <= degree; ++i)
    for (int j = 0; j <= degree; ++j)
      for (int k = 0; k <= degree; ++k)
        if (kind == ElementKind::hex8 || i + j + k <= degree) {
          EXPECT_NEAR(sum(rule, i, j, k), moment(kind, i, j, k), 1e-14) << i << j << k;
        }
  EXPECT_GT(rule.weights.minCoeff(), 0);
}

TEST(ElementType, ShapesAreOneAtTheirNodeAndZeroAtTheOthers) {
  for (const ElementKind kind : kinds) {
    const Matrix X = reference_nodes(kind);
    for (Index b = 0; b < X.rows(); ++b)
      EXPECT_LE((shape_values(kind, X.row(b)) - Vector::Unit(X.rows(), b)).norm(), 1e-15);
  }
}

TEST(ElementType, ShapesReproducePolynomials) {
  for (const ElementKind kind : kinds) {
    const Matrix X = reference_nodes(kind);
    const int degree = kind == ElementKind::tet4 ? 1 : 2;
    for (const Vec3& xi : inside)
      for (int i = 0; i <= degree; ++i)
        for (int j = 0; j <= degree; ++j)
          for (int k = 0; k <= degree; ++k) {
            const bool spanned = kind == ElementKind::hex8 ? std::max({i, j, k}) <= 1 : i + j + k <= degree;
            if (!spanned) continue;
            double value = 0;
            for (Index a = 0; a < X.rows(); ++a) value += shape_values(kind, xi)[a] * monomial(X.row(a), i, j, k);
            EXPECT_NEAR(value, monomial(xi, i, j, k), 1e-15);
          }
  }
}

TEST(ElementType, GradientsAreDifferencesOfValues) {
  constexpr double h = 1e-3;  // central differences are exact for polynomials of degree 2 in each variable
  for (const ElementKind kind : kinds)
    for (const Vec3& xi : inside) {
      const Matrix G = shape_gradients(kind, xi);
      for (int k = 0; k < 3; ++k)
        EXPECT_LE((G.col(k) -
                   (shape_values(kind, xi + h * Vec3::Unit(k)) - shape_values(kind, xi - h * Vec3::Unit(k))) / (2 * h))
                      .norm(),
                  1e-12);
      EXPECT_LE(G.colwise().sum().norm(), 1e-14);
    }
}

TEST(ElementType, RulesAreExactToTheirDegree) {
  expect_exact(ElementKind::tet4, energy_rule(ElementKind::tet4, Sides::straight), 1);
  expect_exact(ElementKind::tet10, energy_rule(ElementKind::tet10, Sides::straight), 2);
  expect_exact(ElementKind::tet10, energy_rule(ElementKind::tet10, Sides::curved), 3);
  expect_exact(ElementKind::hex8, energy_rule(ElementKind::hex8, Sides::straight), 3);
  expect_exact(ElementKind::tet4, mass_rule(ElementKind::tet4), 2);
  expect_exact(ElementKind::tet10, mass_rule(ElementKind::tet10), 7);
  expect_exact(ElementKind::hex8, mass_rule(ElementKind::hex8), 4);
}

TEST(ElementType, FacesAndEdgesFitEachOther) {
  for (const ElementKind kind : kinds) {
    const ElementType& type = element_type(kind);
    const Matrix X = reference_nodes(kind);
    const FaceType& face = face_type(type.face);
    const auto n = static_cast<std::size_t>(face.nodes);
    ASSERT_EQ(type.faces.size() % n, 0u);
    double volume = 0;
    for (std::size_t f = 0; f < type.faces.size() / n; ++f) {
      Matrix x(face.nodes, 3);
      for (std::size_t a = 0; a < n; ++a) x.row(static_cast<Index>(a)) = X.row(type.faces[f * n + a]);
      const Quadrature rule = surface_rule(type.face);
      for (Index q = 0; q < rule.weights.size(); ++q) {
        const Matrix map = x.transpose() * shape_gradients(type.face, rule.points.row(q));
        const Vec3 at = x.transpose() * shape_values(type.face, rule.points.row(q)), a = map.col(0), b = map.col(1);
        volume += rule.weights[q] / 3 * at.dot(a.cross(b));
      }
    }
    EXPECT_NEAR(volume, energy_rule(kind, Sides::straight).weights.sum(), 1e-14) << type.name;
    // Each edge is one of two faces.
    std::size_t sides = 0;
    for (std::size_t f = 0; f < type.faces.size() / n; ++f) sides += static_cast<std::size_t>(face.corners);
    EXPECT_EQ(sides, 2 * type.edges.size());
  }
}

TEST(ElementType, PiecesFillTheElementAndTellItsNodes) {
  for (const ElementKind kind : kinds) {
    const ElementType& type = element_type(kind);
    const Matrix X = reference_nodes(kind);
    std::vector<int> nodes;
    for (int a = 0; a < type.nodes; ++a) nodes.push_back(a);
    std::vector<std::array<int, 4>> cut;
    add_pieces(kind, nodes, cut);
    EXPECT_TRUE(std::equal(cut.begin(), cut.end(), type.pieces.begin(), type.pieces.end())) << type.name;
    EXPECT_EQ(joined(kind, cut), nodes);
    double volume = 0;
    for (const auto& [a, b, c, d] : cut) {
      Mat3 sides;
      sides << (X.row(b) - X.row(a)).transpose(), (X.row(c) - X.row(a)).transpose(), (X.row(d) - X.row(a)).transpose();
      EXPECT_GT(sides.determinant(), 0);
      volume += sides.determinant() / 6;
    }
    EXPECT_NEAR(volume, energy_rule(kind, Sides::straight).weights.sum(), 1e-14);
    EXPECT_EQ(element_kind(type.name), kind);
  }
  EXPECT_THROW(element_kind("P0"), std::out_of_range);
}

TEST(ElementType, NumbersOfPoints) {
  EXPECT_EQ(energy_rule(ElementKind::tet4, Sides::straight).weights.size(), 1);
  EXPECT_EQ(energy_rule(ElementKind::tet10, Sides::straight).weights.size(), 4);
  EXPECT_EQ(energy_rule(ElementKind::tet10, Sides::curved).weights.size(), 8);
  EXPECT_EQ(energy_rule(ElementKind::hex8, Sides::straight).weights.size(), 8);
}

}  // namespace
}  // namespace limber
