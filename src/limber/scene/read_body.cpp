#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "limber/force/rayleigh.hpp"
#include "limber/material/presets.hpp"
#include "limber/mesh/io/surface_catalog.hpp"
#include "limber/scene/force_kinds.hpp"
#include "limber/scene/made_material.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

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

const Quantity& quantity_of(const MaterialParameter& p) {
  for (const Quantity* q : quantity::all)
    if (std::string(q->unit) == p.unit) return *q;
  throw std::logic_error(std::string("no quantity has the unit ") + p.unit);
}

Key<MaterialChoice> material_key(const MaterialParameter& p, const std::string& text) {
  const Form number = form::number(quantity_of(p), {p.low, p.high});
  const auto read = [number, name = std::string(p.name), most = p.most](const JsonCursor& c, MaterialChoice& m) {
    if (c.is_object()) {
      m.fields[name] = c.section("material_field").at("field").filled_text();
      return;
    }
    if (most > 1 && c.is_list()) {
      for (const JsonCursor& item : c.items(1)) m.lists[name].push_back(item.number(number.quantity, number.range));
      return;
    }
    (name == density_parameter.name ? m.density : m.parameters[name]) = c.number(number.quantity, number.range);
  };
  Form form = number.or_also(reference("material_field"));
  if (p.most > 1)
    form = form.or_also({{"type", "array"}, {"items", number.schema()}, {"minItems", 1}, {"maxItems", p.most}});
  return {p.name, read, form, text, p.standard};
}

/// In backquotes.
std::vector<std::string> takers_of(const std::string& key) {
  std::vector<std::string> names;
  for (const MaterialInfo& info : material_catalog())
    if (std::any_of(info.parameters.begin(), info.parameters.end(), [&](const auto& p) { return p.name == key; }))
      names.push_back("`" + info.name + "`");
  return names;
}

const Section<MaxwellBranch>& viscosity_table() {
  static const Section<MaxwellBranch> table{
      "viscosity",
      {{"share", &MaxwellBranch::share, form::number(quantity::ratio, {0, 1}),
        "of the stiffness against sudden loads, what relaxes{}; the sum of all shares is below 1", required},
       {"time", &MaxwellBranch::time, form::positive(quantity::time), "in which it falls to 1/e", required}}};
  return table;
}

Viscosity read_viscosity(const JsonCursor& place) {
  Viscosity branches;
  double sum = 0;
  std::string shares;
  for (const JsonCursor& item : place.items(0)) {
    const JsonSection s = item.section("viscosity");
    MaxwellBranch& branch = branches.emplace_back();
    viscosity_table().read(s, branch);
    sum += branch.share;
    shares += fmt::format("{}{}", shares.empty() ? "" : " + ", branch.share);
  }
  if (!(sum < 1))
    place.fail(
        fmt::format("the shares {} = {:.6g} leave nothing for long times; their sum must be below 1", shares, sum));
  return branches;
}

const Section<MaterialChoice>& material_table() {
  static const Section<MaterialChoice> table = [] {
    Rows<MaterialChoice> rows = {{"model", form::other(R"({"type": "string"})"),
                                  "the energy density; case does not matter", "`\"stable_neo_hookean\"`"}};
    rows.add({"preset", form::other(R"({"type": "string"})"),
              "a substance by its [name](materials.md#presets), with model, constants and, where its source has them, "
              "density, viscosity and the thickness of cloth; keys beside it take the place of its own; case "
              "does not matter",
              "none"});
    SchemaJson enough = SchemaJson::array({{{"required", SchemaJson::array()}}});
    const std::string field = "{}; may be a [field](#a-field-in-place-of-a-number)";
    for (const MaterialParameter& p : common_material_parameters()) {
      rows.add(material_key(p, p.meaning + field));
      rows.all.back().standard_words = "required";  // unless a model has parameters that take its place
      enough[0]["required"].push_back(p.name);
    }
    rows.add(material_key(density_parameter, density_parameter.meaning + field));
    for (const MaterialInfo& info : material_catalog()) {
      for (const MaterialParameter& p : info.parameters) {
        const bool first =
            std::none_of(rows.all.begin(), rows.all.end(), [&](const auto& row) { return row.name == p.name; });
        const std::string list = p.most > 1 ? fmt::format("{{}}; a number or a list of up to {}", p.most) : "";
        if (first) rows.add(material_key(p, join(takers_of(p.name)) + ": " + p.meaning + list));
      }
      for (const auto& keys : info.sufficient)
        if (const SchemaJson way{{"required", keys}}; std::find(enough.begin(), enough.end(), way) == enough.end())
          enough.push_back(way);
    }
    rows.add({"viscosity", into(&MaterialChoice::viscosity, read_viscosity), form::list("viscosity"),
              "a list of [branches that relax](#viscosity); the other constants are those of slow loads",
              "none, or the preset's"});
    enough.push_back({{"required", {"preset"}}});
    Section<MaterialChoice> section{"material", rows};
    section.also["anyOf"] = enough;
    return section;
  }();
  return table;
}

