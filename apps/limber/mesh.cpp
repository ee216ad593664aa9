#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/mesh/io/surface_catalog.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/scene/construction/body_shape.hpp"
#include "limber/scene/construction/mesh_facts.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/read_shape.hpp"

namespace limber::app {
namespace {

struct MeshArguments {
  std::vector<std::string> words;  // a file or a scene; with a shape, its parameters
  std::string shape, body, output;
  std::string young = "1e5", poisson = "0.4", density = "1000";
  bool own_material = false, json = false;
};

struct Meshed {
  SolidMesh mesh;
  std::string name;
  double wave_speed = 0;                // [m/s]
  std::vector<std::string> notes = {};  // on how a surface was filled
};

double wave_speed_of(const MeshArguments& a) {
  const auto read = [](const std::string& text, const char* option, const Quantity& quantity) {
    const auto json = parse_or_discard(text);
    return JsonCursor(json.is_discarded() ? nlohmann::json(text) : json, option).number(quantity);
  };
  const double young = read(a.young, "--young", quantity::pressure);
  const double poisson = read(a.poisson, "--poisson", quantity::ratio);
  const double density = read(a.density, "--density", quantity::density);
  if (!(young > 0)) throw InputError("--young", a.young + " is not positive");
  if (!(poisson > -1 && poisson < 0.5)) throw InputError("--poisson", a.poisson + " is outside (-1, 0.5)");
  if (!(density > 0)) throw InputError("--density", a.density + " is not positive");
  return pressure_wave_speed(young, poisson, density);
}

Meshed from_shape(const MeshArguments& a) {
  nlohmann::json json{{"shape", a.shape}};
  for (const auto& word : a.words) apply_override(json, word);
  const MeshSource source = read_mesh_source(JsonCursor(json, "mesh"), {});
  if (std::holds_alternative<TriMesh>(source) || std::holds_alternative<NetworkShape>(source))
    throw InputError("--shape", a.shape + " is not made of tetrahedra");
  return {source_mesh(source, "mesh"), a.shape, wave_speed_of(a)};
}

/// The body's own elements: its tetrahedra, or hexahedra where it has these.
SolidMesh solid(const BodyChoice& choice, const Body& body) {
  std::vector<std::string> notes;
  const BodyShape shape = make_shape(choice, notes);
  if (shape.elements.kind != ElementKind::hex8) return body.rest;
  HexMesh mesh;
  mesh.nodes = body.rest.nodes;
  for (std::size_t e = 0; e < shape.elements.count(); ++e) {
    std::copy_n(shape.elements.element(e).begin(), 8, mesh.hexes.emplace_back().begin());
    mesh.region.push_back(shape.region(e));
  }
  return mesh;
}

/// A body as it is placed in its scene, with its own material.
Meshed from_scene(const MeshArguments& a, const std::string& file) {
  if (a.own_material)
    throw InputError("--young, --poisson, --density", "do not go together with a scene, which has materials");
  const Scene scene = load_scene(file);
  const Model model = build_model(scene);
  std::vector<std::string> names;
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].rest.tets.empty()) continue;
    names.push_back(model.bodies[i].name);
    if (a.body.empty() || names.back() == a.body) chosen = i;
  }
  if (names.empty()) throw InputError(file, "the scene has no body of tetrahedra or hexahedra");
  if (!chosen) throw InputError("--body", fmt::format("there is no '{}'; {} has {}", a.body, file, join(names)));
  if (a.body.empty() && names.size() > 1)
    throw InputError("--body", fmt::format("is needed: {} has the bodies {}", file, join(names)));
  const Body& body = model.bodies[*chosen];
  return {solid(scene.bodies[*chosen], body), body.name, body.wave_speed};
}

/// Filled as a run would fill it.
Meshed from_surface(const MeshArguments& a) {
  nlohmann::json json{{"surface", a.words[0]}};
  for (std::size_t i = 1; i < a.words.size(); ++i) apply_override(json, a.words[i]);
  const auto source = std::get<SurfaceFile>(read_mesh_source(JsonCursor(json, "mesh"), {}));
  const Filled filled = fill_surface(source, read_surface_mesh(source.path), "mesh");
  return {filled.mesh, source.path, wave_speed_of(a), filled.notes};
}

Meshed meshed(const MeshArguments& a) {
  if (!a.shape.empty()) return from_shape(a);
  if (a.words.empty()) throw InputError("mesh", "expected a file, or --shape NAME with its parameters as key=value");
  const std::string& file = a.words[0];
  if (std::filesystem::path(file).extension() == ".json") return from_scene(a, file);
  if (is_surface_file(file)) return from_surface(a);
  if (a.words.size() != 1)
    throw InputError("mesh", fmt::format("'{}' does not belong here: {} has its cells", a.words[1], file));
  return {read_solid_mesh(file), file, wave_speed_of(a)};
}

