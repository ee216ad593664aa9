#include "limber/scene/cavity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/force/cavity.hpp"
#include "limber/mesh/closed_faces.hpp"
#include "limber/scene/abrupt_times.hpp"
#include "limber/scene/force_kinds.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/time_factor.hpp"

namespace limber {
namespace {

const Section<GasChoice>& gas_table() {
  static const Section<GasChoice> table{
      "gas",
      {{"ambient", &GasChoice::ambient, form::positive(quantity::pressure),
        "the pressure outside{}; at the start that of the gas too"},
       {"amount", &GasChoice::amount, form::positive(quantity::ratio),
        "of gas, in parts of what fills the cavity at the start"},
       {"time", into(&GasChoice::time, read_factor), time_factor_form(),
        "a factor of the amount as a function of time, as [loads](#loads) have it", "1"}}};
  return table;
}

const Section<LiquidChoice>& liquid_table() {
  static const Section<LiquidChoice> table{
      "liquid",
      {{"volume", &LiquidChoice::volume, form::positive(quantity::ratio),
        "of the liquid, in parts of the cavity's volume at the start"},
       {"bulk", &LiquidChoice::bulk, form::positive(quantity::pressure), "modulus: how little it gives way"},
       {"time", into(&LiquidChoice::time, read_factor), time_factor_form(),
        "a factor of the volume as a function of time, as [loads](#loads) have it", "1"}}};
  return table;
}

const Section<CavityChoice>& cavity_table() {
  static const Section<CavityChoice> table{
      "cavity",
      {{"name", &CavityChoice::name, form::text(), "of its columns in `cavities.csv`; no commas, quotes or line breaks",
        "the body's, numbered if it has several"},
       {"faces", into(&CavityChoice::faces, read_nodes), form::section("selection"),
        "the surface around it: the faces whose corners are all in a [selection](#selections)",
        "the inner surface of the body, if it has one only"},
       {"gas", [](const JsonCursor& c, CavityChoice& cavity) { cavity.filling = gas_table().read(c); },
        form::section("gas"), "what fills it: an object with the keys below", "required, or `liquid`"},
       {"liquid", [](const JsonCursor& c, CavityChoice& cavity) { cavity.filling = liquid_table().read(c); },
        form::section("liquid"), "in place of `gas`: an object with the keys below"}},
      {{"gas", "liquid"}},
      R"({"anyOf": [{"required": ["gas"]}, {"required": ["liquid"]}]})"};
  return table;
}

void read_cavities(const JsonCursor& list, const ForceOwner& owner, ForceChoices& forces) {
  for (const JsonCursor& place : list.items()) {
    CavityChoice cavity = cavity_table().read(place);
    cavity.where = place.path();
    cavity.body = owner.body;
    const JsonSection s = place.section("cavity");
    if (!s.has("gas") && !s.has("liquid")) place.fail("needs 'gas' or 'liquid'");
    if (cavity.name.find_first_of(",\"\r\n") != std::string::npos)
      s.at("name").fail(s.at("name").echo() + " contains a comma, a quote or a line break");
    forces.push_back(std::make_shared<CavityChoice>(std::move(cavity)));
  }
}

/// Where a table or a sine would make an amount or a volume vanish.
TimeFunction<double> positive_in_time(const TimeFactor& factor, double whole, const std::string& where,
                                      const char* what) {
  TimeFunction<double> f = in_time(factor, whole, where);
  std::vector<double> times;
  if (const auto* keyed = std::get_if<KeyedFactor>(&factor)) {
    constexpr int between = 16;  // splines overshoot
    for (std::size_t k = 0; k < keyed->times.size(); ++k) {
      times.push_back(keyed->times[k]);
      for (int i = 1; i < between && k + 1 < keyed->times.size(); ++i)
        times.push_back(keyed->times[k] + i * (keyed->times[k + 1] - keyed->times[k]) / between);
    }
  } else if (const auto* sine = std::get_if<SineFactor>(&factor)) {
    if (!(sine->offset > std::abs(sine->amplitude)))
      throw InputError(where + ".time.sine", fmt::format("the {} must stay positive: the offset {} is not larger than "
                                                         "the amplitude {}",
                                                         what, sine->offset, sine->amplitude));
  }
  for (const double t : times)
    if (!(f(t) > 0))
      throw InputError(where + ".time",
                       fmt::format("makes the {} {:.4g} at {:.6g} s; it must stay positive", what, f(t), t));
  return f;
}

std::variant<CavityGas, CavityLiquid> filling_of(const CavityChoice& cavity) {
  if (const auto* gas = std::get_if<GasChoice>(&cavity.filling))
    return CavityGas{gas->ambient, positive_in_time(gas->time, gas->amount, cavity.where + ".gas", "amount of gas")};
  const auto& liquid = std::get<LiquidChoice>(cavity.filling);
  return CavityLiquid{liquid.bulk, positive_in_time(liquid.time, liquid.volume, cavity.where + ".liquid", "volume")};
}

/// All faces around the cavity, looking away from it, with the numbers of all nodes.
FaceMesh faces_around(const CavityChoice& cavity, const ForceNodes::Body& body, const Vector& positions) {
  const std::string where = cavity.faces.empty() ? cavity.where : cavity.where + ".faces";
  FaceMesh all = body.faces();
  if (all.count() == 0) throw InputError(where, "the body has no faces: it is made of edges");
  FaceMesh chosen = all;
  if (!cavity.faces.empty()) {
    const std::vector<int> corners = resolve(cavity.faces, body.meshed);
    chosen = faces_between(all, corners);
    if (chosen.count() == 0)
      throw InputError(where, fmt::format("holds no face: none of the {} faces of the body's surface has all of its "
                                          "corners among the {} selected nodes",
                                          all.count(), corners.size()));
  }
  for (int& i : chosen.nodes) i += body.first;
  const bool sheet = body.kind == ForceNodes::Body::Kind::sheet;
  ClosedFaces closed = closed_faces(chosen, positions, sheet ? FaceSides::consistent : FaceSides::as_given);
  if (closed.open_edges > 0)
    throw InputError(where,
                     fmt::format("the {} faces do not close: {} of their edges are open; a cavity needs a closed "
                                 "surface around it",
                                 chosen.count(), closed.open_edges));
  if (!sheet) {
    const auto outer = [](const ClosedFaces::Part& part) { return !part.turned; };
    if (!cavity.faces.empty()) {
      if (const auto n = std::count_if(closed.parts.begin(), closed.parts.end(), outer); n > 0)
        throw InputError(where,
                         "holds the outside of the body, which encloses material, not a cavity; select the inner "
                         "surface only");
    } else {
      std::erase_if(closed.parts, outer);
      if (closed.parts.empty()) throw InputError(where, "the body has no inner surface: it is not hollow");
    }
  }
  if (cavity.faces.empty() && closed.parts.size() > 1)
    throw InputError(where, fmt::format("the body has {} {}: say with 'faces' which of them this is",
                                        closed.parts.size(), sheet ? "closed surfaces" : "inner surfaces"));
  FaceMesh around{chosen.kind};
  double volume = 0;
  for (const auto& part : closed.parts) {
    around.nodes.insert(around.nodes.end(), part.faces.nodes.begin(), part.faces.nodes.end());
    volume += part.volume;
  }
  if (!(volume > 0)) throw InputError(where, "the faces close, but enclose no volume");
  return around;
}

}  // namespace

std::vector<double> CavityChoice::key_times() const {
  return std::visit([](const auto& choice) { return abrupt_times(choice.time); }, filling);
}

std::shared_ptr<Force> CavityChoice::make(const ForceNodes& all) const {
  return make_cavity(faces_around(*this, all.bodies[static_cast<std::size_t>(body)], all.positions), all.positions,
                     filling_of(*this));
}

ForceKind cavity_kind() {
  return {ForceKind::Of::body,
          {"cavities", form::list("cavity"), "a list of [closed hollow spaces](#cavities) filled with gas or liquid",
           "none"},
          {cavity_table(), gas_table(), liquid_table()},
          read_cavities};
}

}  // namespace limber
