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
#include "limber/scene/gradient/varied.hpp"

namespace limber {

/// What is searched for.
struct FitSearch {
  Document scene;
  std::string base;  // the folder in which its mesh files are looked for
  FileAccess access = {};
  std::vector<VariedParameter> varied = {};
  ParameterLists start = {};  // in place of the values that the scene has; empty: these
  int starts = 1, max_evaluations = 100;
  /// After each evaluation, with the sum of squares; false: the best so far is taken.
  std::function<bool(const SearchProgress&)> go_on = {};
};

struct FitRequest : FitSearch {
  Observations observations;
  /// Before go_on, after each evaluation that is better than all before: the motion.
  std::function<void(const FittedMotion&)> improved = {};
};

/// Of the scene's equilibrium.
struct StaticsFitRequest : FitSearch {
  std::vector<std::pair<std::string, Vec3>> probes = {};  // where they were seen [m]; NaN: not seen
  Vector nodes = {};                                      // the same of all nodes, 3N; empty: none
};

struct Fit {
  LeastSquaresResult found;              // of all components, one after the other
  std::vector<RunParameter> parameters;  // with the values found
  double rms = 0;                        // [m] of what was observed less what the motion does
  Document scene;                        // with the values found that have keys: not element.young
  FittedMotion motion;                   // of a motion
  Vector equilibrium;                    // of an equilibrium, 3N [m]
  std::vector<std::string> notes;
};

/// The fit starts from the values that the scene has, or from the middle of a range that does not contain them. It goes
/// forwards with the motion, so all lists together may have up to 200 components. Throws InputError, StepFailure if no
/// run succeeds, and Interrupted if none was finished.
Fit fit(const FitRequest& request);
Fit fit(const StaticsFitRequest& request);

/// The report as JSON text: values, 95 % intervals, residual, notes. Of lists both ends of the intervals are lists.
Document fit_report(const Fit& fit);

}  // namespace limber
