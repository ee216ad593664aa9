#include "limber/scene/construction/parameter_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <typeinfo>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/force/gravity.hpp"
#include "limber/scene/construction/build_forces.hpp"
#include "limber/scene/construction/build_thin.hpp"
#include "limber/scene/force_kinds.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/read_parts.hpp"

namespace limber {
namespace {

using Group = ForceOrigin::Group;
using Part = ForceOrigin::Part;

nlohmann::json as_json(const Parameter& value) {
  if (!value.is_list) return value.values[0];
  return value.values;
}

}  // namespace

ParameterChange::ParameterChange(const MechanicalSystem& system, const LiveScene& now,
                                 const std::vector<ForceOrigin>& origins)
    : system_(system), now_(now), origins_(origins) {
  next_.scene = std::make_shared<Scene>(now.scene);
  next_.json = now.json;
}

/// Into the document, or, of values of elements, into a field.
void ParameterChange::take(const ParameterEntry& entry, const Parameter& value, const std::string& field) {
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
  next_.before.push_back(entry.now);
  next_.values.push_back(value);
  if (entry.per_element()) return take_field(entry, value, field);
  if (!next_.json.contains(entry.at.parent_pointer()) && entry.piece == Piece::material) {  // branches of a preset
    const MaterialChoice& m = now_.scene.bodies[ix(entry.body)].materials.at(entry.region);
    nlohmann::json branches = nlohmann::json::array();
    for (const MaxwellBranch& branch : m.viscosity)
      branches.push_back({{"share", branch.share}, {"time", branch.time}});
    next_.json[entry.at.parent_pointer().parent_pointer()] = branches;
  }
  next_.json[entry.at] = as_json(value);
}

void ParameterChange::take_field(const ParameterEntry& entry, const Parameter& value, const std::string& field) {
  const std::size_t count = value.values.size();
  const bool one = count == 1 && !value.is_list;
  for (std::size_t i = 0; i < count; ++i) {
    const nlohmann::json number = value.values[i];
    JsonCursor(number, one ? value.name : fmt::format("{}[{}]", value.name, i))
        .number(entry.row->form.quantity, entry.row->form.range);
  }
  BodyChoice& body = next_.scene->bodies[ix(entry.body)];
  MaterialChoice& m = body.materials.at(entry.region);
  body.own_fields.erase(m.fields.at(entry.key));
  m.fields[entry.key] = field;
  body.own_fields[field] = one ? std::vector<double>(entry.most, value.values[0]) : value.values;
}

void ParameterChange::read_again(const ParameterEntry& entry) {
  const JsonCursor root(next_.json, "");
  Scene& scene = *next_.scene;
  if (entry.piece == Piece::gravity) {
    const AnyKey& row = row_of("scene", "gravity");
    row.read_into(*root.section("scene").find("gravity"), row.form, &scene);
    touched_.gravity = true;
    return;
  }
  if (entry.piece == Piece::choice) return read_choice(entry);
  BodyChoice& body = scene.bodies[ix(entry.body)];
  const JsonSection s = root.section("scene").at("bodies").item(ix(entry.body)).section("body");
  switch (entry.piece) {
    case Piece::material:
      read_material(entry, s);
      break;
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
      touched_.weighed.insert(entry.body);
      break;
    case Piece::springs: {
      auto edges = std::move(body.springs->edges);
      body.springs = read_springs(s.at("springs"), ix(std::numeric_limits<int>::max()));
      body.springs->edges = std::move(edges);
      touched_.springs.insert(entry.body);
      return;
    }
    case Piece::mass: {
      const AnyKey& row = row_of("added_mass", "mass");
      const JsonCursor place = s.at("masses").item(ix(entry.number));
      row.read_into(place.section("added_mass").at("mass"), row.form, &body.masses[ix(entry.number)]);
      touched_.weighed.insert(entry.body);
      break;
    }
    default:
      break;
  }
  touched_.bodies.insert(entry.body);
}

void ParameterChange::read_choice(const ParameterEntry& entry) {
  const JsonCursor root(next_.json, "");
  Scene& scene = *next_.scene;
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
  touched_.choices.insert({entry.body, entry.number});
}

void ParameterChange::read_material(const ParameterEntry& entry, const JsonSection& section) {
  BodyChoice& body = next_.scene->bodies[ix(entry.body)];
  if (now_.bodies.fact(entry.body).rigid)
    throw InputError(entry.now.name, "cannot be changed while the motion goes on: parts of the body are rigid");
  auto materials = read_materials(section, vocabulary());
  for (auto& [region, m] : materials) {
    const MaterialChoice& before = body.materials.at(region);
    for (auto& [key, field] : m.fields) field = before.fields.at(key);
    if (m.density != before.density || m.fields.contains(density_parameter.name)) touched_.weighed.insert(entry.body);
  }
  body.materials = std::move(materials);
  touched_.materials.insert(entry.body);
}

SystemChange ParameterChange::make() {
  for (const int b : touched_.bodies) make_body(b);
  make_masses();
  make_choices();
  return exchange();
}

/// Elasticity, damping and masses of a body.
void ParameterChange::make_body(int b) {
  const BodyChoice& choice = next_.scene->bodies[ix(b)];
  LiveBody& live = next_.bodies.emplace(b, *now_.live(b)).first->second;
  const Body& body = *live.body;
  PlacedBody& p = live.placed;
  const Vector& positions = system_.map().reference();
  if (now_.bodies.fact(b).thin) {
    p.thin = made(choice.materials.at("default"));
    if (touched_.weighed.contains(b)) weigh(choice, body, p);
    forces_[{Group::body, b, Part::thin}] = thin_forces(choice, body, *p.thin, p.masses, positions);
    return;
  }
  const bool material = touched_.materials.contains(b);
  if (material) {
    for (const auto& before : now_.scene.bodies[ix(b)].own_fields) p.shape.mesh.fields.erase(before.first);
    for (const auto& [field, values] : choice.own_fields) p.shape.set_field(field, values);
    p.materials = body_materials(choice, p.shape);
  }
  if (touched_.weighed.contains(b)) weigh(choice, body, p);
  if (material) make_elastic(b, live);
  auto& damping = forces_[{Group::body, b, Part::damping}];
  if (choice.damping.any()) damping.push_back(make_damping(choice.damping, body, p, p.masses, positions));
}

/// In place of each force of the body's shape one of the same kind.
void ParameterChange::make_elastic(int b, const LiveBody& live) {
  const ForceOrigin shape{Group::shape, b};
  const int first_node = live.body->first_node;
  const ElementMesh& elements = live.placed.shape.elements;
  const auto& m = live.placed.materials;
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    if (origins_[i] != shape) continue;
    const std::shared_ptr<Force>& former = system_.forces().all()[i];
    const auto* of_elements = dynamic_cast<const ElementForce*>(former.get());
    if (!of_elements) {
      forces_[shape].push_back(former);
      continue;
    }
    auto made = force_with_memory(*of_elements, elements, first_node, m);
    if (!made)
      made = std::make_shared<ElasticForce>(*of_elements, elements, first_node, m.materials, m.of_element, m.means);
    const bool shares = made->shares_elements_with(*of_elements);
    same_couplings_ = same_couplings_ && shares;
    if (shares) bound_.insert(made.get());
    forces_[shape].push_back(std::move(made));
  }
}

