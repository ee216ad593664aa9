#pragma once
/// The types of elements and faces, one row each: nodes, faces, edges, the linear tetrahedra that stand for an element
/// in contact and in results, shape functions N_a(ξ) with Σ N_a = 1, and quadrature rules ∫ g dξ ≈ Σ w g(ξ).
///
///     tet4, tet10: ξ ≥ 0, ξ₁ + ξ₂ + ξ₃ ≤ 1; corners 000, 100, 010, 001, then the edges' middles 01, 12, 02, 03, 13, 23
///     hex8: −1 ≤ ξ ≤ 1; corners counter-clockwise at ξ₃ = −1, then at ξ₃ = 1
///
/// Nodes are ordered as in VTK cells. Faces are tri3 and tri6, ξ ≥ 0, ξ₁ + ξ₂ ≤ 1, and quad4, −1 ≤ ξ ≤ 1.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

enum class FaceKind { tri3, tri6, quad4 };
enum class ElementKind { tet4, tet10, hex8 };
inline constexpr int most_element_nodes = 10, most_face_nodes = 6;

struct Quadrature {
  Matrix points;   // #q × 3; for faces #q × 2
  Vector weights;  // #q, all positive; their sum is the volume of the reference element
};

/// Whether a tet10 may be curved.
enum class Sides { straight, curved };

/// Corners are counter-clockwise seen from outside; then come the nodes inside the edges 01, 12, …, and then others.
struct FaceType {
  int nodes, corners;
  int on_edge;  // nodes inside each edge
  Vector (*shape_values)(const Eigen::Vector2d& xi);
  Matrix (*shape_gradients)(const Eigen::Vector2d& xi);
  Quadrature (*rule)();
};

struct ElementType {
  std::string_view name;  // in scenes
  int nodes, corners;     // corners come first
  FaceKind face;
  std::span<const int> faces;                  // the nodes of each face
  std::span<const std::array<int, 2>> edges;   // from corner to corner
  std::span<const std::array<int, 4>> pieces;  // the linear tetrahedra
  /// The same of an element with these nodes, if neighbours would not agree on fixed ones; otherwise null.
  void (*cut)(std::span<const int> nodes, std::span<std::array<int, 4>> pieces);
  /// The nodes of an element that `cut` has cut into these; null as well.
  std::vector<int> (*joined)(std::span<const std::array<int, 4>> pieces);
  Matrix (*reference_nodes)();
  Vector (*shape_values)(const Vec3& xi);
  Matrix (*shape_gradients)(const Vec3& xi);
  Quadrature (*energy_rule)(Sides sides);
  Quadrature (*mass_rule)();
};

extern const ElementType element_type_rows[];
extern const FaceType face_type_rows[];
inline const ElementType& element_type(ElementKind kind) { return element_type_rows[static_cast<int>(kind)]; }
inline const FaceType& face_type(FaceKind kind) { return face_type_rows[static_cast<int>(kind)]; }
std::span<const ElementType> element_types();
/// Throws std::out_of_range for an unknown name.
ElementKind element_kind(std::string_view name);

inline int node_count(ElementKind kind) { return element_type(kind).nodes; }
inline int node_count(FaceKind kind) { return face_type(kind).nodes; }
inline int corner_count(ElementKind kind) { return element_type(kind).corners; }
inline int corner_count(FaceKind kind) { return face_type(kind).corners; }
/// Number of linear tetrahedra per element.
inline int pieces(ElementKind kind) { return static_cast<int>(element_type(kind).pieces.size()); }
/// Appends those of an element.
void add_pieces(ElementKind kind, std::span<const int> nodes, std::vector<std::array<int, 4>>& tets);
/// The nodes of the element that has been cut into these.
std::vector<int> joined(ElementKind kind, std::span<const std::array<int, 4>> pieces);
/// The six linear tetrahedra of a hex8: its lowest-numbered corner joined with the triangles of the three faces not
/// containing it. Each face is cut through its lowest-numbered corner, so that neighbouring hexahedra agree (Dompierre
/// et al. 1999). In boxes these are Kuhn's six around the diagonal from corner 0 to corner 6.
std::array<std::array<int, 4>, 6> hex8_parts(std::span<const int> corners);

/// Positions of the nodes, #n × 3.
inline Matrix reference_nodes(ElementKind kind) { return element_type(kind).reference_nodes(); }
/// The mean of the corners.
Vec3 reference_centre(ElementKind kind);
/// N_a, #n.
inline Vector shape_values(ElementKind kind, const Vec3& xi) { return element_type(kind).shape_values(xi); }
/// ∂N_a/∂ξ, #n × 3.
inline Matrix shape_gradients(ElementKind kind, const Vec3& xi) { return element_type(kind).shape_gradients(xi); }
/// For the elastic energy. For curved elements forces under constant stress are exact too (degree 3 for a tet10); the
/// other rules achieve this for every element whose map is that of its corners.
inline Quadrature energy_rule(ElementKind kind, Sides sides) { return element_type(kind).energy_rule(sides); }
/// Exact for N_a N_b det ∂X/∂ξ of every element, curved or not.
inline Quadrature mass_rule(ElementKind kind) { return element_type(kind).mass_rule(); }

/// N_a, #n, and ∂N_a/∂ξ, #n × 2, of a face.
inline Vector shape_values(FaceKind kind, const Eigen::Vector2d& xi) { return face_type(kind).shape_values(xi); }
inline Matrix shape_gradients(FaceKind kind, const Eigen::Vector2d& xi) { return face_type(kind).shape_gradients(xi); }
/// Exact for N_a ∂x/∂ξ₁ × ∂x/∂ξ₂ of every face, curved or not.
inline Quadrature surface_rule(FaceKind kind) { return face_type(kind).rule(); }

}  // namespace limber
