#pragma once
/// A body's reference shape: nodes and linear tetrahedra, with a region and fields of numbers per tetrahedron.

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

struct TetMesh {
  std::vector<Vec3> nodes;                                 // #V [m]
  std::vector<std::array<int, 4>> tets;                    // #T, positively oriented: det(b−a, c−a, d−a) > 0
  std::vector<int> region;                                 // #T or empty (all 0): the file's physical tag / cell region
  std::map<std::string, int> region_names;                 // if the file names its regions
  std::map<std::string, std::vector<double>> fields = {};  // #T each: the file's numbers per cell, except regions
};

/// Signed volume [m³] of tetrahedron t.
double signed_volume(const TetMesh& mesh, std::size_t t);
/// Σ |volume| [m³].
double volume(const TetMesh& mesh);

struct Box3 {
  Vec3 min, max;
  double diagonal() const { return (max - min).norm(); }
  Vec3 middle() const { return (min + max) / 2; }
};
Box3 bounding_box(const std::vector<Vec3>& nodes);

/// Boundary triangles, outward oriented, and all distinct edges (i < j) of the tetrahedra.
std::vector<std::array<int, 3>> boundary_triangles(const TetMesh& mesh);
std::vector<std::array<int, 2>> edges(const TetMesh& mesh);

/// Repairs made by `check_and_orient`.
struct MeshNotes {
  std::size_t reordered = 0;  // negatively ordered tetrahedra
};

/// Reorders negatively ordered tetrahedra. Throws InputError(where, …) for: no tetrahedra, a node index out of range
/// (which tetrahedron, which index), non-finite coordinates, zero volume (how many, the first one; 1e-14 relative to
/// the cube of the longest edge), nodes in no element (how many, the first one), a tetrahedron with a repeated node,
/// two tetrahedra on the same four nodes. Nodes and tetrahedra are counted from 0.
MeshNotes check_and_orient(TetMesh& mesh, const std::string& where);

/// The subdivision of a box cell. five: alternating parity; in cell (i, j, k) with i+j+k even the central tetrahedron
/// has the corners 000, 110, 101, 011, otherwise the other four. six: Kuhn, all six share the 000-111 diagonal.
enum class Split { five, six };

/// Cells (i, j, k) of a box, from begin[0] ≤ i < end[0] and so on.
struct CellRange {
  std::array<int, 3> begin = {0, 0, 0}, end = {0, 0, 0};
};
inline CellRange all_cells(const std::array<int, 3>& cells) { return {{0, 0, 0}, cells}; }

/// Nodes are ordered x fastest, then y, then z; cells likewise. Requires size > 0 and cells ≥ 1.
TetMesh box_mesh(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells, Split split);
/// A range of its cells with their nodes, in the same order.
TetMesh box_mesh(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells, Split split,
                 const CellRange& range);

/// By extension: Gmsh .msh (2.2, 4.1; ASCII, binary of either byte order), VTK .vtk (legacy; ASCII, binary) and .vtu
/// (XML: ascii, inline and appended base64, appended raw; plain or zlib), Medit .mesh (ASCII), TetGen .node/.ele
/// (either name, or the stem). Tetrahedra keep the file's node order; call `check_and_orient` next. Points, lines and
/// faces are ignored, and nodes used only by them are dropped. Other solids are rejected (hexahedra: hex_mesh.hpp).
/// region: Gmsh physical tag (or the entity's tag), Medit reference, TetGen's last attribute, VTK integer cell data
/// named region, material, MaterialIds, gmsh:physical, … fields: VTK cell data and Gmsh $ElementData of one component.
/// Throws InputError: "path:line" for text, "path" and the byte offset for binary.
TetMesh read_mesh(const std::string& path);

/// By extension, the same formats (.msh as 4.1 binary, .vtk binary, .vtu inline base64; .node or .ele writes both),
/// with all digits of the coordinates. Only .msh keeps region_names; a mesh without regions gets the region 1 there.
/// Only .vtk, .vtu and .msh keep fields. Throws OutputError, and InputError for an unknown extension.
void write_mesh(const TetMesh& mesh, const std::string& path);

}  // namespace limber
