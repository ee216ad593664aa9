#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/formats.hpp"

namespace limber {
namespace {

struct Format {
  const char* extension;
  SolidMesh (*read)(const std::string& path, const FileLoader& load);
  void (*write)(const CellsView& mesh, const std::string& path);
};

std::string without_extension(const std::string& path) {
  return std::filesystem::path(path).replace_extension().string();
}

SolidMesh read_tetgen_file(const std::string& path, const FileLoader& load) {
  return read_tetgen(without_extension(path), load);
}
void write_tetgen_file(const CellsView& mesh, const std::string& path) { write_tetgen(mesh, without_extension(path)); }

constexpr Format formats[] = {
    {".msh", read_gmsh, write_gmsh},
    {".vtk", read_vtk_legacy, write_vtk_legacy},
    {".vtu", read_vtu, write_vtu},
    {".mesh", read_medit, write_medit},
    {".node", read_tetgen_file, write_tetgen_file},
    {".ele", read_tetgen_file, write_tetgen_file},
};

std::string mesh_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension;
}

const Format* find_format(const std::string& path) {
  const std::string extension = mesh_extension(path);
  for (const Format& f : formats)
    if (extension == f.extension) return &f;
  return nullptr;
}

[[noreturn]] void fail_unknown(const std::string& path) {
  std::vector<std::string> known;
  for (const Format& f : formats) known.emplace_back(f.extension);
  const std::string extension = mesh_extension(path);
  throw InputError(path, fmt::format("{} is not a known mesh format; known are {}",
                                     extension.empty() ? "no extension" : "the extension " + extension, join(known)));
}

const char* plural_of(Solid solid) {
  constexpr const char* names[] = {"", "tetrahedra", "hexahedra", "prisms", "pyramids", "polyhedra"};
  return names[static_cast<std::size_t>(solid)];
}

/// Refuses what is not all tetrahedra or all hexahedra.
void require_one_kind(const MeshDraft& draft, const std::string& path) {
  std::map<Solid, std::size_t> found = draft.not_read;
  if (!draft.mesh.tets.empty()) found[Solid::tetrahedron] = draft.mesh.tets.size();
  if (!draft.hexes.empty()) found[Solid::hexahedron] = draft.hexes.size();
  if (found.empty())
    throw InputError(path, draft.other_cells == 0
                               ? std::string("the file holds no tetrahedra, no hexahedra and no other cells")
                               : fmt::format("the file holds no tetrahedra and no hexahedra; its {} other cells are "
                                             "not read",
                                             draft.other_cells));
  if (found.size() == 1 && draft.not_read.empty()) return;
  std::vector<std::string> list;
  for (const auto& [solid, count] : found) list.push_back(fmt::format("{} {}", count, plural_of(solid)));
  throw InputError(
      path, fmt::format("the file holds {}; a body has solids of one kind, tetrahedra or hexahedra", join(list)));
}

/// Leaves out the nodes that are marked and in none of the cells.
template <std::size_t n>
void drop_nodes(std::vector<char> marked, std::vector<Vec3>& nodes, std::vector<std::array<int, n>>& cells) {
  marked.resize(nodes.size(), 0);
  for (const auto& cell : cells)
    for (const int i : cell) marked[static_cast<std::size_t>(i)] = 0;
  std::vector<int> renumbered(nodes.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    renumbered[i] = static_cast<int>(kept);
    if (!marked[i]) nodes[kept++] = nodes[i];
  }
  nodes.resize(kept);
  for (auto& cell : cells)
    for (int& i : cell) i = renumbered[static_cast<std::size_t>(i)];
}

template <class Mesh, std::size_t n>
CellsView view(const Mesh& mesh, const std::vector<std::array<int, n>>& cells) {
  return {
      mesh.nodes, {cells.empty() ? nullptr : cells.front().data(), n * cells.size()}, n, mesh.region, mesh.region_names,
      mesh.fields};
}

void write_cells(const CellsView& mesh, const std::string& path) {
  const Format* format = find_format(path);
  if (format == nullptr) fail_unknown(path);
  format->write(mesh, path);
}

TetMesh tetrahedra(SolidMesh mesh, const std::string& path) {
  if (auto* tets = std::get_if<TetMesh>(&mesh)) return std::move(*tets);
  throw InputError(path, "the file holds hexahedra, expected tetrahedra");
}

}  // namespace

SolidMesh read_solid_mesh(const std::string& path) { return read_solid_mesh(path, FileAccess()); }

SolidMesh read_solid_mesh(const std::string& path, const FileAccess& access) {
  // TetGen has a mesh in two files, of which the other one lies beside.
  const FileLoader load = [&](const std::string& file) {
    return file == path ? access.load(file) : access.load_beside(path, std::filesystem::path(file).filename().string());
  };
  access.require(path, path);
  std::error_code error;
  const bool is_stem = std::filesystem::exists(path + ".node", error) && std::filesystem::exists(path + ".ele", error);
  return find_format(path) == nullptr && is_stem ? read_tetgen(path, load) : read_solid_mesh(path, load);
}

SolidMesh read_solid_mesh(const std::string& path, const FileLoader& load) {
  const Format* format = find_format(path);
  if (format == nullptr) fail_unknown(path);
  return format->read(path, load);
}

TetMesh read_mesh(const std::string& path) { return tetrahedra(read_solid_mesh(path), path); }
TetMesh read_mesh(const std::string& path, const FileLoader& load) {
  return tetrahedra(read_solid_mesh(path, load), path);
}

void write_mesh(const TetMesh& mesh, const std::string& path) { write_cells(view(mesh, mesh.tets), path); }
void write_mesh(const HexMesh& mesh, const std::string& path) { write_cells(view(mesh, mesh.hexes), path); }

bool MeshDraft::add_cell(Solid solid, std::span<const int> nodes) {
  if (solid == Solid::tetrahedron && nodes.size() == 4) {
    std::copy(nodes.begin(), nodes.end(), mesh.tets.emplace_back().begin());
    return true;
  }
  if (solid == Solid::hexahedron && nodes.size() == 8) {
    std::copy(nodes.begin(), nodes.end(), hexes.emplace_back().begin());
    return true;
  }
  in_other_cell.resize(mesh.nodes.size(), 0);
  for (const int i : nodes) in_other_cell[static_cast<std::size_t>(i)] = 1;
  ++other_cells;
  if (solid != Solid::none) ++not_read[solid];
  return false;
}

SolidMesh finished(MeshDraft draft, const std::string& path) {
  require_one_kind(draft, path);
  TetMesh& mesh = draft.mesh;
  if (draft.hexes.empty()) {
    drop_nodes(std::move(draft.in_other_cell), mesh.nodes, mesh.tets);
    return std::move(mesh);
  }
  drop_nodes(std::move(draft.in_other_cell), mesh.nodes, draft.hexes);
  return HexMesh{std::move(mesh.nodes), std::move(draft.hexes), std::move(mesh.region), std::move(mesh.region_names),
                 std::move(mesh.fields)};
}

std::string not_linear(const std::string& cell_type) {
  return cell_type + " is not linear; only linear tetrahedra (4 nodes) and hexahedra (8 nodes) are read";
}

}  // namespace limber
