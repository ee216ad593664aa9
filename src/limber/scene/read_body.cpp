#include <algorithm>
#include <filesystem>
#include <limits>

#include "limber/force/rayleigh.hpp"
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

TetMesh read_tets(const JsonSection& s) {
  TetMesh mesh;
  mesh.nodes = s.at("nodes").points();
  mesh.tets = s.at("tets").tuples<4>(mesh.nodes.size());
  if (mesh.tets.empty()) s.at("tets").fail("has no tetrahedron");
  if (const auto c = s.find("region")) {
    for (const JsonCursor& item : c->items()) mesh.region.push_back(item.integer(std::numeric_limits<int>::min()));
    if (mesh.region.size() != mesh.tets.size())
      c->fail("has " + std::to_string(mesh.region.size()) + " numbers for " + std::to_string(mesh.tets.size()) +
              " tetrahedra");
  }
  return mesh;
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
  if (const auto* network = std::get_if<NetworkShape>(&mesh)) return network->nodes.size();
  return static_cast<std::size_t>(std::numeric_limits<int>::max());
}

MaterialChoice read_material(const JsonCursor& place, const Vocabulary& vocabulary) {
  const JsonSection s = place.section("material");
  MaterialChoice m;
  m.where = place.path();
  const auto model = s.find("model");
  if (model) m.model = vocabulary.materials[model->word(vocabulary.materials, "material")];
  if (const auto c = s.find("density")) m.density = c->positive(quantity::density);
  auto& values = m.parameters;
  if (const auto c = s.find("young")) values["young"] = c->positive(quantity::pressure);
  if (const auto c = s.find("poisson")) {
    const double nu = values["poisson"] = c->number(quantity::ratio);
    if (!(nu > -1 && nu < 0.5)) c->fail(c->echo() + " is outside (-1, 0.5)");
  }
  const auto found = vocabulary.material_parameters.find(m.model);
  const auto own = found == vocabulary.material_parameters.end() ? std::vector<std::string>{} : found->second;
  for (const char* key : {"c10", "c01", "bulk"})
    if (const auto c = s.find(key)) {
      if (std::find(own.begin(), own.end(), key) == own.end())
        c->fail("the material " + m.model + " has no such parameter");
      values[key] = std::string(key) == "bulk" ? c->positive(quantity::pressure) : c->number(quantity::pressure);
    }
  if (values.contains("c10") && values.contains("c01") && !(values["c10"] + values["c01"] > 0))
    s.at("c10").fail("the shear modulus 2 (c10 + c01) is not positive");
  const bool own_suffice =
      !own.empty() && std::all_of(own.begin(), own.end(), [&](const auto& key) { return values.contains(key); });
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
  for (const JsonCursor& item : place.items()) mass.push_back(item.positive(quantity::mass));
  if (mass.size() != node_count)
    place.fail("has " + std::to_string(mass.size()) + " masses for " + std::to_string(node_count) + " nodes");
  return mass;
}

/// What a spring network has in place of a material.
void read_substance(const JsonSection& s, BodyChoice& body, const Vocabulary& vocabulary) {
  const std::size_t nodes = node_count(body.mesh);
  const bool network = std::holds_alternative<NetworkShape>(body.mesh);
  if (const auto c = s.find("springs")) body.springs = read_springs(*c, nodes);
  if (const auto c = s.find("point_mass")) {
    if (!network) c->fail("only goes with a mesh of 'nodes' and 'edges'; a material's mass comes from its density");
    body.point_mass = read_point_mass(*c, nodes);
  }
  if (!network) {
    body.materials = read_materials(s, vocabulary);
    return;
  }
  for (const char* key : {"material", "materials", "damping", "mass", "element"})
    if (const auto c = s.find(key))
      c->fail("does not go together with a mesh of edges, which has springs and point_mass");
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
    if (s.kind() != "mesh_box") return read_shape(s);
    return read_box(s);
  }
  const JsonSection s = place.one_of({"mesh_file", "mesh_tets", "mesh_network", "mesh_box"});
  if (s.kind() == "mesh_tets") return read_tets(s);
  if (s.kind() == "mesh_file") {
    const std::string file = s.at("file").text();
    if (file.empty()) s.at("file").fail("is empty");
    return MeshFile{(std::filesystem::path(base_directory) / file).string()};
  }
  NetworkShape network;
  network.nodes = s.at("nodes").points();
  network.edges = read_edges(s.at("edges"), network.nodes.size());
  return network;
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
  if (const auto c = s.find("damping")) body.damping = read_damping(*c);
  read_placement(s, body);
  if (const auto c = s.find("thickness")) body.thickness = c->non_negative(quantity::length);
  if (const auto c = s.find("pin")) body.pin = read_selection(*c);
  body.scripts = read_list(s, "script", read_script);
  body.loads = read_list(s, "loads", read_load);
  body.targets = read_list(s, "targets", read_target);
  return body;
}

}  // namespace limber
