#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "limber/core/errors.hpp"
#include "limber/record/directory.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/verify/verify.hpp"
#include "surroundings.hpp"

namespace limber::app {
namespace {

constexpr std::size_t listed = 10;  // findings in the text

nlohmann::json to_json(const Verification& v) {
  nlohmann::json j{{"frames", v.frames},
                   {"frames_planned", v.frames_planned},
                   {"nodes", v.nodes},
                   {"tets", v.tets},
                   {"triangles", v.triangles},
                   {"min_det_F", v.min_det_F},
                   {"bad_frames", v.bad_frames},
                   {"crossings", v.crossings},
                   {"enclosed", v.enclosed},
                   {"inverted", v.inverted},
                   {"obstacle_overlaps", v.obstacle_overlaps},
                   {"tolerated_inversions", v.tolerated_inversions},
                   {"materials_known", v.materials_known},
                   {"obstacles", v.materials_known ? nlohmann::json(v.obstacles) : nlohmann::json()},
                   {"sewn", v.sewn},
                   {"clean", v.count() == 0}};
  j["findings"] = nlohmann::json::array();
  for (const Finding& f : v.findings)
    j["findings"].push_back({{"frame", f.frame},
                             {"time", f.time},
                             {"kind", to_string(f.flaw)},
                             {"what", f.what},
                             {"bodies", f.bodies},
                             {"cells", f.cells},
                             {"position", {f.position[0], f.position[1], f.position[2]}}});
  return j;
}

std::string to_text(const Verification& v, const std::string& directory) {
  std::string text =
      fmt::format("{}: {} of {} frames, {} nodes, {} tetrahedra, {} surface triangles, smallest det F {:.4g}\n",
                  directory, v.frames, v.frames_planned, v.nodes, v.tets, v.triangles, v.min_det_F);
  if (v.tolerated_inversions > 0)
    text += fmt::format("{} times a tetrahedron is inverted {}\n", v.tolerated_inversions,
                        v.materials_known ? "whose material allows it"
                                          : "(there is no scene.json to say whether its material allows it)");
  if (!v.materials_known) text += "there is no scene.json: obstacles were not looked at\n";
  for (const auto& [a, b] : v.sewn) text += fmt::format("'{}' and '{}' are sewn together: not compared\n", a, b);
  if (v.count() == 0)
    return text + fmt::format("no surfaces meet, no part lies inside another{}, nothing forbidden is inverted\n",
                              v.obstacles > 0 ? fmt::format(", nothing is in one of {} obstacles", v.obstacles) : "");
  for (std::size_t i = 0; i < std::min(v.findings.size(), listed); ++i) {
    const Finding& f = v.findings[i];
    text += fmt::format("frame {}, t = {:.6g} s: {}, near ({:.4g}, {:.4g}, {:.4g})\n", f.frame, f.time, f.what,
                        f.position[0], f.position[1], f.position[2]);
  }
  if (v.count() > static_cast<long>(listed)) text += fmt::format("… {} more\n", v.count() - static_cast<long>(listed));
  text += fmt::format("found: {} crossings, {} parts inside others, {} forbidden inversions", v.crossings, v.enclosed,
                      v.inverted);
  if (v.obstacles > 0) text += fmt::format(", {} overlaps with obstacles", v.obstacle_overlaps);
  if (v.bad_frames > 0) text += fmt::format(", {} frames that hold numbers that are not finite", v.bad_frames);
  return text + "\n";
}

/// Obstacles and thicknesses by the scene that the run keeps; nothing where it is missing.
Surroundings kept_surroundings(const std::string& directory) {
  const auto path = std::filesystem::path(directory) / run_file::scene;
  std::error_code unreadable;
  if (!std::filesystem::exists(path, unreadable)) return {};
  try {
    return surroundings(load_scene(path.string()));
  } catch (const InputError& error) {
    if (error.where().starts_with(path.string())) throw;
    throw InputError(path.string(), error.what());
  }
}

int check_directory(const std::string& directory, bool as_json) {
  TimeLeft progress;
  const auto show = [&](long done, long all) {
    progress.show(static_cast<double>(done) / static_cast<double>(all), fmt::format("frame {} of {}", done, all));
  };
  const Verification v = verify_trajectory(directory, kept_surroundings(directory), show);
  write_text("", as_json ? to_json(v).dump() + "\n" : to_text(v, directory));
  return v.count() == 0 ? 0 : 1;
}

int check_scene(const SceneArguments& arguments, bool as_json) {
  const auto loaded = decided(arguments.load());
  const auto model = build_model(loaded.scene);
  build_simulation(loaded.scene, model);
  const auto facts = gather_facts(loaded.scene, model, 5);
  if (as_json)
    fmt::print("{}\n", json_of(to_json(facts)).dump());
  else
    fmt::print("{}{} is ready to run\n", describe(facts), arguments.file);
  return 0;
}

int check(const SceneArguments& a, bool as_json) {
  std::error_code error;
  if (!std::filesystem::is_directory(a.file, error)) return check_scene(a, as_json);
  if (!a.set.empty()) throw InputError("--set", "goes with a scene; " + a.file + " is the directory of a run");
  return check_directory(a.file, as_json);
}

}  // namespace

void add_check(CLI::App& cli, Action& action) {
  auto* command = cli.add_subcommand(
      "check", "Look at a scene without running it, or verify the frames of a run: nothing may meet or be inverted");
  command->footer(
      "Example:\n  limber check scenes/beam.json\n  limber check out/beam --json\n\n"
      "Exit status for a run: 0 nothing found, 1 something found, 2 bad input.");
  auto a = std::make_shared<SceneArguments>();
  auto json = std::make_shared<bool>(false);
  a->add_to(*command);
  command->add_flag("--json", *json, "Print as JSON");
  command->callback([a, json, &action] { action = [a, json] { return check(*a, *json); }; });
}

}  // namespace limber::app
