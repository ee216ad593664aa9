#pragma once
/// The modes split off by a hybrid method: X of K(u₀) x = λ M x at the start of some step, kept until the refresh rule
/// requires new ones.

#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "limber/time/modal/modal_bodies.hpp"
#include "limber/time/modal/mode_finder.hpp"
#include "limber/time/modal/motion.hpp"

namespace limber {

/// When modes are recomputed: once, every k steps, or when their relative residual exceeds a tolerance. With the
/// automatic rule they rotate with their bodies and are recomputed when a step couples them too strongly to the
/// complement.
struct Refresh {
  enum class Rule { once, automatic, every, residual } rule = Rule::automatic;
  int every = 1;          // [steps]
  double residual = 0.1;  // of mode_errors
};

struct ModalOptions {
  static constexpr int standard_count = 10;
  std::optional<int> count = {};  // s; more are taken if s would split a cluster. Unset: min(10, n)
  Refresh refresh = {};
  NegativeModes negative = NegativeModes::grow;
  ModeSearch search = ModeSearch::automatic;
  bool exact = false;  // all modes are refreshed at once, as exact as the first ones: for derivatives
};

/// The data needed to resume with the same bits.
struct ModalMemory {
  Vector lambda;
  Matrix X;
  long steps_since_refresh = 0;
  Vector at;              // q of the last refresh, which X belongs to
  bool outdated = false;  // the forces or masses are others since then
};

/// Modes as computed, and the positions they belong to. Immutable, so that marks of earlier steps can share them.
struct KeptModes {
  ModalBasis found;
  Vector at;
  Modes restored;  // from a checkpoint and not used yet; `found` is then empty
};

/// The modes that a step has used; see ModalSubspace::hold.
struct HeldModes {
  ModalBasis basis = {};
  bool corrected = false;                      // see ModalSubspace::corrected
  std::shared_ptr<const KeptModes> kept = {};  // which they are, or were before they turned with their bodies
  std::vector<Index> columns = {};             // the ones in use
  bool turned = false;
};

/// How long modes have been kept, in steps since they were computed.
struct ModesAge {
  long steps = 0;
  long next_check = 0;    // when K is reduced again
  bool checked = false;   // K was reduced since the last reset
  bool fresh = false;     // and in this step
  bool outdated = false;  // by other forces or masses
};

/// The modes at the start of a step, for going back to it.
struct ModesMark {
  std::shared_ptr<const KeptModes> kept = {};  // null: none computed yet
  ModesAge age = {};
  ReducedTangent reduced = {};  // K and D as they were last reduced
  Vector turning = {};          // see ModalSubspace::Step
};

class ModalSubspace {
 public:
  /// When K is reduced to the modes: each step, or only from time to time, which suffices for methods with the coupling
  /// term.
  enum class Checks { each_step, when_due };
  /// n: number of unknowns. Throws InputError("method.modes", …) for a count outside 0 … n.
  ModalSubspace(const ModalOptions& options, Index n, Checks checks);

  /// Whether modes of an earlier step may be used in this one.
  enum class Use { kept_or_new, of_this_step };
  /// Linearises at u₀, refreshes the modes if due, and leaves out those of bodies beyond the limits. h: the step
  /// length. Called again before commit(), it retries the step with the same modes, unless `use` or a shorter step
  /// requires others.
  void begin_step(System& system, const State& u0, double h, const ModalLimits& limits = {},
                  Use use = Use::kept_or_new);
  /// Accepts the last step begun; the next one is a new step.
  void commit();
  /// All further steps use the span of these modes, orthonormal in the mass of their system, with K reduced anew.
  void hold(std::shared_ptr<const HeldModes> modes) { step_.held = std::move(modes); }
  /// The modes of this step, for repeating it.
  HeldModes used() const;
  HeldModes unused() const { return {.kept = kept_}; }

  /// Whether the modes were computed in an earlier step.
  bool kept() const { return age_.steps > 0; }

