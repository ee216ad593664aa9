#include "limber/sim/judges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

using Remedy = Objection::Remedy;

/// Largest factors by which the energy may exceed that available in a step, and that ever supplied in the run.
constexpr double most_growth = 4, most_total_growth = 20;
/// Limit on the total gain of steps in contact not yet offset by losses, relative to the largest kinetic energy. Allows
/// for Newton's tolerance and the scheme's own fluctuating error.
constexpr double most_gained = 2e-4;
/// Limit on the excess of the energy over all that was ever supplied, relative to the energy in play.
constexpr double most_excess = 2e-4;
/// Limit on the energy that a hybrid's modes may regain after it was lost, relative to the energy in play.
constexpr double most_regained = .01;
constexpr double position_rounding = 1e-14;  // relative to the length scale

std::optional<Objection> not_finite(const MotionState&, const StepCandidate& candidate) {
  if (!std::isfinite(candidate.energies.elastic))
    return Objection{Remedy::fail, "the step ends outside the material's domain (an inverted element)"};
  if (!std::isfinite(candidate.energies.total())) return Objection{Remedy::fail, "the energy is not finite"};
  return std::nullopt;
}

/// For methods that can diverge. Others are held to account, which is a tighter bound.
struct Diverges {
  double mass, length;  // [kg], [m] of the whole system

  std::optional<Objection> operator()(const MotionState& before, const StepCandidate& candidate) const {
    const double tiny = 1e-12 * mass * std::pow(length / (candidate.u.t - before.time()), 2);
    const double now = candidate.energies.kinetic + candidate.energies.elastic, then = before.mechanical(),
                 input = supplied(before, candidate);
    if (now > most_growth * (then + input) + tiny)
      return Objection{
          Remedy::fail,
          fmt::format("the energy grows from {:.3g} J to {:.3g} J in one step, with {:.3g} J put in: the step diverges",
                      then, now, input)};
    if (now > most_total_growth * (before.supply + input) + tiny)
      return Objection{Remedy::fail,
                       fmt::format("the energy is {:.3g} J, but only {:.3g} J were ever put in: the motion is unstable",
                                   now, before.supply + input)};
    return std::nullopt;
  }
};

std::optional<Objection> gains_in_contact(const MotionState& before, const StepCandidate& candidate) {
  if (candidate.touched && !before.account.affords(candidate.gain, candidate.energies, most_gained))
    return Objection{Remedy::retake};
  return std::nullopt;
}

/// The effect of position rounding on the energy: it changes velocities by about position_rounding × length / h per
/// step.
struct Rounding {
  double mass, length;  // [kg], [m] of the whole system
  double of(const MotionState& before, const StepCandidate& candidate) const {
    const double speed = position_rounding * length / (candidate.u.t - before.time());
    return speed * std::sqrt(2 * mass * before.account.in_play());
  }
};

struct Gains {
  Rounding rounding;
  std::optional<Objection> operator()(const MotionState& before, const StepCandidate& candidate) const {
    const EnergyAccount& account = before.account;
    if (candidate.gain > 0 &&
        account.excess(candidate.energies, candidate.put_in, rounding.of(before, candidate)) > most_excess)
      return Objection{Remedy::retake};
    return std::nullopt;
  }
};

struct Regains {
  Rounding rounding;
  std::optional<Objection> operator()(const MotionState& before, const StepCandidate& candidate) const {
    const EnergyAccount& account = before.account;
    if (candidate.with_modes && candidate.gain > 0 &&
        account.regained(candidate.energies, candidate.put_in, rounding.of(before, candidate)) > most_regained)
      return Objection{Remedy::retake};
    return std::nullopt;
  }
};

}  // namespace

double supplied(const MotionState& before, const StepCandidate& candidate) {
  const Energies &a = before.energies, &b = candidate.energies;
  const auto released = [](double then, double now) { return std::max(0.0, then - now); };
  const double from_outside = candidate.put_in.work + candidate.put_in.doubt + a.other - b.other;
  return std::max(0.0, from_outside) + released(a.gravitational, b.gravitational) + released(a.contact, b.contact);
}

std::vector<Judge> judges(const Supervision& watch, const MechanicalSystem& system) {
  const double mass = total_mass(system), length = system.length_scale();
  const Rounding rounding{mass, length};
  std::vector<Judge> list{not_finite};
  if (watch.can_diverge) list.emplace_back(Diverges{mass, length});
  list.emplace_back(gains_in_contact);
  if (watch.held_to_account) list.emplace_back(Gains{rounding});
  if (watch.feeds_back) list.emplace_back(Regains{rounding});
  return list;
}

}  // namespace limber
