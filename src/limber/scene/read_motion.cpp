#include <algorithm>

#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

NodeList read_node_list(const JsonCursor& place) {
  NodeList list;
  for (const JsonCursor& item : place.items(1)) list.nodes.push_back(item.integer(0));
  auto sorted = list.nodes;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    place.fail("node " + std::to_string(*twice) + " stands twice");
  return list;
}

SelectionPart read_part(const JsonCursor& place) {
  if (place.is_text()) return {place.path(), place.choice<Side>("side")};
  if (!place.is_object())
    place.fail_type("one of the words " + join(known_words().at("side")) +
                    ", or an object with 'nodes', 'box' or 'plane'");
  const JsonSection s = place.one_of({"selection_nodes", "selection_box", "selection_plane"});
  if (s.kind() == "selection_nodes") return {place.path(), read_node_list(s.at("nodes"))};
  if (s.kind() == "selection_box") {
    const JsonSection box = s.at("box").section("box");
    const InBox what{box.at("min").vector(quantity::length), box.at("max").vector(quantity::length)};
    if ((what.min.array() > what.max.array()).any()) box.at("max").fail(box.at("max").echo() + " is less than 'min'");
    return {place.path(), what};
  }
  const JsonSection plane = s.at("plane").section("plane");
  const BehindPlane what{plane.at("point").vector(quantity::length), plane.at("normal").vector(quantity::ratio)};
  if (what.normal.isZero(0)) plane.at("normal").fail("is zero");
  return {place.path(), what};
}

/// For all that needs nodes: an empty list of selections is an error.
Selection read_nodes(const JsonCursor& place) {
  Selection nodes = read_selection(place);
  if (nodes.empty()) place.fail("selects no node");
  return nodes;
}

/// Nodes are held at the start, so that there is a motion to go on from.
double read_until(const JsonCursor& place) {
  const double t = place.number(quantity::time);
  if (!(t > 0)) place.fail(place.echo() + " is not after the start, t = 0; leave the nodes out to have them free");
  return t;
}

/// A list of pairs [time, value].
template <class Read>
std::vector<double> read_pairs(const JsonCursor& list, const std::string& expected, const Read& read_value) {
  std::vector<double> times;
  for (const JsonCursor& pair : list.items(1)) {
    if (!pair.is_list() || pair.json().size() != 2) pair.fail_type(expected);
    const double t = pair.item(0).number(quantity::time);
    if (!times.empty()) require_increasing(times.back(), t, pair.item(0));
    times.push_back(t);
    read_value(pair.item(1));
  }
  return times;
}

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

std::variant<std::monostate, KeyedFactor, SineFactor> read_factor(const JsonCursor& place) {
  const JsonSection s = place.one_of({"load_keys", "load_sine"});
  if (s.kind() == "load_keys") return load_keys_table().read(place);
  return sine_table().read(s.at("sine"));
}

const Section<MotionKey>& script_key_table() {
  static const Section<MotionKey> table{
      "script_key",
      {{"time", &MotionKey::time, form::number(quantity::time), "", required},
       {"translation", &MotionKey::translation, form::vector(quantity::length), "from the initial position"},
       {"rotation", &MotionKey::rotation, form::vector(quantity::angle), "rotation vector"}}};
  return table;
}

void read_target_positions(const JsonCursor& c, TargetKey& key) {
  key.positions = c.points();
  if (key.positions.empty()) c.fail("is empty");
}