const MaterialPreset* read_preset(const JsonSection& s) {
  const auto c = s.find("preset");
  if (!c) return nullptr;
  std::vector<std::string> names;
  for (const MaterialPreset& preset : material_presets()) names.push_back(preset.name);
  return &material_presets()[c->name(names, "preset")];
}

/// What the scene does not say itself.
void take_from(const MaterialPreset& preset, const JsonSection& s, MaterialChoice& m) {
  if (!s.has("density") && preset.density > 0) m.density = preset.density;
  if (!s.has("viscosity")) m.viscosity = preset.viscosity;
  m.thickness = preset.thickness;
  add_constants(
      preset, m.model, [&](const std::string& key) { return s.has(key.c_str()); }, m.where, m.parameters, m.lists);
}

MaterialChoice read_material(const JsonCursor& place, const Vocabulary& vocabulary) {
  const JsonSection s = place.section("material");
  MaterialChoice m;
  m.where = place.path();
  const MaterialPreset* preset = read_preset(s);
  if (preset) m.model = preset->parameters.model;
  const auto model = s.find("model");
  if (model) m.model = vocabulary.materials[model->name(vocabulary.materials, "material")];
  const MaterialInfo& info = *find_material(m.model);
  const auto is_own = [&](const std::string& key) {
    return std::any_of(info.parameters.begin(), info.parameters.end(), [&](const auto& p) { return p.name == key; });
  };
  for (const MaterialInfo& other : material_catalog())
    for (const MaterialParameter& p : other.parameters)
      if (s.has(p.name) && !is_own(p.name)) s.at(p.name).fail("the material " + m.model + " has no such parameter");
  material_table().read(s, m);
  if (preset) take_from(*preset, s, m);
  const std::string missing = missing_key(info, [&](const std::string& key) {
    return m.parameters.contains(key) || m.lists.contains(key) || m.fields.contains(key);
  });
  if (!missing.empty()) s.at(missing.c_str());
  if (m.fields.empty()) made(m);  // whether the numbers go together
  return m;
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
  for (const char* key : {"materials", "element", "dilatation", "regions", "rigid"})
    if (const auto c = s.find(key)) c->fail("does not go together with sheets and rods, which have one material");
  body.materials = read_materials(s, vocabulary);
  for (const auto& [key, field] : body.materials.at("default").fields)
    s.at("material").section("material").at(key.c_str()).fail("sheets and rods have one number, no field");
  if (!body.materials.at("default").viscosity.empty()) {
    const JsonSection material = s.at("material").section("material");
    if (const auto c = material.find("viscosity")) c->fail("sheets and rods have none; damping serves there");
    material.at("preset").fail("has viscosity, and sheets and rods have none: \"viscosity\": [] leaves it out");
  }
  const auto c = s.find("thickness");
  const double measured = body.materials.at("default").thickness;
  if (!c && measured > 0 && !std::holds_alternative<NetworkShape>(body.mesh)) {
    body.thickness = measured;
    return;
  }
  if (!c)
    throw InputError(body.where + ".thickness",
                     "is missing: a sheet or rod of a material needs one (a solid inside of a surface is made by "
                     "\"mesh\": {\"surface\": …})");
  c->positive(quantity::length);
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
  for (const char* key : {"damping", "mass", "element", "dilatation", "regions", "rigid"})
    if (const auto c = s.find(key)) c->fail("needs a material; a network has springs and point_mass");
  s.at("point_mass"), s.at("springs");
}

}  // namespace

std::string read_name(const JsonSection& s, const std::string& otherwise) {
  const auto c = s.find("name");
  if (!c) return otherwise;
  std::string name = c->filled_text();
  if (name.find('/') != std::string::npos) c->fail(c->echo() + " contains '/'");
  return name;
}

