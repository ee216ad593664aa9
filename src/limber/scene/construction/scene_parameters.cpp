#include "limber/scene/construction/scene_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <typeinfo>

#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"
#include "limber/core/nodes.hpp"
#include "limber/force/gravity.hpp"
#include "limber/force/viscoelastic.hpp"
#include "limber/scene/construction/build_forces.hpp"
#include "limber/scene/construction/build_thin.hpp"
#include "limber/scene/construction/placed_body.hpp"
#include "limber/scene/force_kinds.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

using Pointer = nlohmann::json::json_pointer;
using Group = ForceOrigin::Group;
using Part = ForceOrigin::Part;

/// What has to be read and made again.
enum class Piece { gravity, material, damping, thin, springs, mass, choice };

constexpr std::size_t most_named = 24;

nlohmann::json without_meshes(const nlohmann::json& scene) {
  nlohmann::json light = nlohmann::json::object();
  for (const auto& [key, value] : scene.items()) {
    if (key != "bodies") {
      light[key] = value;
      continue;
    }
    for (const auto& body : value) {
      nlohmann::json rest = {{"mesh", nlohmann::json::object()}};
      for (const auto& [name, part] : body.items())
        if (name != "mesh") rest[name] = part;
      light["bodies"].push_back(std::move(rest));
    }
  }
  return light;
}

const AnyKey& row_of(const std::string& section, const std::string& key) {
  for (const AnyKey& row : known_keys(section))
    if (row.name == key) return row;
  throw std::logic_error("the section '" + section + "' has no key '" + key + "'");
}

/// Whether the path has keys that a scene knows.
bool is_key_of_scene(const std::string& name) {
  std::string path;
  int open = 0;
  for (const char c : name) {
    open += c == '[';
    if (open == 0) path += c;
    open -= c == ']';
  }
  const auto known = [](const std::string& key, const std::string& section) {
    const auto names = key_names(section);
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  const auto dot = path.find('.');
  const std::string first = path.substr(0, dot), rest = dot == std::string::npos ? "" : path.substr(dot + 1);
  if (first != "bodies") return known(first, "scene");
  const auto next = rest.find('.');
  if (rest.starts_with("material."))
    return known(rest.substr(next + 1, rest.find('.', next + 1) - next - 1), "material");
  return known(rest.substr(0, next), "body");
}

nlohmann::json as_json(const Parameter& value) {
  if (!value.is_list) return value.values[0];
  return value.values;
}

}  // namespace

struct SceneParameters::Json {
  nlohmann::json scene;
};

struct SceneParameters::Entry {
  Parameter now;
  Pointer at;
  Piece piece;
  int body = -1;
  int number = -1;                    // of a force's choice, or of an added mass
  std::size_t most = 1;               // numbers at most
  std::size_t least = 1;              // and at least
  const AnyKey* row = nullptr;        // where one number may stand for each element
  std::string region = {}, key = {};  // of a material

  bool per_element() const { return row != nullptr; }
};

struct SceneParameters::Live {
  Body body;
  PlacedBody placed;
};

struct SceneParameters::Pending {
  std::shared_ptr<Scene> scene;
  nlohmann::json json;
  std::vector<Parameter> values;
  std::vector<Parameter> before;
  bool gravity = false, masses = false;
  std::set<int> bodies;     // with another material, damping, thickness, mass, …
  std::set<int> materials;  // with another material
  std::set<int> weighed;    // with other masses
  std::set<int> springs;
  std::set<std::pair<int, int>> choices;                              // (body or −1, number)
  std::map<ForceOrigin, std::vector<std::shared_ptr<Force>>> forces;  // in place of those of the same origin
  std::set<const Force*> bound;
  bool same_couplings = true;
  std::map<int, PlacedBody> placed;
  std::vector<NodalMass> all_masses;
  std::vector<ForceOrigin> origins;
};

