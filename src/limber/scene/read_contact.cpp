#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

FrictionPair read_friction_pair(const JsonCursor& place) {
  const JsonSection s = place.section("friction_pair");
  const JsonCursor between = s.at("between");
  if (!between.is_list() || between.json().size() != 2) between.fail_type("two names of bodies or obstacles");
  return {
      place.path(), {between.item(0).text(), between.item(1).text()}, s.at("friction").non_negative(quantity::ratio)};
}

/// A pair may be named twice, in any order, with one and the same μ only.
void refuse_contradictions(const std::vector<FrictionPair>& pairs) {
  std::map<std::set<std::string>, const FrictionPair*> known;
  for (const FrictionPair& p : pairs) {
    const auto [it, fresh] = known.emplace(std::set<std::string>(p.between.begin(), p.between.end()), &p);
    if (!fresh && it->second->mu != p.mu)
      throw InputError(p.where + ".friction",
                       fmt::format("{} contradicts {}, which gives '{}' and '{}' {}; leave one of them out", p.mu,
                                   it->second->where, p.between[0], p.between[1], it->second->mu));
  }
}

void read_friction(const JsonCursor& place, ContactChoice& contact) {
  if (!place.is_object()) {
    contact.friction = place.non_negative(quantity::ratio);
    return;
  }
  const JsonSection s = place.section("friction_table");
  if (const auto c = s.find("default")) contact.friction = c->non_negative(quantity::ratio);
  contact.friction_pairs = read_list(s, "pairs", read_friction_pair);
  refuse_contradictions(contact.friction_pairs);
}

Vec3 direction(const JsonCursor& place) {
  const Vec3 d = place.vector(quantity::ratio);
  if (d.isZero(0)) place.fail(place.echo() + " has no direction");
  return d;
}

ObstacleMotion read_obstacle_motion(const JsonCursor& place) {
  const JsonSection s = place.section("obstacle_motion");
  ObstacleMotion m;
  m.where = place.path();
  m.keys = read_motion_keys(s.at("keys"));
  read_manner(s, m);
  return m;
}

/// Joined with the scene's folder.
MeshSequence read_sequence(const JsonCursor& place, const std::string& base_directory) {
  const JsonSection s = place.section("sequence");
  MeshSequence sequence;
  sequence.where = place.path();
  const JsonCursor files = s.at("files");
  if (files.is_text()) {
    if (files.text().find_first_of("*?") == std::string::npos)
      files.fail(files.echo() + " is one file; expected a name with * or ?, or a list of two files or more");
    sequence.pattern = read_file_name(files, base_directory);
  } else {
    if (!files.is_list()) files.fail_type("a name with * or ?, or a list of files");
    for (const JsonCursor& file : files.items(2)) sequence.files.push_back(read_file_name(file, base_directory));
  }
  s.exclusive("fps", "times");
  s.exclusive("times", "start");
  if (const auto times = s.find("times")) {
    for (const JsonCursor& time : times->items(2)) {
      const double t = time.number(quantity::time);
      if (!sequence.times.empty()) require_increasing(sequence.times.back(), t, time);
      sequence.times.push_back(t);
    }
    if (!sequence.files.empty() && sequence.times.size() != sequence.files.size())
      times->fail(fmt::format("has {} times for {} files", sequence.times.size(), sequence.files.size()));
  } else {
    if (!s.has("fps")) place.fail("needs 'fps' or 'times': when the meshes are passed");
    sequence.fps = s.at("fps").positive(quantity::frequency);
  }
  if (const auto c = s.find("start")) sequence.start = c->number(quantity::time);
  sequence.interpolation = read_interpolation(s);
  return sequence;
}

