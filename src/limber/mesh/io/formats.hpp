#pragma once
/// The file formats behind read_mesh and write_mesh, and what their readers share: a mesh in the making that counts its
/// solids and remembers which nodes other cells use.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "limber/mesh/hex_mesh.hpp"
#include "limber/mesh/io/file_access.hpp"

namespace limber {

/// Path → the whole file.
using FileLoader = std::function<std::string(const std::string& path)>;
/// read_mesh and read_solid_mesh, with the files from `load` instead of the disk.
TetMesh read_mesh(const std::string& path, const FileLoader& load);
SolidMesh read_solid_mesh(const std::string& path, const FileLoader& load);
/// The same with the files that may be opened.
SolidMesh read_solid_mesh(const std::string& path, const FileAccess& access);

SolidMesh read_gmsh(const std::string& path, const FileLoader& load);
SolidMesh read_vtk_legacy(const std::string& path, const FileLoader& load);
SolidMesh read_vtu(const std::string& path, const FileLoader& load);
SolidMesh read_medit(const std::string& path, const FileLoader& load);
/// `stem` without .node and .ele.
SolidMesh read_tetgen(const std::string& stem, const FileLoader& load);

/// Cells of one kind, as the writers see them.
struct CellsView {
  const std::vector<Vec3>& nodes;
  std::span<const int> corners;  // #C × per_cell
  std::size_t per_cell;          // 4 or 8
  const std::vector<int>& region;
  const std::map<std::string, int>& region_names;
  const std::map<std::string, std::vector<double>>& fields;

  std::size_t count() const { return corners.size() / per_cell; }
  std::span<const int> cell(std::size_t c) const { return corners.subspan(c * per_cell, per_cell); }
  /// The format's number for tetrahedra or hexahedra.
  template <class T>
  T type(T tetrahedron, T hexahedron) const {
    return per_cell == 4 ? tetrahedron : hexahedron;
  }
};

void write_gmsh(const CellsView& mesh, const std::string& path);
void write_vtk_legacy(const CellsView& mesh, const std::string& path);
void write_vtu(const CellsView& mesh, const std::string& path);
void write_medit(const CellsView& mesh, const std::string& path);
void write_tetgen(const CellsView& mesh, const std::string& stem);

/// What a cell of a file is; `none`: a point, a line or a face.
enum class Solid { none, tetrahedron, hexahedron, prism, pyramid, polyhedron };

struct MeshDraft {
  TetMesh mesh;                           // region and fields are those of the tetrahedra or of the hexahedra
  std::vector<std::array<int, 8>> hexes;  // #H
  std::map<Solid, std::size_t> not_read;  // how many of each
  std::vector<char> in_other_cell;        // #V, or shorter: 0 beyond its end
  std::size_t other_cells = 0;

  std::size_t solids() const { return mesh.tets.size() + hexes.size(); }
  /// Whether it is a tetrahedron of 4 nodes or a hexahedron of 8, which are kept; of others the nodes are marked.
  bool add_cell(Solid solid, std::span<const int> nodes);
};

/// Drops the nodes that only other cells use. Throws InputError(path, …) unless there are tetrahedra or hexahedra, and
/// no solids of a second kind.
SolidMesh finished(MeshDraft draft, const std::string& path);

/// "`cell_type` is not linear; only linear tetrahedra (4 nodes) and hexahedra (8 nodes) are read"
std::string not_linear(const std::string& cell_type);

}  // namespace limber
