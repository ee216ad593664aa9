#include "limber/scene/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "limber/scene/force_kinds.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/read_parts.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

constexpr double most_steps = 1e9, most_frames = 1e8;

const Section<AccuracyChoice>& accuracy_table() {
  using A = AccuracyChoice;
  static const Section<A> table{
      "step_accuracy",
      {{"accuracy", &A::accuracy, form::positive(quantity::length),
        "how far{} positions may be from those of the exact motion in time at the end of the run, by the estimates of "
        "the steps' errors",
        required},
       {"max", &A::longest, form::positive(quantity::time), "longest step{}, not longer than the duration",
        "a twentieth of the duration"},
       {"min", &A::shortest, form::positive(quantity::time),
        "shortest step{}, at most `max`; where a shorter one would be needed, the run goes on with a note",
        "a hundred thousandth of `max`"}}};
  return table;
}

void read_step(const JsonCursor& place, TimeSettings& time) {
  if (place.is_object())
    time.accuracy = accuracy_table().read(place);
  else
    time.step = place.positive(quantity::time);
}

const Section<TimeSettings>& time_table() {
  static const Section<TimeSettings> table{
      "time",
      {{"step", read_step, form::positive(quantity::time).or_also(reference("step_accuracy")),
        "h{}, and not longer than the duration unless that is zero; or [the accuracy](#accuracy) that steps of any "
        "length keep",
        required},
       {"duration", &TimeSettings::duration, form::non_negative(quantity::time), "simulated time{}, at most 10⁹ steps",
        required}}};
  return table;
}

const Section<OutputChoice>& output_table() {
  static const Section<OutputChoice> table{
      "output",
      {{"directory", &OutputChoice::directory, form::text(),
        "folder of the run's files, relative to where the program runs; `-o` on the command line wins"},
       {"frames_every", &OutputChoice::frames_every, form::whole(1), "steps from one frame to the next", "`1`"},
       {"fps", &OutputChoice::fps, form::positive(quantity::frequency),
        "frames per simulated second{}, in place of `frames_every`"},
       {"velocities", &OutputChoice::velocities, form::flag(), "whether frames hold velocities too"},
       {"checkpoint_every", &OutputChoice::checkpoint_every, form::whole(1), "steps from one checkpoint to the next",
        "the program's own"},
       {"checkpoint_work", &OutputChoice::checkpoint_work, form::positive(quantity::time),
        "[work](output.md#checkpoints) after which there is another, where steps are long{}"},
       {"probes", form::list("probe"), "a list of [points that are followed](#probes) in `probes.csv`", "none"}},
      {{"frames_every", "fps"}}};
  return table;
}

/// The body is read by hand, since that needs the names of all.
const Section<ProbeChoice>& probe_table() {
  static const Section<ProbeChoice> table{"probe",
                                          {{"name", &ProbeChoice::name, form::text(),
                                            "of its columns in the table; no commas, quotes or line breaks", required},
                                           {"body", form::other(R"({"type": "string"})"), "a body's name", required},
                                           {"point", &ProbeChoice::point, form::vector(quantity::length),
                                            "a place of the rest shape as it is placed in the scene{}", required}}};
  return table;
}

std::vector<ProbeChoice> read_probes(const JsonCursor& list, const std::vector<std::string>& bodies) {
  std::vector<ProbeChoice> probes;
  for (const JsonCursor& place : list.items()) {
    ProbeChoice probe = probe_table().read(place);
    const JsonSection s = place.section("probe");
    probe.where = place.path();
    probe.body = static_cast<int>(s.at("body").word(bodies, "body"));
    if (probe.name.find_first_of(",\"\r\n") != std::string::npos)
      s.at("name").fail(s.at("name").echo() + " contains a comma, a quote or a line break");
    for (const ProbeChoice& other : probes)
      if (other.name == probe.name) s.at("name").fail("'" + probe.name + "' is already the name of " + other.where);
    probes.push_back(std::move(probe));
  }
  return probes;
}

/// The bodies are read by hand, since that needs the names of all.
const Section<StitchChoice>& stitch_table() {
  static const Section<StitchChoice> table{
      "stitch",
      {{"body", form::other(R"({"type": "string"})"), "the name of the body whose nodes follow", required},
       {"nodes", into(&StitchChoice::nodes, read_nodes), form::section("selection"), "a [selection](#selections) on it",
        required},
       {"to", form::other(R"({"type": "string"})"), "the name of the body that they follow", required},
       {"distance", &StitchChoice::distance, form::non_negative(quantity::length),
        "from that body at most, at the start", "0.001 of its diagonal"}}};
  return table;
}

