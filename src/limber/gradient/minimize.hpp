#pragma once
/// Parameters x between bounds with the least J(x), from values and gradients: L-BFGS-B in scaled variables u (ln x, or
/// the place in the range). The first step is short, and none is longer than a factor of ten or half the range.

#include <functional>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/gradient/fit_variable.hpp"

namespace limber {

struct ValueAndGradient {
  double value = 0;
  Vector gradient;  // ∂J/∂x
};

/// May throw StepFailure. A point with a value that is not finite has failed too.
using SmoothFunction = std::function<ValueAndGradient(const Vector& x)>;

/// One evaluation.
struct MinimizeProgress {
  int evaluation = 0;  // from 1
  double value = 0;    // infinite where the evaluation failed
  Vector x;
};

struct MinimizeOptions {
  int max_evaluations = 100;
  /// The search has converged where a step lowers J by less than this part, or moves no scaled variable by more.
  double tolerance = 1e-9;
  /// More than one: further starts fill the bounds evenly, always the same ones. The search goes on from the best.
  int starts = 1;
  /// Called after each evaluation; false ends the search with the best point so far.
  std::function<bool(const MinimizeProgress&)> go_on;
};

struct Minimum {
  Vector x;
  ValueAndGradient at;
  int evaluations = 0;
  bool converged = false;
  std::string reason;              // why it ended
  std::vector<std::string> notes;  // on runs that failed, and variables at a bound
};

/// Where the function fails, the step is shortened. Throws InputError where bounds and start make no sense, and the
/// StepFailure of `start`, with the values, where no start can be evaluated. What else the function throws comes
/// through.
Minimum minimize(const SmoothFunction& function, const std::vector<FitVariable>& variables, const Vector& start,
                 const MinimizeOptions& options = {});

}  // namespace limber
