#include "limber/scene/coarsen/coarsen.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/scene/json.hpp"

namespace limber::app {
namespace {

struct CoarsenArguments {
  SceneArguments scene;
  std::string output, body;
  double resolution = 2;
  int modes = 6, threads = -1;
  bool overwrite = false, json = false;
};

void print_coarse(const CoarseBody& b) {
  fmt::print("{}: {} elements, {} nodes; before {} and {}\n", b.name, b.elements, b.nodes, b.elements_before,
             b.nodes_before);
  fmt::print("mode   fine [Hz]  coarse, same moduli       coarse\n");
  for (std::size_t i = 0; i < b.fine.size(); ++i)
    fmt::print("{:>4}  {:>10.5g}  {:>10.5g} {:>+7.2f} %  {:>10.5g} {:>+6.2f} %\n", i + 1, b.fine[i], b.before[i],
               100 * (b.before[i] / b.fine[i] - 1), b.after[i], 100 * (b.after[i] / b.fine[i] - 1));
  fmt::print(
      "mass {:.6g} kg, before {:.6g}; self weight along x, y, z does {:+.2f}, {:+.2f}, {:+.2f} % more; moduli {:.3g} "
      "to {:.3g} times those before\n",
      b.mass, b.mass_before, 100 * (b.self_weight[0] - 1), 100 * (b.self_weight[1] - 1), 100 * (b.self_weight[2] - 1),
      b.least_young, b.most_young);
}

int run_coarsen(const CoarsenArguments& a) {
  if (a.threads >= 0) set_threads(a.threads);
  const auto existing = a.overwrite ? ExistingScene::overwrite : ExistingScene::refuse;
  if (!a.overwrite && std::filesystem::exists(a.output))
    throw InputError(a.output, "is there already; take another name, or --overwrite");
  CoarsenRequest request{.scene = a.scene.document(),
                         .base = std::filesystem::path(a.scene.file).parent_path().string(),
                         .factor = a.resolution,
                         .modes = a.modes,
                         .body = a.body};
  TimeLeft progress;
  request.go_on = [&](const std::string& reached) {
    progress.show(reached);
    return !interrupted();
  };
  const CatchInterrupts catching;
  const Coarsened made = coarsen(request);
  progress.clear();
  const auto files = write_coarse_scene(made, a.output, existing);
  if (a.json) {
    fmt::print("{}\n", coarsen_report(made).text());
    return interrupted() ? 1 : 0;
  }
  for (const CoarseBody& body : made.bodies) print_coarse(body);
  for (const std::string& note : made.notes) fmt::print("note: {}\n", note);
  fmt::print("{}\n", fmt::join(files, ", "));
  return interrupted() ? 1 : 0;
}

}  // namespace

void add_coarsen(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand("coarsen", "Make a scene of coarse bodies that move like its fine ones");
  command->footer(
      "Example:\n  limber coarsen scenes/beam.json --resolution 2 -o out/coarse.json\n  limber run out/coarse.json -o "
      "out/coarse\n"
      "Each coarse element gets a modulus and a density of its own, by which the first frequencies and what loads do "
      "at\n"
      "rest stay. The coarse meshes are written beside the scene, which can be run as any other.");
  auto a = std::make_shared<CoarsenArguments>();
  a->scene.add_to(*command);
  command->add_option("--resolution", a->resolution,
                      "How many times longer the edges become (default 2: about an eighth of the tetrahedra)");
  command->add_option("-n,--modes", a->modes, "How many frequencies are kept (default 6)");
  command->add_option("-o,--output", a->output, "File of the coarse scene")->required();
  command->add_option("--body", a->body, "Name of the body to be made coarse (default: all solids)");
  command->add_flag("--overwrite", a->overwrite, "Replace files that are there");
  command->add_option("--threads", a->threads, "Threads to use (0: all cores); results do not depend on it")
      ->check(CLI::Range(0, 1024));
  command->add_flag("--json", a->json, "Print the report as JSON");
  command->callback([a, &action] { action = [a] { return run_coarsen(*a); }; });
}

}  // namespace limber::app