SceneParameters::SceneParameters(const Document& document, std::shared_ptr<const Scene> scene, const Model& model)
    : system_(model.system.get()),
      document_(document),
      now_(std::move(scene)),
      json_(std::make_unique<Json>(Json{without_meshes(json_of(document))})),
      origins_(model.origins),
      contact_(model.contact.has_value()),
      live_(model.bodies.size()) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const bool material = !now_->bodies[b].materials.empty(), tets = body.tets > 0;
    facts_.push_back({body.first_node, material && tets, body.shapes != nullptr, material && !tets});
  }
}

SceneParameters::~SceneParameters() = default;

SceneParameters::Live& SceneParameters::live(std::size_t b) const {
  if (live_[b]) return *live_[b];
  const BodyChoice& choice = now_->bodies[b];
  auto made = std::make_unique<Live>();
  std::vector<std::string> notes;
  PlacedBody& p = made->placed;
  p.shape = make_shape(choice, notes);
  made->body.name = choice.name;
  made->body.first_node = facts_[b].first_node;
  take_shape(choice, made->body, p);
  if (facts_[b].solid) {
    p.shape.elements.nodes = p.nodes;
    p.materials = body_materials(choice, p.shape);
  } else if (facts_[b].thin) {
    p.thin = limber::made(choice.materials.at("default"));
  }
  take_spring_edges(choice, p, made->body);
  if (!choice.materials.empty()) weigh(choice, made->body, p);
  live_[b] = std::move(made);
  return *live_[b];
}

/// Those of a field, one for each element.
std::vector<double> SceneParameters::element_values(std::size_t b, const std::string& field) const {
  const BodyShape& shape = live(b).placed.shape;
  const std::vector<double>& of_tets = shape.mesh.fields.at(field);
  std::vector<double> values;
  for (std::size_t e = 0; e < shape.elements.count(); ++e) values.push_back(of_tets[shape.first_tet(e)]);
  return values;
}

namespace {

/// The numbers and vectors of an object that a table reads: those that stand there, and numbers with a default.
template <class Add>
void each_number(const nlohmann::json& object, const std::string& path, const std::string& section, const Add& add) {
  for (const AnyKey& row : known_keys(section)) {
    if (row.form.kind != Form::Kind::number && row.form.kind != Form::Kind::vector) continue;
    const auto given = object.is_object() ? object.find(row.name) : object.end();
    const bool stands = object.is_object() && given != object.end();
    if (!stands && !(row.standard && row.standard->is_number())) continue;
    const nlohmann::json value = stands ? *given : nlohmann::json(row.standard->get<double>());
    const JsonCursor place(value, path + "." + row.name);
    const auto is_quantity = [&] {  // other words may stand in its place
      return value.is_string() && !value.get_ref<const std::string&>().empty() &&
             std::string("+-.0123456789").find(value.get_ref<const std::string&>()[0]) != std::string::npos;
    };
    if (row.form.kind == Form::Kind::number && (value.is_number() || is_quantity())) {
      add(row, Parameter{place.path(), {place.number(row.form.quantity, row.form.range)}, false});
    } else if (row.form.kind == Form::Kind::vector && value.is_array()) {
      const Vec3 v = place.vector(row.form.quantity);
      add(row, Parameter{place.path(), {v[0], v[1], v[2]}, true});
    }
  }
}

}  // namespace

