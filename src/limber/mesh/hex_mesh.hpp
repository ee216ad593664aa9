#pragma once
/// A body's reference shape of trilinear hexahedra, with a region and fields of numbers per hexahedron; and the content
/// of a mesh file, either tetrahedra or hexahedra.

#include <array>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "limber/mesh/element_mesh.hpp"

namespace limber {

struct HexMesh {
  std::vector<Vec3> nodes;                  // #V [m]
  std::vector<std::array<int, 8>> hexes;    // #H: around one face, then the opposite face in the same order
  std::vector<int> region;                  // #H or empty (all 0), as in TetMesh
  std::map<std::string, int> region_names;  // if the file names its regions
  std::map<std::string, std::vector<double>> fields = {};  // #H each
};

using SolidMesh = std::variant<TetMesh, HexMesh>;

ElementMesh hexahedra(const HexMesh& mesh);

/// det ∂X/∂ξ divided by the product of the lengths of its columns, at the corners (along the edges there) and at the
/// points of the 2 × 2 × 2 Gauss rule. 1 for a brick; must be positive for a usable element.
struct HexShape {
  std::array<double, 8> at_corner{}, at_point{};
  double volume = 0;  // of the trilinear map, signed [m³]

  bool sound() const;     // all positive
  bool mirrored() const;  // all negative
};
HexShape hex_shape(const HexMesh& mesh, std::size_t h);
/// The mirror image: swaps the two faces of the node order.
void mirror(std::array<int, 8>& hex);

/// Mirrors hexahedra that are negative everywhere. Throws InputError(where, …) as for tetrahedra, and for hexahedra
/// that are not positive at a corner or quadrature point, or with a tetrahedron of hex8_parts that is not positive (a
/// face too warped), naming the first such hexahedron.
MeshNotes check_and_orient(HexMesh& mesh, const std::string& where);

/// As read_mesh, and also reads hexahedra of eight nodes from all formats except TetGen's. Throws InputError for a file
/// with both, or with other solids, naming them.
SolidMesh read_solid_mesh(const std::string& path);

/// As for tetrahedra; InputError for .node and .ele, which cannot hold hexahedra.
void write_mesh(const HexMesh& mesh, const std::string& path);

}  // namespace limber