/// That of a prescribed motion, or positions.
const Section<TargetKey>& target_key_table() {
  static const Section<TargetKey> table = [] {
    std::vector<Key<TargetKey>> rows;
    for (const Key<MotionKey>& row : script_key_table().rows) {
      const auto read = [row](const JsonCursor& c, TargetKey& key) { row.read(c, key.motion); };
      rows.emplace_back(row.name, Key<TargetKey>::Read(read), row.form, row.text,
                        row.kind == KnownKey::Kind::required ? Standard(required) : Standard());
      rows.back().standard = row.standard;
    }
    rows.emplace(rows.begin() + 1, "positions", Key<TargetKey>::Read(read_target_positions),
                 form::other(R"({"type": "array", "items": {"$ref": "#/$defs/vector"}, "minItems": 1})"),
                 "in the world [m], one for each node in the selection's order");
    return Section<TargetKey>{"target_key", rows, {{"positions", "translation"}, {"positions", "rotation"}}};
  }();
  return table;
}

AttachmentEnd read_end(const JsonCursor& place, const std::vector<BodyChoice>& bodies) {
  const JsonSection s = place.section("attachment_end");
  std::vector<std::string> names;
  names.reserve(bodies.size());
  for (const BodyChoice& body : bodies) names.push_back(body.name);
  return {static_cast<int>(s.at("body").word(names, "body")), read_nodes(s.at("nodes"))};
}

}  // namespace

Selection read_selection(const JsonCursor& place) {
  Selection selection{place.path(), {}};
  if (!place.is_list()) {
    selection.parts.push_back(read_part(place));
    return selection;
  }
  for (const JsonCursor& item : place.items()) selection.parts.push_back(read_part(item));
  return selection;
}

void read_pins(const JsonCursor& place, BodyChoice& body) {
  body.pin = Selection{place.path(), {}};
  const auto read = [&](const JsonCursor& entry) {
    if (!entry.has("until")) {
      body.pin.parts.push_back(read_part(entry));
      return;
    }
    const JsonSection s = entry.section("timed_pin");
    TimedPin pin{entry.path(), {}, read_until(s.at("until"))};
    const JsonCursor nodes = s.at("nodes");
    // {"nodes": [3, 4]} chooses by number, with `until` beside it too.
    const bool numbers = nodes.is_list() && !nodes.json().empty() && nodes.json()[0].is_number();
    if (numbers) {
      pin.nodes.where = nodes.path();
      pin.nodes.parts.push_back({entry.path(), read_node_list(nodes)});
    } else {
      pin.nodes = read_nodes(nodes);
    }
    body.timed_pins.push_back(std::move(pin));
  };
  if (!place.is_list()) return read(place);
  for (const JsonCursor& item : place.items()) read(item);
}

std::vector<MotionKey> read_motion_keys(const JsonCursor& place) {
  std::vector<MotionKey> keys;
  for (const JsonCursor& item : place.items(1)) {
    keys.push_back(script_key_table().read(item));
    if (const auto n = keys.size(); n > 1)
      require_increasing(keys[n - 2].time, keys[n - 1].time, item.section("script_key").at("time"));
  }
  return keys;
}

namespace {

const Section<Script>& script_table() {
  static const Section<Script> table{"script",
                                     {{"nodes", into(&Script::nodes, read_nodes), form::section("selection"),
                                       "a [selection](#selections); no node may be pinned or scripted twice", required},
                                      {"keys", into(&Script::keys, read_motion_keys), form::list("script_key", 1),
                                       "list of keys, in the order of time", required},
                                      {"pivot", &Script::pivot, form::vector(quantity::length),
                                       "centre of the rotation, in the world", "centre of the nodes' box"},
                                      {"interpolation", &Script::interpolation, form::word("interpolation"),
                                       "`\"linear\"`, or `\"smooth\"`: a cubic spline with zero rates at its ends, so "
                                       "that motion starts and stops gently"},
                                      {"until", into(&Script::until, read_until), form::positive(quantity::time),
                                       "when the nodes are [released](#pinned-until-a-time){}", "never"}}};
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
        required},
       {"force", &LoadChoice::force, form::vector(quantity::force), "on each node", "required, or `total_force`"},
       {"total_force", read_total, form::vector(quantity::force), "on all of them together, in equal shares"},
       {"time", into(&LoadChoice::time, read_factor), form::section("load_keys").or_also(reference("load_sine")),
        "a factor as a function of time, in one of two forms", "1"}},
      {{"force", "total_force"}},
      R"({"anyOf": [{"required": ["force"]}, {"required": ["total_force"]}]})"};
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

