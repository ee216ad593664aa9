#pragma once
/// Parameters of a scene for which its probes move as observed: least squares on the derivatives of the motion.

#include <functional>
#include <string>
#include <vector>

#include "limber/gradient/least_squares.hpp"
#include "limber/mesh/io/file_access.hpp"
#include "limber/scene/document.hpp"
#include "limber/scene/gradient/fit_plot.hpp"
#include "limber/scene/gradient/observations.hpp"

namespace limber {

/// "bodies[0].material.young=1e4..1e7", where numbers may have units. Positive ranges are searched by logarithm. Throws
/// InputError("--vary", …).
FitVariable read_fit_variable(const std::string& text);

struct FitRequest {
  Document scene;
  std::string base;  // the folder in which its mesh files are looked for
  FileAccess access = {};
  Observations observations;
  std::vector<FitVariable> variables;
  int starts = 1, max_evaluations = 100;
  /// After each evaluation; false: the best so far is taken.
  std::function<bool(const FitProgress&)> go_on = {};
};

struct Fit {
  LeastSquaresResult found;
  double rms = 0;  // [m] of what was observed less what the motion does
  Document scene;  // with the values found
  FittedMotion motion;
  std::vector<std::string> notes;
};

/// The fit starts from the values that the scene has, or from the middle of a range that does not contain them. Throws
/// InputError, StepFailure if no run succeeds, and Interrupted if none was finished.
Fit fit(const FitRequest& request);

/// The report as JSON text: values, 95 % intervals, residual, notes.
Document fit_report(const FitRequest& request, const Fit& fit);

}  // namespace limber
