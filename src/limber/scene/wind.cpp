#include "limber/scene/wind.hpp"

#include "limber/force/wind.hpp"
#include "limber/scene/abrupt_times.hpp"
#include "limber/scene/force_kinds.hpp"
#include "limber/scene/read_parts.hpp"

namespace limber {
namespace {

void read_wind_keys(const JsonCursor& c, WindChoice& wind) {
  wind.times = read_pairs(c, "a pair [time, [x, y, z]]", [&](const JsonCursor& value) {
    wind.velocities.push_back(value.vector(quantity::velocity));
  });
}

const Section<WindChoice>& wind_keys_table() {
  static const Section<WindChoice> table{
      "wind_keys",
      {{"keys", read_wind_keys, form::other(R"({"type": "array", "minItems": 1, "items": {
          "type": "array", "minItems": 2, "maxItems": 2,
          "prefixItems": [{"$ref": "#/$defs/quantity"}, {"$ref": "#/$defs/vector"}]}})"),
        "`[[time, [x, y, z]], …]`, in the order of time", required},
       {"interpolation", &WindChoice::interpolation, form::word("interpolation"), ""}}};
  return table;
}

void read_wind_velocity(const JsonCursor& c, WindChoice& wind) {
  if (c.is_object()) return wind_keys_table().read(c.section("wind_keys"), wind);
  wind.times = {0};
  wind.velocities = {c.vector(quantity::velocity)};
}

const Section<WindChoice>& wind_table() {
  static const Section<WindChoice> table{
      "wind",
      {{"velocity", read_wind_velocity, form::vector(quantity::velocity).or_also(reference("wind_keys")),
        "of the air{}, or an object with keys", required},
       {"drag", &WindChoice::drag, form::non_negative(quantity::ratio), "drag coefficient"},
       {"density", &WindChoice::density, form::positive(quantity::density), "of the air"}}};
  return table;
}

void read_wind(const JsonCursor& place, const ForceOwner&, ForceChoices& forces) {
  forces.push_back(std::make_shared<WindChoice>(wind_table().read(place)));
}

}  // namespace

std::vector<double> WindChoice::key_times() const { return abrupt_times(times, interpolation); }

std::shared_ptr<Force> WindChoice::make(const ForceNodes& all) const {
  std::vector<std::array<int, 3>> triangles;
  for (const ForceNodes::Body& body : all.bodies)
    for (const auto& t : body.triangles())
      triangles.push_back({body.first + t[0], body.first + t[1], body.first + t[2]});
  return std::make_shared<Wind>(std::move(triangles),
                                TimeFunction<Vec3>::table(times, velocities, interpolation, "wind.velocity"), density,
                                drag, "wind");
}

ForceKind wind_kind() {
  return {ForceKind::Of::scene,
          {"wind", form::section("wind"), "[moving air](#wind)", "none"},
          {wind_table(), wind_keys_table()},
          read_wind};
}

}  // namespace limber