void read_obstacle_shape(const JsonSection& s, const std::string& base_directory, ObstacleChoice& o) {
  using Shape = ObstacleChoice::Shape;
  switch (o.shape) {
    case Shape::plane:
    case Shape::half_space:
      o.point = s.at("point").vector(quantity::length);
      o.normal = direction(s.at("normal"));
      break;
    case Shape::sphere:
      o.center = s.at("center").vector(quantity::length);
      o.radius = s.at("radius").positive(quantity::length);
      break;
    case Shape::capsule:
    case Shape::cylinder:
      o.a = s.at("a").vector(quantity::length);
      o.b = s.at("b").vector(quantity::length);
      o.radius = s.at("radius").positive(quantity::length);
      if (o.a == o.b) s.at("b").fail(s.at("b").echo() + " is the same point as 'a'");
      break;
    case Shape::box:
      o.center = s.at("center").vector(quantity::length);
      o.size = s.at("size").vector(quantity::length);
      for (std::size_t k = 0; k < 3; ++k) s.at("size").item(k).positive(quantity::length);
      if (const auto c = s.find("rotation")) o.rotation = c->vector(quantity::angle);
      break;
    case Shape::torus:
      o.center = s.at("center").vector(quantity::length);
      o.axis = direction(s.at("axis"));
      o.major = s.at("major").positive(quantity::length);
      o.minor = s.at("minor").positive(quantity::length);
      if (!(o.minor < o.major)) s.at("minor").fail(s.at("minor").echo() + " is not less than 'major'");
      break;
    case Shape::mesh:
      s.exclusive("file", "sequence");
      if (const auto c = s.find("sequence"))
        o.sequence = read_sequence(*c, base_directory);
      else
        o.file = read_file_name(s.at("file"), base_directory);
      if (const auto c = s.find("form")) o.form = c->choice<ObstacleChoice::Form>("obstacle_form");
      if (const auto c = s.find("resolution")) o.resolution = c->integer(4);
      if (const auto c = s.find("thickness")) o.thickness = c->non_negative(quantity::length);
      if (const auto c = s.find("position")) o.position = c->vector(quantity::length);
      if (const auto c = s.find("rotation")) o.rotation = c->vector(quantity::angle);
      if (const auto c = s.find("scale")) o.scale = c->positive(quantity::ratio);
      break;
  }
}

ObstacleChoice read_obstacle(const JsonCursor& place, std::size_t number, const std::string& base_directory) {
  if (!place.is_object()) place.fail_type("an object {…}");
  const auto shape = place.json().find("shape");
  if (shape == place.json().end())
    place.fail("the key 'shape' is missing; it is one of " + join(known_words().at("obstacle_shape")));
  const JsonCursor word(*shape, place.path() + ".shape");
  ObstacleChoice o;
  o.shape = word.choice<ObstacleChoice::Shape>("obstacle_shape");
  const JsonSection s = place.section("obstacle_" + word.text());
  o.where = place.path();
  o.name = read_name(s, "obstacle" + std::to_string(number));
  read_obstacle_shape(s, base_directory, o);
  if (const auto c = s.find("motion")) o.motion = read_obstacle_motion(*c);
  return o;
}

}  // namespace

ContactChoice read_contact(const JsonCursor& place) {
  const JsonSection s = place.section("contact");
  ContactChoice contact;
  if (const auto c = s.find("formulation")) contact.formulation = c->choice<ContactChoice::Formulation>("formulation");
  if (const auto c = s.find("delta")) contact.delta = c->positive(quantity::length);
  if (const auto c = s.find("stiffness")) contact.stiffness = c->positive(quantity::stiffness);
  if (const auto c = s.find("friction")) read_friction(*c, contact);
  if (const auto c = s.find("friction_form")) contact.friction_form = c->choice<ContactChoice::Form>("friction_form");
  if (const auto c = s.find("epsilon")) contact.epsilon = c->positive(quantity::velocity);
  if (const auto c = s.find("surface")) contact.surface = c->choice<ContactChoice::Surface>("contact_surface");
  if (const auto c = s.find("self")) contact.self = c->boolean();
  if (const auto c = s.find("start")) contact.start = c->choice<ContactChoice::Start>("contact_start");
  return contact;
}

std::vector<ObstacleChoice> read_obstacles(const JsonCursor& place, const std::vector<BodyChoice>& bodies,
                                           const std::string& base_directory) {
  std::vector<ObstacleChoice> obstacles;
  for (const JsonCursor& item : place.items()) {
    ObstacleChoice o = read_obstacle(item, obstacles.size(), base_directory);
    for (const auto& b : bodies)
      if (b.name == o.name) throw InputError(o.where + ".name", "'" + o.name + "' is already the name of " + b.where);
    for (const auto& other : obstacles)
      if (other.name == o.name)
        throw InputError(o.where + ".name", "'" + o.name + "' is already the name of " + other.where);
    obstacles.push_back(std::move(o));
  }
  return obstacles;
}

}  // namespace limber
