#pragma once
/// A scheme as its own tableau. Schemes only add and scale states and call `rate` and `solve`. So a scheme that is run
/// on coefficients instead of states tells, for one step, from which states it forms what it asks for and what it
/// returns. No formula of a scheme is written twice.

#include <optional>
#include <vector>

#include "limber/time/dynamics.hpp"

namespace limber {

/// A state as a combination of directions, one column for each; see Tableau.
struct StateCombination {
  Vector q, v;
};

/// Directions: q, v and a of each known state, newest first; then the q and v that each call returns.
struct Tableau {
  /// Which forces a call asks for.
  enum class Asks {
    rate,          // F(u) with all forces
    smooth_rate,   // F(u) without contact
    contact_rate,  // contact forces only
    stage,         // a solution of (S)
    beside         // a solution of (S) with contact beside the scheme, scaled by `share`
  };
  struct Call {
    Asks asks = Asks::rate;
    StateCombination in;  // u of a rate, u* of a stage
    StateCombination at = {};
    std::optional<StateCombination> tangent_at = {};
    double tau_q = 0, tau_v = 0, share = 1;
    double t = 0, t_at = 0, t_tangent = 0;  // [s] of the rate or stage, of `at` and `tangent_at`

    bool is_stage() const { return asks == Asks::stage || asks == Asks::beside; }
  };
  std::size_t known = 0;  // states
  std::vector<Call> calls;
  StateCombination end;
  Vector acceleration;  // of the new state; empty: it has none

  Index size() const { return first_of_call(calls.size()); }
  static Index first_of_state(std::size_t i) { return 3 * static_cast<Index>(i); }
  Index first_of_call(std::size_t i) const { return 3 * static_cast<Index>(known) + 2 * static_cast<Index>(i); }
};

/// Of the step of length h from these states. beside: with contact beside the scheme (time/contact_beside.hpp).
Tableau tableau(const TimeIntegrator& scheme, const History& known, double h, bool beside = false);

}  // namespace limber
