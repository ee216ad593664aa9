#include <filesystem>
#include <limits>

#include "limber/mesh/io/surface_catalog.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/read_shape.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

Form only_shape(const std::string& word) { return form::only("shape", word); }

void read_box_size(const JsonCursor& size, BoxShape& box) {
  box.size = size.vector(quantity::length);
  for (int k = 0; k < 3; ++k) size.item(k).positive(quantity::length);
}

void read_box_cells(const JsonCursor& cells, BoxShape& box) {
  if (!cells.is_list() || cells.json().size() != 3) cells.fail_type("three whole numbers [nx, ny, nz]");
  double nodes = 1;
  for (std::size_t k = 0; k < 3; ++k) nodes *= 1.0 + (box.cells[k] = cells.item(k).integer(1));
  if (3 * nodes > std::numeric_limits<int>::max()) cells.fail(cells.echo() + " makes more nodes than can be numbered");
}

const Section<BoxShape>& box_table() {
  static const Section<BoxShape> table{
      "mesh_box",
      {{"shape", only_shape("box"), "`\"box\"`", required},
       {"size", read_box_size, form::lengths(3), "edge lengths{}, positive", required},
       {"cells", read_box_cells, form::counts(3),
        "cells along x, y, z, at least 1 each; nodes are numbered x fastest, then y, then z", required},
       {"split", &BoxShape::split, form::word("split"),
        "tetrahedra of a cell: `\"five\"` (alternating parity) or `\"six\"` (Kuhn)"},
       {"origin", &BoxShape::origin, form::vector(quantity::length), "corner with the smallest coordinates"}}};
  return table;
}

void read_drop_pieces(const JsonCursor& c, SurfaceFile& surface) {
  surface.drop_pieces = c.non_negative(quantity::ratio);
  if (surface.drop_pieces >= 1) c.fail(c.echo() + " is not below 1: a share of the surface's volume");
}

const Section<SurfaceFile>& surface_table() {
  static const Section<SurfaceFile> table = [] {
    Rows<SurfaceFile> rows = {
        {"surface", form::file(), surface_extensions(" or ") + ", relative to the scene's folder", required},
        {"resolution", &SurfaceFile::resolution, form::positive(quantity::length),
         "mean length of the tetrahedra's edges{}, in the file's units, before `scale`",
         "1/25 of the diagonal of the surface's box"}};
    for (const KnownKey& key : aim_keys()) rows.add({key.name, key.form, key.text});
    rows.add({"max_tets", &SurfaceFile::max_tets, form::whole(1),
              "most tetrahedra{}: a resolution that would make more is refused"});
    rows.add({"filling", &SurfaceFile::filling, form::word("filling"),
              "`\"tetgen\"`: keeps a clean, closed surface exactly, where Limber was built with TetGen. "
              "`\"lattice\"`: takes any surface. `\"auto\"`: TetGen where it can"});
    rows.add({"drop_pieces", read_drop_pieces, form::number(quantity::ratio, {0, 1, Range::Ends::closed_below}),
              "pieces of the surface that enclose less than this share of its whole volume{}, are left out: the "
              "debris of a scan. `\"1 %\"` is a good start",
              "`0`"});
    return Section<SurfaceFile>{"mesh_surface", rows, one_aim()};
  }();
  return table;
}

