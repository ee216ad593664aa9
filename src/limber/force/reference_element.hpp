#pragma once
/// Reference elements: shape functions N_a(ξ) with Σ N_a = 1, and quadrature rules ∫ g dξ ≈ Σ w g(ξ).
///
///     tet4, tet10: ξ ≥ 0, ξ₁ + ξ₂ + ξ₃ ≤ 1; corners 000, 100, 010, 001, then the edges' middles 01, 12, 02, 03, 13, 23
///     hex8: −1 ≤ ξ ≤ 1; corners counter-clockwise at ξ₃ = −1, then at ξ₃ = 1
///
/// Nodes are ordered as in VTK cells. Faces are tri3 and tri6, ξ ≥ 0, ξ₁ + ξ₂ ≤ 1, and quad4, −1 ≤ ξ ≤ 1.

#include "limber/mesh/element_faces.hpp"

namespace limber {

/// Positions of the nodes, #n × 3.
Matrix reference_nodes(ElementKind kind);
/// N_a, #n.
Vector shape_values(ElementKind kind, const Vec3& xi);
/// ∂N_a/∂ξ, #n × 3.
Matrix shape_gradients(ElementKind kind, const Vec3& xi);

struct Quadrature {
  Matrix points;   // #q × 3; for faces #q × 2
  Vector weights;  // #q, all positive; their sum is the volume of the reference element
};

/// For the elastic energy. `sides`: whether a tet10 may be curved; forces under constant stress are then exact too
/// (degree 3). The other rules achieve this for every element whose map is that of its corners.
enum class Sides { straight, curved };
Quadrature energy_rule(ElementKind kind, Sides sides);
/// Curved if some tet10 edge has its middle node off the midpoint.
Sides sides(const ElementMesh& mesh);
/// Exact for N_a N_b det ∂X/∂ξ of every element, curved or not.
Quadrature mass_rule(ElementKind kind);

/// N_a, #n, and ∂N_a/∂ξ, #n × 2, of a face.
Vector shape_values(FaceKind kind, const Eigen::Vector2d& xi);
Matrix shape_gradients(FaceKind kind, const Eigen::Vector2d& xi);
/// Exact for N_a ∂x/∂ξ₁ × ∂x/∂ξ₂ of every face, curved or not.
Quadrature surface_rule(FaceKind kind);

}  // namespace limber
