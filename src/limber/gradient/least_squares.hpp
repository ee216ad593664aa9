#pragma once
/// Parameters x between bounds with the least ‖r(x)‖², by the method of Levenberg and Marquardt. In scaled variables u
/// (ln x, or the place in the range) each step s is the minimum of ‖r + J s‖² + λ sᵀD s between the bounds, where J =
/// ∂r/∂u and D is the diagonal of JᵀJ. λ rises until the step succeeds. Long steps are halved while that is better.

#include <functional>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/gradient/fit_variable.hpp"

namespace limber {

struct LeastSquaresValue {
  Vector residual;
  Matrix jacobian;  // ∂r/∂x, #r × #x
};

/// May throw StepFailure. A point with a value that is not finite has failed too.
using LeastSquaresFunction = std::function<LeastSquaresValue(const Vector& x)>;

/// One evaluation.
struct FitProgress {
  int evaluation = 0;         // from 1
  double sum_of_squares = 0;  // infinite where the evaluation failed
  Vector x;
};

struct LeastSquaresOptions {
  int max_evaluations = 100;
  /// The fit has converged where the undamped step lowers ‖r‖² by less than this part, or moves no scaled variable by
  /// more.
  double tolerance = 1e-10;
  /// More than one: further starts fill the bounds evenly, always the same ones. The best of all is improved.
  int starts = 1;
  /// Called after each evaluation; false ends the fit with the best point so far.
  std::function<bool(const FitProgress&)> go_on;
};

/// Uncertainties hold for residuals that are independent and equally distributed. They are NaN for variables at a
/// bound, which count as known, for those that the data do not determine, and for all where there are no more residuals
/// than variables.
struct LeastSquaresResult {
  Vector x;
  double sum_of_squares = 0;  // ‖r‖²
  int evaluations = 0;
  Matrix covariance;  // s²(JᵀJ)⁻¹ with s² = ‖r‖²/(#r − #x), of ln x for logarithmic variables and of x for others
  Vector low95, high95;  // 95 % intervals by Student's t; the bounds do not cut them off
  bool converged = false;
  std::string reason;              // why it ended
  std::vector<std::string> notes;  // which variables the data do not determine, and which ended at a bound
};

/// Throws InputError where bounds and start make no sense, and the StepFailure of `start`, with the values, where no
/// start can be evaluated.
LeastSquaresResult least_squares(const LeastSquaresFunction& function, const std::vector<FitVariable>& variables,
                                 const Vector& start, const LeastSquaresOptions& options = {});

/// The t with P(|T| < t) = 95 % for Student's T.
double student_95(Index degrees_of_freedom);

}  // namespace limber