/// Those that are read by hand.
std::vector<SectionTable> written_mesh_sections() {
  const Form origin = form::vector(quantity::length), positions = form::points(),
             regions = form::other(R"({"type": "array", "items": {"type": "integer"}})"),
             fields = form::other(
                 R"({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number"}}})");
  const std::string field_line =
      "`{\"<name>\": [number, …]}`: [fields](#a-field-in-place-of-a-number), numbers in SI units for each ";
  return {
      {"mesh_sheet",
       {{"shape", only_shape("sheet"), "`\"sheet\"`", required},
        {"size", form::lengths(2), "along x and z{}, positive", required},
        {"cells", form::counts(2),
         "along x and z, at least 1 each, two triangles in each; nodes are numbered x fastest", required},
        {"origin", origin, "corner with the smallest coordinates", "`[0, 0, 0]`"}}},
      {"mesh_chain",
       {{"shape", only_shape("chain"), "`\"chain\"`", required},
        {"from", origin, "first node", required},
        {"to", origin, "last node", required},
        {"segments", form::whole(1), "number of edges", required}}},
      {"mesh_file",
       {{"file", form::file(),
         "tetrahedra or [hexahedra](meshes.md#hexahedra): Gmsh .msh, VTK .vtk/.vtu or Medit .mesh; tetrahedra: TetGen "
         ".node/.ele. The triangles of a sheet: " +
             surface_extensions(" or ") +
             " (a network, where an .obj has `l` lines and no faces). Relative to the scene's folder",
         required}}},
      {"mesh_triangles",
       {{"nodes", positions, "positions{}, each in a triangle", required},
        {"triangles", form::node_lists(3), "three node numbers each", required}}},
      {"mesh_tets",
       {{"nodes", positions, "positions{}, `[[x, y, z], …]`", required},
        {"tets", form::node_lists(4), "four node numbers each", required},
        {"region", regions, "a region number for each tetrahedron", "all 0"},
        {"fields", fields, field_line + "tetrahedron", "none"}}},
      {"mesh_hexes",
       {{"nodes", positions, "positions{}, `[[x, y, z], …]`", required},
        {"hexes", form::node_lists(8),
         "eight node numbers each: around a face, then around the opposite one from the same edge, as in Gmsh and VTK",
         required},
        {"region", regions, "a region number for each hexahedron", "all 0"},
        {"fields", fields, field_line + "hexahedron", "none"}}},
      {"mesh_network",
       {{"nodes", positions, "positions", required},
        {"edges", form::node_lists(2), "two node numbers each", required}}}};
}

BoxShape read_box(const JsonSection& s) {
  BoxShape box;
  box_table().read(s, box);
  return box;
}

std::vector<int> read_region_numbers(const JsonSection& s, std::size_t cells, const char* many) {
  std::vector<int> region;
  const auto c = s.find("region");
  if (!c) return region;
  for (const JsonCursor& item : c->items()) region.push_back(item.integer(std::numeric_limits<int>::min()));
  if (region.size() != cells)
    c->fail("has " + std::to_string(region.size()) + " numbers for " + std::to_string(cells) + " " + many);
  return region;
}

std::map<std::string, std::vector<double>> read_cell_fields(const JsonSection& s, std::size_t cells, const char* many) {
  std::map<std::string, std::vector<double>> fields;
  const auto c = s.find("fields");
  if (!c) return fields;
  if (!c->is_object()) c->fail_type("an object with a list of numbers for each name");
  for (const auto& [name, list] : c->json().items()) {
    const JsonCursor place(list, c->path() + "." + name);
    std::vector<double>& values = fields[name];
    for (const JsonCursor& item : place.items()) values.push_back(item.number(quantity::ratio));
    if (values.size() != cells)
      place.fail("has " + std::to_string(values.size()) + " numbers for " + std::to_string(cells) + " " + many);
  }
  return fields;
}

TetMesh read_tets(const JsonSection& s) {
  TetMesh mesh;
  mesh.nodes = s.at("nodes").points();
  mesh.tets = s.at("tets").tuples<4>(mesh.nodes.size());
  if (mesh.tets.empty()) s.at("tets").fail("has no tetrahedron");
  mesh.region = read_region_numbers(s, mesh.tets.size(), "tetrahedra");
  mesh.fields = read_cell_fields(s, mesh.tets.size(), "tetrahedra");
  return mesh;
}

HexMesh read_hexes(const JsonSection& s) {
  HexMesh mesh;
  mesh.nodes = s.at("nodes").points();
  mesh.hexes = s.at("hexes").tuples<8>(mesh.nodes.size());
  if (mesh.hexes.empty()) s.at("hexes").fail("has no hexahedron");
  mesh.region = read_region_numbers(s, mesh.hexes.size(), "hexahedra");
  mesh.fields = read_cell_fields(s, mesh.hexes.size(), "hexahedra");
  return mesh;
}

