#include "limber/movie/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/gnuplot.hpp"
#include "limber/record/temporary_directory.hpp"
#include "limber/scene/run/other_method.hpp"
#include "pictures.hpp"

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct CompareArguments {
  SceneArguments source;
  PictureArguments pictures;
  std::vector<std::string> methods;
  std::string output, keep;
  int threads = 0;
  bool json = false;
};

const MethodInfo& method_named(const std::string& name) {
  try {
    return find_method(name);
  } catch (const InputError& e) {
    throw InputError("--methods", e.message());
  }
}

std::vector<const MethodInfo*> chosen_methods(const CompareArguments& a) {
  std::vector<const MethodInfo*> methods;
  for (const std::string& name : a.methods) {
    const MethodInfo& method = method_named(name);
    if (std::find(methods.begin(), methods.end(), &method) != methods.end())
      throw InputError("--methods", fmt::format("'{}' is there twice", method.name));
    methods.push_back(&method);
  }
  return methods;
}

/// A scene for each method, all of them read and built before the first one runs, so that a long run is not lost to the
/// wrong input of the next one.
std::vector<Loaded> scenes_of(const CompareArguments& a, const std::vector<const MethodInfo*>& methods) {
  std::vector<Loaded> scenes;
  const Document document = a.source.document();
  for (const MethodInfo* method : methods) {
    scenes.push_back(a.source.read(with_method(document, method->name)));
    const Scene& scene = scenes.back().scene;
    chosen_camera(a.pictures.options().camera, scene.camera);
    try {
      build_simulation(scene, build_model(scene));
    } catch (const InputError& e) {
      throw InputError(method->name, e.what());
    }
  }
  return scenes;
}

fs::path folder_of(const fs::path& base, const MethodInfo& method) { return base / method.name; }

void check_compare_arguments(const CompareArguments& a, const std::vector<const MethodInfo*>& methods) {
  require_ray_tracing();
  require_gnuplot();
  if (movie_kind(a.output) == MovieKind::video) require_ffmpeg(a.output);
  a.pictures.options();
  if (!a.keep.empty())
    for (const MethodInfo* method : methods)
      if (fs::exists(folder_of(a.keep, *method)))
        throw InputError("--keep", folder_of(a.keep, *method).string() + " exists already; name another folder");
}

/// A run that fails is part of the answer, and must not take the others with it.
ComparedRun run_method(const CompareArguments& a, const MethodInfo& method, const Loaded& loaded,
                       const fs::path& base) {
  ComparedRun run;
  run.name = method.name;
  run.note = fmt::format("{}, order {}", to_string(method.kind), method.order);
  run.directory = folder_of(base, method).string();
  RunOptions options;
  options.directory = run.directory;
  if (!a.json) fmt::print(stderr, "{}\n", method.name);
  try {
    run_until_interrupted(loaded, build_model(loaded.scene), options, a.json ? Shown::nothing : Shown::progress);
    end_if_interrupted();
  } catch (const StepFailure& e) {
    fmt::print(stderr, "{}: {}\n", method.name, e.what());
    run.end = ComparedRun::End::stopped;
  }
  return run;
}

void report_comparison(const CompareArguments& a, const std::vector<ComparedRun>& runs, const CompareFacts& facts) {
  nlohmann::json list = nlohmann::json::array();
  std::string text = fmt::format("{}: {} of {}x{} pixels\n", a.output,
                                 facts.pictures == 1 ? "1 picture" : fmt::format("{} pictures", facts.pictures),
                                 facts.size.width, facts.size.height);
  for (const ComparedRun& run : runs) {
    const EnergyRecord energy = read_energy_table((fs::path(run.directory) / run_file::energy).string());
    const double time = energy.column("time").back();
    const auto total = energy.column("total");
    const bool stopped = run.end == ComparedRun::End::stopped;
    list.push_back({{"method", run.name},
                    {"end", stopped ? "stopped" : "finished"},
                    {"time", time},
                    {"energy_change", total.back() - total.front()}});
    text += fmt::format("  {:<22} total energy changed by {:+.5g} J{}\n", run.name, total.back() - total.front(),
                        stopped ? fmt::format(", stopped at t = {:.4g} s", time) : "");
  }
  if (!a.keep.empty()) text += fmt::format("the runs are in {}\n", a.keep);
  write_text("", a.json ? nlohmann::json{{"output", a.output},
                                         {"pictures", facts.pictures},
                                         {"width", facts.size.width},
                                         {"height", facts.size.height},
                                         {"runs", list}}
                                  .dump() +
                              "\n"
                        : text);
}

int compare_command(const CompareArguments& a) {
  const auto methods = chosen_methods(a);
  check_compare_arguments(a, methods);
  set_threads(a.threads);
  const std::vector<Loaded> scenes = scenes_of(a, methods);
  const TemporaryDirectory temporary;
  const CatchInterrupts catching;
  std::vector<ComparedRun> runs;
  for (std::size_t k = 0; k < methods.size(); ++k)
    runs.push_back(run_method(a, *methods[k], scenes[k], a.keep.empty() ? temporary.path() : fs::path(a.keep)));
  TimeLeft time_left;
  MovieOptions options = a.pictures.options();
  options.progress = [&](double done) {
    end_if_interrupted();
    time_left.show(done, fmt::format("rendering: {:.0f} %", 100 * done));
  };
  report_comparison(a, runs, make_comparison(runs, a.output, options));
  const auto stopped = [](const ComparedRun& run) { return run.end == ComparedRun::End::stopped; };
  return std::any_of(runs.begin(), runs.end(), stopped) ? 1 : 0;
}

}  // namespace

void add_compare(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("compare", "Run a scene under several methods and show them beside each other");
  command->footer(
      "Example:\n  limber compare scenes/beam.json --methods BE,SIERE,TR-BDF2 -o side_by_side.mp4\n"
      "  limber compare scenes/beam.json --methods BE,SIERE --set method.modes=11 -o last.png\n"
      "A run that cannot go on stays as it was, and the exit status is 1.");
  auto a = std::make_shared<CompareArguments>();
  a->source.add_to(*command);
  command->add_option("--methods", a->methods, "Names of methods, with commas between them")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("-o,--output", a->output, "movie.mp4, picture.png (the last moment) or a folder, pictures/")
      ->required();
  command->add_option("--keep", a->keep, "Folder in which the runs stay, each under its method's name");
  a->pictures.size = "640x400";
  a->pictures.samples = 8;
  a->pictures.add_to(*command);
  command->add_option("--threads", a->threads, "Threads to use (0: all cores); results do not depend on it")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", a->json, "Print as JSON");
  command->callback([a, &action] { action = [a] { return compare_command(*a); }; });
}

}  // namespace limber::app
