#include "limber/scene/construction/body_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/curve_boundary.hpp"
#include "limber/mesh/io/surface_catalog.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/mesh/unused_nodes.hpp"
#include "limber/model/motion.hpp"
#include "limber/scene/read_shape.hpp"

namespace limber {
namespace {

/// Edges of a surface that is filled without a resolution, in parts of its diagonal.
constexpr double default_resolution = 1. / 25;
constexpr double most_volume_change = .2;  // by filling a surface

/// The names of those with so many corners.
std::string elements_with(int corners) {
  std::string names;
  for (const ElementType& type : element_types())
    if (type.corners == corners) names += fmt::format("{}{}", names.empty() ? "" : " or ", type.name);
  return names;
}

/// What a mesh of tetrahedra, or a box, is to become.
ElementKind tetrahedra_of(const BodyChoice& body) {
  return body.element.empty() ? ElementKind::tet4 : element_kind(body.element);
}

/// Curves the boundary of quadratic elements.
void follow_surface(const BodyChoice& body, BodyShape& shape, std::vector<std::string>& notes) {
  TriMesh surface = triangulated(*shape.surface);
  drop_degenerate(surface);
  const Curved curved = curve_boundary(shape.elements, surface);
  notes.push_back(
      fmt::format("{}.element: {} boundary edges were curved to the surface, {} in part, {} are too far from it",
                  body.where, curved.moved, curved.held_back, curved.far));
}

/// The shape's elements as linear tetrahedra, with the regions and fields that the elements have in `coarse`.
template <class Mesh>
void cut(const Mesh& coarse, BodyShape& shape) {
  const auto per_element = ix(pieces(shape.elements.kind));
  shape.mesh = subdivide(shape.elements);
  shape.mesh.region_names = coarse.region_names;
  for (const int region : coarse.region) shape.mesh.region.insert(shape.mesh.region.end(), per_element, region);
  for (const auto& [name, values] : coarse.fields)
    for (const double value : values) shape.mesh.fields[name].insert(shape.mesh.fields[name].end(), per_element, value);
}

void make_elements(const BodyChoice& body, TetMesh mesh, BodyShape& shape, std::vector<std::string>& notes) {
  const ElementKind kind = tetrahedra_of(body);
  if (kind == ElementKind::tet4) {
    shape.elements = linear_elements(mesh);
    shape.mesh = std::move(mesh);
    return;
  }
  if (corner_count(kind) == 4) {
    shape.elements = elements_of(mesh, kind);
    if (shape.surface && kind == ElementKind::tet10) follow_surface(body, shape, notes);
  } else {
    const auto* box = std::get_if<BoxShape>(&body.mesh);
    if (!box)
      throw InputError(
          body.where + ".element",
          fmt::format("\"{}\" goes with boxes and with meshes of hexahedra; this mesh has tetrahedra, for {}",
                      body.element, elements_with(4)));
    shape.elements = box_hexahedra(box->origin, box->size, box->cells);
  }
  cut(mesh, shape);
}

void make_elements(const BodyChoice& body, const HexMesh& mesh, BodyShape& shape, std::vector<std::string>&) {
  if (!body.element.empty() && corner_count(element_kind(body.element)) != 8)
    throw InputError(
        body.where + ".element",
        fmt::format("\"{}\" goes with tetrahedra; this mesh has hexahedra, for {}", body.element, elements_with(8)));
  shape.elements = hexahedra(mesh);
  cut(mesh, shape);
}

/// Checks the mesh and gives the shape its elements and tetrahedra. `cells`: what it is made of.
template <class Mesh>
void take_mesh(const BodyChoice& body, Mesh mesh, const char* cells, const std::string& source, BodyShape& shape,
               std::vector<std::string>& notes) {
  const MeshNotes mended = check_and_orient(mesh, source);
  if (mended.reordered > 0)
    notes.push_back(
        fmt::format("{}.mesh: {} negatively ordered {} were reordered", body.where, mended.reordered, cells));
  make_elements(body, std::move(mesh), shape, notes);
}

/// The regions that the body names, under numbers that the mesh does not use.
void name_regions(const BodyChoice& body, BodyShape& shape) {
  if (body.regions.empty()) return;
  auto& region = shape.mesh.region;
  if (region.empty()) region.assign(shape.mesh.tets.size(), 0);
  int number = *std::max_element(region.begin(), region.end());
  std::vector<std::string> taken(shape.elements.count());
  for (const auto& [name, of] : shape.mesh.region_names) number = std::max(number, of);
  const auto per_element = ix(pieces(shape.elements.kind));
  for (const auto& [name, selection] : body.regions) {
    std::vector<char> chosen(shape.mesh.nodes.size(), 0);
    for (const int i : resolve(selection, shape.mesh.nodes)) chosen[ix(i)] = 1;
    shape.mesh.region_names[name] = ++number;
    std::size_t count = 0;
    for (std::size_t e = 0; e < shape.elements.count(); ++e) {
      const auto nodes = shape.elements.element(e);
      if (!std::all_of(nodes.begin(), nodes.end(), [&](int i) { return chosen[ix(i)]; })) continue;
      if (!taken[e].empty())
        throw InputError(body.where + ".regions." + name,
                         fmt::format("element {} is in the region '{}' too", e, taken[e]));
      taken[e] = name;
      std::fill_n(region.begin() + static_cast<std::ptrdiff_t>(e * per_element), per_element, number);
      ++count;
    }
    if (count == 0)
      throw InputError(body.where + ".regions." + name, "no element has all of its nodes in this selection");
  }
}

template <std::size_t n>
void require_all_used(const std::vector<Vec3>& nodes, const std::vector<std::array<int, n>>& cells,
                      const std::string& where, const char* cell) {
  std::vector<char> used(nodes.size(), 0);
  for (const auto& c : cells)
    for (const int i : c) used[ix(i)] = 1;
  const auto it = std::find(used.begin(), used.end(), 0);
  if (it != used.end())
    throw InputError(where, fmt::format("node {} is in no {}, so that it has no mass", it - used.begin(), cell));
}

/// A lattice too coarse for a shape fills what lies between its parts, or loses them.
void require_same_volume(const TetMesh& mesh, const Tetrahedralized& made) {
  if (!(made.enclosed > 0)) return;
  double volume = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) volume += signed_volume(mesh, t);
  if (std::abs(volume - made.enclosed) > most_volume_change * made.enclosed)
    throw InputError("resolution",
                     fmt::format("the tetrahedra have {:.4g} m³, but the surface encloses {:.4g} m³: more than "
                                 "{:.0f} % off; take a finer resolution",
                                 volume, made.enclosed, 100 * most_volume_change));
}

/// A sheet of the triangles of a file; a network, where it has only lines.
void read_thin_file(const MeshFile& file, const std::string& where, BodyShape& shape, std::vector<std::string>& notes) {
  const std::string& path = file.path;
  shape.surface = read_surface_mesh(path, file.access);
  if (shape.surface->polygons() == 0) {
    if (shape.surface->lines.empty()) throw InputError(path, "has neither faces nor lines");
    shape.mesh.nodes = shape.surface->positions;
    shape.edges = shape.surface->lines;
    drop_unused_nodes(shape.mesh.nodes, shape.edges);
    return;
  }
  TriMesh sheet = triangulated(*shape.surface);
  if (const std::size_t flat = drop_degenerate(sheet); flat > 0)
    notes.push_back(fmt::format("{}: {} triangles of no area in {} were left out", where, flat, path));
  if (sheet.triangles.empty()) throw InputError(path, "all triangles have no area");
  shape.mesh.nodes = std::move(sheet.nodes);
  shape.triangles = std::move(sheet.triangles);
}

}  // namespace

