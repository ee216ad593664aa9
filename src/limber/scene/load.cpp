#include "limber/scene/load.hpp"

#include <fmt/format.h>

#include "limber/core/errors.hpp"
#include "limber/force/loads.hpp"
#include "limber/force/surface_loads.hpp"
#include "limber/scene/abrupt_times.hpp"
#include "limber/scene/force_kinds.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/time_factor.hpp"

namespace limber {
namespace {

void read_factor_keys(const JsonCursor& c, KeyedFactor& keyed) {
  keyed.times = read_pairs(c, "a pair [time, factor]",
                           [&](const JsonCursor& value) { keyed.values.push_back(value.number(quantity::ratio)); });
}

const Section<KeyedFactor>& load_keys_table() {
  static const Section<KeyedFactor> table{
      "load_keys",
      {{"keys", read_factor_keys, form::other(R"({"type": "array", "minItems": 1, "items": {
          "type": "array", "minItems": 2, "maxItems": 2, "items": {"$ref": "#/$defs/quantity"}}})"),
        "`[[time, factor], …]`, in the order of time", required},
       {"interpolation", &KeyedFactor::interpolation, form::word("interpolation"), ""}}};
  return table;
}

const Section<SineFactor>& sine_table() {
  static const Section<SineFactor> table{
      "sine",
      {{"frequency", &SineFactor::frequency, form::non_negative(quantity::frequency), "", required},
       {"phase", &SineFactor::phase, form::number(quantity::angle), ""},
       {"offset", &SineFactor::offset, form::number(quantity::ratio), "added to the sine"},
       {"amplitude", &SineFactor::amplitude, form::number(quantity::ratio), "of the sine"}}};
  return table;
}

const Section<LoadChoice>& load_table() {
  const auto read_total = [](const JsonCursor& c, LoadChoice& load) {
    load.share = LoadChoice::Share::total;
    load.force = c.vector(quantity::force);
  };
  static const Section<LoadChoice> table{
      "load",
      {{"nodes", into(&LoadChoice::nodes, read_nodes), form::section("selection"), "a [selection](#selections)",
        "required, or `faces`"},
       {"force", &LoadChoice::force, form::vector(quantity::force), "on each node", "required, or `total_force`"},
       {"total_force", read_total, form::vector(quantity::force), "on all of them together, in equal shares"},
       {"faces", into(&LoadChoice::faces, read_nodes), form::section("selection"),
        "in place of `nodes`: the faces of the body's boundary, or of a sheet, whose corners are all in a "
        "[selection](#selections)"},
       {"traction", &LoadChoice::traction, form::vector(quantity::pressure),
        "with `faces`: force per area of the rest shape{}; its direction stays", "required there, or `pressure`"},
       {"pressure", &LoadChoice::pressure, form::number(quantity::pressure),
        "with `faces`: [pressure](#pressure){} that follows the surface; positive pushes inwards"},
       {"time", into(&LoadChoice::time, read_factor), time_factor_form(),
        "a factor as a function of time, in one of two forms", "1"}},
      {{"force", "total_force"},
       {"nodes", "faces"},
       {"nodes", "traction"},
       {"nodes", "pressure"},
       {"faces", "force"},
       {"faces", "total_force"},
       {"traction", "pressure"}},
      R"({"anyOf": [{"required": ["nodes", "force"]}, {"required": ["nodes", "total_force"]},
                    {"required": ["faces", "traction"]}, {"required": ["faces", "pressure"]}]})"};
  return table;
}

void read_loads(const JsonCursor& list, const ForceOwner& owner, ForceChoices& forces) {
  for (const JsonCursor& place : list.items()) {
    LoadChoice load = load_table().read(place);
    load.where = place.path();
    load.body = owner.body;
    const JsonSection s = place.section("load");
    if (s.has("faces")) {
      if (!s.has("traction") && !s.has("pressure"))
        s.at("faces").fail("needs 'traction' [Pa] or 'pressure' [Pa] beside it");
    } else {
      for (const char* key : {"traction", "pressure"})
        if (const auto c = s.find(key)) c->fail("acts on faces: needs 'faces' beside it");
      s.at("nodes");
      if (!s.has("total_force")) s.at("force");
    }
    forces.push_back(std::make_shared<LoadChoice>(std::move(load)));
  }
}

/// With the numbers of all nodes.
FaceMesh loaded_faces(const LoadChoice& load, const ForceNodes::Body& body) {
  const std::vector<int> corners = resolve(load.faces, body.meshed);
  const FaceMesh all = body.faces();
  FaceMesh faces = faces_between(all, corners);
  if (all.count() == 0) throw InputError(load.where + ".faces", "the body has no faces: it is made of edges");
  if (faces.count() == 0)
    throw InputError(load.where + ".faces",
                     fmt::format("holds no face: none of the {} faces of the body's surface has all of its corners "
                                 "among the {} selected nodes",
                                 all.count(), corners.size()));
  for (int& i : faces.nodes) i += body.first;
  return faces;
}

}  // namespace

TimeFactor read_factor(const JsonCursor& place) {
  const JsonSection s = place.one_of({"load_keys", "load_sine"});
  if (s.kind() == "load_keys") return load_keys_table().read(place);
  return sine_table().read(s.at("sine"));
}

Form time_factor_form() { return form::section("load_keys").or_also(reference("load_sine")); }

template <class T>
TimeFunction<T> in_time(const TimeFactor& factor, const T& whole, const std::string& where) {
  if (const auto* keyed = std::get_if<KeyedFactor>(&factor)) {
    std::vector<T> values;
    for (const double f : keyed->values) values.push_back(f * whole);
    return TimeFunction<T>::table(keyed->times, values, keyed->interpolation, where + ".time.keys");
  }
  if (const auto* sine = std::get_if<SineFactor>(&factor))
    return TimeFunction<T>::sine(sine->amplitude * whole, sine->frequency, sine->phase, sine->offset * whole);
  return TimeFunction<T>::constant(whole);
}
template TimeFunction<double> in_time(const TimeFactor&, const double&, const std::string&);
template TimeFunction<Vec3> in_time(const TimeFactor&, const Vec3&, const std::string&);

std::vector<double> LoadChoice::key_times() const { return abrupt_times(time); }

std::shared_ptr<Force> LoadChoice::make(const ForceNodes& all) const {
  if (!faces.empty()) {
    const ForceNodes::Body& b = all.bodies[static_cast<std::size_t>(body)];
    FaceMesh loaded = loaded_faces(*this, b);
    if (!pressure) return make_traction(loaded, all.positions, in_time(time, traction, where));
    std::vector<int> fixed = b.fixed;
    for (int& i : fixed) i += b.first;
    return make_pressure(std::move(loaded), all.positions, in_time(time, *pressure, where), std::move(fixed));
  }
  const std::vector<int> numbers = all.resolve(nodes, body);
  const Vec3 each = share == Share::total ? Vec3(force / static_cast<double>(numbers.size())) : force;
  return std::make_shared<NodalLoads>(numbers, in_time(time, each, where));
}

ForceKind load_kind() {
  return {ForceKind::Of::body,
          {"loads", form::list("load"), "a list of [forces on nodes and faces](#loads)", "none"},
          {load_table(),
           load_keys_table(),
           sine_table(),
           {"load_sine", {{"sine", form::section("sine"), "an object with the keys below", required}}}},
          read_loads};
}

}  // namespace limber
