#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/frame_plan.hpp"
#include "limber/study/accuracy.hpp"
#include "limber/study/example_scenes.hpp"
#include "limber/study/trial.hpp"

namespace limber {

namespace {

constexpr int frames_compared = 120;
constexpr long most_steps = 100000;

struct AccuracyRow {
  const char* name;
  AccuracyScene::Kind kind;
  bool quick = false;  // also in the quick form
};

const std::vector<AccuracyRow>& accuracy_rows() {
  using enum AccuracyScene::Kind;
  static const std::vector<AccuracyRow> rows = {
      {"soft-beam", smooth},
      {"stiff-beam", smooth},
      {"held-beam", smooth},
      {"quadratic-bar", smooth},
      {"twisted-bar", smooth},
      {"hanging-rod", smooth},
      {"plucked-rod", smooth},
      {"flag", smooth},
      {"drum", smooth},
      {"chain", smooth, true},
      {"net", smooth},
      {"shaken-block", smooth},
      {"struck-brick", smooth, true},
      {"tumbling-box", smooth},
      {"thrown-bar", smooth},
      {"weighted-bar", smooth, true},
      {"damped-bar", smooth},
      {"bone-in-jelly", smooth},
      {"hung-block", smooth},
      {"windy-plate", smooth},
      {"rolling-ball", contact},
      {"sliding-block", contact},
      {"cloth-on-ball", contact},
      {"rope-over-bar", contact},
      {"press", contact},
      {"spinning-block", contact, true},
      {"dropped-block", impact, true},
      {"tilted-block", impact},
      {"stiff-block", impact},
      {"rubber-block", impact},
      {"settling-block", impact},
      {"stack", impact},
      {"released-bar", impact},
      {"balloon", impact},
      {"viscous-block", impact},
      {"fallen-rope", impact},
      {"lift", impact},
      {"beam-on-stop", impact, true},
      {"collision", impact},
      {"falling-sheet", impact},
  };
  return rows;
}

double cpu_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

SeenMotion seen(const AccuracyScene& from, const nlohmann::json& step, const std::string& method) {
  nlohmann::json json = from.scene;
  json["method"] = method;
  json["time"]["step"] = step;
  const double start = cpu_time();
  const Scene scene = read_scene(json, vocabulary(), "");
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  SeenMotion motion;
  Trial trial;
  trial.run([&] {
    while (simulation.is_before(from.duration)) {
      const State before = simulation.system().full(simulation.state());
      const StepRecord record = simulation.step_to(from.duration);
      const State after = simulation.system().full(simulation.state());
      motion.work += record.newton_iterations + record.carried;
      motion.rejected += record.rejected;
      if (++motion.steps > most_steps) throw StepFailure(std::to_string(most_steps) + " steps were not enough");
      const auto due = [&] { return from.duration * static_cast<double>(motion.frames.size() + 1) / frames_compared; };
      constexpr double rounding = 1e-9;
      while (motion.frames.size() < frames_compared && due() <= after.t + rounding * from.duration)
        motion.frames.push_back(between(before, after, std::min(due(), after.t)).q);
    }
  });
  motion.stopped = trial.stopped;
  motion.estimate = simulation.step_control().largest;
  motion.seconds = cpu_time() - start;
  return motion;
}

}  // namespace

const char* to_string(AccuracyScene::Kind kind) {
  switch (kind) {
    case AccuracyScene::Kind::smooth:
      return "smooth";
    case AccuracyScene::Kind::contact:
      return "contact";
    case AccuracyScene::Kind::impact:
      return "rest and impact";
  }
  return "";
}

std::vector<AccuracyScene> accuracy_scenes(StudySize size) {
  std::vector<AccuracyScene> scenes;
  for (const AccuracyRow& row : accuracy_rows()) {
    if (size == StudySize::quick && !row.quick) continue;
    nlohmann::json json = example_scene(std::string("accuracy/") + row.name);
    const Scene scene = read_scene(json, vocabulary(), "");
    scenes.push_back(
        {row.name, row.kind, json["description"], scene.time.accuracy->accuracy, scene.time.duration, std::move(json)});
  }
  return scenes;
}

SeenMotion with_accuracy(const AccuracyScene& scene, double accuracy, const std::string& method) {
  return seen(scene, {{"accuracy", accuracy}}, method);
}

SeenMotion with_steps(const AccuracyScene& scene, long steps, const std::string& method) {
  return seen(scene, scene.duration / static_cast<double>(steps), method);
}

double distance(const SeenMotion& a, const SeenMotion& b) {
  if (a.stopped || b.stopped) return std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t k = 0; k < a.frames.size(); ++k) {
    const Vector apart = a.frames[k] - b.frames[k];
    for (Index node = 0; node < apart.size() / 3; ++node)
      most = std::max(most, block(apart, static_cast<int>(node)).norm());
  }
  return most;
}

SeenMotion reference_motion(const AccuracyScene& scene) {
  SeenMotion motion = with_accuracy(scene, scene.accuracy / 100);
  if (motion.stopped) throw StepFailure("the reference of " + scene.name + " stops: " + *motion.stopped);
  return motion;
}

}  // namespace limber
