#include "limber/scene/target.hpp"

#include <fmt/format.h>

#include "limber/core/errors.hpp"
#include "limber/force/targets.hpp"
#include "limber/model/motion.hpp"
#include "limber/scene/abrupt_times.hpp"
#include "limber/scene/force_kinds.hpp"
#include "limber/scene/read_parts.hpp"

namespace limber {
namespace {

void read_target_positions(const JsonCursor& c, TargetKey& key) {
  key.positions = c.points();
  if (key.positions.empty()) c.fail("is empty");
}

/// That of a prescribed motion, or positions.
const Section<TargetKey>& target_key_table() {
  static const Section<TargetKey> table = [] {
    const Key<TargetKey> positions{
        "positions", read_target_positions,
        form::other(R"({"type": "array", "items": {"$ref": "#/$defs/vector"}, "minItems": 1})"),
        "in the world [m], one for each node in the selection's order"};
    Rows<TargetKey> rows;
    for (const AnyKey& row : script_key_table().rows) {
      Key<TargetKey> same(row);
      same.read_into = [read = row.read_into](const JsonCursor& c, const Form& form, void* key) {
        read(c, form, &static_cast<TargetKey*>(key)->motion);
      };
      rows.add(same);
      if (rows.all.size() == 1) rows.add(positions);
    }
    return Section<TargetKey>{"target_key", rows, {{"positions", "translation"}, {"positions", "rotation"}}};
  }();
  return table;
}

void read_target_keys(const JsonCursor& list, TargetChoice& target) {
  for (const JsonCursor& item : list.items(1)) {
    target.keys.push_back(target_key_table().read(item));
    if (const auto n = target.keys.size(); n > 1)
      require_increasing(target.keys[n - 2].motion.time, target.keys[n - 1].motion.time,
                         item.section("target_key").at("time"));
  }
}

const Section<TargetChoice>& target_table() {
  using T = TargetChoice;
  static const Section<T> table{
      "target",
      {{"stiffness", &T::stiffness, form::positive(quantity::stiffness), "at each node", required},
       {"keys", read_target_keys, form::list("target_key", 1), "list of keys, in the order of time", required},
       {"nodes", into(&T::nodes, read_nodes), form::section("selection"), "a [selection](#selections)", "`\"all\"`"},
       {"damping", &T::damping, form::non_negative(quantity::damping), "at each node, relative to the moving target"},
       {"pivot", &T::pivot, form::vector(quantity::length), "centre of the keys' rotation, in the world",
        "centre of the nodes' box"},
       {"interpolation", &T::interpolation, form::word("interpolation"), ""}}};
  return table;
}

void read_targets(const JsonCursor& list, const ForceOwner& owner, ForceChoices& forces) {
  for (const JsonCursor& place : list.items()) {
    TargetChoice target = target_table().read(place);
    target.where = place.path();
    target.body = owner.body;
    const std::string nodes = place.path() + ".nodes";
    if (!place.has("nodes")) target.nodes = {nodes, {{nodes, Side::all}}};
    forces.push_back(std::make_shared<TargetChoice>(std::move(target)));
  }
}

}  // namespace

std::vector<double> TargetChoice::key_times() const {
  std::vector<double> times;
  for (const TargetKey& key : keys) times.push_back(key.motion.time);
  return abrupt_times(std::move(times), interpolation);
}

std::shared_ptr<Force> TargetChoice::make(const ForceNodes& all) const {
  const std::vector<int> chosen = resolve(nodes, all.bodies[static_cast<std::size_t>(body)].meshed);
  const std::vector<Vec3> start = picked(chosen, all.bodies[static_cast<std::size_t>(body)].placed);
  const Vec3 centre = pivot.value_or(middle(start));
  std::vector<double> times;
  std::vector<Vector> shapes;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const TargetKey& key = keys[k];
    if (!key.positions.empty() && key.positions.size() != chosen.size())
      throw InputError(fmt::format("{}.keys[{}].positions", where, k),
                       fmt::format("{} positions for {} selected nodes", key.positions.size(), chosen.size()));
    Vector shape(3 * static_cast<Index>(chosen.size()));
    const Mat3 rotation = rotation_minus_identity(key.motion.rotation);
    for (std::size_t i = 0; i < chosen.size(); ++i)
      shape.segment<3>(3 * static_cast<Index>(i)) =
          key.positions.empty() ? Vec3(start[i] + rotation * (start[i] - centre) + key.motion.translation)
                                : key.positions[i];
    times.push_back(key.motion.time);
    shapes.push_back(std::move(shape));
  }
  TargetShapes targets{KeyTimes(times, interpolation, where + ".keys"), std::move(shapes)};
  return std::make_shared<TargetSprings>(all.resolve(nodes, body), std::move(targets), stiffness, damping, where);
}

ForceKind target_kind() {
  return {ForceKind::Of::body,
          {"targets", form::list("target"), "a list of [target shapes](#targets)", "none"},
          {target_table(), target_key_table()},
          read_targets};
}

}  // namespace limber