std::map<std::string, MaterialChoice> read_materials(const JsonSection& body, const Vocabulary& vocabulary) {
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

namespace {

void read_damping_ratios(const JsonCursor& place, DampingChoice& d) {
  if (!place.is_list() || place.json().size() != 2)
    place.fail_type("two pairs [[frequency, ratio], [frequency, ratio]]");
  DampingRatio given[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const JsonCursor pair = place.item(i);
    if (!pair.is_list() || pair.json().size() != 2) pair.fail_type("a pair [frequency, ratio]");
    given[i] = {pair.item(0).positive(quantity::frequency), pair.item(1).non_negative(quantity::ratio)};
  }
  const RayleighCoefficients both = rayleigh_from_ratios(given[0], given[1], place.path());
  d.stiffness = both.stiffness;
  d.mass = both.mass;
  d.given = DampingChoice::Given::ratios;
}

const Section<DampingChoice>& damping_table() {
  static const Section<DampingChoice> table{
      "damping",
      {{"stiffness", &DampingChoice::stiffness, form::non_negative(quantity::time), "coefficient of K"},
       {"mass", &DampingChoice::mass, form::non_negative(quantity::rate), "coefficient of M"},
       {"ratios", read_damping_ratios, form::other(R"({"type": "array", "minItems": 2, "maxItems": 2, "items": {
          "type": "array", "minItems": 2, "maxItems": 2,
          "prefixItems": [{"$ref": "#/$defs/positive"}, {"$ref": "#/$defs/non_negative"}]}})"),
        "in place of both: `[[frequency, ratio], [frequency, ratio]]`, frequencies in Hz"},
       {"at", &DampingChoice::at, form::word("damping_at"),
        "which K: `\"corotated\"` (that of the rest shape, turned with each part of the body), `\"rest\"` (that of the "
        "rest shape, which resists rotation), `\"current\"` (the stage's, without what is negative) or `\"frozen\"` "
        "(that at the step's start); [see below](#which-stiffness-damps)"}},
      {{"ratios", "stiffness"}, {"ratios", "mass"}}};
  return table;
}

const Section<SpringsChoice>& springs_table() {
  static const Section<SpringsChoice> table{
      "springs",
      {{"stiffness", &SpringsChoice::stiffness, form::positive(quantity::stiffness), "of each spring", required},
       {"edges", form::word("spring_edges").or_also(form::node_lists(2).schema()),
        "pairs of nodes, or `\"mesh\"`: all edges of the mesh", "`\"mesh\"`"},
       {"rest_length", &SpringsChoice::rest_length, form::non_negative(quantity::length), "of each spring",
        "its length at rest"},
       {"damping", &SpringsChoice::damping, form::non_negative(quantity::damping), "along each spring"}}};
  return table;
}

const Section<AddedMass>& added_mass_table() {
  static const Section<AddedMass> table{
      "added_mass",
      {{"nodes", into(&AddedMass::nodes, read_nodes), form::section("selection"), "a [selection](#selections)",
        required},
       {"mass", &AddedMass::mass, form::non_negative(quantity::mass), "of all that is added", required}}};
  return table;
}

AddedMass read_added_mass(const JsonCursor& place) {
  AddedMass added = added_mass_table().read(place);
  added.where = place.path();
  return added;
}

void read_element(const JsonCursor& c, BodyChoice& body) {
  body.element = c.word("element");
  // Lumped masses of elements with nodes beside their corners cost accuracy that the elements were chosen for.
  if (const ElementKind kind = element_kind(body.element); node_count(kind) > corner_count(kind))
    body.mass = MassForm::consistent;
}