void SceneParameters::add_body_entries(std::size_t b, std::vector<Entry>& all) const {
  const BodyChoice& body = now_->bodies[b];
  const nlohmann::json& json = json_->scene["bodies"][b];
  const int number = static_cast<int>(b);
  const Pointer at = Pointer("/bodies") / b;
  const std::string& where = body.where;
  const auto add = [&](Piece piece, const std::string& name, double value, const Pointer& place, int which = -1) {
    all.push_back({{name, {value}, false}, place, piece, number, which});
  };
  for (const auto& [region, m] : body.materials) {
    const Pointer here = json.contains("materials") ? at / "materials" / region : at / "material";
    std::vector<std::string> keys;
    for (const MaterialParameter& p : common_material_parameters()) keys.emplace_back(p.name);
    keys.emplace_back(density_parameter.name);
    for (const MaterialParameter& p : find_material(m.model)->parameters) keys.emplace_back(p.name);
    for (const std::string& key : keys) {
      const std::string name = m.where + "." + key;
      if (const auto field = m.fields.find(key); field != m.fields.end()) {
        Entry entry{{name, element_values(b, field->second), true}, here / key, Piece::material, number};
        entry.most = entry.now.values.size();
        entry.row = &row_of("material", key);
        entry.region = region;
        entry.key = key;
        all.push_back(std::move(entry));
      } else if (key == density_parameter.name) {
        add(Piece::material, name, m.density, here / key);
      } else if (const auto given = m.parameters.find(key); given != m.parameters.end()) {
        add(Piece::material, name, given->second, here / key);
      } else if (const auto list = m.lists.find(key); list != m.lists.end()) {
        all.push_back({{name, list->second, true}, here / key, Piece::material, number});
        all.back().most = std::numeric_limits<std::size_t>::max();
      }
    }
    for (std::size_t i = 0; i < m.viscosity.size(); ++i) {
      const Pointer branch = here / "viscosity" / i;
      const std::string name = fmt::format("{}.viscosity[{}]", m.where, i);
      add(Piece::material, name + ".share", m.viscosity[i].share, branch / "share");
      add(Piece::material, name + ".time", m.viscosity[i].time, branch / "time");
      all.back().region = all[all.size() - 2].region = region;
    }
  }
  if (!body.materials.empty() && body.damping.given == DampingChoice::Given::coefficients) {
    add(Piece::damping, where + ".damping.stiffness", body.damping.stiffness, at / "damping" / "stiffness");
    add(Piece::damping, where + ".damping.mass", body.damping.mass, at / "damping" / "mass");
  }
  if (facts_[b].thin) {
    add(Piece::thin, where + ".bending", body.bending, at / "bending");
    if (!contact_) add(Piece::thin, where + ".thickness", body.thickness, at / "thickness");
  }
  if (body.springs)
    each_number(json["springs"], where + ".springs", "springs", [&](const AnyKey& row, Parameter&& p) {
      all.push_back({std::move(p), at / "springs" / row.name, Piece::springs, number});
    });
  if (!body.materials.empty())
    for (std::size_t i = 0; i < body.masses.size(); ++i)
      add(Piece::mass, body.masses[i].where + ".mass", body.masses[i].mass, at / "masses" / i / "mass",
          static_cast<int>(i));
}

std::vector<SceneParameters::Entry> SceneParameters::entries() const {
  const nlohmann::json& json = json_->scene;
  std::vector<Entry> all;
  const Vec3& g = now_->gravity;
  all.push_back({{"gravity", {g[0], g[1], g[2]}, true}, Pointer("/gravity"), Piece::gravity});
  all.back().least = all.back().most = 3;
  for (std::size_t b = 0; b < now_->bodies.size(); ++b) add_body_entries(b, all);
  const auto add_choices = [&](const nlohmann::json& owner, ForceKind::Of of, const Pointer& at,
                               const std::string& path, int body) {
    int number = 0;
    for (const ForceKind& kind : force_kinds()) {
      if (kind.of != of || !owner.contains(kind.key.name)) continue;
      const nlohmann::json& value = owner[kind.key.name];
      const auto add_item = [&](const nlohmann::json& item, const Pointer& place, const std::string& name) {
        each_number(item, name, kind.sections[0].name, [&](const AnyKey& row, Parameter&& p) {
          Entry entry{std::move(p), place / row.name, Piece::choice, body, number};
          if (entry.now.is_list) entry.least = entry.most = 3;
          all.push_back(std::move(entry));
        });
        ++number;
      };
      const std::string name = path + kind.key.name;
      if (!value.is_array()) add_item(value, at / kind.key.name, name);
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        add_item(value[i], at / kind.key.name / i, fmt::format("{}[{}]", name, i));
    }
  };
  for (std::size_t b = 0; b < now_->bodies.size(); ++b)
    add_choices(json["bodies"][b], ForceKind::Of::body, Pointer("/bodies") / b, now_->bodies[b].where + ".",
                static_cast<int>(b));
  add_choices(json, ForceKind::Of::scene, Pointer(), "", -1);
  return all;
}