/// In the plane y = origin.y, normals up; the diagonals of the cells alternate.
TriMesh read_sheet(const JsonSection& s) {
  const JsonCursor size = s.at("size"), cells = s.at("cells");
  if (!size.is_list() || size.json().size() != 2) size.fail_type("two lengths [x, z]");
  if (!cells.is_list() || cells.json().size() != 2) cells.fail_type("two whole numbers [nx, nz]");
  const double width = size.item(0).positive(quantity::length), depth = size.item(1).positive(quantity::length);
  const int nx = cells.item(0).integer(1), nz = cells.item(1).integer(1);
  if (3 * (1.0 + nx) * (1.0 + nz) > std::numeric_limits<int>::max())
    cells.fail(cells.echo() + " makes more nodes than can be numbered");
  Vec3 origin = Vec3::Zero();
  if (const auto c = s.find("origin")) origin = c->vector(quantity::length);
  TriMesh mesh;
  for (int j = 0; j <= nz; ++j)
    for (int i = 0; i <= nx; ++i) mesh.nodes.push_back(origin + Vec3(width * i / nx, 0, depth * j / nz));
  for (int j = 0; j < nz; ++j)
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
      if ((i + j) % 2 == 0)
        mesh.triangles.insert(mesh.triangles.end(), {{a, c, d}, {a, d, b}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {{a, c, b}, {b, c, d}});
    }
  return mesh;
}

NetworkShape read_chain(const JsonSection& s) {
  const Vec3 from = s.at("from").vector(quantity::length), to = s.at("to").vector(quantity::length);
  if (from == to) s.at("to").fail("is the same point as 'from'");
  const int segments = s.at("segments").integer(1);
  NetworkShape chain;
  for (int i = 0; i <= segments; ++i) chain.nodes.push_back(from + (to - from) * i / segments);
  for (int i = 0; i < segments; ++i) chain.edges.push_back({i, i + 1});
  return chain;
}

TriMesh read_triangles(const JsonSection& s) {
  TriMesh mesh;
  mesh.nodes = s.at("nodes").points();
  mesh.triangles = s.at("triangles").tuples<3>(mesh.nodes.size());
  if (mesh.triangles.empty()) s.at("triangles").fail("has no triangle");
  return mesh;
}

SurfaceFile read_surface_file(const JsonSection& s, const FilePlaces& places) {
  SurfaceFile surface;
  surface.path = read_file_name(s.at("surface"), places);
  surface.access = places.access;
  if (!is_surface_file(surface.path))
    s.at("surface").fail(s.at("surface").echo() + " is not a surface: " + surface_extensions(" or ") +
                         "; \"file\" reads meshes of tetrahedra");
  surface_table().read(s, surface);
  const Aim aim = read_aim(s, surface.max_tets);
  surface.aim = aim.what;
  surface.target = aim.target;
  return surface;
}

}  // namespace

std::vector<std::array<int, 2>> read_edges(const JsonCursor& place, std::size_t node_count) {
  auto edges = place.tuples<2>(node_count);
  if (edges.empty()) place.fail("has no edge");
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges[i][0] == edges[i][1]) place.item(i).fail(place.item(i).echo() + " joins a node to itself");
  return edges;
}

MeshSource read_mesh_source(const JsonCursor& place, const FilePlaces& places) {
  if (place.has("shape")) {
    const JsonSection s =
        place.section("mesh_" + JsonCursor(place.json()["shape"], place.path() + ".shape").word("shape"));
    if (s.kind() == "mesh_box") return read_box(s);
    if (s.kind() == "mesh_sheet") return read_sheet(s);
    if (s.kind() == "mesh_chain") return read_chain(s);
    return read_shape(s);
  }
  const JsonSection s = place.one_of(
      {"mesh_file", "mesh_surface", "mesh_tets", "mesh_hexes", "mesh_triangles", "mesh_network", "mesh_box"});
  if (s.kind() == "mesh_tets") return read_tets(s);
  if (s.kind() == "mesh_hexes") return read_hexes(s);
  if (s.kind() == "mesh_triangles") return read_triangles(s);
  if (s.kind() == "mesh_file") return MeshFile{read_file_name(s.at("file"), places), places.access};
  if (s.kind() == "mesh_surface") return read_surface_file(s, places);
  NetworkShape network;
  network.nodes = s.at("nodes").points();
  network.edges = read_edges(s.at("edges"), network.nodes.size());
  return network;
}

std::string read_file_name(const JsonCursor& place, const FilePlaces& places) {
  const std::string path = (std::filesystem::path(places.folder) / place.filled_text()).string();
  places.access.require(path, place.path());
  return path;
}

std::vector<SectionTable> mesh_sections() {
  std::vector<SectionTable> all = {box_table(), surface_table()};
  for (SectionTable& table : written_mesh_sections()) all.push_back(std::move(table));
  return all;
}

}  // namespace limber
