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

std::variant<std::monostate, KeyedFactor, SineFactor> read_factor(const JsonCursor& place) {
  const JsonSection s = place.one_of({"load_keys", "load_sine"});
  if (s.kind() == "load_keys") {
    KeyedFactor keyed;
    keyed.times = read_pairs(s.at("keys"), "a pair [time, factor]",
                             [&](const JsonCursor& c) { keyed.values.push_back(c.number(quantity::ratio)); });
    keyed.interpolation = read_interpolation(s);
    return keyed;
  }
  const JsonSection sine = s.at("sine").section("sine");
  SineFactor factor;
  factor.frequency = sine.at("frequency").non_negative(quantity::frequency);
  if (const auto c = sine.find("phase")) factor.phase = c->number(quantity::angle);
  if (const auto c = sine.find("offset")) factor.offset = c->number(quantity::ratio);
  if (const auto c = sine.find("amplitude")) factor.amplitude = c->number(quantity::ratio);
  return factor;
}

TargetKey read_target_key(const JsonCursor& place) {
  const JsonSection s = place.section("target_key");
  s.exclusive("positions", "translation");
  s.exclusive("positions", "rotation");
  TargetKey key{read_motion_key(s), {}};
  if (const auto c = s.find("positions")) {
    key.positions = c->points();
    if (key.positions.empty()) c->fail("is empty");
  }
  return key;
}

AttachmentEnd read_end(const JsonCursor& place, const std::vector<BodyChoice>& bodies) {
  const JsonSection s = place.section("attachment_end");
  std::vector<std::string> names;
  names.reserve(bodies.size());
  for (const BodyChoice& body : bodies) names.push_back(body.name);
  return {static_cast<int>(s.at("body").word(names, "body")), read_nodes(s.at("nodes"))};
}

}  // namespace

Interpolation read_interpolation(const JsonSection& section) {
  const auto c = section.find("interpolation");
  return c ? c->choice<Interpolation>("interpolation") : Interpolation::linear;
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

MotionKey read_motion_key(const JsonSection& s) {
  MotionKey key;
  key.time = s.at("time").number(quantity::time);
  if (const auto c = s.find("translation")) key.translation = c->vector(quantity::length);
  if (const auto c = s.find("rotation")) key.rotation = c->vector(quantity::angle);
  return key;
}

std::vector<MotionKey> read_motion_keys(const JsonCursor& place) {
  std::vector<MotionKey> keys;
  for (const JsonCursor& item : place.items(1)) {
    const JsonSection key = item.section("script_key");
    keys.push_back(read_motion_key(key));
    if (const auto n = keys.size(); n > 1) require_increasing(keys[n - 2].time, keys[n - 1].time, key.at("time"));
  }
  return keys;
}

Script read_script(const JsonCursor& place) {
  const JsonSection s = place.section("script");
  Script script;
  script.where = place.path();
  script.nodes = read_nodes(s.at("nodes"));
  script.keys = read_motion_keys(s.at("keys"));
  read_manner(s, script);
  if (const auto c = s.find("until")) script.until = read_until(*c);
  return script;
}

LoadChoice read_load(const JsonCursor& place) {
  const JsonSection s = place.section("load");
  LoadChoice load;
  load.where = place.path();
  load.nodes = read_nodes(s.at("nodes"));
  s.exclusive("force", "total_force");
  if (const auto c = s.find("total_force")) {
    load.share = LoadChoice::Share::total;
    load.force = c->vector(quantity::force);
  } else {
    load.force = s.at("force").vector(quantity::force);
  }
  if (const auto c = s.find("time")) load.time = read_factor(*c);
  return load;
}

TargetChoice read_target(const JsonCursor& place) {
  const JsonSection s = place.section("target");
  TargetChoice target;
  target.where = place.path();
  const auto nodes = s.find("nodes");
  target.nodes =
      nodes ? read_nodes(*nodes) : Selection{place.path() + ".nodes", {{place.path() + ".nodes", Side::all}}};
  target.stiffness = s.at("stiffness").positive(quantity::stiffness);
  if (const auto c = s.find("damping")) target.damping = c->non_negative(quantity::damping);
  for (const JsonCursor& item : s.at("keys").items(1)) {
    TargetKey key = read_target_key(item);
    if (!target.keys.empty())
      require_increasing(target.keys.back().motion.time, key.motion.time, item.section("target_key").at("time"));
    target.keys.push_back(std::move(key));
  }
  read_manner(s, target);
  return target;
}

AttachmentChoice read_attachment(const JsonCursor& place, const std::vector<BodyChoice>& bodies) {
  const JsonSection s = place.section("attachment");
  AttachmentChoice attachment;
  attachment.where = place.path();
  attachment.a = read_end(s.at("a"), bodies);
  attachment.b = read_end(s.at("b"), bodies);
  attachment.stiffness = s.at("stiffness").positive(quantity::stiffness);
  if (const auto c = s.find("damping")) attachment.damping = c->non_negative(quantity::damping);
  if (const auto c = s.find("rest_length"); c && c->json() != "initial")
    attachment.rest_length = c->non_negative(quantity::length);
  if (const auto c = s.find("pairing")) attachment.pairing = c->choice<AttachmentChoice::Pairing>("pairing");
  return attachment;
}

WindChoice read_wind(const JsonCursor& place) {
  const JsonSection s = place.section("wind");
  WindChoice wind;
  const JsonCursor velocity = s.at("velocity");
  if (velocity.is_object()) {
    const JsonSection keyed = velocity.section("wind_keys");
    wind.times = read_pairs(keyed.at("keys"), "a pair [time, [x, y, z]]",
                            [&](const JsonCursor& c) { wind.velocities.push_back(c.vector(quantity::velocity)); });
    wind.interpolation = read_interpolation(keyed);
  } else {
    wind.times = {0};
    wind.velocities = {velocity.vector(quantity::velocity)};
  }
  if (const auto c = s.find("drag")) wind.drag = c->non_negative(quantity::ratio);
  if (const auto c = s.find("density")) wind.density = c->positive(quantity::density);
  return wind;
}

}  // namespace limber