std::vector<Parameter> SceneParameters::parameters() const {
  std::vector<Parameter> all;
  for (Entry& entry : entries()) all.push_back(std::move(entry.now));
  return all;
}

Parameter SceneParameters::parameter(const std::string& name) const { return find(entries(), name).now; }

std::vector<Parameter> SceneParameters::changed() const { return changed_; }
std::vector<Parameter> SceneParameters::before_changes() const { return before_; }

const SceneParameters::Entry& SceneParameters::find(const std::vector<Entry>& all, const std::string& name) const {
  std::vector<std::string> names;
  for (const Entry& entry : all) {
    if (entry.now.name == name) return entry;
    names.push_back(entry.now.name);
  }
  const std::string near = nearest_name(name, names);
  if (names.size() > most_named) {
    names.resize(most_named);
    names.emplace_back("…");
  }
  if (is_key_of_scene(name))
    throw InputError(name,
                     "cannot be changed while the motion goes on, or does not stand in the scene; what can be "
                     "changed is " +
                         join(names));
  throw InputError(name, fmt::format("there is no such parameter{}; the parameters are {}",
                                     near.empty() ? "" : " (did you mean \"" + near + "\"?)", join(names)));
}

/// Into the document, or, of values of elements, into a field.
void SceneParameters::take_value(const Entry& entry, const Parameter& value, Pending& next) const {
  const std::size_t count = value.values.size();
  const bool one = count == 1 && !value.is_list;
  const auto expected = [&]() -> std::string {
    if (entry.per_element()) return fmt::format("a number, or one for each of the {} elements", entry.most);
    if (!entry.now.is_list) return "a number";
    return entry.least == entry.most ? fmt::format("{} numbers", entry.most) : "a list of numbers";
  };
  const bool fits = entry.per_element() ? one || count == entry.most
                    : entry.now.is_list ? value.is_list && count >= entry.least && count <= entry.most
                                        : one;
  if (!fits)
    throw InputError(value.name, fmt::format("expected {}, got {}", expected(),
                                             one ? "one number" : fmt::format("{} numbers", count)));
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(value.values[i]))
      throw InputError(one ? value.name : fmt::format("{}[{}]", value.name, i),
                       fmt::format("{} is not finite", value.values[i]));
  if (!entry.per_element()) {
    if (next.json.contains(entry.at.parent_pointer()) || entry.piece != Piece::material) {
      next.json[entry.at] = as_json(value);
      return;
    }
    // Branches of a preset.
    const MaterialChoice& m = now_->bodies[ix(entry.body)].materials.at(entry.region);
    nlohmann::json branches = nlohmann::json::array();
    for (const MaxwellBranch& branch : m.viscosity)
      branches.push_back({{"share", branch.share}, {"time", branch.time}});
    next.json[entry.at.parent_pointer().parent_pointer()] = branches;
    next.json[entry.at] = as_json(value);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const nlohmann::json number = value.values[i];
    JsonCursor(number, one ? value.name : fmt::format("{}[{}]", value.name, i))
        .number(entry.row->form.quantity, entry.row->form.range);
  }
  const std::string field = fmt::format("{} {}", value.name, ++fields_made_);
  BodyChoice& body = next.scene->bodies[ix(entry.body)];
  MaterialChoice& m = body.materials.at(entry.region);
  body.own_fields.erase(m.fields.at(entry.key));
  m.fields[entry.key] = field;
  body.own_fields[field] = one ? std::vector<double>(entry.most, value.values[0]) : value.values;
}