std::vector<StitchChoice> read_stitches(const JsonCursor& list, const std::vector<std::string>& bodies) {
  std::vector<StitchChoice> stitches;
  for (const JsonCursor& place : list.items()) {
    StitchChoice stitch = stitch_table().read(place);
    const JsonSection s = place.section("stitch");
    stitch.where = place.path();
    stitch.body = static_cast<int>(s.at("body").word(bodies, "body"));
    s.at("nodes");
    stitch.to = static_cast<int>(s.at("to").word(bodies, "body"));
    if (stitch.body == stitch.to) s.at("to").fail("is the body itself; nodes are stitched to another one");
    stitches.push_back(std::move(stitch));
  }
  return stitches;
}

void read_look_at(const JsonCursor& c, CameraChoice& camera) {
  camera.look_at = c.vector(quantity::length);
  if (!camera.position) c.fail("needs 'position' too");
  if (*camera.look_at == *camera.position) c.fail("is the camera's position");
}

void read_fov(const JsonCursor& c, CameraChoice& camera) {
  camera.fov = c.number(quantity::angle) * 180 / std::numbers::pi;
  if (!(*camera.fov >= 1 && *camera.fov <= 150)) c.fail(c.echo() + " is outside \"1 deg\" to \"150 deg\"");
}

const Section<CameraChoice>& camera_table() {
  static const Section<CameraChoice> table{
      "camera",
      {{"position", &CameraChoice::position, form::vector(quantity::length), "where the camera stands{}; y is up",
        "so that the whole motion is seen, a little from above"},
       {"look_at", read_look_at, form::vector(quantity::length),
        "what is in the middle of the picture{}; needs `position`", "the middle of the whole motion"},
       {"fov", read_fov, form::positive(quantity::angle), "vertical field of view{}, `\"1 deg\"` to `\"150 deg\"`",
        "`\"35 deg\"`"}},
      {},
      R"({"dependentRequired": {"look_at": ["position"]}})"};
  return table;
}

const Section<StartChoice>& start_table() {
  static const Section<StartChoice> table{
      "start",
      {{"run", &StartChoice::run, form::run_folder(), "folder of the run, which has velocities and the same bodies",
        required},
       {"frame", &StartChoice::frame, form::whole(0), "number of the frame, from 0", "the last one"}}};
  return table;
}

/// The names of methods are read by hand, since they need the vocabulary.
const Section<Scene>& view_table() {
  static const Section<Scene> table{
      "view",
      {{"methods", form::other(R"({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 4})"),
        "names of methods that `limber view` shows side by side, 1 to 4", "the scene's own"}}};
  return table;
}

std::vector<std::string> read_view_methods(const JsonCursor& place, const Vocabulary& vocabulary) {
  std::vector<std::string> methods;
  const JsonSection s = place.section("view");
  if (const auto list = s.find("methods")) {
    for (const JsonCursor& item : list->items(1)) methods.push_back(read_method_name(item, vocabulary));
    if (methods.size() > 4) list->fail(fmt::format("has {} methods; at most 4 are shown", methods.size()));
  }
  return methods;
}

void complete_accuracy(const JsonSection& step, TimeSettings& time) {
  const AccuracyChoice& a = *time.accuracy;
  if (!(time.duration > 0))
    step.at("accuracy").fail("needs a time.duration above 0, over which the error is shared out");
  if (a.longest && *a.longest > time.duration * (1 + 1e-9))
    step.at("max").fail(fmt::format("{} s is longer than time.duration, {} s", *a.longest, time.duration));
  time.step = a.longest.value_or(time.duration / 20);
  if (a.shortest && *a.shortest > time.step)
    step.at("min").fail(fmt::format("{} s is longer than the longest step, {} s", *a.shortest, time.step));
}

TimeSettings read_time(const JsonCursor& place) {
  TimeSettings time = time_table().read(place);
  const JsonSection s = place.section("time");
  if (time.accuracy) complete_accuracy(s.at("step").section("step_accuracy"), time);
  if (time.duration > 0 && time.step > time.duration * (1 + 1e-9))
    s.at("step").fail(fmt::format("{} s is longer than time.duration, {} s", time.step, time.duration));
  if (const double steps = time.duration / time.step; !(steps <= most_steps))
    s.at("duration")
        .fail(fmt::format("{} s are {:.3g} steps of {} s; at most {:.0e} are allowed", time.duration, steps, time.step,
                          most_steps));
  return time;
}

