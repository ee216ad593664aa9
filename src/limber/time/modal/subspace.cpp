#include "limber/time/modal/subspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/modes/parts.hpp"
#include "limber/model/turned.hpp"
#include "limber/time/modal/turning.hpp"

namespace limber {
namespace {

constexpr double refined = 1e-2;  // residual of modes that are refreshed every k steps
constexpr double refined_exactly = 1e-8;
constexpr double refined_of_rule = 0.1;  // relative to the residual that made a refresh necessary
/// h² |r| (see staleness) above which modes are recomputed. Measured with SIERE on a soft bar that is flung, h = .01 s:
/// with .3 the energy agrees within .3 % with that of modes recomputed in each step; with 1 the loss is 8 % larger.
constexpr double most_coupling = .3;
/// The same for scenes with contact, where modes are not corrected after a stage.
constexpr double most_coupling_with_contact = .1;

int mode_count(const ModalOptions& options, Index n) {
  if (!options.count) return static_cast<int>(std::min<Index>(ModalOptions::standard_count, n));
  if (*options.count < 0 || *options.count > n)
    throw InputError("method.modes",
                     fmt::format("{} is outside 1 to {}, the number of free degrees of freedom", *options.count, n));
  return *options.count;
}

}  // namespace

ModalSubspace::ModalSubspace(const ModalOptions& options, Index n, Checks checks)
    : options_(options),
      most_steps_between_checks_(checks == Checks::each_step ? 1 : 8),
      finder_(mode_count(options, n), options.search) {}

void ModalSubspace::begin_step(System& system, const State& u0, double h, const ModalLimits& limits, Use use) {
  step_.h = h;
  step_.start.at = u0;
  step_.start.f = system.linearize(u0, Definiteness::exact, step_.start.tangent);
  if (!system.space().all_finite(step_.start.f)) throw StepFailure("the force is not finite");
  bodies_.leave_out_none();
  if (finder_.count() == 0) {  // a method without modes: the base scheme
    all_ = {ModalBasis(system, {Vector(0), Matrix(system.size(), 0)}), {Matrix(0, 0), Matrix(0, 0), {}}};
    return;
  }
  if (step_.held) return take_held(system);
  step_.limits = limits;
  finder_.set_floor(limits.lowest);
  if (!step_.begun || !age_.checked) {
    step_.begun = false;
    prepare(system, u0);
    if (use == Use::of_this_step && kept()) refresh(system);
  } else if (use == Use::of_this_step && kept()) {
    refresh(system);
  } else if (limits.lowest < step_.sought_above && bodies_.any_below_floor()) {
    refresh(system);  // the step is retried with a smaller length: more modes are usable
  } else if (collides() && !age_.fresh) {
    renew_where_due(system);  // the step is retried with contact
  }
  step_.begun = true;
  if (!bodies_.known() && limited()) find_bodies(system);  // the step was first begun without limits
  leave_out();
}

void ModalSubspace::take_held(System& system) {
  all_.basis = ModalBasis::of_span(system, {step_.held->basis.lambda, step_.held->basis.X});
  all_.reduced = reduction_(system, step_.start.tangent, all_.basis, all_.stiff);
}

HeldModes ModalSubspace::used() const {
  const bool turned = options_.refresh.rule == Refresh::Rule::automatic;
  return {basis(), corrected(), kept_, bodies_.columns_in_use(count()), turned};
}

void ModalSubspace::commit() {
  if (!std::exchange(step_.begun, false)) return;
  counts_.left_out.steps += !left_out().empty();
  counts_.left_out.bodies += static_cast<long>(left_out().size());
}

void ModalSubspace::prepare(System& system, const State& u0) {
  if (kept_ && kept_->restored.X.size() != 0) {
    const Space& space = system.space();
    Modes held{kept_->restored.lambda, held_rows(space, kept_->restored.X)};
    kept_ = std::make_shared<const KeptModes>(
        KeptModes{ModalBasis(system, std::move(held)), space.restrict(kept_->at), {}});
    all_.basis = kept_->found;
  }
  bodies_.forget_floor();
  age_.fresh = false;
  const Refresh::Rule rule = options_.refresh.rule;
  if (count() > 0 && age_.outdated && rule == Refresh::Rule::automatic) turn(system, u0);
  if (count() == 0 || age_.outdated) return refresh(system);
  ++age_.steps;
  if (rule == Refresh::Rule::every && age_.steps >= options_.refresh.every) return refresh(system);
  if (rule == Refresh::Rule::automatic) turn(system, u0);
  // With contact there is no correction after a stage.
  if (age_.checked && age_.steps < age_.next_check && !collides()) return;
  renew_where_due(system);
}

void ModalSubspace::renew_where_due(System& system) {
  check(system);
  const Refresh::Rule rule = options_.refresh.rule;
  if (!bodies_.known() && limited()) find_bodies(system);
  age_.next_check = age_.steps + most_steps_between_checks_;
  if (rule == Refresh::Rule::once || rule == Refresh::Rule::every) return;
  leave_out();
  if (const std::vector<char> these = due(system); !these.empty()) refresh(system, these);
}

/// Rotates the modes with their bodies since they were found.
void ModalSubspace::turn(const System& system, const State& u0) {
  all_.basis.X = turned(system, kept_->at, u0.q, kept_->found.X);
  all_.basis.MX = turned(system, kept_->at, u0.q, kept_->found.MX);
}

/// Reduces K to the modes, and finds bodies that turn too far for them.
void ModalSubspace::check(System& system) {
  all_.reduced = reduction_(system, step_.start.tangent, all_.basis, all_.stiff);
  const double most_turning = step_.limits.most_turning;
  step_.turning = options_.refresh.rule == Refresh::Rule::automatic && std::isfinite(most_turning)
                      ? turning_bodies(system, step_.start.tangent, step_.start.at, step_.h, most_turning)
                      : Vector();
  age_.checked = age_.fresh = true;
}

void ModalSubspace::find_bodies(System& system) {
  std::vector<std::vector<int>> bodies = finder_.bodies(system, step_.start, count());
  std::vector<int> of_mode = parts_of_columns(bodies, gather_rows(system.space(), all_.basis.X));
  bodies_.set(std::move(bodies), std::move(of_mode));
}

void ModalSubspace::leave_out() {
  bodies_.leave_out_none();
  if (!limited()) return;
  bodies_.leave_out(all_.reduced, step_.limits, step_.turning);
  if (left_out().empty()) return;
  std::vector<Index> used, place(static_cast<std::size_t>(count()), -1);
  for (Index c = 0; c < count(); ++c) {
    if (!bodies_.in_use(static_cast<std::size_t>(c))) continue;
    place[static_cast<std::size_t>(c)] = static_cast<Index>(used.size());
    used.push_back(c);
  }
  some_ = {all_.basis.part(used), {all_.reduced.K(used, used), all_.reduced.D(used, used), {}}};
  for (const Index i : all_.reduced.null)
    if (const Index to = place[static_cast<std::size_t>(i)]; to >= 0) some_.reduced.null.push_back(to);
}

/// Marks modes of the step whose residual is too large; empty if there are none. Schedules the next check before they
/// are expected to become so.
std::vector<char> ModalSubspace::due(System& system) {
  const std::vector<Index> columns = bodies_.columns_in_use(count());
  if (columns.empty()) return {};
  const Vector now = staleness(system, columns);
  const bool automatic = options_.refresh.rule == Refresh::Rule::automatic;
  const double worst = largest(now), coupling = collides() ? most_coupling_with_contact : most_coupling,
               most = automatic ? coupling : options_.refresh.residual;
  if (!(worst <= most)) {
    std::vector<char> these(static_cast<std::size_t>(count()), 0);
    for (std::size_t i = 0; i < columns.size(); ++i)
      these[static_cast<std::size_t>(columns[i])] = !(now[static_cast<Index>(i)] <= most);
    return these;
  }
  const double steps = .5 * (most / std::max(worst, 1e-300) - 1) * static_cast<double>(age_.steps);
  age_.next_check = age_.steps + std::clamp(static_cast<long>(std::min(steps, 1e6)), 1L, most_steps_between_checks_);
  return {};
}

/// For each mode, after the best rotation among them, with r = Kx − MX XᵀKx: its error, or h² |r| in the norm of diag(M
/// + h²K)⁻¹, a measure of how fast it and the implicit complement can amplify each other through an explicit coupling.
Vector ModalSubspace::staleness(System& system, const std::vector<Index>& columns) const {
  const Matrix K = all_.reduced.K(columns, columns);
  Matrix r = all_.stiff(Eigen::all, columns);
  subtract(all_.basis.MX(Eigen::all, columns), K, r);
  const Space& space = system.space();
  Vector k = step_.start.tangent.K.diagonal(), m = system.mass().diagonal();
  space.add_up(k);
  space.add_up(m);
  if (options_.refresh.rule != Refresh::Rule::automatic) return mode_errors(r, K.diagonal(), k, m, space);
  const double h2 = step_.h * step_.h;
  const Vector weight = (m + h2 * k.cwiseMax(0)).cwiseInverse();
  if (space.shared()) return h2 * space.inner(r.cwiseAbs2(), weight).cwiseSqrt();
  return h2 * (r.cwiseAbs2().transpose() * weight).cwiseSqrt();
}

void ModalSubspace::refresh(System& system, const std::vector<char>& due) {
  const bool first = count() == 0;
  const Index before = first ? finder_.count() : count();
  const double tolerance = options_.exact ? refined_exactly
                           : options_.refresh.rule == Refresh::Rule::residual
                               ? refined_of_rule * options_.refresh.residual
                               : refined;
  step_.sought_above = step_.limits.lowest;
  try {
    std::string note;
    Modes found =
        finder_.find(system, step_.start, all_.basis, tolerance, options_.exact ? std::vector<char>{} : due, note);
    if (!note.empty()) notes_.list.push_back(std::move(note));
    all_.basis = ModalBasis(system, std::move(found));
    kept_ = std::make_shared<const KeptModes>(KeptModes{all_.basis, step_.start.at.q, {}});
  } catch (const BelowFloor&) {  // of the only body
    if (first) all_.basis = ModalBasis(system, {Vector(0), Matrix(system.size(), 0)});
    all_.reduced = reduction_(system, step_.start.tangent, all_.basis, all_.stiff);
    age_.checked = age_.fresh = true;
    find_bodies(system);
    bodies_.set_all_below_floor();
    return;
  }
  if (count() != before)
    notes_.list.push_back(fmt::format("t = {:.6g} s: {} modes instead of {}{}", step_.start.at.t, count(), before,
                                      count() > before ? ", so that no group of equal frequencies is cut"
                                                       : ": a group of equal frequencies has parted"));
  age_.steps = 0;
  age_.outdated = false;
  age_.next_check = 1;
  ++counts_.refreshes;
  check(system);
  if (!limited()) return bodies_.clear();  // those known are of other modes
  find_bodies(system);
  bodies_.set_below_floor(finder_.below_floor());
}

std::optional<ModalMemory> ModalSubspace::memory() const {
  if (!kept_) return std::nullopt;
  if (const Modes& restored = kept_->restored; restored.X.size() != 0)
    return ModalMemory{restored.lambda, restored.X, age_.steps, kept_->at, age_.outdated};
  if (count() == 0) return std::nullopt;
  const ModalBasis& found = kept_->found;
  return ModalMemory{found.lambda, gather_rows(found.space, found.X), age_.steps, found.space.allgather(kept_->at),
                     age_.outdated};
}

void ModalSubspace::restore(ModalMemory memory) {
  clear();
  kept_ = std::make_shared<const KeptModes>(
      KeptModes{{}, std::move(memory.at), {std::move(memory.lambda), std::move(memory.X)}});
  age_.steps = memory.steps_since_refresh;
  age_.outdated = memory.outdated;
}

void ModalSubspace::return_to(const ModesMark& mark) {
  clear();
  kept_ = mark.kept;
  if (kept_) all_.basis = kept_->found;
  all_.reduced = mark.reduced;
  step_.turning = mark.turning;
  age_ = mark.age;
}

void ModalSubspace::clear() {
  finder_.reset();
  all_ = {};
  kept_.reset();
  bodies_.clear();
  step_.begun = false;
  step_.turning.resize(0);
  age_.checked = age_.fresh = false;
  age_.steps = 0;
  age_.outdated = false;
}

}  // namespace limber