void SceneParameters::read_again(const Entry& entry, Pending& next) const {
  const JsonCursor root(next.json, "");
  Scene& scene = *next.scene;
  if (entry.piece == Piece::gravity) {
    const AnyKey& row = row_of("scene", "gravity");
    row.read_into(*root.section("scene").find("gravity"), row.form, &scene);
    next.gravity = true;
    return;
  }
  if (entry.piece == Piece::choice) {
    const std::size_t number = ix(entry.number);
    if (entry.body < 0) {
      ForceOwner owner;
      for (const BodyChoice& body : scene.bodies) owner.names.push_back(body.name);
      scene.forces[number] = read_forces(root.section("scene"), ForceKind::Of::scene, owner)[number];
    } else {
      const JsonCursor place = root.section("scene").at("bodies").item(ix(entry.body));
      scene.bodies[ix(entry.body)].forces[number] =
          read_forces(place.section("body"), ForceKind::Of::body, {entry.body, {}})[number];
    }
    next.choices.insert({entry.body, entry.number});
    return;
  }
  BodyChoice& body = scene.bodies[ix(entry.body)];
  const JsonSection s = root.section("scene").at("bodies").item(ix(entry.body)).section("body");
  switch (entry.piece) {
    case Piece::material: {
      if (facts_[ix(entry.body)].rigid)
        throw InputError(entry.now.name, "cannot be changed while the motion goes on: parts of the body are rigid");
      auto materials = read_materials(s, vocabulary());
      for (auto& [region, m] : materials) {
        const MaterialChoice& before = body.materials.at(region);
        for (auto& [key, field] : m.fields) field = before.fields.at(key);
        if (m.density != before.density || m.fields.contains(density_parameter.name)) next.weighed.insert(entry.body);
      }
      body.materials = std::move(materials);
      next.materials.insert(entry.body);
      break;
    }
    case Piece::damping:
      body.damping = read_damping(s.at("damping"));
      break;
    case Piece::thin:
      for (const char* key : {"bending", "thickness"})
        if (const auto c = s.find(key)) {
          const AnyKey& row = row_of("body", key);
          row.read_into(*c, row.form, &body);
        }
      if (const auto c = s.find("thickness")) c->positive(quantity::length);
      next.weighed.insert(entry.body);
      break;
    case Piece::springs: {
      auto edges = std::move(body.springs->edges);
      body.springs = read_springs(s.at("springs"), ix(std::numeric_limits<int>::max()));
      body.springs->edges = std::move(edges);
      next.springs.insert(entry.body);
      return;
    }
    case Piece::mass: {
      const AnyKey& row = row_of("added_mass", "mass");
      const JsonCursor place = s.at("masses").item(ix(entry.number));
      row.read_into(place.section("added_mass").at("mass"), row.form, &body.masses[ix(entry.number)]);
      next.weighed.insert(entry.body);
      break;
    }
    default:
      break;
  }
  next.bodies.insert(entry.body);
}