/// Those of all bodies, and what gravity does to them.
void ParameterChange::make_masses() {
  if (!touched_.gravity && touched_.weighed.empty()) return;
  const auto& before = system_.masses().list;
  if (!touched_.weighed.empty()) {
    const auto& facts = now_.bodies.facts();
    const auto body_of = [&](const NodalMass& m) {
      const auto after = std::upper_bound(facts.begin(), facts.end(), m.a,
                                          [](int node, const auto& fact) { return node < fact.first_node; });
      return static_cast<int>(after - facts.begin()) - 1;
    };
    int last = -1;
    for (const NodalMass& m : before) {
      const int b = body_of(m);
      if (!touched_.weighed.contains(b)) {
        masses_.push_back(m);
      } else if (b != last) {
        const auto& masses = next_.bodies.at(b).placed.masses;
        masses_.insert(masses_.end(), masses.begin(), masses.end());
      }
      last = b;
    }
  }
  Vector nodal = Vector::Zero(system_.map().reference().size() / 3);
  add_row_sums(touched_.weighed.empty() ? before : masses_, nodal);
  auto& gravity = forces_[{Group::gravity}];
  if (!next_.scene->gravity.isZero(0)) gravity.push_back(std::make_shared<Gravity>(nodal, next_.scene->gravity));
}

/// Springs and what else the scene asks for.
void ParameterChange::make_choices() {
  const Vector& positions = system_.map().reference();
  for (const int b : touched_.springs)
    forces_[{Group::body, b, Part::springs}] = {
        make_springs(*next_.scene->bodies[ix(b)].springs, *now_.live(b)->body, positions)};
  if (touched_.choices.empty()) return;
  std::vector<std::shared_ptr<const LiveBody>> live;
  ForceNodes nodes{{}, positions};
  for (std::size_t b = 0; b < next_.scene->bodies.size(); ++b) {
    live.push_back(now_.live(static_cast<int>(b)));
    nodes.bodies.push_back(force_nodes(next_.scene->bodies[b], *live[b]->body, live[b]->placed));
  }
  for (const auto& [b, i] : touched_.choices) {
    const ForceChoices& choices = b < 0 ? next_.scene->forces : next_.scene->bodies[ix(b)].forces;
    forces_[{b < 0 ? Group::scene : Group::body, b, Part::choice, i}] = {choices[ix(i)]->make(nodes)};
  }
}

/// The forces of the system with the new ones in their places.
SystemChange ParameterChange::exchange() {
  struct Placed {
    ForceOrigin origin;
    SystemChange::Entry entry;
  };
  std::vector<Placed> all;
  std::map<ForceOrigin, std::vector<std::shared_ptr<Force>>> former;
  const auto& forces = system_.forces().all();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    if (forces_.contains(origins_[i]))
      former[origins_[i]].push_back(forces[i]);
    else
      all.push_back({origins_[i], {forces[i], forces[i]}});
  }
  SystemChange change;
  change.same_couplings = same_couplings_;
  for (const auto& [origin, made] : forces_) {
    const auto& old = former[origin];
    change.same_couplings = change.same_couplings && old.size() == made.size();
    for (std::size_t k = 0; k < made.size(); ++k) {
      const bool goes_on = k < old.size() && typeid(*old[k]) == typeid(*made[k]);
      change.same_couplings = change.same_couplings && goes_on;
      all.push_back({origin, {made[k], goes_on ? old[k] : nullptr, bound_.contains(made[k].get())}});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) { return a.origin < b.origin; });
  for (Placed& p : all) {
    change.forces.push_back(std::move(p.entry));
    next_.origins.push_back(p.origin);
  }
  change.masses = std::move(masses_);
  return change;
}

}  // namespace limber
