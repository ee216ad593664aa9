#include "limber/scene/read.hpp"

#include <fmt/format.h>

#include <numbers>

#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

constexpr double most_steps = 1e9, most_frames = 1e8;

TimeSettings read_time(const JsonCursor& place) {
  const JsonSection s = place.section("time");
  const TimeSettings time{s.at("step").positive(quantity::time), s.at("duration").non_negative(quantity::time)};
  if (time.duration > 0 && time.step > time.duration * (1 + 1e-9))
    s.at("step").fail(fmt::format("{} s is longer than time.duration, {} s", time.step, time.duration));
  if (const double steps = time.duration / time.step; !(steps <= most_steps))
    s.at("duration")
        .fail(fmt::format("{} s are {:.3g} steps of {} s; at most {:.0e} are allowed", time.duration, steps, time.step,
                          most_steps));
  return time;
}

void check_frame_count(const JsonCursor& place, const OutputChoice& output, const TimeSettings& time) {
  const double frames =
      output.fps ? time.duration * *output.fps : time.duration / time.step / output.frames_every.value_or(1);
  if (!(frames <= most_frames))
    throw InputError(place.path() + (output.fps ? ".fps" : ".frames_every"),
                     fmt::format("the run would have {:.3g} frames; at most {:.0e} are allowed", frames, most_frames));
}

OutputChoice read_output(const JsonCursor& place) {
  const JsonSection s = place.section("output");
  OutputChoice output;
  if (const auto c = s.find("directory")) {
    output.directory = c->text();
    if (output.directory.empty()) c->fail("is empty");
  }
  s.exclusive("frames_every", "fps");
  if (const auto c = s.find("frames_every")) output.frames_every = c->integer(1);
  if (const auto c = s.find("fps")) output.fps = c->positive(quantity::frequency);
  if (const auto c = s.find("velocities")) output.velocities = c->boolean();
  if (const auto c = s.find("checkpoint_every")) output.checkpoint_every = c->integer(1);
  return output;
}

CameraChoice read_camera(const JsonCursor& place) {
  const JsonSection s = place.section("camera");
  CameraChoice camera;
  if (const auto c = s.find("position")) camera.position = c->vector(quantity::length);
  if (const auto c = s.find("look_at")) {
    camera.look_at = c->vector(quantity::length);
    if (!camera.position) c->fail("needs 'position' too");
    if (*camera.look_at == *camera.position) c->fail("is the camera's position");
  }
  if (const auto c = s.find("fov")) {
    camera.fov = c->number(quantity::angle) * 180 / std::numbers::pi;
    if (!(*camera.fov >= 1 && *camera.fov <= 150)) c->fail(c->echo() + " is outside \"1 deg\" to \"150 deg\"");
  }
  return camera;
}

std::vector<BodyChoice> read_bodies(const JsonCursor& place, const Vocabulary& vocabulary, const std::string& base) {
  std::vector<BodyChoice> bodies;
  for (const JsonCursor& item : place.items(1)) {
    BodyChoice body = read_body(item, bodies.size(), vocabulary, base);
    for (const BodyChoice& other : bodies)
      if (other.name == body.name)
        throw InputError(body.where + ".name", "'" + body.name + "' is already the name of " + other.where);
    bodies.push_back(std::move(body));
  }
  return bodies;
}

}  // namespace

Scene read_scene(const nlohmann::json& json, const Vocabulary& vocabulary, const std::string& base_directory) {
  const JsonCursor root(json, "");
  if (!root.is_object()) throw InputError("scene", "expected an object {…}, got " + root.echo());
  const JsonSection s = root.section("scene");
  Scene scene;
  if (const auto c = s.find("$schema")) c->text();
  if (const auto c = s.find("description")) scene.description = c->text();
  scene.time = read_time(s.at("time"));
  if (const auto c = s.find("method")) scene.method = read_method(*c, vocabulary);
  if (const auto c = s.find("gravity")) scene.gravity = c->vector(quantity::acceleration);
  scene.bodies = read_bodies(s.at("bodies"), vocabulary, base_directory);
  scene.attachments =
      read_list(s, "attachments", [&](const JsonCursor& c) { return read_attachment(c, scene.bodies); });
  if (const auto c = s.find("wind")) scene.wind = read_wind(*c);
  if (const auto c = s.find("contact")) scene.contact = read_contact(*c);
  if (const auto c = s.find("obstacles")) {
    scene.obstacles = read_obstacles(*c, scene.bodies, base_directory);
    if (!scene.contact) scene.contact.emplace();
  }
  if (const auto c = s.find("output")) scene.output = read_output(*c);
  check_frame_count({json, "output"}, scene.output, scene.time);
  if (const auto c = s.find("camera")) scene.camera = read_camera(*c);
  if (const auto c = s.find("threads")) scene.threads = c->integer(0);
  return scene;
}

}  // namespace limber