/// What a run would make of it: negatively ordered cells are reordered, other flaws stay.
void orient(TetMesh& mesh) {
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    if (signed_volume(mesh, t) < 0) std::swap(mesh.tets[t][2], mesh.tets[t][3]);
}
void orient(HexMesh& mesh) {
  for (std::size_t h = 0; h < mesh.hexes.size(); ++h)
    if (hex_shape(mesh, h).mirrored()) mirror(mesh.hexes[h]);
}

int mesh_command(const MeshArguments& a) {
  if (!a.body.empty() && (a.words.size() != 1 || std::filesystem::path(a.words[0]).extension() != ".json"))
    throw InputError("--body", "goes with a scene");
  Meshed m = meshed(a);
  const MeshFacts facts =
      std::visit([&](const auto& mesh) { return gather_mesh_facts(mesh, m.wave_speed, m.name); }, m.mesh);
  if (!a.output.empty()) std::visit([&](auto& mesh) { orient(mesh), write_mesh(mesh, a.output); }, m.mesh);
  if (a.json) {
    nlohmann::json j = json_of(to_json(facts));
    j["name"] = m.name;
    if (!a.output.empty()) j["output"] = a.output;
    if (!m.notes.empty()) j["notes"] = m.notes;
    write_text("", j.dump() + "\n");
  } else {
    std::string text = m.name + ": " + describe(facts);
    for (const auto& note : m.notes) text += "note: " + note + "\n";
    write_text("", text + (a.output.empty() ? "" : "written to " + a.output + "\n"));
  }
  return facts.refused.empty() ? 0 : 1;
}

std::string footer() {
  std::string text =
      "Example:\n  limber mesh part.msh\n  limber mesh part.msh -o part.vtu\n  limber mesh scenes/bridge.json\n"
      "  limber mesh bunny.obj resolution=0.01 -o bunny.msh\n"
      "  limber mesh --shape tree levels=4 nodes=30000 -o tree.vtu\n"
      "  limber mesh --shape cylinder radius=\"5 cm\" length=0.4 resolution=0.02 --young 3e6 --json\n\n"
      "Formats: Gmsh .msh, VTK .vtk and .vtu, Medit .mesh, with tetrahedra or hexahedra; TetGen .node and .ele; "
      "surfaces\n" +
      surface_extensions(" and ") +
      ", which are filled with tetrahedra: resolution, nodes or tets, max_tets,\n"
      "filling (auto, tetgen, lattice) and drop_pieces (a share of the volume) say how.\n\n"
      "Shapes, their parameters and what these are by default (nodes=N or tets=N in place of resolution aims at a "
      "count):\n  box: size, cells, split=five, origin\n";
  for (const auto& kind : shape_kinds()) {
    std::vector<std::string> parameters;
    for (const auto& p : kind.parameters)
      parameters.push_back(p.name + "=" + p.standard.dump() + (p.unit.empty() ? "" : " " + p.unit));
    text += "  " + kind.name + ": " + join(parameters) + "\n";
  }
  return text +
         "\nThe largest frequency is about 2 c/d: c is the speed of pressure waves, c^2 = E (1 - nu) / ((1 + nu) (1 - "
         "2 nu) rho),\nand d the thickness of the thinnest element; of a tetrahedron 1/sqrt(largest eigenvalue of the "
         "sum of n n^T/a^2\nover its altitudes a with directions n).\n\n"
         "Exit status: 0 a body can be made of it, 1 a run would refuse it, 2 bad input.";
}

}  // namespace

void add_mesh(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("mesh", "Report on a mesh, or make one from a shape; write it in another format");
  command->footer(footer());
  auto a = std::make_shared<MeshArguments>();
  command->add_option(
      "file", a->words,
      "Mesh file, surface or scene (.json); parameters of a surface or, with --shape, of the shape as key=value");
  command->add_option("--shape", a->shape, "Make this shape");
  command->add_option("--body", a->body, "The body of a scene that has several");
  command->add_option("-o,--output", a->output, "Write the tetrahedra or hexahedra, in the format of the extension");
  auto* young = command->add_option("--young", a->young, "E [Pa], for the largest frequency")->capture_default_str();
  auto* poisson = command->add_option("--poisson", a->poisson, "Poisson's ratio")->capture_default_str();
  auto* density = command->add_option("--density", a->density, "[kg/m^3]")->capture_default_str();
  command->add_flag("--json", a->json, "Print as JSON");
  command->callback([=, &action] {
    a->own_material = young->count() + poisson->count() + density->count() > 0;
    action = [a] { return mesh_command(*a); };
  });
}

}  // namespace limber::app
