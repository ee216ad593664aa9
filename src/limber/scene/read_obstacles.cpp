#include <fmt/format.h>

#include "limber/mesh/io/surface_catalog.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

Vec3 read_direction(const JsonCursor& place) {
  Vec3 d = place.vector(quantity::ratio);
  if (d.isZero(0)) place.fail(place.echo() + " has no direction");
  return d;
}

const Section<ObstacleMotion>& obstacle_motion_table() {
  static const Section<ObstacleMotion> table{
      "obstacle_motion",
      {{"keys", into(&ObstacleMotion::keys, read_motion_keys), form::list("script_key", 1),
        "list of [keys](#a-key-of-a-prescribed-motion), in the order of time", required},
       {"pivot", &ObstacleMotion::pivot, form::vector(quantity::length), "centre of the rotation, in the world",
        "as said at each shape"},
       {"interpolation", &ObstacleMotion::interpolation, form::word("interpolation"), ""}}};
  return table;
}

ObstacleMotion read_obstacle_motion(const JsonCursor& place) {
  ObstacleMotion motion = obstacle_motion_table().read(place);
  motion.where = place.path();
  return motion;
}

const Section<MeshSequence>& sequence_table() {
  static const Section<MeshSequence> table{
      "sequence",
      {{"files", form::files(),
        "a name with `*` (any letters) or `?` (one), relative to the scene's folder, in the order of the numbers in "
        "the "
        "names (`w_2` before `w_10`); or a list of two files or more. The run keeps the list that fitted when it began",
        required},
       {"fps", &MeshSequence::fps, form::positive(quantity::frequency), "meshes a second", "required, or `times`"},
       {"times", form::other(R"({"type": "array", "items": {"$ref": "#/$defs/quantity"}, "minItems": 2})"),
        "when each mesh is passed [s], in the order of time"},
       {"start", &MeshSequence::start, form::number(quantity::time), "with `fps`: when the first mesh is passed"},
       {"interpolation", &MeshSequence::interpolation, form::word("interpolation"),
        "`\"linear\"`, or `\"smooth\"`: a cubic spline through the meshes with zero rates at its ends; velocities then "
        "do "
        "not jump"}},
      {{"fps", "times"}, {"times", "start"}},
      R"({"anyOf": [{"required": ["fps"]}, {"required": ["times"]}]})"};
  return table;
}

using ObstacleRows = Rows<ObstacleChoice>;

/// With the keys that all obstacles have.
Section<ObstacleChoice> obstacle_section(const std::string& shape, const ObstacleRows& own, const std::string& middle,
                                         const std::vector<std::pair<std::string, std::string>>& apart = {},
                                         const char* also = "{}") {
  ObstacleRows rows = {{"shape", form::only("obstacle_shape", shape), "`\"" + shape + "\"`", required}};
  rows.add(own);
  rows.add({"name", form::other(R"({"type": "string", "pattern": "^[^/]+$"})"), "unique among bodies and obstacles",
            "`obstacle0`, `obstacle1`, …"});
  rows.add({"motion", into(&ObstacleChoice::motion, read_obstacle_motion), form::section("obstacle_motion"),
            "[prescribed motion](#the-motion-of-an-obstacle), about " + middle, "none"});
  return {"obstacle_" + shape, rows, apart, also};
}

void read_obstacle_size(const JsonCursor& c, ObstacleChoice& o) {
  o.size = c.vector(quantity::length);
  for (std::size_t k = 0; k < 3; ++k) c.item(k).positive(quantity::length);
}

/// In the order of ObstacleChoice::Shape.
const std::vector<Section<ObstacleChoice>>& obstacle_tables() {
  static const auto tables = [] {
    using O = ObstacleChoice;
    using namespace quantity;
    const Form place = form::vector(length), size = form::positive(length);
    const ObstacleRows plane = {{"point", &O::point, place, "any point of it", required},
                                {"normal", into(&O::normal, read_direction), form::section("direction"),
                                 "toward where bodies may be, of any length", required}};
    const ObstacleRows rod = {{"a", &O::a, place, "one end of the axis", required},
                              {"b", &O::b, place, "the other end", required},
                              {"radius", &O::radius, size, "", required}};
    const Key<O> center{"center", &O::center, place, "", required},
        rotation{"rotation", &O::rotation, form::vector(angle), "rotation vector"};
    const ObstacleRows mesh = {
        {"file", form::file(),
         surface_extensions(" or ") +
             ", relative to the scene's folder. Triangles of no area are left out, with a note",
         "required, or `sequence`"},
        {"sequence", form::section("sequence"),
         "[meshes that it passes through](#a-sequence-of-meshes), in place of `file`"},
        {"form", &O::form, form::word("obstacle_form"),
         "`\"distance\"`: a grid of signed distances, interpolated smoothly; the surface must be closed: one with open "
         "edges is an error. `\"triangles\"`: the triangles, edges and points themselves; both sides of an open "
         "surface "
         "act. `\"auto\"`: the distance where the surface is closed, else the triangles, and a note says so where it "
         "is "
         "open"},
        {"resolution", &O::resolution, form::whole(4),
         "with `\"distance\"`: cells along the longest side of the surface's box{}. Time and memory grow with its "
         "cube"},
        {"thickness", &O::thickness, form::non_negative(length),
         "with `\"triangles\"`{}: the surface lies half of this outside triangles, edges and points"},
        {"position", &O::position, place, "where the file's origin is put"},
        rotation,
        {"scale", &O::scale, form::positive(ratio), "factor on the file's coordinates"}};
    return std::vector<Section<O>>{
        obstacle_section("plane", plane, "`point`"),
        obstacle_section("half_space", plane, "`point`"),
        obstacle_section("sphere", {center, {"radius", &O::radius, size, "", required}}, "`center`"),
        obstacle_section("capsule", rod, "the middle of the axis"),
        obstacle_section(
            "box",
            {center, {"size", read_obstacle_size, form::lengths(3), "edge lengths{}, positive", required}, rotation},
            "`center`"),
        obstacle_section("cylinder", rod, "the middle of the axis"),
        obstacle_section("torus",
                         {center,
                          {"axis", into(&O::axis, read_direction), form::section("direction"),
                           "of the ring, of any length", required},
                          {"major", &O::major, size, "radius of the ring", required},
                          {"minor", &O::minor, size, "radius of its cross-section{}, less than `major`", required}},
                         "`center`"),
        obstacle_section("mesh", mesh, "the middle of its box", {{"file", "sequence"}},
                         R"({"anyOf": [{"required": ["file"]}, {"required": ["sequence"]}]})")};
  }();
  return tables;
}

/// Joined with the scene's folder.
MeshSequence read_sequence(const JsonCursor& place, const FilePlaces& places) {
  const JsonSection s = place.section("sequence");
  MeshSequence sequence = sequence_table().read(place);
  sequence.where = place.path();
  const JsonCursor files = s.at("files");
  if (files.is_text()) {
    if (files.text().find_first_of("*?") == std::string::npos)
      files.fail(files.echo() + " is one file; expected a name with * or ?, or a list of two files or more");
    sequence.pattern = read_file_name(files, places);
  } else {
    if (!files.is_list()) files.fail_type("a name with * or ?, or a list of files");
    for (const JsonCursor& file : files.items(2)) sequence.files.push_back(read_file_name(file, places));
  }
  if (const auto times = s.find("times")) {
    for (const JsonCursor& time : times->items(2)) {
      const double t = time.number(quantity::time);
      if (!sequence.times.empty()) require_increasing(sequence.times.back(), t, time);
      sequence.times.push_back(t);
    }
    if (!sequence.files.empty() && sequence.times.size() != sequence.files.size())
      times->fail(fmt::format("has {} times for {} files", sequence.times.size(), sequence.files.size()));
  } else if (!s.has("fps")) {
    place.fail("needs 'fps' or 'times': when the meshes are passed");
  }
  return sequence;
}

/// What one number says of another.
void check_obstacle(const JsonSection& s, const ObstacleChoice& o) {
  using Shape = ObstacleChoice::Shape;
  if ((o.shape == Shape::capsule || o.shape == Shape::cylinder) && o.a == o.b)
    s.at("b").fail(s.at("b").echo() + " is the same point as 'a'");
  if (o.shape == Shape::torus && !(o.minor < o.major))
    s.at("minor").fail(s.at("minor").echo() + " is not less than 'major'");
}

ObstacleChoice read_obstacle(const JsonCursor& place, std::size_t number, const FilePlaces& places) {
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
  obstacle_tables()[static_cast<std::size_t>(o.shape)].read(s, o);
  check_obstacle(s, o);
  if (o.shape != ObstacleChoice::Shape::mesh) return o;
  o.access = places.access;
  if (const auto c = s.find("sequence"))
    o.sequence = read_sequence(*c, places);
  else
    o.file = read_file_name(s.at("file"), places);
  return o;
}

}  // namespace

std::vector<SectionTable> obstacle_sections() {
  std::vector<SectionTable> all(obstacle_tables().begin(), obstacle_tables().end());
  all.push_back(sequence_table());
  all.push_back(obstacle_motion_table());
  return all;
}

std::vector<ObstacleChoice> read_obstacles(const JsonCursor& place, const std::vector<BodyChoice>& bodies,
                                           const FilePlaces& places) {
  std::vector<ObstacleChoice> obstacles;
  for (const JsonCursor& item : place.items()) {
    ObstacleChoice o = read_obstacle(item, obstacles.size(), places);
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