int BodyShape::region(std::size_t element) const { return mesh.region.empty() ? 0 : mesh.region[first_tet(element)]; }

std::size_t BodyShape::first_tet(std::size_t element) const { return element * ix(pieces(elements.kind)); }

Filled fill_surface(const SurfaceFile& choice, const SurfaceMesh& surface, const std::string& where) {
  const TriMesh triangles = triangulated(surface);
  const double diagonal = bounding_box(triangles.nodes).diagonal();
  TetrahedralizeOptions options{choice.resolution.value_or(default_resolution * diagonal), choice.max_tets,
                                choice.filling, choice.drop_pieces};
  try {
    Tetrahedralized made;
    const auto make = [&](double resolution) {
      options.resolution = resolution;
      made = tetrahedralize(triangles, options);
      return made.mesh;
    };
    TetMesh mesh =
        choice.aim ? mesh_of_count(make, diagonal / 4, *choice.aim, choice.target) : make(options.resolution);
    require_same_volume(mesh, made);
    Filled filled{std::move(mesh), std::move(made.notes)};
    filled.notes.push_back(fmt::format("{} tetrahedra by {}", filled.mesh.tets.size(), name_of(made.filling)));
    return filled;
  } catch (const InputError& e) {
    const bool own = e.where() == "surface";
    const bool aimed = choice.aim && e.where() == "resolution";
    const std::string key = aimed ? (*choice.aim == Count::nodes ? "nodes" : "tets") : e.where();
    throw InputError(where + "." + key, own ? choice.path + ": " + e.message() : e.message());
  }
}

