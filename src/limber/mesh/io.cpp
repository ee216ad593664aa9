#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/mesh/cursor.hpp"
#include "limber/mesh/formats.hpp"

namespace limber {
namespace {

struct Format {
  const char* extension;
  TetMesh (*read)(const std::string& path, const FileLoader& load);
  void (*write)(const TetMesh& mesh, const std::string& path);
};

std::string without_extension(const std::string& path) {
  return std::filesystem::path(path).replace_extension().string();
}

TetMesh read_tetgen_file(const std::string& path, const FileLoader& load) {
  return read_tetgen(without_extension(path), load);
}
void write_tetgen_file(const TetMesh& mesh, const std::string& path) { write_tetgen(mesh, without_extension(path)); }

constexpr Format formats[] = {
    {".msh", read_gmsh, write_gmsh},
    {".vtk", read_vtk_legacy, write_vtk_legacy},
    {".vtu", read_vtu, write_vtu},
    {".mesh", read_medit, write_medit},
    {".node", read_tetgen_file, write_tetgen_file},
    {".ele", read_tetgen_file, write_tetgen_file},
};

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension;
}

const Format* find_format(const std::string& path) {
  const std::string extension = extension_of(path);
  for (const Format& f : formats)
    if (extension == f.extension) return &f;
  return nullptr;
}

[[noreturn]] void fail_unknown(const std::string& path) {
  std::vector<std::string> known;
  for (const Format& f : formats) known.emplace_back(f.extension);
  const std::string extension = extension_of(path);
  throw InputError(path, fmt::format("{} is not a known mesh format; known are {}",
                                     extension.empty() ? "no extension" : "the extension " + extension, join(known)));
}

}  // namespace

TetMesh read_mesh(const std::string& path) {
  const bool is_stem = std::filesystem::exists(path + ".node") && std::filesystem::exists(path + ".ele");
  return find_format(path) == nullptr && is_stem ? read_tetgen(path, load_file) : read_mesh(path, load_file);
}

TetMesh read_mesh(const std::string& path, const FileLoader& load) {
  const Format* format = find_format(path);
  if (format == nullptr) fail_unknown(path);
  return format->read(path, load);
}

void write_mesh(const TetMesh& mesh, const std::string& path) {
  const Format* format = find_format(path);
  if (format == nullptr) fail_unknown(path);
  format->write(mesh, path);
}

TetMesh finished(MeshDraft draft, const std::string& path) {
  TetMesh& mesh = draft.mesh;
  if (mesh.tets.empty())
    throw InputError(
        path, draft.other_cells == 0
                  ? std::string("the file holds no tetrahedra and no other cells")
                  : fmt::format("the file holds no tetrahedra; its {} other cells are not read", draft.other_cells));
  if (draft.other_cells == 0) return std::move(mesh);
  draft.in_other_cell.resize(mesh.nodes.size(), 0);
  std::vector<char> dropped = std::move(draft.in_other_cell);
  for (const auto& t : mesh.tets)
    for (const int i : t) dropped[i] = 0;

  std::vector<int> renumbered(mesh.nodes.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < mesh.nodes.size(); ++i) {
    renumbered[i] = static_cast<int>(kept);
    if (!dropped[i]) mesh.nodes[kept++] = mesh.nodes[i];
  }
  mesh.nodes.resize(kept);
  for (auto& t : mesh.tets)
    for (int& i : t) i = renumbered[i];
  return std::move(mesh);
}

std::string not_linear(const std::string& cell_type) {
  return cell_type + " is not linear; only linear tetrahedra (4 nodes) are read";
}

}  // namespace limber
