#pragma once
/// Parameters of a scene for which its probes move as observed: least squares on the derivatives of the motion.

#include <functional>
#include <string>
#include <utility>
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

/// What is searched for.
struct FitSearch {
  Document scene;
  std::string base;  // the folder in which its mesh files are looked for
  FileAccess access = {};
  std::vector<FitVariable> variables = {};
  int starts = 1, max_evaluations = 100;
  /// After each evaluation; false: the best so far is taken.
  std::function<bool(const FitProgress&)> go_on = {};
};

struct FitRequest : FitSearch {
  Observations observations;
};

/// Of the scene's equilibrium.
struct StaticsFitRequest : FitSearch {
  std::vector<std::pair<std::string, Vec3>> probes = {};  // where they were seen [m]; NaN: not seen
  Vector nodes = {};                                      // the same of all nodes, 3N; empty: none
};

struct Fit {
  LeastSquaresResult found;
  double rms = 0;       // [m] of what was observed less what the motion does
  Document scene;       // with the values found
  FittedMotion motion;  // none of an equilibrium
  std::vector<std::string> notes;
};

/// The fit starts from the values that the scene has, or from the middle of a range that does not contain them. Throws
/// InputError, StepFailure if no run succeeds, and Interrupted if none was finished.
Fit fit(const FitRequest& request);
Fit fit(const StaticsFitRequest& request);

/// The report as JSON text: values, 95 % intervals, residual, notes.
Document fit_report(const FitSearch& request, const Fit& fit);

}  // namespace limber
