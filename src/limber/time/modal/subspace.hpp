#pragma once
/// The modes that a hybrid method splits off: X of K(u₀) x = λ M x at the start of some step, kept until the refresh
/// rule says otherwise.

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

/// When modes are computed anew: once, every k steps, or when their relative residual exceeds a tolerance. By the
/// automatic rule they turn with their bodies, and are computed anew when a step couples them to the rest too much.
struct Refresh {
  enum class Rule { once, automatic, every, residual } rule = Rule::automatic;
  int every = 1;          // [steps]
  double residual = 0.1;  // of mode_errors
};

struct ModalOptions {
  static constexpr int standard_count = 10;
  std::optional<int> count = {};  // s; more are taken where s would cut a cluster. Unset: 10, or n if that is less
  Refresh refresh = {};
  NegativeModes negative = NegativeModes::grow;
  ModeSearch search = ModeSearch::automatic;
};

/// What a restart needs to go on to the same bits.
struct ModalMemory {
  Vector lambda;
  Matrix X;
  long steps_since_refresh = 0;
  Vector at;  // q of the last refresh, which X belongs to
};

/// Modes as they were computed, and for which positions of the unknowns. Never changed, so that whoever goes back to
/// an earlier step shares them.
struct KeptModes {
  ModalBasis found;
  Vector at;
  Modes restored;  // from a checkpoint and not used yet: then `found` is empty
};

/// Where a step began, to go back to.
struct ModesMark {
  std::shared_ptr<const KeptModes> kept;  // null: none were computed yet
  long steps_since_refresh = 0;
};

class ModalSubspace {
 public:
  /// When K is reduced to the modes: each step, or now and then, which methods with the coupling term can do with.
  enum class Checks { each_step, when_due };
  /// n: unknowns of the system. Throws InputError("method.modes", …) for a count outside 0 … n.
  ModalSubspace(const ModalOptions& options, Index n, Checks checks);

  /// Whether the modes of an earlier step will do for this one.
  enum class Use { kept_or_new, of_this_step };
  /// Linearises at u₀, refreshes the modes if it is time, and leaves out those of bodies beyond the limits. h: the
  /// step. A step that was begun and not committed is tried again: it has the modes that it had, unless
  /// `use` or shorter steps ask for others.
  void begin_step(System& system, const State& u0, double h, const ModalLimits& limits = {},
                  Use use = Use::kept_or_new);
  /// The step that was begun last has been accepted: the next one is a new step.
  void commit();

  /// Whether the modes are those of an earlier step.
  bool kept() const { return age_.steps > 0; }

  NegativeModes negative() const { return options_.negative; }
  /// Modes of all bodies: `basis` and those that are left out, as they were when they were last computed.
  Index count() const { return all_.basis.count(); }
  /// Those of the step.
  const ModalBasis& basis() const { return of_step().basis; }
  /// Whether they are those of an earlier step, kept by the automatic rule: then they are corrected after each stage.
  bool corrected() const { return options_.refresh.rule == Refresh::Rule::automatic && kept(); }
  const std::vector<LeftOut>& left_out() const { return bodies_.left_out(); }
  /// Committed steps in which bodies were left out, and the sum of these bodies.
  struct LeftOutCounts {
    long steps = 0, bodies = 0;
  };
  LeftOutCounts left_out_counts() const { return counts_.left_out; }
  /// f, K, D at the step's start.
  const Linearization& start() const { return start_; }
  /// K and D reduced, there or a few steps ago: what has changed since belongs to the coupling.
  const ReducedTangent& reduced_start() const { return of_step().reduced; }
  /// To the modes of the step.
  ReducedTangent reduce(System& system, const Tangent& T) {
    Matrix KX;
    return reduction_(system, T, basis(), KX);
  }

  /// What the user should hear since the last call, such as a cluster that was kept whole.
  std::vector<std::string> take_notes() { return std::exchange(notes_.list, {}); }
  void note_once(const std::string& note) {
    if (notes_.said.insert(note).second) notes_.list.push_back(note);
  }
  long refreshes() const { return counts_.refreshes; }  // since the construction
  ModeTracker::Counts counts() const { return finder_.counts(); }

  /// Of all processes.
  std::optional<ModalMemory> memory() const;
  void restore(ModalMemory memory);
  /// The like without copying anything, for this object alone.
  ModesMark mark() const { return {kept_, age_.steps}; }
  void return_to(const ModesMark& mark);
  /// Forgets the modes; the next step computes them.
  void clear();

 private:
  /// Modes, and K reduced to them.
  struct Split {
    ModalBasis basis;
    ReducedTangent reduced;
  };
  /// What the step asks for.
  struct Step {
    double h = 0;  // [s]
    ModalLimits limits = {};
    Vector turning = {};      // 1 for each unknown, in all, of bodies that turn too far; empty: none does
    double sought_above = 0;  // [1/s²] the floor of the last search
    bool begun = false;       // and not committed yet
  };
  /// Counted in steps since the refresh.
  struct Age {
    long steps = 0;
    long next_check = 0;   // when K is reduced again
    bool checked = false;  // K was reduced since the last reset
    bool fresh = false;    // and in this step
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
  std::shared_ptr<const KeptModes> kept_;  // those of all_ as they were computed
  Split all_, some_;
  Matrix stiff_;         // K X of all modes, when K was reduced to them
  Linearization start_;  // of the step
  Step step_;
  Age age_;
  Counts counts_;
  Notes notes_;
};

}  // namespace limber
