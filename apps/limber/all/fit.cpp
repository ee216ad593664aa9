#include "limber/scene/gradient/fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/json.hpp"

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct FitArguments {
  SceneArguments scene;
  std::string observed, directory;
  std::vector<std::string> vary;
  int starts = 1, evaluations = 100, threads = -1;
  bool resume = false, overwrite = false, json = false;
};

constexpr const char* report_file = "fit.json";
constexpr const char* picture_file = "fit.png";

/// The best values of an earlier fit in the directory become those of the scene.
void go_on_from(const fs::path& directory, FitRequest& request) {
  const std::string path = (directory / report_file).string();
  if (!fs::exists(path)) return;
  const nlohmann::json report = load_json(path);
  for (const FitVariable& v : request.variables) {
    const auto& values = report.value("values", nlohmann::json::object());
    if (!values.contains(v.name) || !values[v.name].is_number())
      throw InputError("--resume", fmt::format("{} has no value of {}", path, v.name));
    request.scene.set(fmt::format("{}={:.17g}", v.name, values[v.name].get<double>()));
  }
}

/// What is known so far, for --resume.
void keep(const fs::path& directory, const FitRequest& request, const FitProgress& best) {
  nlohmann::json report = {
      {"reason", "unfinished"}, {"evaluations", best.evaluation}, {"values", nlohmann::json::object()}};
  for (std::size_t i = 0; i < request.variables.size(); ++i)
    report["values"][request.variables[i].name] = best.x[static_cast<Index>(i)];
  write_text((directory / report_file).string(), report.dump(2) + "\n");
}

std::string interval(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) ? fmt::format("{:.6g} to {:.6g}", low, high) : "not determined";
}

void print_table(const FitRequest& request, const Fit& fit) {
  std::size_t width = 9;
  for (const FitVariable& v : request.variables) width = std::max(width, v.name.size());
  fmt::print("{:<{}}  {:>12}  95 % interval\n", "parameter", width, "value");
  for (std::size_t i = 0; i < request.variables.size(); ++i) {
    const auto at = static_cast<Index>(i);
    fmt::print("{:<{}}  {:>12.6g}  {}\n", request.variables[i].name, width, fit.found.x[at],
               interval(fit.found.low95[at], fit.found.high95[at]));
  }
  fmt::print("rms {:.4g} m over {} observed numbers, {} evaluations; {}\n", fit.rms, request.observations.count(),
             fit.found.evaluations, fit.found.reason);
  for (const std::string& note : fit.notes) fmt::print("note: {}\n", note);
}

int run_fit(const FitArguments& a) {
  if (a.threads >= 0) set_threads(a.threads);
  FitRequest request{{.scene = a.scene.document(), .base = fs::path(a.scene.file).parent_path().string()},
                     read_observations(a.observed)};
  for (const std::string& text : a.vary) request.variables.push_back(read_fit_variable(text));
  request.starts = a.starts;
  request.max_evaluations = a.evaluations;
  std::optional<RunDirectory> directory;
  if (!a.directory.empty()) {
    directory.emplace(prepare_directory(a.directory, a.resume      ? Existing::resume
                                                     : a.overwrite ? Existing::overwrite
                                                                   : Existing::refuse));
    if (a.resume) go_on_from(directory->path(), request);
  } else if (a.resume) {
    throw InputError("--resume", "needs the directory of the earlier fit: -o DIR");
  }
  TimeLeft progress;
  FitProgress best;
  best.sum_of_squares = std::numeric_limits<double>::infinity();
  request.go_on = [&](const FitProgress& p) {
    if (p.sum_of_squares < best.sum_of_squares) {
      best = p;
      if (directory) keep(directory->path(), request, best);
    }
    std::string values;
    for (std::size_t i = 0; i < request.variables.size(); ++i)
      values += fmt::format(", {} = {:.5g}", request.variables[i].name,
                            best.x.size() > 0 ? best.x[static_cast<Index>(i)] : NAN);
    progress.show(fmt::format("evaluation {}: rms {:.3g} m{}", p.evaluation,
                              std::sqrt(best.sum_of_squares / static_cast<double>(request.observations.count())),
                              values));
    return !interrupted();
  };
  const CatchInterrupts catching;
  const Fit found = fit(request);
  progress.clear();
  const Document report = fit_report(request, found);
  if (directory) {
    write_text(directory->file(report_file), report.text() + "\n");
    write_text(directory->file(run_file::scene), found.scene.text() + "\n");
    if (const auto why_not = plot_fit(directory->file(picture_file), request.observations, found.motion,
                                      fs::path(a.scene.file).stem().string()))
      fmt::print(stderr, "note: {}\n", *why_not);
  }
  if (a.json)
    fmt::print("{}\n", report.text());
  else
    print_table(request, found);
  if (directory && !a.json)
    fmt::print("{} has the report, {} the data and the fit, {} the scene with these values\n",
               directory->file(report_file), picture_file, run_file::scene);
  return interrupted() ? 1 : 0;
}

}  // namespace

void add_fit(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("fit", "Find parameters of a scene from observed positions of its probes");
  command->footer(
      "Example:\n  limber fit scenes/beam.json --observed tip.csv --vary \"bodies[0].material.young=1e4..1e7\" \\\n"
      "      --vary \"bodies[0].material.density=500..2000\" -o out/fit\n"
      "The table has the columns of probes.csv: time, then tip.x, tip.y, … of the scene's output.probes. Some may be\n"
      "missing, as may single numbers. Ranges above 0 are searched by logarithm.");
  auto a = std::make_shared<FitArguments>();
  a->scene.add_to(*command);
  command->add_option("--observed", a->observed, "Table of observed positions, CSV")->required();
  command->add_option("--vary", a->vary, "KEY=LOW..HIGH: a number of the scene to be found, and its bounds")
      ->required()
      ->allow_extra_args(false);
  command->add_option("-o,--output", a->directory, "Directory for the report, the picture and the fitted scene");
  auto* resume = command->add_flag("--resume", a->resume, "Start from the best values in the directory");
  command->add_flag("--overwrite", a->overwrite, "Replace what is in the directory")->excludes(resume);
  command
      ->add_option("--starts", a->starts,
                   "How many starts are tried, spread over the bounds (default 1: the scene's values)")
      ->check(CLI::Range(1, 1000));
  command->add_option("--evaluations", a->evaluations, "Runs at most (default 100)")->check(CLI::Range(1, 100000));
  command->add_option("--threads", a->threads, "Threads to use (0: all cores); results do not depend on it")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", a->json, "Print the report as JSON");
  command->callback([a, &action] { action = [a] { return run_fit(*a); }; });
}

}  // namespace limber::app
