#include "limber/scene/gradient/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/gradient/optimum.hpp"
#include "limber/scene/gradient/read_objective.hpp"
#include "limber/scene/json.hpp"

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct FitArguments {
  SceneArguments scene;
  std::optional<std::string> observed, objective;
  std::string directory;
  std::vector<std::string> vary;
  int starts = 1, evaluations = 100, threads = -1;
  bool resume = false, overwrite = false, json = false;

  std::string base() const { return fs::path(scene.file).parent_path().string(); }
  std::vector<VariedParameter> varied() const {
    std::vector<VariedParameter> all;
    for (const std::string& text : vary) all.push_back(read_varied(text));
    return all;
  }
};

constexpr const char* report_file = "fit.json";
constexpr const char* picture_file = "fit.png";

/// The best values of an earlier fit in the directory; none if it has not begun.
ParameterLists values_in(const fs::path& directory, const std::vector<VariedParameter>& varied) {
  const std::string path = (directory / report_file).string();
  if (!fs::exists(path)) return {};
  const nlohmann::json report = load_json(path);
  const auto& values = report.value("values", nlohmann::json::object());
  ParameterLists lists;
  for (const VariedParameter& v : varied) {
    const auto found = values.find(v.name);
    const auto is_number = [](const nlohmann::json& x) { return x.is_number(); };
    const bool list =
        found != values.end() && found->is_array() && std::all_of(found->begin(), found->end(), is_number);
    if (!list && (found == values.end() || !found->is_number()))
      throw InputError("--resume", fmt::format("{} has no value of {}", path, v.name));
    lists.push_back(list ? found->get<std::vector<double>>() : std::vector<double>{found->get<double>()});
  }
  return lists;
}

/// What is known so far, for --resume.
void keep(const fs::path& directory, const std::vector<VariedParameter>& varied, const SearchProgress& best) {
  nlohmann::json report = {
      {"reason", "unfinished"}, {"evaluations", best.evaluation}, {"values", nlohmann::json::object()}};
  for (std::size_t i = 0; i < varied.size(); ++i)
    report["values"][varied[i].name] =
        best.values[i].size() == 1 ? nlohmann::json(best.values[i][0]) : nlohmann::json(best.values[i]);
  write_text((directory / report_file).string(), report.dump(2) + "\n");
}

/// "150000", or "1 to 3" of a list.
std::string value_text(const std::vector<double>& values, int digits) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least == *most ? fmt::format("{:.{}g}", *least, digits)
                         : fmt::format("{:.{}g} to {:.{}g}", *least, digits, *most, digits);
}

/// What both kinds of search have around them: the directory, progress and Ctrl-C.
class FitSession {
 public:
  FitSession(const FitArguments& a, std::vector<VariedParameter> varied) : varied_(std::move(varied)) {
    if (a.directory.empty()) {
      if (a.resume) throw InputError("--resume", "needs the directory of the earlier fit: -o DIR");
      return;
    }
    directory_.emplace(prepare_directory(a.directory, a.resume      ? Existing::resume
                                                      : a.overwrite ? Existing::overwrite
                                                                    : Existing::refuse));
    if (a.resume) start_ = values_in(directory_->path(), varied_);
  }

  const std::optional<RunDirectory>& directory() const { return directory_; }

  /// `shown`: how good a value is, in words.
  template <class Request>
  void follow(Request& request, const std::function<std::string(double value)>& shown) {
    request.varied = varied_;
    request.start = start_;
    request.go_on = [this, shown](const SearchProgress& p) {
      if (p.value < best_.value) {
        best_ = p;
        if (directory_) keep(directory_->path(), varied_, best_);
      }
      std::string values;
      for (std::size_t i = 0; i < best_.values.size() && i < 5; ++i)
        values += fmt::format(", {} = {}", varied_[i].name, value_text(best_.values[i], 5));
      progress_.show(fmt::format("evaluation {}: {}{}", p.evaluation, shown(best_.value), values));
      return !interrupted();
    };
  }
  void end() { progress_.clear(); }

 private:
  std::vector<VariedParameter> varied_;
  std::optional<RunDirectory> directory_;
  ParameterLists start_;
  TimeLeft progress_;
  SearchProgress best_{0, std::numeric_limits<double>::infinity(), {}};
};

std::string interval(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) ? fmt::format("{:.6g} to {:.6g}", low, high) : "not determined";
}

std::size_t name_width(const std::vector<RunParameter>& parameters) {
  std::size_t width = 9;
  for (const RunParameter& p : parameters) width = std::max(width, p.name.size() + (p.is_list ? 5 : 0));
  return width;
}

void print_fit(const Fit& fit, Index count) {
  const std::size_t width = name_width(fit.parameters);
  fmt::print("{:<{}}  {:>12}  95 % interval\n", "parameter", width, "value");
  Index at = 0;
  for (const RunParameter& p : fit.parameters)
    for (std::size_t c = 0; c < p.values.size(); ++c, ++at)
      fmt::print("{:<{}}  {:>12.6g}  {}\n", p.is_list ? fmt::format("{}[{}]", p.name, c) : p.name, width, p.values[c],
                 interval(fit.found.low95[at], fit.found.high95[at]));
  fmt::print("rms {:.4g} m over {} observed numbers, {} evaluations; {}\n", fit.rms, count, fit.found.evaluations,
             fit.found.reason);
  for (const std::string& note : fit.notes) fmt::print("note: {}\n", note);
}

