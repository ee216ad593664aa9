#pragma once
/// The modes that a hybrid method splits off: X of K(u₀) x = λ M x at the start of some step, kept until the refresh
/// rule says otherwise.

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/linalg/mode_tracker.hpp"
#include "limber/linalg/pattern.hpp"
#include "limber/linalg/row_matrix.hpp"
#include "limber/time/modal/motion.hpp"

namespace limber {

/// When modes are computed anew: once, every k steps, or when their relative residual exceeds a tolerance.
struct Refresh {
  enum class Rule { once, every, residual } rule = Rule::residual;
  int every = 1;          // [steps]
  double residual = 0.1;  // of mode_errors
};

struct ModalOptions {
  static constexpr int standard_count = 10;
  std::optional<int> count = {};  // s; more are taken where s would cut a cluster. Unset: 10, or n if that is less
  Refresh refresh = {};
  NegativeModes negative = NegativeModes::grow;
};

/// What a restart needs to go on to the same bits.
struct ModalMemory {
  Vector lambda;
  Matrix X;
  long steps_since_refresh = 0;
};

/// K and D at a state, reduced to the modes.
struct ReducedTangent {
  Matrix K, D;              // XᵀKX, XᵀDX: #s × s
  std::vector<Index> null;  // modes with K x = 0 to rounding: rigid motions
};

class ModalSubspace {
 public:
  /// When K is reduced to the modes: each step, or now and then, which methods with the coupling term can do with.
  enum class Looks { each_step, now_and_then };
  /// n: unknowns of the system. Throws InputError("method.modes", …) for a count outside 0 … n.
  ModalSubspace(const ModalOptions& options, Index n, Looks looks);

  /// Linearises at u₀ and refreshes the modes if it is time. Throws StepFailure if a mode has λ < floor, as soon as
  /// that is certain.
  void begin_step(const System& system, const State& u0, double floor = -std::numeric_limits<double>::infinity());

  NegativeModes negative() const { return options_.negative; }
  const ModalBasis& basis() const { return basis_; }
  /// f, K, D at the step's start.
  const Linearization& start() const { return start_; }
  /// K and D reduced, there or a few steps ago: what has changed since belongs to the coupling.
  const ReducedTangent& reduced_start() const { return reduced_start_; }
  ReducedTangent reduce(const System& system, const Tangent& T) {
    Matrix KX;
    return reduce(system, T, KX);
  }

  /// What the user should hear since the last call, such as a cluster that was kept whole.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }
  void note_once(const std::string& note) {
    if (said_ == note) return;
    said_ = note;
    notes_.push_back(note);
  }
  long refreshes() const { return refreshes_; }  // since the construction
  ModeTracker::Counts counts() const { return tracker_.counts(); }

  std::optional<ModalMemory> memory() const;
  void restore(ModalMemory memory);
  /// Forgets the modes; the next step computes them.
  void clear();
  /// Forgets factors, so that what follows depends on the modes and the state only.
  void reset() {
    tracker_.reset();
    looked_ = false;
  }

 private:
  ReducedTangent reduce(const System& system, const Tangent& T, Matrix& KX);
  void prepare(const System& system, const State& u0);
  bool due(const System& system);
  double residual(const System& system) const;
  void refresh(const System& system, const State& u0);
  void require_above_floor() const;

  ModalOptions options_;
  int count_;
  long most_steps_between_looks_;
  ModeTracker tracker_;
  ModalBasis basis_;
  Modes known_;  // as given by the memory, before a system gives them a mass
  long steps_since_refresh_ = 0, refreshes_ = 0;
  bool looked_ = false;          // reduced_start_ is of a step since the last reset
  long next_look_ = 0;           // steps since the refresh at which K is reduced again
  double floor_ = 0;             // of the step: modes below it are a failure
  std::optional<double> begun_;  // time of the last begin_step: a step tried again is not a new one
  Linearization start_;
  ReducedTangent reduced_start_;
  Matrix stiff_;  // K X at the start
  Pattern pattern_;
  std::unique_ptr<RowMatrix> rows_;
  std::vector<std::string> notes_;
  std::string said_;
};

}  // namespace limber
