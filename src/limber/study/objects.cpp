/// Figs. objects and FEMmesh of the survey: a tree in the wind, a brick of jelly, and a beam with its mesh, as movies.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/movie/movie.hpp"
#include "limber/record/temporary_directory.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/run.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/example_scenes.hpp"
#include "limber/study/studies.hpp"
#include "limber/study/trial.hpp"

namespace limber {

namespace {

constexpr double frame_rate = 25;  // stored frames in a second of motion

struct Object {
  std::string name, caption;
  nlohmann::json scene;
  double still;  // [s] of the one picture; the last moment where a run is shorter
  Wireframe wireframe = Wireframe::off;
};

std::vector<Object> objects(const StudyContext& context) {
  nlohmann::json tree = example_scene("tree_in_wind"), jelly = example_scene("jelly_brick"),
                 beam = example_scene("beam");
  beam["method"] = {{"name", "TR-BDF2"}};
  for (auto* scene : {&tree, &jelly, &beam}) (*scene)["output"]["fps"] = frame_rate;
  beam["output"].erase("frames_every");
  if (context.quick()) {
    tree["bodies"][0]["mesh"] = {{"shape", "tree"}, {"levels", 2}, {"seed", 1}, {"resolution", 0.041}};
    for (auto* scene : {&tree, &jelly, &beam}) (*scene)["time"]["duration"] = 1.0;
  }
  return {{"tree", "A tree sways in gusts of wind (SIERE).", tree, 2.52},
          {"jelly", "A brick of jelly, held at its bottom, is pushed aside and let go (SIERE).", jelly, 0.64},
          {"beam", "The soft beam with its tetrahedra (TR-BDF2): q(t) are the nodes of a moving mesh.", beam, 0.8,
           Wireframe::on}};
}

struct Made {
  std::size_t nodes = 0, tets = 0, pictures = 0;
  long escalated = 0, halved = 0;
};

Made make(const Object& object, const StudyContext& context, const std::function<void(double)>& progress) {
  const Scene scene = read_scene(object.scene, vocabulary(), "");
  const Model model = build_model(scene);
  const TemporaryDirectory temporary;
  RunOptions run;
  run.directory = (temporary.path() / "run").string();
  run.progress = [&](const Progress& p) { progress(0.5 * p.time / p.end); };
  const RunResult result = run_scene(document_of(object.scene), scene, model, run);
  MovieOptions options;
  options.wireframe = object.wireframe;
  options.size = context.quick() ? PictureSize{480, 270} : PictureSize{960, 540};
  options.fps = context.quick() ? 10 : 25;
  options.samples = context.quick() ? 4 : 9;
  options.progress = [&](double part) { progress(0.5 + 0.5 * part); };
  const MovieFacts facts = make_movie(run.directory, (context.directory / (object.name + ".mp4")).string(), options);
  options.frame = std::min(static_cast<long>(result.frames) - 1, std::lround(object.still * frame_rate));
  options.progress = [](double) {};
  options.samples = 16;
  make_movie(run.directory, (context.directory / (object.name + ".png")).string(), options);
  const auto& summary = json_of(result.summary);
  return {model.bodies[0].rest.nodes.size(), model.bodies[0].rest.tets.size(), facts.pictures,
          summary["escalated_steps"].get<long>(), summary["halved_steps"].get<long>()};
}

}  // namespace

StudyResult study_objects(const StudyContext& context) {
  StudyResult result;
  StudyTable table{"objects",
                   "What was simulated and drawn",
                   {"object", "nodes", "tetrahedra", "pictures", "steps escalated or halved"},
                   {}};
  const auto all = objects(context);
  long helped = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Made made = make(all[i], context, [&](double part) {
      context.tell((static_cast<double>(i) + part) / static_cast<double>(all.size()), all[i].name);
    });
    table.rows.push_back({all[i].name, std::to_string(made.nodes), std::to_string(made.tets),
                          std::to_string(made.pictures), std::to_string(made.escalated + made.halved)});
    helped += made.escalated + made.halved;
    result.movies.push_back({all[i].name + ".mp4", all[i].name + ".png", all[i].caption});
  }
  result.text = fmt::format(
      "The objects of the survey's first figures, simulated with a step of .01 s and traced with soft shadows. The "
      "tree has {} nodes, so that u = (q, v) has {} numbers; the survey's has about 180000. {} needed help (the full "
      "Newton, or halves).",
      table.rows[0][1], 6 * std::stol(table.rows[0][1]), helped == 0 ? "No step" : fmt::format("{} steps", helped));
  result.tables = {table};
  return result;
}

}  // namespace limber
