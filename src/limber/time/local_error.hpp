#pragma once
/// Estimates of the error that one step adds to a motion, at no further solve. A scheme of order p has the error
///
///     C h^(p+1) d^(p+1)u/dt^(p+1),
///
/// with its constant C. The derivatives are divided differences of what the scheme has computed: velocities at the ends
/// of steps, at a stage, or the algorithmic accelerations of Newmark-type schemes.

#include <optional>

#include "limber/core/history.hpp"

namespace limber {

struct ErrorFormula {
  int order;        // p: 1 or 2
  double constant;  // C; of multistep schemes, of the error that lasts once their history has taken it up
  enum class From { velocities, stage, accelerations } from = From::velocities;  // stage: velocities, one at a stage
  double velocity_constant = 0;  // c of an error c h² a′ of velocities, for Newmark's schemes with γ ≠ ½
};

/// How a method's error is estimated; by doubling: from the difference between a step and two half steps.
enum class ErrorEstimate { embedded, differences, zienkiewicz_xie, doubling };
const char* to_string(ErrorEstimate);

/// The number of states that estimates look back at, counting the one before the step.
inline constexpr std::size_t states_for_estimates = 3;

/// The error that a step adds. Empty vectors stand for zero.
struct LocalError {
  Vector q;  // [m]
  Vector v;  // [m/s]

  /// Adds the error of the step after this one.
  void add(const LocalError& next);
};

/// The error of the step from u[0] to u1. stage: the solution of its first stage, for formulas that use it. nullopt if
/// the history is too short.
std::optional<LocalError> local_error(const ErrorFormula& formula, const History& u, const State* stage,
                                      const State& u1);

}  // namespace limber
