#pragma once  // internal
/// What the parts of the study "accuracy" share: its scenes, and motions that are compared at common times.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/study/study.hpp"

namespace limber {

/// scenes/accuracy/`name`.json. impact: phases of flight or rest, and impacts between them.
struct AccuracyScene {
  enum class Kind { smooth, contact, impact };

  std::string name;
  Kind kind;
  std::string title;
  double accuracy, duration;  // [m], [s]
  nlohmann::json scene;
};
const char* to_string(AccuracyScene::Kind);

/// All of them, or some of each kind.
std::vector<AccuracyScene> accuracy_scenes(StudySize size);

/// A motion at times that do not depend on its steps, and what it took.
struct SeenMotion {
  std::vector<Vector> frames;  // [m] of all nodes
  long steps = 0, rejected = 0;
  long work = 0;        // matrices: one for each Newton iteration, and for each step of what carries the error along
  double seconds = 0;   // of processors
  double estimate = 0;  // [m] the largest error by its own estimates
  std::optional<std::string> stopped = {};  // why it did not reach its end
};

SeenMotion with_accuracy(const AccuracyScene& scene, double accuracy, const std::string& method = "TR-BDF2");
SeenMotion with_steps(const AccuracyScene& scene, long steps, const std::string& method = "TR-BDF2");
/// The largest of a node at any of the times [m]; ∞ if one of them has stopped.
double distance(const SeenMotion& a, const SeenMotion& b);

/// What motions are compared with: a hundredth of the accuracy.
SeenMotion reference_motion(const AccuracyScene& scene);

/// A scene with its reference.
struct JudgedScene {
  AccuracyScene scene;
  SeenMotion reference;
};

/// Asked and true errors with TR-BDF2, and work with and without control: the scenes with their references.
std::vector<JudgedScene> judge_control(const StudyContext& context, StudyResult& result);
/// Asked and true errors over the catalog of methods, on two of these scenes.
void judge_methods(const StudyContext& context, const std::vector<JudgedScene>& scenes, StudyResult& result);

}  // namespace limber
