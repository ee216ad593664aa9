#include <algorithm>
#include <filesystem>
#include <limits>

#include "limber/force/rayleigh.hpp"
#include "limber/scene/body_shape.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/read_shape.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

BoxShape read_box(const JsonSection& s) {
  BoxShape box;
  const JsonCursor size = s.at("size"), cells = s.at("cells");
  box.size = size.vector(quantity::length);
  for (int k = 0; k < 3; ++k) size.item(k).positive(quantity::length);
  if (!cells.is_list() || cells.json().size() != 3) cells.fail_type("three whole numbers [nx, ny, nz]");
  double nodes = 1;
  for (std::size_t k = 0; k < 3; ++k) nodes *= 1.0 + (box.cells[k] = cells.item(k).integer(1));
  if (3 * nodes > std::numeric_limits<int>::max()) cells.fail(cells.echo() + " makes more nodes than can be numbered");
  if (const auto c = s.find("split")) box.split = c->choice<Split>("split");
  if (const auto c = s.find("origin")) box.origin = c->vector(quantity::length);
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

TetMesh read_tets(const JsonSection& s) {
  TetMesh mesh;
  mesh.nodes = s.at("nodes").points();
  mesh.tets = s.at("tets").tuples<4>(mesh.nodes.size());
  if (mesh.tets.empty()) s.at("tets").fail("has no tetrahedron");
  mesh.region = read_region_numbers(s, mesh.tets.size(), "tetrahedra");
  return mesh;
}

HexMesh read_hexes(const JsonSection& s) {
  HexMesh mesh;
  mesh.nodes = s.at("nodes").points();
  mesh.hexes = s.at("hexes").tuples<8>(mesh.nodes.size());
  if (mesh.hexes.empty()) s.at("hexes").fail("has no hexahedron");
  mesh.region = read_region_numbers(s, mesh.hexes.size(), "hexahedra");
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

SurfaceFile read_surface_file(const JsonSection& s, const std::string& base_directory) {
  SurfaceFile surface;
  surface.path = read_file_name(s.at("surface"), base_directory);
  if (!is_surface_file(surface.path))
    s.at("surface").fail(s.at("surface").echo() +
                         " is not a surface: .obj, .ply, .stl, .gltf or .glb; \"file\" reads " +
                         "meshes of tetrahedra");
  if (const auto c = s.find("resolution")) surface.resolution = c->positive(quantity::length);
  if (const auto c = s.find("max_tets")) surface.max_tets = static_cast<std::size_t>(c->integer(1));
  if (const auto c = s.find("filling")) surface.filling = c->choice<Filling>("filling");
  if (const auto c = s.find("drop_pieces")) {
    surface.drop_pieces = c->non_negative(quantity::ratio);
    if (surface.drop_pieces >= 1) c->fail(c->echo() + " is not below 1: a share of the surface's volume");
  }
  const Aim aim = read_aim(s, surface.max_tets);
  surface.aim = aim.what;
  surface.target = aim.target;
  return surface;
}

std::vector<std::array<int, 2>> read_edges(const JsonCursor& place, std::size_t node_count) {
  auto edges = place.tuples<2>(node_count);
  if (edges.empty()) place.fail("has no edge");
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (edges[i][0] == edges[i][1]) place.item(i).fail(place.item(i).echo() + " joins a node to itself");
  return edges;
}

/// Of the mesh before files are read; where it is unknown, as many as there can be.
std::size_t node_count(const MeshSource& mesh) {
  if (const auto* box = std::get_if<BoxShape>(&mesh)) {
    std::size_t n = 1;
    for (const int cells : box->cells) n *= static_cast<std::size_t>(cells) + 1;
    return n;
  }
  if (const auto* tets = std::get_if<TetMesh>(&mesh)) return tets->nodes.size();
  if (const auto* hexes = std::get_if<HexMesh>(&mesh)) return hexes->nodes.size();
  if (const auto* network = std::get_if<NetworkShape>(&mesh)) return network->nodes.size();
  if (const auto* sheet = std::get_if<TriMesh>(&mesh)) return sheet->nodes.size();
  return static_cast<std::size_t>(std::numeric_limits<int>::max());
}

/// What stands at the key, unless it is a field: then its name goes into the material's.
std::optional<JsonCursor> find_number(const JsonSection& s, const char* key, MaterialChoice& m) {
  auto c = s.find(key);
  if (!c || !c->is_object()) return c;
  const JsonCursor name = c->section("material_field").at("field");
  m.fields[key] = name.text();
  if (m.fields[key].empty()) name.fail("is empty");
  return std::nullopt;
}

MaterialChoice read_material(const JsonCursor& place, const Vocabulary& vocabulary) {
  const JsonSection s = place.section("material");
  MaterialChoice m;
  m.where = place.path();
  const auto model = s.find("model");
  if (model) m.model = vocabulary.materials[model->word(vocabulary.materials, "material")];
  if (const auto c = find_number(s, "density", m)) m.density = c->positive(quantity::density);
  auto& values = m.parameters;
  if (const auto c = find_number(s, "young", m)) values["young"] = c->positive(quantity::pressure);
  if (const auto c = find_number(s, "poisson", m)) {
    const double nu = values["poisson"] = c->number(quantity::ratio);
    if (!(nu > -1 && nu < 0.5)) c->fail(c->echo() + " is outside (-1, 0.5)");
  }
  const auto found = vocabulary.material_parameters.find(m.model);
  const auto own = found == vocabulary.material_parameters.end() ? std::vector<std::string>{} : found->second;
  for (const char* key : {"c10", "c01", "bulk"}) {
    if (s.has(key) && std::find(own.begin(), own.end(), key) == own.end())
      s.at(key).fail("the material " + m.model + " has no such parameter");
    if (const auto c = find_number(s, key, m))
      values[key] = std::string(key) == "bulk" ? c->positive(quantity::pressure) : c->number(quantity::pressure);
  }
  if (values.contains("c10") && values.contains("c01") && !(values["c10"] + values["c01"] > 0))
    s.at("c10").fail("the shear modulus 2 (c10 + c01) is not positive");
  const bool own_suffice =
      !own.empty() && std::all_of(own.begin(), own.end(), [&](const auto& key) { return s.has(key.c_str()); });
  if (!own_suffice) s.at("young"), s.at("poisson");
  return m;
}

void read_placement(const JsonSection& s, BodyChoice& body) {
  if (const auto c = s.find("position")) body.position = c->vector(quantity::length);
  if (const auto c = s.find("rotation")) body.rotation = c->vector(quantity::angle);
  if (const auto c = s.find("scale")) body.scale = c->positive(quantity::ratio);
  if (const auto c = s.find("velocity")) body.velocity = c->vector(quantity::velocity);
  if (const auto c = s.find("angular_velocity")) body.angular_velocity = c->vector(quantity::angular_velocity);
}

std::vector<double> read_point_mass(const JsonCursor& place, std::size_t node_count) {
  if (!place.is_list()) return {place.positive(quantity::mass)};
  std::vector<double> mass;
  for (const JsonCursor& item : place.items(1)) mass.push_back(item.positive(quantity::mass));
  const bool known = node_count < static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (known && mass.size() != node_count)
    place.fail("has " + std::to_string(mass.size()) + " masses for " + std::to_string(node_count) + " nodes");
  return mass;
}

RigidChoice read_rigid(const JsonCursor& place) {
  RigidChoice part;
  part.where = place.path();
  if (!place.has("region")) {
    part.nodes = read_selection(place);
    if (part.nodes.empty()) place.fail("selects no node");
    return part;
  }
  const JsonCursor region = place.section("rigid_region").at("region");
  const auto add = [&](const JsonCursor& c) {
    if (!c.is_text() && !c.json().is_number_integer()) c.fail_type("a region's name or number, or a list of them");
    part.regions.push_back(c.is_text() ? c.text() : std::to_string(c.integer(std::numeric_limits<int>::min())));
  };
  if (region.is_list())
    for (const JsonCursor& item : region.items(1)) add(item);
  else
    add(region);
  return part;
}

/// Sheets and rods, unless they are mere spring networks.
bool is_thin(const BodyChoice& body) {
  const auto* file = std::get_if<MeshFile>(&body.mesh);
  return std::holds_alternative<NetworkShape>(body.mesh) || std::holds_alternative<TriMesh>(body.mesh) ||
         (file && is_surface_file(file->path));
}

void read_thin(const JsonSection& s, BodyChoice& body, const Vocabulary& vocabulary) {
  for (const char* key : {"materials", "element", "regions", "rigid"})
    if (const auto c = s.find(key)) c->fail("does not go together with sheets and rods, which have one material");
  body.materials = read_materials(s, vocabulary);
  for (const auto& [key, field] : body.materials.at("default").fields)
    s.at("material").section("material").at(key.c_str()).fail("sheets and rods have one number, no field");
  const auto c = s.find("thickness");
  if (!c)
    throw InputError(body.where + ".thickness",
                     "is missing: a sheet or rod of a material needs one (a solid inside of a surface is made by "
                     "\"mesh\": {\"surface\": …})");
  c->positive(quantity::length);
  if (const auto b = s.find("bending")) body.bending = b->non_negative(quantity::ratio);
}

/// A material, or what a spring network has in its place.
void read_substance(const JsonSection& s, BodyChoice& body, const Vocabulary& vocabulary) {
  const std::size_t nodes = node_count(body.mesh);
  if (const auto c = s.find("springs")) body.springs = read_springs(*c, nodes);
  const bool material = s.has("material") || s.has("materials");
  if (const auto c = s.find("point_mass")) {
    if (material) c->fail("does not go together with a material, whose mass comes from its density");
    body.point_mass = read_point_mass(*c, nodes);
  }
  const bool edges = std::holds_alternative<NetworkShape>(body.mesh);
  const bool network = !material && (edges || !body.point_mass.empty());
  if (!network && is_thin(body)) return read_thin(s, body, vocabulary);
  if (const auto c = s.find("bending")) c->fail("only sheets and rods of a material have it");
  if (!network) {
    body.materials = read_materials(s, vocabulary);
    return;
  }
  for (const char* key : {"damping", "mass", "element", "regions", "rigid"})
    if (const auto c = s.find(key)) c->fail("needs a material; a network has springs and point_mass");
  s.at("point_mass"), s.at("springs");
}

}  // namespace

std::string read_name(const JsonSection& s, const std::string& otherwise) {
  const auto c = s.find("name");
  if (!c) return otherwise;
  std::string name = c->text();
  if (name.empty()) c->fail("is empty");
  if (name.find('/') != std::string::npos) c->fail(c->echo() + " contains '/'");
  return name;
}

MeshSource read_mesh_source(const JsonCursor& place, const std::string& base_directory) {
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
  if (s.kind() == "mesh_file") return MeshFile{read_file_name(s.at("file"), base_directory)};
  if (s.kind() == "mesh_surface") return read_surface_file(s, base_directory);
  NetworkShape network;
  network.nodes = s.at("nodes").points();
  network.edges = read_edges(s.at("edges"), network.nodes.size());
  return network;
}

std::string read_file_name(const JsonCursor& place, const std::string& base_directory) {
  const std::string file = place.text();
  if (file.empty()) place.fail("is empty");
  return (std::filesystem::path(base_directory) / file).string();
}

std::map<std::string, MaterialChoice> read_materials(const JsonSection& body, const Vocabulary& vocabulary) {
  body.exclusive("material", "materials");
  std::map<std::string, MaterialChoice> all;
  const auto many = body.find("materials");
  if (!many) return {{"default", read_material(body.at("material"), vocabulary)}};
  if (!many->is_object() || many->json().empty())
    many->fail_type("an object with a material for each region, or \"default\"");
  for (const auto& [region, value] : many->json().items())
    all[region] = read_material(JsonCursor(value, many->path() + "." + region), vocabulary);
  return all;
}

std::vector<std::pair<std::string, Selection>> read_regions(const JsonCursor& place) {
  if (!place.is_object() || place.json().empty()) place.fail_type("an object with a selection for each name");
  std::vector<std::pair<std::string, Selection>> all;
  for (const auto& [name, value] : place.json().items())
    all.emplace_back(name, read_selection(JsonCursor(value, place.path() + "." + name)));
  return all;
}

DampingChoice read_damping(const JsonCursor& place) {
  const JsonSection s = place.section("damping");
  DampingChoice d;
  s.exclusive("ratios", "stiffness");
  s.exclusive("ratios", "mass");
  if (const auto c = s.find("stiffness")) d.stiffness = c->non_negative(quantity::time);
  if (const auto c = s.find("mass")) d.mass = c->non_negative(quantity::rate);
  if (const auto c = s.find("at")) d.at = c->choice<DampingChoice::At>("damping_at");
  const auto c = s.find("ratios");
  if (!c) return d;
  if (!c->is_list() || c->json().size() != 2) c->fail_type("two pairs [[frequency, ratio], [frequency, ratio]]");
  DampingRatio given[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const JsonCursor pair = c->item(i);
    if (!pair.is_list() || pair.json().size() != 2) pair.fail_type("a pair [frequency, ratio]");
    given[i] = {pair.item(0).positive(quantity::frequency), pair.item(1).non_negative(quantity::ratio)};
  }
  const RayleighCoefficients both = rayleigh_from_ratios(given[0], given[1], c->path());
  d.stiffness = both.stiffness;
  d.mass = both.mass;
  d.given = DampingChoice::Given::ratios;
  return d;
}

SpringsChoice read_springs(const JsonCursor& place, std::size_t node_count) {
  const JsonSection s = place.section("springs");
  SpringsChoice springs;
  springs.where = place.path();
  springs.stiffness = s.at("stiffness").positive(quantity::stiffness);
  if (const auto c = s.find("edges")) {
    if (c->is_text())
      c->word("spring_edges");
    else
      springs.edges = read_edges(*c, node_count);
  }
  if (const auto c = s.find("rest_length")) springs.rest_length = c->non_negative(quantity::length);
  if (const auto c = s.find("damping")) springs.damping = c->non_negative(quantity::damping);
  return springs;
}

BodyChoice read_body(const JsonCursor& place, std::size_t number, const Vocabulary& vocabulary,
                     const std::string& base_directory) {
  const JsonSection s = place.section("body");
  BodyChoice body;
  body.where = place.path();
  body.name = read_name(s, "body" + std::to_string(number));
  body.mesh = read_mesh_source(s.at("mesh"), base_directory);
  if (const auto c = s.find("element")) body.element = c->word("element");
  // Lumped masses of quadratic elements cost accuracy that the elements were chosen for.
  if (body.element == "P2") body.mass = MassForm::consistent;
  if (const auto c = s.find("mass")) body.mass = c->choice<MassForm>("mass_form");
  read_substance(s, body, vocabulary);
  if (const auto c = s.find("regions")) body.regions = read_regions(*c);
  if (const auto c = s.find("damping")) body.damping = read_damping(*c);
  read_placement(s, body);
  if (const auto c = s.find("thickness")) body.thickness = c->non_negative(quantity::length);
  if (const auto c = s.find("pin")) read_pins(*c, body);
  body.scripts = read_list(s, "script", read_script);
  body.rigid = read_list(s, "rigid", read_rigid);
  body.loads = read_list(s, "loads", read_load);
  body.targets = read_list(s, "targets", read_target);
  return body;
}

}  // namespace limber