/// Elasticity, damping and masses of a body.
void SceneParameters::make_body(std::size_t b, Pending& next) const {
  const BodyChoice& choice = next.scene->bodies[b];
  Live& old = live(b);
  const Body& body = old.body;
  const int number = static_cast<int>(b);
  PlacedBody& p = next.placed.emplace(number, old.placed).first->second;
  const Vector& positions = system_->map().reference();
  if (facts_[b].thin) {
    p.thin = made(choice.materials.at("default"));
    if (next.weighed.contains(number)) weigh(choice, body, p);
    next.forces[{Group::body, number, Part::thin}] = thin_forces(choice, body, *p.thin, p.masses, positions);
    return;
  }
  const bool material = next.materials.contains(number);
  if (material) {
    for (const auto& before : now_->bodies[b].own_fields) p.shape.mesh.fields.erase(before.first);
    for (const auto& [field, values] : choice.own_fields) p.shape.set_field(field, values);
    p.materials = body_materials(choice, p.shape);
  }
  const auto& m = p.materials;
  if (next.weighed.contains(number)) weigh(choice, body, p);
  const ForceOrigin shape{Group::shape, number}, damping{Group::body, number, Part::damping};
  for (std::size_t i = 0; material && i < origins_.size(); ++i) {
    if (origins_[i] != shape) continue;
    const Force* former = system_->forces().all()[i].get();
    const auto take = [&](auto made, const auto& of) {
      const bool shares = made->shares_elements_with(of);
      next.same_couplings = next.same_couplings && shares;
      if (shares) next.bound.insert(made.get());
      next.forces[shape].push_back(std::move(made));
    };
    const ElementMesh& elements = p.shape.elements;
    if (const auto* elastic = dynamic_cast<const ElasticForce*>(former))
      take(std::make_shared<ElasticForce>(*elastic, elements, body.first_node, m.materials, m.of_element, m.means),
           *elastic);
    else if (const auto* viscous = dynamic_cast<const ViscoelasticForce*>(former))
      take(std::make_shared<ViscoelasticForce>(*viscous, elements, body.first_node, m.materials, m.viscosities,
                                               m.of_element, m.means),
           *viscous);
    else
      next.forces[shape].push_back(system_->forces().all()[i]);
  }
  next.forces[damping];
  if (choice.damping.any()) next.forces[damping].push_back(make_damping(choice.damping, body, p, p.masses, positions));
}

/// Gravity, springs and what else the scene asks for.
void SceneParameters::make_choices(Pending& next) const {
  const Vector& positions = system_->map().reference();
  if (!next.weighed.empty()) {
    const auto body_of = [&](const NodalMass& m) {
      const auto after = std::upper_bound(facts_.begin(), facts_.end(), m.a,
                                          [](int node, const Fact& fact) { return node < fact.first_node; });
      return static_cast<int>(after - facts_.begin()) - 1;
    };
    int last = -1;
    for (const NodalMass& m : system_->masses().list) {
      const int b = body_of(m);
      if (!next.weighed.contains(b)) {
        next.all_masses.push_back(m);
      } else if (b != last) {
        const auto& masses = next.placed.at(b).masses;
        next.all_masses.insert(next.all_masses.end(), masses.begin(), masses.end());
      }
      last = b;
    }
  }
  if (next.gravity || !next.weighed.empty()) {
    Vector nodal = Vector::Zero(positions.size() / 3);
    add_row_sums(next.weighed.empty() ? system_->masses().list : next.all_masses, nodal);
    next.forces[{Group::gravity}];
    if (!next.scene->gravity.isZero(0))
      next.forces[{Group::gravity}].push_back(std::make_shared<Gravity>(nodal, next.scene->gravity));
  }
  for (const int b : next.springs)
    next.forces[{Group::body, b, Part::springs}] = {
        make_springs(*next.scene->bodies[ix(b)].springs, live(ix(b)).body, positions)};
  if (next.choices.empty()) return;
  ForceNodes nodes{{}, positions};
  for (std::size_t b = 0; b < facts_.size(); ++b)
    nodes.bodies.push_back(force_nodes(next.scene->bodies[b], live(b).body, live(b).placed));
  for (const auto& [b, i] : next.choices) {
    const ForceChoices& choices = b < 0 ? next.scene->forces : next.scene->bodies[ix(b)].forces;
    next.forces[{b < 0 ? Group::scene : Group::body, b, Part::choice, i}] = {choices[ix(i)]->make(nodes)};
  }
}

