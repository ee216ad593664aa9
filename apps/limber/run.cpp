#include "limber/scene/run/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/blas_kernel.hpp"
#include "limber/record/energy_plot.hpp"
#include "limber/scene/advice/decide.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/pace.hpp"

namespace limber::app {

Loaded decided(Loaded loaded) {
  if (!undecided(loaded.scene)) return loaded;
  set_threads(loaded.scene.threads);
  const CatchInterrupts catching;
  loaded.document = with_method_decided(loaded.document, "");
  loaded.scene = read_scene(loaded.document, vocabulary(), "");
  end_if_interrupted();
  return loaded;
}

namespace {

/// A bar with the time left on a terminal, a plain line now and then elsewhere.
class ProgressLine {
 public:
  void show(const Progress& p) {
    const Way way = way_of(p);
    if (first_) pace_.at(p.steps > 0 ? p.step - 1 : 0, 0);
    first_ = false;
    pace_.at(way.done, seconds(start_));
    for (const auto& note : p.step_taken->notes)
      if (++notes_ <= 5)
        line(fmt::format("note: {} -> {}", note,
                         p.step_taken->halved() ? fmt::format("{} substeps", p.step_taken->substeps.size())
                                                : "taken by the full Newton or by backward Euler"));
    for (const auto& remark : p.step_taken->remarks)
      if (++remarks_ <= 10) line("note: " + remark);
    const bool last = way.done == way.all;
    if (!last && seconds(shown_) < (terminal_ ? 0.1 : 10.0)) return;
    shown_ = Clock::now();
    const double left = pace_.left(way.all);
    const double fraction = static_cast<double>(way.done) / static_cast<double>(way.all);
    if (terminal_) {
      const auto full = static_cast<std::size_t>(fraction * 30);
      fmt::print(stderr, "\r[{}{}] {:3.0f} %  t = {:.3f} of {:.3f} s  {} left   ", std::string(full, '#'),
                 std::string(30 - full, '.'), 100 * fraction, p.time, p.end, duration_text(left));
      if (last) fmt::print(stderr, "\n");
    } else {
      fmt::print(stderr, "step {}{}, t = {:.4g} s, {} left\n", p.step,
                 p.steps > 0 ? fmt::format(" of {}", p.steps) : "", p.time, duration_text(left));
    }
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  /// In steps, or in parts of the simulated time where the number of steps is not known.
  struct Way {
    long done, all;
  };
  static Way way_of(const Progress& p) {
    constexpr long parts = 1'000'000;
    if (p.steps > 0) return {p.step, p.steps};
    return {std::lround(static_cast<double>(parts) * (p.time - p.start) / (p.end - p.start)), parts};
  }
  static double seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }
  void line(const std::string& text) const { fmt::print(stderr, "{}{}\n", terminal_ ? "\r\033[K" : "", text); }

