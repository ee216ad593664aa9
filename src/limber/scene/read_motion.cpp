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

/// Nodes are held at the start, so that there is a motion to go on from.
double read_until(const JsonCursor& place) {
  const double t = place.number(quantity::time);
  if (!(t > 0)) place.fail(place.echo() + " is not after the start, t = 0; leave the nodes out to have them free");
  return t;
}

/// A release is known by the number of unknowns, which does not change there.
constexpr const char* no_release =
    "stands beside 'until'; nodes that are held in some directions only cannot be released";

/// The projection on some of the axes.
Mat3 read_axes(const JsonCursor& place) {
  const std::string axes = place.text();
  Mat3 held = Mat3::Zero();
  for (const char letter : axes) {
    const int axis = letter - 'x';
    if (axis < 0 || axis > 2 || held(axis, axis) != 0)
      place.fail(place.echo() + " is not made of the letters x, y and z, each once at most");
    held(axis, axis) = 1;
  }
  if (axes.empty()) place.fail("names no axis; it takes some of the letters x, y and z");
  return held;
}

Mat3 read_normal(const JsonCursor& place) {
  const Vec3 normal = place.vector(quantity::ratio);
  if (!(normal.norm() > 0)) place.fail(place.echo() + " has no direction");
  return normal.normalized() * normal.normalized().transpose();
}

}  // namespace

const Section<MotionKey>& script_key_table() {
  static const Section<MotionKey> table{
      "script_key",
      {{"time", &MotionKey::time, form::number(quantity::time), "", required},
       {"translation", &MotionKey::translation, form::vector(quantity::length), "from the initial position"},
       {"rotation", &MotionKey::rotation, form::vector(quantity::angle), "rotation vector"}}};
  return table;
}

Selection read_selection(const JsonCursor& place) {
  Selection selection{place.path(), {}};
  if (!place.is_list()) {
    selection.parts.push_back(read_part(place));
    return selection;
  }
  for (const JsonCursor& item : place.items()) selection.parts.push_back(read_part(item));
  return selection;
}

Selection read_nodes(const JsonCursor& place) {
  Selection nodes = read_selection(place);
  if (nodes.empty()) place.fail("selects no node");
  return nodes;
}

void read_pins(const JsonCursor& place, BodyChoice& body) {
  body.pin = Selection{place.path(), {}};
  const auto read = [&](const JsonCursor& entry) {
    if (!entry.has("until") && !entry.has("axes") && !entry.has("normal")) {
      body.pin.parts.push_back(read_part(entry));
      return;
    }
    const JsonSection s = entry.section("pin_entry");
    PinEntry pin;
    pin.where = entry.path();
    if (entry.has("until")) pin.until = read_until(s.at("until"));
    for (const char* key : {"axes", "normal"})
      if (pin.until && entry.has(key)) s.at(key).fail(no_release);
    if (entry.has("axes") && entry.has("normal"))
      s.at("normal").fail("stands beside 'axes'; give one of them, or two pins");
    if (entry.has("axes")) pin.held = read_axes(s.at("axes"));
    if (entry.has("normal")) pin.held = read_normal(s.at("normal"));
    const JsonCursor nodes = s.at("nodes");
    // {"nodes": [3, 4]} chooses by number, with other keys beside it too.
    const bool numbers = nodes.is_list() && !nodes.json().empty() && nodes.json()[0].is_number();
    if (numbers) {
      pin.nodes.where = nodes.path();
      pin.nodes.parts.push_back({entry.path(), read_node_list(nodes)});
    } else {
      pin.nodes = read_nodes(nodes);
    }
    body.pin_entries.push_back(std::move(pin));
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

Form axes_form() { return form::other(R"({"type": "string", "pattern": "^[xyz]{1,3}$"})"); }

const Section<Script>& script_table() {
  static const Section<Script> table{
      "script",
      {{"nodes", into(&Script::nodes, read_nodes), form::section("selection"),
        "a [selection](#selections); no node may be pinned or scripted twice along one direction", required},
       {"keys", into(&Script::keys, read_motion_keys), form::list("script_key", 1),
        "list of keys, in the order of time", required},
       {"pivot", &Script::pivot, form::vector(quantity::length), "centre of the rotation, in the world",
        "centre of the nodes' box"},
       {"interpolation", &Script::interpolation, form::word("interpolation"),
        "`\"linear\"`, or `\"smooth\"`: a cubic spline with zero rates at its ends, so "
        "that motion starts and stops gently"},
       {"until", into(&Script::until, read_until), form::positive(quantity::time),
        "when the nodes are [released](#pins-until-a-time-and-by-direction){}", "never"},
       {"axes", into(&Script::held, read_axes), axes_form(),
        "the components that are prescribed, of the world; the others are free", "`\"xyz\"`"}}};
  return table;
}

/// Of objects that are read by hand.
std::vector<SectionTable> selection_tables() {
  const Form place = form::vector(quantity::length),
             numbers = form::other(
                 R"({"type": "array", "items": {"$ref": "#/$defs/node"}, "minItems": 1, "uniqueItems": true})");
  return {
      {"selection_nodes", {{"nodes", numbers, "node numbers, none twice", required}}},
      {"selection_box", {{"box", form::section("box"), "an object with `min` and `max`", required}}},
      {"box", {{"min", place, "corner", required}, {"max", place, "corner{}; faces belong to the box", required}}},
      {"selection_plane", {{"plane", form::section("plane"), "an object with `point` and `normal`", required}}},
      {"plane",
       {{"point", place, "any point of it", required},
        {"normal", form::section("direction"),
         "nodes on the plane or behind it, where (x − point) · normal ≤ 0, are chosen", required}}},
      {"pin_entry",
       {{"nodes", form::section("selection").or_also(numbers.shape),
         "a [selection](#selections), or a list of node numbers", required},
        {"until", form::positive(quantity::time), "when they are released", "never"},
        {"axes", axes_form(),
         "the components that are held, of the world, such as `\"x\"` or `\"yz\"`; the others are free", "`\"xyz\"`"},
        {"normal", form::section("direction"),
         "in place of `axes`: held along this direction, free in the plane across it: a slanted roller or plane of "
         "symmetry",
         "none"}}}};
}

}  // namespace

std::vector<SectionTable> motion_sections() {
  std::vector<SectionTable> all = {script_table(), script_key_table()};
  for (SectionTable& table : selection_tables()) all.push_back(std::move(table));
  return all;
}

Script read_script(const JsonCursor& place) {
  Script script = script_table().read(place);
  if (script.until && !script.held.isIdentity(0)) place.section("script").at("axes").fail(no_release);
  script.where = place.path();
  return script;
}

}  // namespace limber
