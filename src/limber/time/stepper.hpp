#pragma once
/// A method applied to one system: scheme × stage solver × splitting, with the data they retain between steps (factors,
/// modes). Apart from these, a step depends on the history only.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/time/catalog.hpp"

namespace limber {

/// Where the forces of the last step acted.
struct ActedForces {
  ForceWeights weights = {};
  std::optional<State> stage = {};  // if its weight is not zero
  /// All forces acted at a stage that is not the end of the step.
  bool at_stage_only() const { return stage && weights.start == 0 && weights.end == 0; }
};

/// What an attempt at a step has computed.
struct StepLog {
  std::vector<StageRecord> stages = {};
  std::shared_ptr<const HeldModes> modes = {};  // of a hybrid; without columns: the step was taken without modes
};

struct MethodOptions {
  StageOptions stages = {};
  ModalOptions modes = {};
  double krylov_tolerance = 1e-7;  // relative tolerance of φ₁ (ERE)
  /// Steps are recorded (see StepRecord), and hybrids reduce K to their modes in each step.
  bool record_stages = false;
  /// The error of each step is estimated.
  bool estimate_errors = false;
};

class Stepper {
 public:
  /// Throws InputError for wrong parameters.
  Stepper(const MethodInfo& method, const MethodParameters& given, System& system, const MethodOptions& options);

  /// The state after a step of length h from u[0]. Throws StepFailure; never changes the history. Until a step is
  /// accepted, further calls are new attempts at the same step.
  State step(System& system, const History& u, double h);
  /// Accepts the step to u1 and adds it to the history.
  void accept(History& u, State u1);
  /// The same with every stage solved by the full Newton: the fallback of linearised methods.
  State step_by_newton(System& system, const History& u, double h);
  /// One step of backward Euler with the full Newton: the last resort if a method leaves the feasible region.
  State step_by_backward_euler(System& system, const History& u, double h);
  /// One step of TR-BDF2 with the full Newton, which hardly damps slow motions.
  State step_by_tr_bdf2(System& system, const History& u, double h);
  /// The scheme with the full Newton and contact treated beside it (contact_beside.hpp), so that impacts are not
  /// extrapolated.
  State step_beside(System& system, const History& u, double h);
  /// A hybrid's step with modes computed at its start, and without modes.
  State step_with_new_modes(System& system, const History& u, double h);
  State step_without_modes(System& system, const History& u, double h);
  /// Whether the modes of the last step were computed in an earlier one.
  bool has_older_modes() const { return modes_ && modes_->basis().count() > 0 && modes_->kept(); }
  /// Whether step_beside is possible: the method solves stages and ends at the last of them.
  bool can_step_beside() const;
  /// Whether the last step, or the last attempt at one, had forces that are implicit in every method: of collisions, if
  /// something came within reach, of rigid parts or of liquids.
  bool met() const { return last_.met; }
  /// Whether a stage of such a step ended in contact.
  bool touched() const { return stages_->touched() || (newton_ && newton_->touched()); }
  bool linearized() const { return info_->solution == StageSolution::linearized; }

  bool ends_at_stage() const { return scheme_->ends_at_stage(); }
  /// Where the forces of the last step acted, whichever function took it.
  const ActedForces& acted() const { return last_.acted; }
  bool records() const { return log_ != nullptr; }
  /// Of the last attempted step; empty unless steps are recorded.
  StepLog take_log();
  /// Of the last step, whichever function took it; nullopt if there is no estimate.
  const std::optional<LocalError>& error() const { return last_.error; }
  SchemeMemory memory() const;
  const MethodInfo& info() const { return *info_; }
  StageSolver& stages() { return *stages_; }
  /// Null unless the method splits off modes.
  ModalSubspace* modes() { return modes_.get(); }
  const ModalSubspace* modes() const { return modes_.get(); }
  /// Counts since construction.
  long newton_iterations() const;
  SolverCounts linear_counts() const;
  ExponentialCounts exponential_counts() const { return exponential_.counts(); }
  /// Messages for the user about the last steps.
  std::vector<std::string> take_notes() { return modes_ ? modes_->take_notes() : std::vector<std::string>{}; }

  /// Creates new solvers and keeps the modes: later results depend on the history and the memory of the modes only.
  void reset(System& system);
  /// Forgets the modes too: later results depend on the history only.
  void forget(System& system);

 private:
  std::unique_ptr<StageSolver> make_stages(StageSolution solution, System& system) const;
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
  /// The system that moves in a step, and the one whose energy counts, of which it may be a part.
  struct PartOfSystem {
    System* system;
    const System* whole;
  };
  /// A step of the scheme; records where its forces acted.
  State scheme_step(const TimeIntegrator& scheme, StageSolver& stages, const PartOfSystem& of, const History& u,
                    double h);
  State step_with(StageSolver& stages, System& system, const System& whole, const History& u, double h,
                  ModalSubspace::Use modes = ModalSubspace::Use::kept_or_new);

  const MethodInfo* info_;
  StageOptions options_;
  std::unique_ptr<TimeIntegrator> scheme_;
  std::unique_ptr<StageSolver> stages_, newton_;
  long iterations_before_ = 0;  // of earlier solvers
  SolverCounts counts_before_;
  std::unique_ptr<ModalSubspace> modes_;
  Exponential exponential_;
  bool estimates_;
  std::unique_ptr<StepLog> log_;  // null: steps are not recorded
  /// Of the last step, or the last attempt at one.
  struct Last {
    ActedForces acted;
    std::optional<LocalError> error = {};
    bool met = false;
  };
  Last last_;
};

}  // namespace limber