  bool terminal_ = isatty(STDERR_FILENO) != 0;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
  Pace pace_;
  bool first_ = true;
  long notes_ = 0, remarks_ = 0;
};

enum class Verbosity { normal, quiet, json };

int report_end(const RunResult& result, const std::string& directory, Verbosity verbosity) {
  if (result.end == RunResult::End::already_finished) {
    if (verbosity == Verbosity::json)
      fmt::print("{}\n",
                 nlohmann::json{{"end", "already finished"}, {"directory", directory}, {"steps", result.steps}}.dump());
    if (verbosity == Verbosity::normal)
      fmt::print("{} holds a finished run of {} steps; nothing to do\n", directory, result.steps);
    return 0;
  }
  const bool finished = result.end == RunResult::End::finished;
  if (verbosity == Verbosity::json) {
    nlohmann::json summary = json_of(result.summary);
    summary["directory"] = directory;
    fmt::print("{}\n", summary.dump());
  } else if (verbosity == Verbosity::normal) {
    const auto& s = json_of(result.summary);
    fmt::print("{} {} steps, {} frames in {} -> {}\n", finished ? "done:" : "interrupted after", result.steps,
               result.frames, duration_text(s.at("wall_seconds").get<double>()), directory);
    if (const long n = s.at("escalated_steps").get<long>(); n > 0)
      fmt::print("{} steps were taken by the full Newton or by backward Euler\n", n);
    if (const long n = s.at("halved_steps").get<long>(); n > 0) fmt::print("{} steps were halved\n", n);
    long again = 0;
    for (const auto& times : s.at("retaken_steps")) again += times.get<long>();
    if (again > 0)
      fmt::print("{} steps gained energy and were taken again ({} by backward Euler)\n", again,
                 s.at("retaken_steps").at("backward_euler").get<long>());
    fmt::print("trajectory.xdmf opens in ParaView, energy.csv in a spreadsheet, energy.png is the plot\n");
    if (!finished)
      fmt::print("`limber run … -o {} --resume` goes on from step {}{}\n", directory, result.checkpoint,
                 result.checkpoint < result.steps ? fmt::format(", the last checkpoint, and repeats the {} after it",
                                                                result.steps - result.checkpoint)
                                                  : "");
    if (const double rise = s.at("energy_rise").get<double>(), in_play = s.at("energy_in_play").get<double>();
        rise >= .1 * in_play && rise > 0)
      fmt::print(
          "WARNING: {:.3g} J appeared that nobody put in, {:.0f} % of the energy in play: do not trust this motion\n",
          rise, 100 * rise / in_play);
  }
  return finished ? 0 : 1;
}

struct RunArguments {
  SceneArguments scene;
  std::string directory;
  bool resume = false, overwrite = false, quiet = false, json = false;
  int threads = -1;
};

int run(const RunArguments& a) {
  const bool first = processes().rank() == 0;
  Loaded loaded = decided(a.scene.load());
  if (!a.directory.empty()) {
    nlohmann::json json = json_of(loaded.document);
    json["output"]["directory"] = a.directory;
    loaded.document = document_of(std::move(json));
  }
  const std::string directory = !a.directory.empty() ? a.directory : loaded.scene.output.directory;
  if (directory.empty()) throw InputError("output.directory", "is not given; name it in the scene or with -o DIR");
  const bool several = processes().size() > 1;
  // Processes share the cores among them: a thread each, unless more are asked for.
  set_threads(a.threads >= 0 ? a.threads : several ? std::max(1, loaded.scene.threads) : loaded.scene.threads);
  const Model model = build_model(loaded.scene, {}, processes(), Making::by_parts);
  const Verbosity verbosity = !first    ? Verbosity::quiet
                              : a.json  ? Verbosity::json
                              : a.quiet ? Verbosity::quiet
                                        : Verbosity::normal;

  RunOptions options;
  options.directory = directory;
  options.existing = a.resume ? Existing::resume : a.overwrite ? Existing::overwrite : Existing::refuse;
  std::optional<Facts> facts;
  if (several || verbosity == Verbosity::normal) facts = gather_facts(loaded.scene, model, several ? 0 : 3);
  if (verbosity == Verbosity::normal) {
    fmt::print(stderr, "{}", describe(*facts));
    if (const std::string advice = blas_advice(blas_kernel(), cpu_features()); !advice.empty())
      fmt::print(stderr, "note: {}\n", advice);
  }
  const RunResult result =
      run_until_interrupted(loaded, model, options, verbosity == Verbosity::normal ? Shown::progress : Shown::nothing);
  // A run that was killed after its summary has no plot yet.
  if (!first) return result.end == RunResult::End::interrupted ? 1 : 0;
  if (result.end != RunResult::End::already_finished ||
      !std::filesystem::exists(std::filesystem::path(directory) / run_file::energy_plot))
    if (const auto why_not =
            plot_energy(directory, loaded.scene.bodies[0].name + ", " + find_method(loaded.scene.method.name).name);
        why_not && verbosity == Verbosity::normal)
      fmt::print(stderr, "note: {}\n", *why_not);
  return report_end(result, directory, verbosity);
}

}  // namespace

RunResult run_until_interrupted(const Loaded& loaded, const Model& model, RunOptions options, Shown shown) {
  ProgressLine line;
  if (shown == Shown::progress) {
    options.progress = [&](const Progress& p) { line.show(p); };
    options.note = [](const std::string& note) { fmt::print(stderr, "note: {}\n", note); };
  }
  options.go_on = [] { return !interrupted(); };
  const CatchInterrupts catching;
  return run_scene(loaded.document, loaded.scene, model, options);
}

void add_run(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("run", "Simulate a scene");
  command->footer("Example:\n  limber run scenes/beam.json -o out/beam --set method.name=SDIRK --set time.duration=2");
  auto a = std::make_shared<RunArguments>();
  a->scene.add_to(*command);
  command->add_option("-o,--output", a->directory, "Directory for the results (default: the scene's output.directory)");
  auto* resume = command->add_flag("--resume", a->resume, "Go on from the last checkpoint in the directory");
  command->add_flag("--overwrite", a->overwrite, "Replace the results in the directory")->excludes(resume);
  command->add_option("--threads", a->threads, "Threads to use (0: all cores); results do not depend on it")
      ->check(CLI::Range(0, 1024));
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors");
  command->add_flag("--json", a->json, "Print the summary as JSON");
  command->callback([a, &action] { action = [a] { return run(*a); }; });
}

}  // namespace limber::app
