#pragma once
/// The kind of matrix of a linear system, and the outcome of a solve.

namespace limber {

enum class Symmetry { symmetric, general };  // symmetric: only the lower triangle is read

struct SolveReport {
  enum class Status { ok, indefinite, singular, not_converged } status = Status::ok;
  int iterations = 0;   // of an iterative solver; 0 for a direct solve
  double residual = 0;  // ‖b − A x‖ / ‖b‖, as far as known
};

}  // namespace limber