/// The forces of the system with the new ones in their places.
SystemChange SceneParameters::exchange(Pending& next) const {
  struct Placed {
    ForceOrigin origin;
    SystemChange::Entry entry;
  };
  std::vector<Placed> all;
  std::map<ForceOrigin, std::vector<std::shared_ptr<Force>>> former;
  const auto& forces = system_->forces().all();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    if (next.forces.contains(origins_[i]))
      former[origins_[i]].push_back(forces[i]);
    else
      all.push_back({origins_[i], {forces[i], forces[i]}});
  }
  SystemChange change;
  change.same_couplings = next.same_couplings;
  for (const auto& [origin, made] : next.forces) {
    const auto& old = former[origin];
    change.same_couplings = change.same_couplings && old.size() == made.size();
    for (std::size_t k = 0; k < made.size(); ++k) {
      const bool goes_on = k < old.size() && typeid(*old[k]) == typeid(*made[k]);
      change.same_couplings = change.same_couplings && goes_on;
      all.push_back({origin, {made[k], goes_on ? old[k] : nullptr, next.bound.contains(made[k].get())}});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) { return a.origin < b.origin; });
  for (Placed& p : all) {
    change.forces.push_back(std::move(p.entry));
    next.origins.push_back(p.origin);
  }
  change.masses = std::move(next.all_masses);
  return change;
}

SystemChange SceneParameters::prepare(std::span<const Parameter> values) {
  if (system_->space().shared())
    throw InputError(values.empty() ? "parameters" : values[0].name,
                     "cannot be changed while the motion goes on on several processes");
  pending_.reset();
  auto next = std::make_unique<Pending>();
  const std::vector<Entry> all = entries();
  next->scene = std::make_shared<Scene>(*now_);
  next->json = json_->scene;
  std::vector<const Entry*> chosen;
  for (const Parameter& value : values) {
    chosen.push_back(&find(all, value.name));
    take_value(*chosen.back(), value, *next);
    next->before.push_back(chosen.back()->now);
    next->values.push_back(value);
  }
  for (const Entry* entry : chosen) read_again(*entry, *next);
  for (const int b : next->bodies) make_body(ix(b), *next);
  make_choices(*next);
  SystemChange change = exchange(*next);
  pending_ = std::move(next);
  return change;
}

void SceneParameters::commit() {
  if (!pending_) return;
  Pending& next = *pending_;
  now_ = next.scene;
  json_->scene = std::move(next.json);
  origins_ = std::move(next.origins);
  for (auto& [b, placed] : next.placed) live_[ix(b)]->placed = std::move(placed);
  const auto put = [](std::vector<Parameter>& list, const Parameter& p, bool replace) {
    const auto known = std::find_if(list.begin(), list.end(), [&](const Parameter& q) { return q.name == p.name; });
    if (known == list.end())
      list.push_back(p);
    else if (replace)
      *known = p;
  };
  for (const Parameter& p : next.before) put(before_, p, false);
  for (const Parameter& p : next.values) put(changed_, p, true);
  pending_.reset();
}

Document SceneParameters::document() const {
  nlohmann::json whole = json_of(document_);
  for (const auto& [key, value] : json_->scene.items())
    if (key != "bodies") whole[key] = value;
  for (std::size_t b = 0; b < facts_.size(); ++b)
    for (const auto& [key, value] : json_->scene["bodies"][b].items())
      if (key != "mesh") whole["bodies"][b][key] = value;
  return document_of(std::move(whole));
}

void SceneParameters::update(Model& model) const {
  for (std::size_t b = 0; b < facts_.size(); ++b) {
    if (!live_[b] || now_->bodies[b].materials.empty()) continue;
    Body& body = model.bodies[b];
    const PlacedBody& p = live_[b]->placed;
    body.mass = 0;
    for (const NodalMass& m : p.masses) body.mass += (m.a == m.b ? 1 : 2) * m.m;
    body.wave_speed = p.thin ? thin_wave_speed(body, *p.thin) : p.materials.wave_speed;
  }
}

std::shared_ptr<SceneParameters> offer_parameters(const Document& document, std::shared_ptr<const Scene> scene,
                                                  const Model& model) {
  auto parameters = std::make_shared<SceneParameters>(document, std::move(scene), model);
  model.system->offer(parameters);
  return parameters;
}

}  // namespace limber
