#pragma once
/// How an error of the past goes on: as a small deviation δ of the motion, by
///
///     δq′ = δv,   M δv′ = −K δq − D δv
///
/// with K and D at the present state, in steps of SDIRK as long as several steps of the motion. It needs one matrix for
/// each of its steps, and no Newton iterations. Collisions are dashpots here: with their tangents K_c and D_c, a stage
/// solves
///
///     (M + τ (D + D_c) + τ² (K + K_c)) δv = M δv* − τ K δq*
///
/// so that K_c resists velocities of the deviation, but stores no energy. What touches stays as far off as it was.
/// A spring K_c of the present state would turn an error of position into one of velocity, in proportion to a
/// stiffness that holds for a part of the barrier's range only.

#include <memory>
#include <string>
#include <vector>

#include "limber/time/dynamics.hpp"

namespace limber {

class ErrorTransport {
 public:
  /// linear_solver: as for stages.
  explicit ErrorTransport(std::string linear_solver) : name_(std::move(linear_solver)) {}

  /// Carries errors, all of one time, on to the time of u. Returns false, and leaves them, if the linear solver fails.
  bool carry(System& system, const std::vector<State*>& errors, const State& u);
  /// Forgets what has been learnt from earlier matrices.
  void forget() { solver_.reset(); }

 private:
  std::string name_;
  std::unique_ptr<LinearSolver> solver_;
  Tangent tangent_;
  SparseMatrix A_;
};

}  // namespace limber
