#pragma once
/// How an error of the past goes on: as a small deviation δ of the motion, by
///
///     δq′ = δv,   M δv′ = −K δq − D δv
///
/// with K and D of all forces but contact at the present state (how a barrier pushes changes too much within an error),
/// in steps of SDIRK as long as several steps of the motion. It needs one matrix for each of its steps, and no Newton
/// iterations.

#include <memory>
#include <optional>
#include <string>

#include "limber/time/dynamics.hpp"

namespace limber {

class ErrorTransport {
 public:
  /// linear_solver: as for stages.
  explicit ErrorTransport(std::string linear_solver) : name_(std::move(linear_solver)) {}

  /// `error` at the time of u, from what it was at its own time; nullopt if the linear solver fails.
  std::optional<State> carried(System& system, const State& error, const State& u);
  /// Forgets what has been learnt from earlier matrices.
  void forget() { solver_.reset(); }

 private:
  std::string name_;
  std::unique_ptr<LinearSolver> solver_;
  Tangent tangent_;
  SparseMatrix A_;
};

}  // namespace limber
