#pragma once
/// Parameters of a scene, between bounds, for which an objective is least: L-BFGS-B on the derivatives of the motion.

#include <functional>
#include <string>
#include <vector>

#include "limber/gradient/minimize.hpp"
#include "limber/mesh/io/file_access.hpp"
#include "limber/scene/document.hpp"
#include "limber/scene/gradient/objective.hpp"
#include "limber/scene/gradient/varied.hpp"

namespace limber {

struct OptimumRequest {
  Document scene;
  std::string base;  // the folder in which its mesh files are looked for
  FileAccess access = {};
  ObjectivePtr objective;
  std::vector<VariedParameter> varied;
  ParameterLists start = {};  // in place of the values that the scene has; empty: these
  int starts = 1, max_evaluations = 100;
  double tolerance = 1e-9;
  /// After each evaluation; false: the best so far is taken.
  std::function<bool(const SearchProgress&)> go_on = {};
};

struct Optimum {
  std::vector<RunParameter> found;  // with the best values
  double value = 0;                 // of the objective
  int evaluations = 0;
  bool converged = false;
  std::string reason;
  std::vector<std::string> notes;
  Document scene;  // with the best values that have keys: not initial.… and element.young
};

/// Starts from the values that the scene has, or from the middle of a range that does not contain them. Throws
/// InputError, StepFailure if no run succeeds, and Interrupted if none was finished.
Optimum optimum(const OptimumRequest& request);

/// The report as JSON text: values, the objective's value, notes.
Document optimum_report(const Optimum& optimum);

}  // namespace limber