  NegativeModes negative() const { return options_.negative; }
  /// The number of modes of all bodies: `basis` and those left out, as last computed.
  Index count() const { return all_.basis.count(); }
  /// The modes of this step.
  const ModalBasis& basis() const { return of_step().basis; }
  /// Whether they are kept from an earlier step by the automatic rule; they are then corrected after each stage.
  bool corrected() const {
    return step_.held ? step_.held->corrected : options_.refresh.rule == Refresh::Rule::automatic && kept();
  }
  const std::vector<LeftOut>& left_out() const { return bodies_.left_out(); }
  /// The number of committed steps in which bodies were left out, and the sum of these bodies over the steps.
  struct LeftOutCounts {
    long steps = 0, bodies = 0;
  };
  LeftOutCounts left_out_counts() const { return counts_.left_out; }
  /// f, K, D at the start of the step.
  const Linearization& start() const { return step_.start; }
  /// K and D reduced, at the start of the step or a few steps earlier; later changes are part of the coupling.
  const ReducedTangent& reduced_start() const { return of_step().reduced; }
  /// T reduced to the modes of the step.
  ReducedTangent reduce(System& system, const Tangent& T) {
    Matrix KX;
    return reduction_(system, T, basis(), KX);
  }

  /// Messages for the user since the last call, such as a cluster kept whole.
  std::vector<std::string> take_notes() { return std::exchange(notes_.list, {}); }
  void note_once(const std::string& note) {
    if (notes_.said.insert(note).second) notes_.list.push_back(note);
  }
  long refreshes() const { return counts_.refreshes; }  // since construction
  ModeTracker::Counts counts() const { return finder_.counts(); }

  /// Over all processes.
  std::optional<ModalMemory> memory() const;
  void restore(ModalMemory memory);
  /// For going back to this state of this object: the modes themselves are shared.
  ModesMark mark() const { return {kept_, age_, all_.reduced, step_.turning}; }
  void return_to(const ModesMark& mark);
  /// Forces or masses are others now: the next step refreshes the modes.
  void outdate() { age_.outdated = true; }
  /// Forgets the modes; the next step computes them.
  void clear();

 private:
  /// Modes, and the tangent reduced to them.
  struct Split {
    ModalBasis basis;
    ReducedTangent reduced;
    Matrix stiff = {};  // K X of all modes at the last reduction
  };
  /// The step that is taken, and what it requires.
  struct Step {
    Linearization start = {};  // f, K, D at its start
    double h = 0;              // [s]
    ModalLimits limits = {};
    Vector turning = {};      // over all unknowns: 1 for bodies that turn too far; empty: none does
    double sought_above = 0;  // [1/s²] floor of the last search
    bool begun = false;       // begun and not committed yet
    std::shared_ptr<const HeldModes> held = {};
  };
  struct Counts {
    long refreshes = 0;
    LeftOutCounts left_out = {};
  };
  struct Notes {
    std::vector<std::string> list;
    std::set<std::string> said;
  };

  const Split& of_step() const { return bodies_.left_out().empty() ? all_ : some_; }
  void prepare(System& system, const State& u0);
  void take_held(System& system);
  void turn(const System& system, const State& u0);
  void check(System& system);
  /// Checks, and refreshes the modes that must not be kept.
  void renew_where_due(System& system);
  std::vector<char> due(System& system);
  Vector staleness(System& system, const std::vector<Index>& columns) const;
  void refresh(System& system, const std::vector<char>& due = {});
  void find_bodies(System& system);
  bool collides() const { return std::isfinite(step_.limits.lowest) || std::isfinite(step_.limits.most_damping); }
  bool limited() const { return collides() || step_.turning.size() > 0; }
  void leave_out();

  ModalOptions options_;
  long most_steps_between_checks_;
  ModeFinder finder_;
  ModalReduction reduction_;
  ModalBodies bodies_;
  std::shared_ptr<const KeptModes> kept_;  // the modes of all_ as computed
  Split all_, some_;
  Step step_;
  ModesAge age_;
  Counts counts_;
  Notes notes_;
};

}  // namespace limber