BodyShape make_shape(const BodyChoice& body, std::vector<std::string>& notes) {
  const std::string where = body.where + ".mesh";
  BodyShape shape;
  if (const auto* network = std::get_if<NetworkShape>(&body.mesh)) {
    shape.mesh.nodes = network->nodes;
    shape.edges = network->edges;
    if (!body.materials.empty()) require_all_used(shape.mesh.nodes, shape.edges, where + ".nodes", "edge");
    return shape;
  }
  if (const auto* sheet = std::get_if<TriMesh>(&body.mesh)) {
    shape.mesh.nodes = sheet->nodes;
    shape.triangles = sheet->triangles;
    if (!body.materials.empty()) require_all_used(shape.mesh.nodes, shape.triangles, where + ".nodes", "triangle");
    return shape;
  }
  const auto* file = std::get_if<MeshFile>(&body.mesh);
  if (file && is_surface_file(file->path)) {
    read_thin_file(*file, where, shape, notes);
    return shape;
  }
  std::string source = where;
  SolidMesh solid;
  if (const auto* filled = std::get_if<SurfaceFile>(&body.mesh)) {
    shape.surface = read_surface_mesh(filled->path, filled->access);
    Filled inside = fill_surface(*filled, *shape.surface, where);
    solid = std::move(inside.mesh);
    for (const auto& note : inside.notes) notes.push_back(fmt::format("{}: {}: {}", where, filled->path, note));
  } else {
    solid = source_mesh(body.mesh, where);
    if (file) source = file->path;
  }
  if (auto* hexes = std::get_if<HexMesh>(&solid))
    take_mesh(body, std::move(*hexes), "hexahedra", source, shape, notes);
  else
    take_mesh(body, std::get<TetMesh>(std::move(solid)), "tetrahedra", source, shape, notes);
  name_regions(body, shape);
  for (const auto& [name, values] : body.own_fields) shape.set_field(name, values);
  return shape;
}

void BodyShape::set_field(const std::string& name, const std::vector<double>& values) {
  std::vector<double>& of_tets = mesh.fields[name];
  of_tets.assign(mesh.tets.size(), 0);
  const auto each = static_cast<std::size_t>(pieces(elements.kind));
  for (std::size_t e = 0; e < elements.count(); ++e)
    std::fill_n(of_tets.begin() + static_cast<std::ptrdiff_t>(first_tet(e)), each, values[e]);
}

BodyShape make_box_shape(const BodyChoice& body, const CellRange& range) {
  const auto& box = std::get<BoxShape>(body.mesh);
  BodyShape shape;
  const ElementKind kind = tetrahedra_of(body);
  if (corner_count(kind) == 8) {
    shape.elements = box_hexahedra(box.origin, box.size, box.cells, range);
    shape.mesh = subdivide(shape.elements);
    return shape;
  }
  TetMesh mesh = box_mesh(box.origin, box.size, box.cells, box.split, range);
  shape.elements = elements_of(mesh, kind);
  shape.mesh = kind == ElementKind::tet4 ? std::move(mesh) : subdivide(shape.elements);
  return shape;
}

void place(const BodyChoice& body, std::vector<Vec3>& points) {
  const Mat3 R = Mat3::Identity() + rotation_minus_identity(body.rotation);
  for (auto& x : points) x = body.position + R * (body.scale * x);
}

std::vector<std::array<int, 2>> all_edges(const BodyShape& shape) {
  if (!shape.edges.empty()) return shape.edges;
  if (shape.triangles.empty()) return edges(shape.mesh);
  std::set<std::array<int, 2>> all;
  for (const auto& t : shape.triangles)
    for (std::size_t k = 0; k < 3; ++k) all.insert({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  return {all.begin(), all.end()};
}

}  // namespace limber
