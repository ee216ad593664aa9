#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/movie/movie.hpp"
#include "limber/record/temporary_directory.hpp"
#include "pictures.hpp"

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct RenderArguments {
  SceneArguments source;
  PictureArguments pictures;
  std::string output, color = "body";
  long frame = -1;  // −1: not given
  int threads = 0;
  bool json = false, body = false;
};

void check_arguments(const RenderArguments& a) {
  require_ray_tracing();
  const MovieKind kind = movie_kind(a.output);
  a.pictures.options();
  if (kind == MovieKind::video) require_ffmpeg(a.output);
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
  MovieOptions options = a.pictures.options();
  options.coloring = a.color == "displacement" ? Coloring::displacement
                     : a.color == "stress"     ? Coloring::stress
                                               : Coloring::body;
  options.surface = a.body ? BodySurface::simulated : BodySurface::given;
  options.frame = a.frame;
  TimeLeft time_left;
  options.progress = [&](double done) {
    end_if_interrupted();
    time_left.show(done, fmt::format("rendering: {:.0f} %", 100 * done));
  };
  const CatchInterrupts catching;
  return report(a, make_movie(directory, a.output, options));
}

int render_scene(const RenderArguments& a) {
  const Loaded loaded = decided(a.source.load());
  chosen_camera(a.pictures.options().camera, loaded.scene.camera);
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
  command->add_option("--frame", a->frame, "With picture.png: the stored frame, from 0 (the last one)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--color", a->color, "body, displacement (the distance from rest) or stress (von Mises)")
      ->check(CLI::IsMember({"body", "displacement", "stress"}));
  command->add_flag(
      "--body", a->body,
      "Show what is simulated, the boundary of the elements, instead of the surface they were filled into");
  a->pictures.add_to(*command);
  command->add_option("--threads", a->threads, "Threads to use (0: all cores); pictures do not depend on it")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", a->json, "Print as JSON");
  command->callback([a, &action] { action = [a] { return render_command(*a); }; });
}

}  // namespace limber::app