const Section<Scene>& scene_table() {
  const auto is_text = [](const JsonCursor& c, Scene&) { c.text(); };
  static const Section<Scene> table{
      "scene",
      joined<Scene>(
          {{"time", into(&Scene::time, read_time), form::section("time"), "[step and duration](#time)", required},
           {"bodies", form::list("body", 1), "a list of [bodies](#a-body), at least one", required},
           {"$schema", is_text, form::other(R"({"type": "string"})"), "text for editors"},
           {"description", into(&Scene::description, [](const JsonCursor& c) { return c.text(); }),
            form::other(R"({"type": "string"})"), "text for people"},
           {"method", form::other(R"({"type": "string"})").or_also(reference("method")),
            "a method's name, or an object with its name and parameters, [below](#method)", "`\"TR-BDF2\"`"},
           {"gravity", &Scene::gravity, form::vector(quantity::acceleration), "acceleration"},
           {"contact", into(&Scene::contact, read_contact), form::section("contact"),
            "[how bodies collide](#contact), with each other, with themselves and with obstacles",
            "bodies collide only where `contact` or `obstacles` is given"},
           {"stitches", form::list("stitch"), "a list of [seams between bodies](#stitches)", "none"},
           {"obstacles", form::list("obstacle"), "a list of [solids](#obstacles) that nothing moves but their script",
            "none"},
           {"output", into(&Scene::output, [](const JsonCursor& c) { return output_table().read(c); }),
            form::section("output"), "[what is written](#output)"},
           {"camera", into(&Scene::camera, [](const JsonCursor& c) { return camera_table().read(c); }),
            form::section("camera"), "[from where pictures are taken](#camera)", "so that the whole motion is seen"},
           {"start", into(&Scene::start, [](const JsonCursor& c) { return start_table().read(c); }),
            form::section("start"), "[where the motion begins](#start)", "as the bodies say, at t = 0"},
           {"view", form::section("view"), "[what the viewer shows](#view)"},
           {"threads", &Scene::threads, form::whole(0),
            "threads to use; 0: all cores. The results do not depend on it"}},
          force_keys<Scene>(ForceKind::Of::scene))};
  return table;
}

void check_frame_count(const JsonCursor& place, const OutputChoice& output, const TimeSettings& time) {
  const double frames = output.fps      ? time.duration * *output.fps
                        : time.accuracy ? time.duration * OutputChoice::standard_fps
                                        : time.duration / time.step / output.frames_every.value_or(1);
  if (!(frames <= most_frames))
    throw InputError(place.path() + (output.fps ? ".fps" : ".frames_every"),
                     fmt::format("the run would have {:.3g} frames; at most {:.0e} are allowed", frames, most_frames));
}

std::vector<BodyChoice> read_bodies(const JsonCursor& place, const Vocabulary& vocabulary, const FilePlaces& places) {
  std::vector<BodyChoice> bodies;
  for (const JsonCursor& item : place.items(1)) {
    BodyChoice body = read_body(item, bodies.size(), vocabulary, places);
    for (const BodyChoice& other : bodies)
      if (other.name == body.name)
        throw InputError(body.where + ".name", "'" + body.name + "' is already the name of " + other.where);
    bodies.push_back(std::move(body));
  }
  return bodies;
}

}  // namespace

std::vector<SectionTable> top_sections() {
  return {scene_table(),  time_table(),   accuracy_table(), output_table(), probe_table(),
          stitch_table(), camera_table(), start_table(),    view_table()};
}

double TimeSettings::typical_step() const {
  constexpr double many = 500;
  return accuracy ? std::min(step, duration / many) : step;
}

double TimeSettings::shortest_step() const {
  constexpr double least = 1e-5;
  return accuracy && accuracy->shortest ? *accuracy->shortest : least * step;
}

Scene read_scene(const nlohmann::json& json, const Vocabulary& vocabulary, const std::string& base_directory,
                 const FileAccess& access) {
  const FilePlaces places{base_directory, access};
  const JsonCursor root(json, "");
  if (!root.is_object()) throw InputError("scene", "expected an object {…}, got " + root.echo());
  const JsonSection s = root.section("scene");
  Scene scene;
  scene_table().read(s, scene);
  if (const auto c = s.find("method")) scene.method = read_method(*c, vocabulary);
  if (const auto c = s.find("view")) scene.view_methods = read_view_methods(*c, vocabulary);
  if (scene.start) {
    scene.start->run = read_file_name(s.at("start").section("start").at("run"), places);
    scene.start->access = access;
  }
  scene.bodies = read_bodies(s.at("bodies"), vocabulary, places);
  ForceOwner owner;
  for (const BodyChoice& body : scene.bodies) owner.names.push_back(body.name);
  scene.forces = read_forces(s, ForceKind::Of::scene, owner);
  if (const auto c = s.find("stitches")) scene.stitches = read_stitches(*c, owner.names);
  if (const auto c = s.find("output"))
    if (const auto list = c->section("output").find("probes")) scene.output.probes = read_probes(*list, owner.names);
  if (const auto c = s.find("obstacles")) {
    scene.obstacles = read_obstacles(*c, scene.bodies, places);
    if (!scene.contact) scene.contact.emplace();
  }
  check_frame_count({json, "output"}, scene.output, scene.time);
  return scene;
}

Scene read_scene(const Document& document, const Vocabulary& vocabulary, const std::string& base_directory,
                 const FileAccess& access) {
  return read_scene(json_of(document), vocabulary, base_directory, access);
}

}  // namespace limber
