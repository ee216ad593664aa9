#include "limber/scene/advice/advise.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/units.hpp"

namespace limber::app {
namespace {

struct AdviseArguments {
  SceneArguments scene;
  std::string accuracy, keep_energy, time, budget, output;
  std::vector<std::string> methods;
  bool real_time = false, apply = false, json = false;
  int threads = -1;
};

Wish wish_of(const AdviseArguments& a, const Scene& scene) {
  const int wishes = !a.accuracy.empty() + !a.keep_energy.empty() + !a.time.empty() + a.real_time;
  if (wishes > 1) throw InputError("advise", "one of --accuracy, --keep-energy, --time and --real-time at a time");
  if (!a.keep_energy.empty()) return wish_from("keep_energy", a.keep_energy);
  if (!a.time.empty()) return wish_from("time", a.time);
  if (a.real_time) return wish_from("real_time", "");
  if (!a.accuracy.empty()) return wish_from("accuracy", a.accuracy);
  if (scene.time.accuracy) return {Wish::Kind::accuracy, scene.time.accuracy->accuracy};
  throw InputError("advise", "what is wanted? --accuracy \"1 mm\", --keep-energy 95%, --time 60s or --real-time");
}

int run_advise(const AdviseArguments& a) {
  if (a.apply && !a.scene.set.empty() && a.output.empty())
    throw InputError("--apply", "writes the scene as it is with --set too; name another file with -o");
  Loaded loaded = a.scene.load();
  set_threads(a.threads >= 0 ? a.threads : loaded.scene.threads);
  if (loaded.scene.method.name == MethodChoice::to_be_decided) loaded.scene.method.name = MethodChoice().name;
  AdviceRequest request;
  request.wish = wish_of(a, loaded.scene);
  request.methods = a.methods;
  if (!a.budget.empty()) request.budget = parse_quantity(a.budget, quantity::time, "--budget");
  TimeLeft progress;
  request.go_on = [&](double part, const std::string& what) {
    if (part > 0) progress.show(part, "pilots: " + what);
    return !interrupted();
  };
  const CatchInterrupts catching;
  const Advice advice = advise(loaded.scene, build_model(loaded.scene), request);
  progress.clear();
  fmt::print("{}", a.json ? to_json(advice).text() + "\n" : describe(advice));
  if (a.apply) {
    if (advice.interrupted) throw StepFailure("nothing was written: the search was interrupted");
    if (advice.suggestions.empty() || !advice.suggestions[0].meets)
      throw StepFailure("nothing was written: no candidate does what was asked for");
    const std::string file = a.output.empty() ? a.scene.file : a.output;
    const Document changed = with_suggestion(a.scene.document(), advice.suggestions[0]);
    write_atomically(file, changed.text() + "\n");
    if (!a.json) fmt::print("{} has these lines now\n", file);
  }
  return interrupted() ? 1 : 0;
}

}  // namespace

void add_advise(CLI::App& cli, Action& action) {
  auto* command =
      cli.add_subcommand("advise", "Say which method and which steps do what is wanted, and what they cost");
  command->footer(
      "Examples:\n"
      "  limber advise scenes/beam.json --accuracy \"1 mm\"      positions within 1 mm of the true motion\n"
      "  limber advise scenes/beam.json --keep-energy 95%      a method that does not lose its swing\n"
      "  limber advise scenes/beam.json --time 60s             the least error in a minute of the processor\n"
      "  limber advise scenes/beam.json --real-time            steps that are computed as fast as they pass\n"
      "Candidates are tried on short parts of the scene. What is said of the whole run is a prediction.");
  auto a = std::make_shared<AdviseArguments>();
  a->scene.add_to(*command);
  command->add_option("--accuracy", a->accuracy,
                      "Largest error of a position, such as \"1 mm\" (default: that of the scene's steps)");
  command->add_option("--keep-energy", a->keep_energy, "Share of the energy that the method may not lose, such as 95%");
  command->add_option("--time", a->time, "Processor time that the run may take, such as 60s");
  command->add_flag("--real-time", a->real_time, "Steps that take no longer than they last");
  command->add_option("--methods", a->methods, "Candidates, such as TR-BDF2,SBDF2 (default: the usual ones)")
      ->delimiter(',');
  command->add_option(
      "--budget", a->budget,
      "Counted work for pilots (default: 0.45 s, which takes a processor .5 to 3 s, or 3 % of the run)");
  command->add_flag("--apply", a->apply, "Write the first suggestion into the scene file, or into -o");
  command->add_option("-o,--output", a->output, "With --apply: another file for the changed scene");
  command->add_option("--threads", a->threads, "Threads to use (0: all cores); the advice does not depend on it")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", a->json, "Print the advice as JSON");
  command->callback([a, &action] { action = [a] { return run_advise(*a); }; });
}

}  // namespace limber::app
