#pragma once  // internal
/// Integrals over faces, with the area vector c = ∂x/∂ξ₁ × ∂x/∂ξ₂, which points outwards:
///
///     V = ⅓ ∫ x · c dξ,   ∂V/∂x_a = ∫ N_a c dξ where the faces close,
///     ∂/∂x_b ∫ N_a c dξ = ∫ N_a (∂N_b/∂ξ₂ [∂x/∂ξ₁]ₓ − ∂N_b/∂ξ₁ [∂x/∂ξ₂]ₓ) dξ.

#include <algorithm>
#include <vector>

#include "limber/core/nodes.hpp"
#include "limber/mesh/element_faces.hpp"
#include "limber/model/force.hpp"

namespace limber {

inline constexpr double face_cost = 100;  // [ns]

using FaceNodes = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, most_face_nodes>;  // column per node
FaceNodes nodes_of(std::span<const int> face, const Vector& q);
/// A nearby origin from which volumes are measured without cancellation.
Vec3 some_point(const FaceMesh& faces, const Vector& q);

/// Shape functions at the quadrature points.
struct FaceRule {
  struct Point {
    Eigen::VectorXd N, first, second;  // #n: N_a, ∂N_a/∂ξ₁, ∂N_a/∂ξ₂
    double weight;
  };
  std::vector<Point> points;

  explicit FaceRule(FaceKind kind);
};

/// ⅓ ∫ (x − o) · c over all faces [m³].
double volume_from(const Vec3& o, const FaceMesh& faces, const FaceRule& rule, const Vector& q);
/// f_a += s ∫ N_a c.
void add_area_vectors(double s, const FaceMesh& faces, const FaceRule& rule, const Vector& q, Vector& f);

enum class FaceStiffness { whole, symmetric_part };
using FaceMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 3 * most_face_nodes, 3 * most_face_nodes>;
/// s ∂/∂x_b ∫ N_a c for one face.
FaceMatrix area_stiffness(double s, std::span<const int> face, const FaceRule& rule, const Vector& q, FaceStiffness of);
/// Adds area_stiffness of all faces to K.
void add_area_stiffness(double s, const FaceMesh& faces, const FaceRule& rule, const Vector& q, FaceStiffness of,
                        TangentBuilder& T);
void add_face_couplings(const FaceMesh& faces, Couplings& pairs);

}  // namespace limber