void print_optimum(const Optimum& found) {
  constexpr std::size_t most = 10;  // lines for a list
  const std::size_t width = name_width(found.found);
  fmt::print("{:<{}}  {:>12}\n", "parameter", width, "value");
  for (const RunParameter& p : found.found) {
    if (p.values.size() > most)
      fmt::print("{:<{}}  {:>12}, {} values\n", p.name, width, value_text(p.values, 6), p.values.size());
    else
      for (std::size_t c = 0; c < p.values.size(); ++c)
        fmt::print("{:<{}}  {:>12.6g}\n", p.is_list ? fmt::format("{}[{}]", p.name, c) : p.name, width, p.values[c]);
  }
  fmt::print("objective {:.6g}, {} evaluations; {}\n", found.value, found.evaluations, found.reason);
  for (const std::string& note : found.notes) fmt::print("note: {}\n", note);
  for (const RunParameter& p : found.found)
    if (beyond_document(p)) fmt::print("note: no key of a scene holds {}; {} has it\n", p.name, report_file);
}

void write_report(const RunDirectory& directory, const Document& report, const Document& scene) {
  write_text(directory.file(report_file), report.text() + "\n");
  write_text(directory.file(run_file::scene), scene.text() + "\n");
}

/// To a table of observed positions.
void fit_to_table(const FitArguments& a) {
  Observations observed = read_observations(*a.observed);
  FitRequest request{{.scene = a.scene.document(), .base = a.base()}, std::move(observed)};
  request.starts = a.starts;
  request.max_evaluations = a.evaluations;
  const Index count = request.observations.count();
  FitSession session(a, a.varied());
  session.follow(request, [count](double sum_of_squares) {
    return fmt::format("rms {:.3g} m", std::sqrt(sum_of_squares / static_cast<double>(count)));
  });
  const CatchInterrupts catching;
  const Fit found = fit(request);
  session.end();
  const Document report = fit_report(found);
  if (session.directory()) {
    write_report(*session.directory(), report, found.scene);
    if (const auto why_not = plot_fit(session.directory()->file(picture_file), request.observations, found.motion,
                                      fs::path(a.scene.file).stem().string()))
      fmt::print(stderr, "note: {}\n", *why_not);
  }
  if (a.json) return fmt::print("{}\n", report.text());
  print_fit(found, count);
  if (session.directory())
    fmt::print("{} has the report, {} the data and the fit, {} the scene with these values\n",
               session.directory()->file(report_file), picture_file, run_file::scene);
}

/// By an objective.
void fit_by_objective(const FitArguments& a) {
  OptimumRequest request{.scene = a.scene.document(), .base = a.base(), .objective = nullptr, .varied = {}};
  const DifferentiableRun run(request.scene, request.base, {});
  request.objective = read_objective(load_objective(*a.objective), run);
  request.objective->steps(run);  // before anything is written
  request.starts = a.starts;
  request.max_evaluations = a.evaluations;
  FitSession session(a, a.varied());
  session.follow(request, [](double value) { return fmt::format("objective {:.4g}", value); });
  const CatchInterrupts catching;
  const Optimum found = optimum(request);
  session.end();
  const Document report = optimum_report(found);
  if (session.directory()) write_report(*session.directory(), report, found.scene);
  if (a.json) return fmt::print("{}\n", report.text());
  print_optimum(found);
  if (session.directory())
    fmt::print("{} has the report, {} the scene with these values\n", session.directory()->file(report_file),
               run_file::scene);
}

int run_fit(const FitArguments& a) {
  if (a.threads >= 0) set_threads(a.threads);
  if (a.objective.has_value() == a.observed.has_value())
    throw InputError("fit", "needs one of --observed, a table of positions, and --objective, what is to be least");
  if (a.observed)
    fit_to_table(a);
  else
    fit_by_objective(a);
  return interrupted() ? 1 : 0;
}

}  // namespace

void add_fit(CLI::App& cli, Action& action) {
  auto* command =
      cli.add_subcommand("fit", "Find parameters of a scene from observed positions of its probes, or by an objective");
  command->footer(
      "Example:\n  limber fit scenes/beam.json --observed tip.csv --vary \"bodies[0].material.young=1e4..1e7\" \\\n"
      "      --vary \"bodies[0].material.density=500..2000\" -o out/fit\n"
      "The table has the columns of probes.csv: time, then tip.x, tip.y, … of the scene's output.probes. Some may be\n"
      "missing, as may single numbers. Ranges above 0 are searched by logarithm.\n"
      "Instead of a table, an objective that is to be least (docs/gradients.md), as a JSON file or written out:\n"
      "  limber fit scenes/beam.json --objective '{\"frequencies\": [1]}' --vary "
      "\"bodies[0].material.young=1e4..1e7\"\n"
      "  --objective '{\"last_shape\": \"target.obj\"}'   '{\"probe\": \"tip\", \"axis\": \"y\", \"near\": -0.1}'\n"
      "  --objective '[{\"probes\": \"tip.csv\"}, {\"energy\": \"elastic\", \"over\": true, \"weight\": 1e-3}]'");
  auto a = std::make_shared<FitArguments>();
  a->scene.add_to(*command);
  command->add_option("--observed", a->observed, "Table of observed positions, CSV");
  command->add_option("--objective", a->objective, "What is to be least, a JSON file or JSON");
  command->add_option("--vary", a->vary, "KEY=LOW..HIGH: a number or list of the scene to be found, and its bounds")
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
