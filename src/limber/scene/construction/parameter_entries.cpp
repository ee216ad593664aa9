#include "limber/scene/construction/parameter_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/names.hpp"
#include "limber/core/nodes.hpp"
#include "limber/scene/force_kinds.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/read_parts.hpp"

namespace limber {
namespace {

using Pointer = nlohmann::json::json_pointer;

constexpr std::size_t most_named = 24;

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

/// Those of a field, one for each element.
std::vector<double> element_values(const LiveScene& now, int b, const std::string& field) {
  const auto live = now.live(b);
  const BodyShape& shape = live->placed.shape;
  const std::vector<double>& of_tets = shape.mesh.fields.at(field);
  std::vector<double> values;
  for (std::size_t e = 0; e < shape.elements.count(); ++e) values.push_back(of_tets[shape.first_tet(e)]);
  return values;
}

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

void add_body_entries(const LiveScene& now, int number, bool contact, std::vector<ParameterEntry>& all) {
  const std::size_t b = ix(number);
  const BodyChoice& body = now.scene.bodies[b];
  const nlohmann::json& json = now.json["bodies"][b];
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
        ParameterEntry entry{
            {name, element_values(now, number, field->second), true}, here / key, Piece::material, number};
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
  if (now.bodies.fact(number).thin) {
    add(Piece::thin, where + ".bending", body.bending, at / "bending");
    if (!contact) add(Piece::thin, where + ".thickness", body.thickness, at / "thickness");
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

}  // namespace

const AnyKey& row_of(const std::string& section, const std::string& key) {
  for (const AnyKey& row : known_keys(section))
    if (row.name == key) return row;
  throw std::logic_error("the section '" + section + "' has no key '" + key + "'");
}

std::vector<ParameterEntry> parameter_entries(const LiveScene& now, bool contact) {
  const auto& bodies = now.scene.bodies;
  std::vector<ParameterEntry> all;
  const Vec3& g = now.scene.gravity;
  all.push_back({{"gravity", {g[0], g[1], g[2]}, true}, Pointer("/gravity"), Piece::gravity});
  all.back().least = all.back().most = 3;
  for (std::size_t b = 0; b < bodies.size(); ++b) add_body_entries(now, static_cast<int>(b), contact, all);
  const auto add_choices = [&](const nlohmann::json& owner, ForceKind::Of of, const Pointer& at,
                               const std::string& path, int body) {
    int number = 0;
    for (const ForceKind& kind : force_kinds()) {
      if (kind.of != of || !owner.contains(kind.key.name)) continue;
      const nlohmann::json& value = owner[kind.key.name];
      const auto add_item = [&](const nlohmann::json& item, const Pointer& place, const std::string& name) {
        each_number(item, name, kind.sections[0].name, [&](const AnyKey& row, Parameter&& p) {
          ParameterEntry entry{std::move(p), place / row.name, Piece::choice, body, number};
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
  for (std::size_t b = 0; b < bodies.size(); ++b)
    add_choices(now.json["bodies"][b], ForceKind::Of::body, Pointer("/bodies") / b, bodies[b].where + ".",
                static_cast<int>(b));
  add_choices(now.json, ForceKind::Of::scene, Pointer(), "", -1);
  return all;
}

const ParameterEntry& find_entry(const std::vector<ParameterEntry>& all, const std::string& name) {
  std::vector<std::string> names;
  for (const ParameterEntry& entry : all) {
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

}  // namespace limber
