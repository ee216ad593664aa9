#pragma once
/// The file formats behind read_mesh and write_mesh, and helpers shared by their readers: a partially read mesh that
/// counts its solids and tracks nodes used by other cells.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "limber/mesh/hex_mesh.hpp"
#include "limber/mesh/io/file_access.hpp"

namespace limber {

/// Maps a path to the content of the file.
using FileLoader = std::function<std::string(const std::string& path)>;
/// read_mesh and read_solid_mesh with files from `load` instead of the disk.
TetMesh read_mesh(const std::string& path, const FileLoader& load);
SolidMesh read_solid_mesh(const std::string& path, const FileLoader& load);
/// The same, limited to files that `access` permits.
SolidMesh read_solid_mesh(const std::string& path, const FileAccess& access);

SolidMesh read_gmsh(const std::string& path, const FileLoader& load);
SolidMesh read_vtk_legacy(const std::string& path, const FileLoader& load);
SolidMesh read_vtu(const std::string& path, const FileLoader& load);
SolidMesh read_medit(const std::string& path, const FileLoader& load);
/// `stem` without .node and .ele.
SolidMesh read_tetgen(const std::string& stem, const FileLoader& load);

/// Cells of one kind, for the writers.
struct CellsView {
  const std::vector<Vec3>& nodes;
  std::span<const int> corners;  // #C × per_cell
  std::size_t per_cell;          // 4 or 8
  const std::vector<int>& region;
  const std::map<std::string, int>& region_names;
  const std::map<std::string, std::vector<double>>& fields;

  std::size_t count() const { return corners.size() / per_cell; }
  std::span<const int> cell(std::size_t c) const { return corners.subspan(c * per_cell, per_cell); }
  /// The format's code for tetrahedra or hexahedra.
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

/// The kind of a cell; `none`: a point, a line or a face.
enum class Solid { none, tetrahedron, hexahedron, prism, pyramid, polyhedron };

struct MeshDraft {
  TetMesh mesh;                           // region and fields belong to the tetrahedra or to the hexahedra
  std::vector<std::array<int, 8>> hexes;  // #H
  std::map<Solid, std::size_t> not_read;  // number of each kind
  std::vector<char> in_other_cell;        // #V, or shorter: 0 beyond its end
  std::size_t other_cells = 0;

  std::size_t solids() const { return mesh.tets.size() + hexes.size(); }
  /// Keeps tetrahedra of 4 nodes and hexahedra of 8 and returns true; for other cells marks the nodes.
  bool add_cell(Solid solid, std::span<const int> nodes);
};

/// Drops nodes used only by other cells. Throws InputError(path, …) unless the file has either tetrahedra or hexahedra
/// and no other solids.
SolidMesh finished(MeshDraft draft, const std::string& path);

/// "`cell_type` is not linear; only linear tetrahedra (4 nodes) and hexahedra (8 nodes) are read"
std::string not_linear(const std::string& cell_type);

}  // namespace limber
