#pragma once
/// A method at work on one system: scheme × stage solver × splitting, with what these keep between steps (factors,
/// modes). All else that a step depends on is the history.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/time/catalog.hpp"

namespace limber {

/// Where the forces of the last step acted.
struct ActedForces {
  ForceWeights weights = {};
  std::optional<State> stage = {};  // where its weight is not zero
  /// All of them at a stage that is not the step's end.
  bool at_stage_only() const { return stage && weights.start == 0 && weights.end == 0; }
};

struct MethodOptions {
  StageOptions stages = {};
  ModalOptions modes = {};
  double krylov_tolerance = 1e-7;  // relative, of φ₁ (ERE)
};

class Stepper {
 public:
  /// Throws InputError for wrong parameters.
  Stepper(const MethodInfo& method, const MethodParameters& given, System& system, const MethodOptions& options);

  /// The state after a step of length h from u[0]. Throws StepFailure; the history is never touched. Until a step is
  /// accepted, further calls try it again.
  State step(System& system, const History& u, double h);
  /// The step to u1 is accepted: adds it to the history.
  void accept(History& u, State u1);
  /// The same with every stage solved by the full Newton: what a linearised method falls back to.
  State step_by_newton(System& system, const History& u, double h);
  /// One step of backward Euler with the full Newton: the last resort where a method leaves what is feasible.
  State step_by_backward_euler(System& system, const History& u, double h);
  /// One step of TR-BDF2 with the full Newton, which loses hardly anything of what moves slowly.
  State step_by_tr_bdf2(System& system, const History& u, double h);
  /// The scheme with the full Newton and contact beside it (contact_beside.hpp): an impact is not extrapolated.
  State step_beside(System& system, const History& u, double h);
  /// The same step of a hybrid with modes of its start, or without modes.
  State step_with_new_modes(System& system, const History& u, double h);
  State step_without_modes(System& system, const History& u, double h);
  /// Whether the modes of the last step are those of an earlier one.
  bool has_older_modes() const { return modes_ && modes_->basis().count() > 0 && modes_->kept(); }
  /// Whether that is possible: the method solves stages, and ends at the last of them.
  bool can_step_beside() const;
  /// Whether the last step, or the last try of one, had forces that are implicit in every method: of collisions, if
  /// something came within reach, of rigid parts or liquids.
  bool met() const { return met_; }
  /// Whether a stage of such a step ended where things touch.
  bool touched() const { return stages_->touched() || (newton_ && newton_->touched()); }
  bool linearized() const { return info_->solution == StageSolution::linearized; }

  bool ends_at_stage() const { return scheme_->ends_at_stage(); }
  /// In the last step that was taken, of whichever kind.
  const ActedForces& acted() const { return acted_; }
  SchemeMemory memory() const { return scheme_->memory(); }
  const MethodInfo& info() const { return *info_; }
  StageSolver& stages() { return *stages_; }
  /// Null unless the method splits off modes.
  ModalSubspace* modes() { return modes_.get(); }
  const ModalSubspace* modes() const { return modes_.get(); }
  /// Since the construction, as all counts are.
  long newton_iterations() const;
  SolverCounts linear_counts() const;
  ExponentialCounts exponential_counts() const { return exponential_.counts(); }
  /// What the user should hear of the last steps.
  std::vector<std::string> take_notes() { return modes_ ? modes_->take_notes() : std::vector<std::string>{}; }

  /// Has new solvers, and keeps the modes: what follows depends on the history and their memory only.
  void reset(System& system);
  /// Forgets the modes too: what follows depends on the history only.
  void forget(System& system);

 private:
  StageSolver& newton(System& system);
  State step_by(const TimeIntegrator& scheme, System& system, const State& start, double h);
  ModalLimits limits() const;
  void note_left_out();
  State step_of_method(System& system, const History& u, double h, ModalSubspace::Use modes);
  using Take = std::function<State(System&)>;
  State apart_or_with_contact(System& system, const State& start, const Take& take);
  State step_in_frame(StageSolution solution, System& system, const History& u, double h,
                      ModalSubspace::Use modes = ModalSubspace::Use::kept_or_new);
  State step_of_base(StageSolution solution, System& system, const History& u, double h);
  /// A step of the scheme, and where its forces acted.
  State scheme_step(StageSolver& stages, System& system, const History& u, double h);
  State step_with(StageSolver& stages, System& system, const History& u, double h,
                  ModalSubspace::Use modes = ModalSubspace::Use::kept_or_new);

  const MethodInfo* info_;
  StageOptions options_;
  std::unique_ptr<TimeIntegrator> scheme_;
  std::unique_ptr<StageSolver> stages_, newton_;
  long iterations_before_ = 0;  // of earlier solvers
  SolverCounts counts_before_;
  std::unique_ptr<ModalSubspace> modes_;
  Exponential exponential_;
  ActedForces acted_;
  bool met_ = false;
};

}  // namespace limber
