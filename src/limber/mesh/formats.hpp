#pragma once
/// The file formats behind read_mesh and write_mesh, and what their readers share: a mesh in the making that remembers
/// which nodes other cells than tetrahedra use.

#include <functional>
#include <string>
#include <vector>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {

/// Path → the whole file.
using FileLoader = std::function<std::string(const std::string& path)>;
/// read_mesh, with the files from `load` instead of the disk.
TetMesh read_mesh(const std::string& path, const FileLoader& load);

TetMesh read_gmsh(const std::string& path, const FileLoader& load);
TetMesh read_vtk_legacy(const std::string& path, const FileLoader& load);
TetMesh read_vtu(const std::string& path, const FileLoader& load);
TetMesh read_medit(const std::string& path, const FileLoader& load);
/// `stem` without .node and .ele.
TetMesh read_tetgen(const std::string& stem, const FileLoader& load);

void write_gmsh(const TetMesh& mesh, const std::string& path);
void write_vtk_legacy(const TetMesh& mesh, const std::string& path);
void write_vtu(const TetMesh& mesh, const std::string& path);
void write_medit(const TetMesh& mesh, const std::string& path);
void write_tetgen(const TetMesh& mesh, const std::string& stem);

struct MeshDraft {
  TetMesh mesh;
  std::vector<char> in_other_cell;  // #V, or shorter: 0 beyond its end
  std::size_t other_cells = 0;

  void use_in_other_cell(int node) {
    if (in_other_cell.size() < mesh.nodes.size()) in_other_cell.resize(mesh.nodes.size(), 0);
    in_other_cell[node] = 1;
  }
};

/// Drops the nodes that only other cells use. Throws InputError(path, …) if there are no tetrahedra.
TetMesh finished(MeshDraft draft, const std::string& path);

/// "`cell_type` is not linear; only linear tetrahedra (4 nodes) are read"
std::string not_linear(const std::string& cell_type);

}  // namespace limber