const Section<BodyChoice>& body_table() {
  using B = BodyChoice;
  static const Section<B> table{
      "body",
      joined<B>(
          {{"mesh", form::section("mesh"), "the [shape](#mesh)", required},
           {"name", form::other(R"({"type": "string", "pattern": "^[^/]+$"})"), "unique, without `/`",
            "`body0`, `body1`, …"},
           {"element", read_element, form::word("element"),
            "`\"P1\"`: linear tetrahedra. `\"P2\"`: quadratic ones, with a node in the middle of each edge. `\"hex\"`: "
            "trilinear hexahedra, of a box or of a mesh that has them. See [elements](#elements)",
            "`\"P1\"`; `\"hex\"` where the mesh has hexahedra"},
           {"mass", &B::mass, form::word("mass_form"), "mass matrix, `\"lumped\"` or `\"consistent\"`",
            "`\"lumped\"`, for P2 `\"consistent\"`"},
           {"dilatation", &B::dilatation, form::word("dilatation"),
            "where a change of volume is resisted: `\"mean\"` of an element, or of a patch of linear tetrahedra, so "
            "that nearly incompressible bodies do [not lock](#nearly-incompressible-bodies); `\"local\"` at each point",
            "`\"auto\"`: `\"mean\"` where ν ≥ 0.48 and the material can"},
           {"material", form::section("material"), "the [substance](#material)", "required, or `materials`"},
           {"materials",
            form::other(
                R"({"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/material"}})"),
            "`{\"<region>\": material, …}`: regions by name or number as in the mesh, `\"default\"` for all others"},
           {"damping", into(&B::damping, read_damping), form::section("damping"), "[Rayleigh damping](#damping)",
            "none"},
           {"position", &B::position, form::vector(quantity::length), "where the mesh's origin is put"},
           {"rotation", &B::rotation, form::vector(quantity::angle),
            "rotation vector{}: its direction is the axis, its length the angle"},
           {"scale", &B::scale, form::positive(quantity::ratio), "factor on the mesh's coordinates"},
           {"pin", read_pins,
            form::other(R"({"oneOf": [{"$ref": "#/$defs/pin"}, {"type": "array", "items": {"$ref": "#/$defs/pin"}}]})"),
            "a [selection](#selections) of nodes that do not move; its parts may be held [until a time, or in some "
            "directions](#pins-until-a-time-and-by-direction) only",
            "none"},
           {"script", each_into(&B::scripts, read_script), form::list("script"),
            "a list of [prescribed motions](#prescribed-motion)", "none"},
           {"velocity", &B::velocity, form::vector(quantity::velocity), "at the start"},
           {"angular_velocity", &B::angular_velocity, form::vector(quantity::angular_velocity),
            "at the start, about the centre of mass"},
           {"springs", form::section("springs"), "[springs between its nodes](#springs)", "none"},
           {"point_mass",
            form::positive(quantity::mass)
                .or_also(SchemaJson{{"type", "array"}, {"items", reference("positive")}, {"minItems", 1}}),
            "in place of a material, with `springs`: mass of each node{}, one number or a list. Any mesh becomes a "
            "mass-spring network so"},
           {"masses", each_into(&B::masses, read_added_mass), form::list("added_mass"),
            "a list of [masses that nodes bear beside their own](#masses)", "none"},
           {"thickness", &B::thickness, form::non_negative(quantity::length),
            "thickness{}: where things collide, the surface lies half of it outside the mesh ([below](#thickness)). Of "
            "[sheets "
            "and rods](#sheets-and-rods) the thickness or the diameter, there required unless a preset of cloth has "
            "it"},
           {"bending", &B::bending, form::non_negative(quantity::ratio),
            "[sheets and rods](#sheets-and-rods) only: factor on the bending stiffness that material and thickness "
            "give"},
           {"regions", into(&B::regions, read_regions),
            form::other(
                R"({"type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/selection"}})"),
            "`{\"<name>\": selection, …}`: names for parts of the mesh, the elements whose nodes are all in the "
            "[selection](#selections); `materials` may use them",
            "none"},
           {"rigid", each_into(&B::rigid, read_rigid), form::other(R"({"type": "array",
                        "items": {"oneOf": [{"$ref": "#/$defs/rigid_region"}, {"$ref": "#/$defs/selection"}]}})"),
            "a list of [rigid parts](#rigid-parts)", "none"}},
          force_keys<B>(ForceKind::Of::body)),
      {{"material", "materials"}},
      R"({"if": {"required": ["point_mass"]},
          "then": {"required": ["springs"],
                   "not": {"anyOf": [{"required": ["material"]}, {"required": ["materials"]}, {"required": ["damping"]},
                                     {"required": ["mass"]}, {"required": ["element"]}, {"required": ["dilatation"]},
                                     {"required": ["bending"]}, {"required": ["regions"]}, {"required": ["rigid"]}]}},
          "else": {"anyOf": [{"required": ["material"]}, {"required": ["materials"]}]}})"};
  return table;
}

}  // namespace

std::vector<SectionTable> body_sections() {
  return {body_table(),
          material_table(),
          {"material_field",
           {{"field", form::text(), "name of a [cell field](meshes.md#fields) of the mesh file, values in SI units",
             required}}},
          viscosity_table(),
          damping_table(),
          {"rigid_region",
           {{"region", form::other(R"({"oneOf": [{"type": ["string", "integer"]},
                                       {"type": "array", "items": {"type": ["string", "integer"]}, "minItems": 1}]})"),
             "name or number of a region of the mesh, or a list of them", required}}},
          springs_table(),
          added_mass_table()};
}

DampingChoice read_damping(const JsonCursor& place) { return damping_table().read(place); }

SpringsChoice read_springs(const JsonCursor& place, std::size_t node_count) {
  SpringsChoice springs = springs_table().read(place);
  springs.where = place.path();
  const auto c = place.section("springs").find("edges");
  if (c && c->is_text())
    c->word("spring_edges");
  else if (c)
    springs.edges = read_edges(*c, node_count);
  return springs;
}

BodyChoice read_body(const JsonCursor& place, std::size_t number, const Vocabulary& vocabulary,
                     const FilePlaces& places) {
  const JsonSection s = place.section("body");
  BodyChoice body;
  body.where = place.path();
  body.name = read_name(s, "body" + std::to_string(number));
  body.mesh = read_mesh_source(s.at("mesh"), places);
  body_table().read(s, body);
  read_substance(s, body, vocabulary);
  body.forces = read_forces(s, ForceKind::Of::body, {static_cast<int>(number), {}});
  return body;
}

}  // namespace limber