const Section<AttachmentChoice>& attachment_table() {
  using A = AttachmentChoice;
  const auto read_rest_length = [](const JsonCursor& c, A& attachment) {
    if (c.json() != "initial") attachment.rest_length = c.non_negative(quantity::length);
  };
  static const Section<A> table{
      "attachment",
      {{"a", form::section("attachment_end"), "one end", required},
       {"b", form::section("attachment_end"), "other end", required},
       {"stiffness", &A::stiffness, form::positive(quantity::stiffness), "of each spring", required},
       {"damping", &A::damping, form::non_negative(quantity::damping), "along each spring"},
       {"rest_length", read_rest_length, form::non_negative(quantity::length).or_also(reference("rest_length")),
        "of each spring{}, or `\"initial\"`: the distance at the start", "`\"initial\"`"},
       {"pairing", &A::pairing, form::word("pairing"),
        "`\"nearest\"`: each node of a with the node of b nearest at the start; `\"order\"`: the i-th with the i-th"}}};
  return table;
}

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

/// Of objects that are read by hand.
std::vector<SectionTable> selection_tables() {
  const Form place = form::vector(quantity::length),
             numbers = form::other(
                 R"({"type": "array", "items": {"$ref": "#/$defs/node"}, "minItems": 1, "uniqueItems": true})");
  return {{"selection_nodes", {{"nodes", numbers, "node numbers, none twice", required}}},
          {"selection_box", {{"box", form::section("box"), "an object with `min` and `max`", required}}},
          {"box", {{"min", place, "corner", required}, {"max", place, "corner{}; faces belong to the box", required}}},
          {"selection_plane", {{"plane", form::section("plane"), "an object with `point` and `normal`", required}}},
          {"plane",
           {{"point", place, "any point of it", required},
            {"normal", form::section("direction"),
             "nodes on the plane or behind it, where (x − point) · normal ≤ 0, are chosen", required}}},
          {"timed_pin",
           {{"nodes", form::section("selection").or_also(numbers.shape),
             "a [selection](#selections), or a list of node numbers", required},
            {"until", form::positive(quantity::time), "when they are released", required}}},
          {"load_sine", {{"sine", form::section("sine"), "an object with the keys below", required}}},
          {"attachment_end",
           {{"body", form::other(R"({"type": "string"})"), "a body's name", required},
            {"nodes", form::section("selection"), "a [selection](#selections) on this body", required}}}};
}

}  // namespace

std::vector<SectionTable> motion_sections() {
  std::vector<SectionTable> all = {script_table(), script_key_table(), load_table(),       load_keys_table(),
                                   sine_table(),   target_table(),     target_key_table(), attachment_table(),
                                   wind_table(),   wind_keys_table()};
  for (SectionTable& table : selection_tables()) all.push_back(std::move(table));
  return all;
}

Script read_script(const JsonCursor& place) {
  Script script = script_table().read(place);
  script.where = place.path();
  return script;
}

LoadChoice read_load(const JsonCursor& place) {
  LoadChoice load = load_table().read(place);
  load.where = place.path();
  const JsonSection s = place.section("load");
  if (!s.has("total_force")) s.at("force");
  return load;
}

TargetChoice read_target(const JsonCursor& place) {
  TargetChoice target = target_table().read(place);
  target.where = place.path();
  const std::string nodes = place.path() + ".nodes";
  if (!place.has("nodes")) target.nodes = {nodes, {{nodes, Side::all}}};
  return target;
}

AttachmentChoice read_attachment(const JsonCursor& place, const std::vector<BodyChoice>& bodies) {
  AttachmentChoice attachment = attachment_table().read(place);
  attachment.where = place.path();
  const JsonSection s = place.section("attachment");
  attachment.a = read_end(s.at("a"), bodies);
  attachment.b = read_end(s.at("b"), bodies);
  return attachment;
}

WindChoice read_wind(const JsonCursor& place) { return wind_table().read(place); }

}  // namespace limber
