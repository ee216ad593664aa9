#pragma once
/// A body's reference shape of trilinear hexahedra, with a region and fields of numbers per hexahedron; and what a mesh
/// file may hold, which is either tetrahedra or hexahedra.

#include <array>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "limber/mesh/element_mesh.hpp"

namespace limber {

struct HexMesh {
  std::vector<Vec3> nodes;                                 // #V [m]
  std::vector<std::array<int, 8>> hexes;                   // #H, around a face and, in the same order, the opposite one
  std::vector<int> region;                                 // #H or empty (all 0), as in TetMesh
  std::map<std::string, int> region_names;                 // where the file names its regions
  std::map<std::string, std::vector<double>> fields = {};  // #H each
};

using SolidMesh = std::variant<TetMesh, HexMesh>;

ElementMesh hexahedra(const HexMesh& mesh);

/// det ∂X/∂ξ over the product of the lengths of its columns: at the corners (of the edges there), and at the points of
/// the 2 × 2 × 2 Gauss rule. 1 for a brick; positive where the element may be used.
struct HexShape {
  std::array<double, 8> at_corner{}, at_point{};
  double volume = 0;  // of the trilinear map, signed [m³]

  bool sound() const;     // all positive
  bool mirrored() const;  // all negative
};
HexShape hex_shape(const HexMesh& mesh, std::size_t h);
/// Its mirror image: the two faces that the order goes around, exchanged.
void mirror(std::array<int, 8>& hex);

/// Mirrors hexahedra that are negative everywhere. Throws InputError(where, …) as that of tetrahedra does, and for
/// hexahedra that are not positive at a corner or at a point of integration, or that have a tetrahedron of hex8_parts
/// that is not positive (a face too warped), with the first such hexahedron.
MeshNotes check_and_orient(HexMesh& mesh, const std::string& where);

/// As read_mesh, also hexahedra of eight nodes from all formats but TetGen's. Throws InputError for a file of both, or
/// of other solids: which there are.
SolidMesh read_solid_mesh(const std::string& path);

/// As that of tetrahedra; InputError for .node and .ele, which hold no hexahedra.
void write_mesh(const HexMesh& mesh, const std::string& path);

}  // namespace limber
