#pragma once
/// A body's reference shape: nodes and linear tetrahedra, with named node sets and a region per tetrahedron.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

struct TetMesh {
  std::vector<Vec3> nodes;                // #V [m]
  std::vector<std::array<int, 4>> tets;   // #T, positively oriented: det(b−a, c−a, d−a) > 0
  std::vector<int> region;                // #T or empty (all 0): the file's physical tag / cell region
  std::map<std::string, int> region_names;  // where the file names its regions
};

/// Signed volume [m³] of tetrahedron t.
double signed_volume(const TetMesh& mesh, std::size_t t);
/// Σ |volume| [m³].
double volume(const TetMesh& mesh);

struct Box3 {
  Vec3 min, max;
  double diagonal() const { return (max - min).norm(); }
};
Box3 bounding_box(const std::vector<Vec3>& nodes);

/// Boundary triangles, outward oriented, and all distinct edges (i < j) of the tetrahedra.
std::vector<std::array<int, 3>> boundary_triangles(const TetMesh& mesh);
std::vector<std::array<int, 2>> edges(const TetMesh& mesh);

/// What `check_and_orient` mended.
struct MeshNotes {
  std::size_t reordered = 0;  // tetrahedra that were negatively ordered
};

/// Reorders negatively ordered tetrahedra. Throws InputError(where, …) for: no tetrahedra, a node index out of range
/// (which tetrahedron, which index), non-finite coordinates, zero volume (how many, which first; relative to the cube
/// of the longest edge, 1e-14), nodes in no element (how many, which first), a tetrahedron that names a node twice.
MeshNotes check_and_orient(TetMesh& mesh, const std::string& where);

/// How a box cell is cut. five: alternating parity; in cell (i, j, k) with i+j+k even the central tetrahedron has the
/// corners 000, 110, 101, 011, else the other four. six: Kuhn, all six share the 000-111 diagonal.
enum class Split { five, six };

/// Nodes x fastest, then y, then z; cells likewise.
TetMesh box_mesh(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells, Split split);

/// By extension: Gmsh .msh (2.2, 4.1; ASCII, binary), VTK .vtk (legacy, ASCII and binary) and .vtu (XML: ascii, base64
/// inline, appended raw/base64, zlib), Medit .mesh, TetGen .node/.ele (either name, or the stem). Other cells than tetrahedra are ignored;
/// nodes that no tetrahedron uses are dropped when the file has other cells that use them. Throws InputError("file:line", …).
TetMesh read_mesh(const std::string& path);
/// By extension, the same formats (.msh as 4.1 binary). Throws OutputError.
void write_mesh(const TetMesh& mesh, const std::string& path);

}  // namespace limber
