#include <fmt/format.h>

#include <cctype>
#include <cstdint>

#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/formats.hpp"

namespace limber {
namespace {

template <class T>
void put_big_endian(std::string& out, T x) {
  if (big_endian == ByteOrder::swapped) x = swapped_bytes(x);
  out.append(reinterpret_cast<const char*>(&x), sizeof x);
}

/// Names are words: what would end one is written as %20 and the like.
std::string coded(const std::string& name) {
  std::string word;
  for (const char c : name) {
    const auto code = static_cast<unsigned char>(c);
    word += std::isspace(code) || c == '%' || c == '"' ? fmt::format("%{:02X}", code) : std::string(1, c);
  }
  return word;
}

}  // namespace

void write_vtk_legacy(const CellsView& mesh, const std::string& path) {
  const std::size_t n = mesh.count();
  std::string out = fmt::format("# vtk DataFile Version 3.0\n{}\nBINARY\nDATASET UNSTRUCTURED_GRID\n",
                                mesh.type("tetrahedra", "hexahedra"));
  out += fmt::format("POINTS {} double\n", mesh.nodes.size());
  for (const Vec3& x : mesh.nodes)
    for (const double c : x) put_big_endian(out, c);
  out += fmt::format("\nCELLS {} {}\n", n, (mesh.per_cell + 1) * n);
  for (std::size_t c = 0; c < n; ++c) {
    put_big_endian(out, static_cast<std::int32_t>(mesh.per_cell));
    for (const int i : mesh.cell(c)) put_big_endian(out, std::int32_t{i});
  }
  out += fmt::format("\nCELL_TYPES {}\n", n);
  for (std::size_t t = 0; t < n; ++t) put_big_endian(out, std::int32_t{mesh.type(10, 12)});
  if (!mesh.region.empty() || !mesh.fields.empty()) out += fmt::format("\nCELL_DATA {}", n);
  if (!mesh.region.empty()) {
    out += "\nSCALARS region int 1\nLOOKUP_TABLE default\n";
    for (const int r : mesh.region) put_big_endian(out, std::int32_t{r});
  }
  if (!mesh.fields.empty()) out += fmt::format("\nFIELD fields {}", mesh.fields.size());
  for (const auto& [name, values] : mesh.fields) {
    out += fmt::format("\n{} 1 {} double\n", coded(name), n);
    for (const double x : values) put_big_endian(out, x);
  }
  out += "\n";
  save_file(path, out);
}

}  // namespace limber
