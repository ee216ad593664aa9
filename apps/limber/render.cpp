#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/movie/movie.hpp"
#include "limber/record/temporary_directory.hpp"

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct RenderArguments {
  SceneArguments source;
  std::string output, color = "body", camera, look_at, size = "1280x720";
  std::optional<double> fov;
  double fps = 30;
  long frame = -1;  // −1: not given
  int samples = RenderOptions{}.samples, threads = 0;
  bool wireframe = false, json = false;
};

/// Numbers with `separator` between them, for example 1,2.5,-3.
template <std::size_t n>
std::array<double, n> numbers(const std::string& option, const std::string& text, char separator,
                              const std::string& expected) {
  std::array<double, n> values{};
  const char *at = text.data(), *end = text.data() + text.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto [rest, error] = std::from_chars(at, end, values[i]);
    const bool last = i + 1 == n;
    if (error != std::errc() || !std::isfinite(values[i]) || (last ? rest != end : rest == end || *rest != separator))
      throw InputError(option, fmt::format("'{}' is not {}", text, expected));
    at = rest + 1;
  }
  return values;
}

Vec3 to_point(const std::string& option, const std::string& text) {
  const auto x = numbers<3>(option, text, ',', "a point x,y,z");
  return {x[0], x[1], x[2]};
}

PictureSize to_size(const std::string& text) {
  constexpr const char* expected = "a size such as 1280x720, with sides of 16 to 16384 pixels";
  const auto [width, height] = numbers<2>("--size", text, 'x', expected);
  for (const double side : {width, height})
    if (side < 16 || side > 16384 || side != std::floor(side))
      throw InputError("--size", fmt::format("'{}' is not {}", text, expected));
  return {static_cast<int>(width), static_cast<int>(height)};
}

CameraChoice to_camera(const RenderArguments& a) {
  CameraChoice camera;
  if (!a.camera.empty()) camera.position = to_point("--camera", a.camera);
  if (!a.look_at.empty()) camera.look_at = to_point("--look-at", a.look_at);
  camera.fov = a.fov;
  return camera;
}

void check_arguments(const RenderArguments& a) {
  require_ray_tracing();
  const MovieKind kind = movie_kind(a.output);
  to_size(a.size);
  to_camera(a);
  if (a.frame >= 0 && kind != MovieKind::picture)
    throw InputError("--frame", fmt::format("goes with one picture, -o picture.png, not with '{}'", a.output));
}

int report(const RenderArguments& a, const MovieFacts& movie) {
  const Camera& camera = movie.camera;
  if (a.json) {
    const auto point = [](const Vec3& x) { return std::vector<double>{x[0], x[1], x[2]}; };
    nlohmann::json j{{"output", a.output},
                     {"pictures", movie.pictures},
                     {"width", camera.size().width},
                     {"height", camera.size().height},
                     {"camera", point(camera.eye())},
                     {"look_at", point(camera.eye() + camera.forward())}};
    write_text("", j.dump() + "\n");
    return 0;
  }
  std::string text = fmt::format("{}: {} of {}x{} pixels\n", a.output,
                                 movie.pictures == 1 ? "1 picture" : fmt::format("{} pictures", movie.pictures),
                                 camera.size().width, camera.size().height);
  if (a.color == "displacement") text += fmt::format("yellow: {:.4g} m from rest\n", movie.largest_value);
  if (a.color == "stress") text += fmt::format("yellow: a von Mises stress of {:.4g} Pa\n", movie.largest_value);
  write_text("", text);
  return 0;
}

int render_run(const RenderArguments& a, const std::string& directory) {
  MovieOptions options;
  options.coloring = a.color == "displacement" ? Coloring::displacement
                     : a.color == "stress"     ? Coloring::stress
                                               : Coloring::body;
  options.wireframe = a.wireframe ? Wireframe::on : Wireframe::off;
  options.size = to_size(a.size);
  options.camera = to_camera(a);
  options.fps = a.fps;
  options.frame = a.frame;
  options.samples = a.samples;
  TimeLeft time_left;
  options.progress = [&](double done) {
    end_if_interrupted();
    time_left.show(done, fmt::format("rendering: {:.0f} %", 100 * done));
  };
  const CatchInterrupts catching;
  return report(a, make_movie(directory, a.output, options));
}

int render_scene(const RenderArguments& a) {
  const Loaded loaded = a.source.load();
  const Model model = build_model(loaded.scene);
  const TemporaryDirectory temporary;
  RunOptions options;
  options.directory = (temporary.path() / "run").string();
  const RunResult result = run_until_interrupted(loaded, model, options, a.json ? Shown::nothing : Shown::progress);
  return result.end == RunResult::End::interrupted ? 1 : render_run(a, options.directory);
}

int render_command(const RenderArguments& a) {
  check_arguments(a);
  set_threads(a.threads);
  if (fs::path(a.source.file).extension() == ".json" && !fs::is_directory(a.source.file)) return render_scene(a);
  if (!a.source.set.empty())
    throw InputError("--set", "goes with a scene; " + a.source.file + " is the directory of a run");
  return render_run(a, a.source.file);
}

}  // namespace

void add_render(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("render", "Make a movie or pictures of a run, or of a scene that is run first");
  command->footer(
      "Example:\n  limber render out/stack -o stack.mp4                 a movie, in simulated time\n"
      "  limber render out/stack -o last.png                  the last frame\n"
      "  limber render out/stack -o pictures/ --fps 10        pictures/frame_0000.png, ...\n"
      "  limber render scenes/beam.json -o beam.mp4 --color displacement --wireframe\n"
      "  limber render out/stack -o near.png --frame 0 --camera 2,1,3 --look-at 0,0.5,0 --fov 30");
  auto a = std::make_shared<RenderArguments>();
  a->source.add_to(*command);
  command->get_option("scene")->description("Directory of a run, or a scene (.json)");
  command->add_option("-o,--output", a->output, "movie.mp4, picture.png or a folder, pictures/")->required();
  command->add_option("--fps", a->fps, "Pictures for each second of simulated time (30)")->check(CLI::Range(1e-3, 1e6));
  command->add_option("--frame", a->frame, "With picture.png: the stored frame, from 0 (the last one)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--color", a->color, "body, displacement (the distance from rest) or stress (von Mises)")
      ->check(CLI::IsMember({"body", "displacement", "stress"}));
  command->add_flag("--wireframe", a->wireframe, "Draw the edges of the surface's mesh");
  command->add_option("--camera", a->camera, "Where the camera stands, x,y,z [m] (so that the whole motion is seen)");
  command->add_option("--look-at", a->look_at, "What the camera looks at, x,y,z [m]");
  command->add_option("--fov", a->fov, "Vertical field of view [degrees] (35)")->check(CLI::Range(1.0, 150.0));
  command->add_option("--size", a->size, "Width and height in pixels (1280x720)");
  command->add_option("--samples", a->samples, "Rays through each pixel (16)")->check(CLI::Range(1, 4096));
  command->add_option("--threads", a->threads, "Threads to use (0: all cores); pictures do not depend on it")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", a->json, "Print as JSON");
  command->callback([a, &action] { action = [a] { return render_command(*a); }; });
}

}  // namespace limber::app
