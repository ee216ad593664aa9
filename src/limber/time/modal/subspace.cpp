#include "limber/time/modal/subspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/dense_eigen.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/modes/parts.hpp"
#include "limber/linalg/modes/shared_modes.hpp"
#include "limber/model/turned.hpp"
#include "limber/time/modal/turning.hpp"
#include "limber/time/stage_matrix.hpp"

namespace limber {
namespace {

constexpr double null_rounding = 1e-11;  // of K x against |K| |x|
constexpr double refined = 1e-2;         // residual of modes that are refreshed every k steps
constexpr double refined_of_rule = 0.1;  // of the residual that made a refresh necessary
/// h² |r| (see staleness) above which modes are computed anew. Measured with SIERE, a soft bar that is flung, h = .01
/// s: at .3 it keeps the energy that it keeps with modes of each step, within .3 %; at 1 it loses 8 % more.
constexpr double most_coupling = .3;
/// The same in scenes with contact, where modes are not corrected after a stage.
constexpr double most_coupling_with_contact = .1;

/// The lower triangle of ½(A + Aᵀ).
SparseMatrix symmetric_part(const SparseMatrix& A, bool symmetric) {
  if (symmetric) return A;
  const SparseMatrix transposed = A.transpose();
  return SparseMatrix((.5 * (A + transposed)).triangularView<Eigen::Lower>());
}

/// The same in whole 3×3 blocks, as processes share it; a mass may be its diagonal alone.
SparseMatrix lower_blocks(const SparseMatrix& A, bool symmetric) {
  if (symmetric || A.nonZeros() == A.cols()) return A;
  const SparseMatrix transposed = A.transpose();
  SparseMatrix both = .5 * (A + transposed);
  both.prune([](Index row, Index column, double) { return row / 3 >= column / 3; });
  return both;
}

/// Empty where they are not known.
Vector whole_positions(const System& system) {
  const Vector* positions = system.traits().nodes.positions;
  const bool known = system.space().all(positions && positions->size() == system.size());
  return known ? system.space().whole(*positions) : Vector();
}

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
      count_(mode_count(options, n)),
      most_steps_between_checks_(checks == Checks::each_step ? 1 : 8),
      tracker_(count_) {}

void ModalSubspace::begin_step(System& system, const State& u0, double h, const ModalLimits& limits, Use use) {
  h_ = h;
  start_.at = u0;
  start_.f = system.linearize(u0, Definiteness::exact, start_.tangent);
  if (!system.space().all_finite(start_.f)) throw StepFailure("the force is not finite");
  left_out_.clear();
  if (count_ == 0) {  // a method without its modes: the base scheme
    all_ = ModalBasis(system, {Vector(0), Matrix(system.size(), 0)});
    reduced_all_ = {Matrix(0, 0), Matrix(0, 0), {}};
    return;
  }
  limits_ = limits;
  tracker_.set_floor(limits.lowest);
  if (!begun_ || !checked_) {
    begun_ = false;
    prepare(system, u0);
    if (use == Use::of_this_step && kept()) refresh(system, u0);
  } else if (use == Use::of_this_step && kept()) {
    refresh(system, u0);
  } else if (limits.lowest < sought_above_ &&
             std::find(below_floor_.begin(), below_floor_.end(), 1) != below_floor_.end()) {
    refresh(system, u0);  // the step is tried again, shorter: more modes serve
  }
  begun_ = true;
  if (bodies_.empty() && limited()) find_bodies(system, u0);  // the step was begun before, without limits
  leave_out();
}

void ModalSubspace::commit() {
  if (!std::exchange(begun_, false)) return;
  left_out_counts_.steps += !left_out_.empty();
  left_out_counts_.bodies += static_cast<long>(left_out_.size());
}

void ModalSubspace::prepare(System& system, const State& u0) {
  if (kept_ && kept_->restored.X.size() != 0) {
    const Space& space = system.space();
    Modes held{kept_->restored.lambda, held_rows(space, kept_->restored.X)};
    kept_ =
        std::make_shared<const KeptModes>(KeptModes{ModalBasis(system, std::move(held)), space.part(kept_->at), {}});
    all_ = kept_->found;
  }
  std::fill(below_floor_.begin(), below_floor_.end(), 0);
  if (all_.count() == 0) return refresh(system, u0);
  ++steps_since_refresh_;
  if (options_.refresh.rule == Refresh::Rule::every && steps_since_refresh_ >= options_.refresh.every)
    return refresh(system, u0);
  if (options_.refresh.rule == Refresh::Rule::automatic) turn(system, u0);
  if (checked_ && steps_since_refresh_ < next_check_) return;
  reduced_all_ = reduce(system, start_.tangent, all_, stiff_);
  look_at_turns(system, u0);
  if (bodies_.empty() && limited()) find_bodies(system, u0);
  checked_ = true;
  next_check_ = steps_since_refresh_ + most_steps_between_checks_;
  if (options_.refresh.rule == Refresh::Rule::once || options_.refresh.rule == Refresh::Rule::every) return;
  leave_out();
  if (const std::vector<char> these = due(system); !these.empty()) refresh(system, u0, these);
}

/// Modes belong to a body, which may have turned since they were found.
void ModalSubspace::turn(const System& system, const State& u0) {
  all_.X = turned(system, kept_->at, u0.q, kept_->found.X);
  all_.MX = turned(system, kept_->at, u0.q, kept_->found.MX);
}

bool ModalSubspace::together(const System& system) const {
  return system.space().shared() && system.space().all(!start_.tangent.low_rank.any()) &&
         sought_together(system.traits().nodes, system.size(), std::max<Index>(count_, all_.count()), options_.search);
}

ModalSubspace::Problem ModalSubspace::problem_of(System& system, const State& u0, ModeSearch who) {
  const Space& space = system.space();
  const bool symmetric = system.symmetric();
  tracker_.set_space(who == ModeSearch::together ? space : whole_space());
  if (who == ModeSearch::together) {
    tracker_.set_positions(system.traits().nodes.positions);
    return {lower_blocks(start_.tangent.K, symmetric), lower_blocks(system.mass(), symmetric),
            system.rigid_motions(u0)};
  }
  if (space.shared() && positions_.size() == 0) positions_ = whole_positions(system);
  tracker_.set_positions(space.shared() ? &positions_ : system.traits().nodes.positions);
  const auto all = [&](const SparseMatrix& A) {
    SparseMatrix here = symmetric_part(A, symmetric);
    return space.shared() ? gather_matrix(space, here, Symmetry::symmetric) : here;
  };
  require_entries(start_.tangent.low_rank);
  return {with_entries(all(start_.tangent.K), start_.tangent.low_rank, 1, Triangle::lower), all(system.mass()),
          gather_rows(space, system.rigid_motions(u0))};
}

void ModalSubspace::find_bodies(System& system, const State& u0) {
  if (together(system)) {  // one body
    bodies_.assign(1, std::vector<int>(static_cast<std::size_t>(system.space().whole_size(system.size()))));
    std::iota(bodies_[0].begin(), bodies_[0].end(), 0);
    body_of_.assign(static_cast<std::size_t>(all_.count()), 0);
    below_floor_.assign(1, 0);
    return;
  }
  const Problem all = problem_of(system, u0, ModeSearch::each);
  bodies_ = uncoupled_parts(all.K, all.M, all.rigid);
  body_of_ = parts_of_columns(bodies_, gather_rows(system.space(), all_.X));
  below_floor_.assign(bodies_.size(), 0);
}

std::vector<Index> ModalSubspace::columns_of(std::size_t body) const {
  std::vector<Index> columns;
  for (std::size_t c = 0; c < body_of_.size(); ++c)
    if (body_of_[c] == static_cast<int>(body)) columns.push_back(static_cast<Index>(c));
  return columns;
}

bool ModalSubspace::in_use(std::size_t mode) const {
  return left_out_.empty() || body_of_[mode] < 0 || !out_[static_cast<std::size_t>(body_of_[mode])];
}

void ModalSubspace::look_at_turns(System& system, const State& u0) {
  turning_ = options_.refresh.rule == Refresh::Rule::automatic && std::isfinite(limits_.most_turning)
                 ? turning_bodies(system, start_.tangent, u0, h_, limits_.most_turning)
                 : Vector();
}

/// XᵀKX has no λ below those of K, whatever X is.
void ModalSubspace::leave_out() {
  left_out_.clear();
  if (!limited()) return;
  out_.assign(bodies_.size(), 0);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const std::vector<Index> columns = columns_of(b);
    bool grows = below_floor_[b], damped = false;
    const bool turns = turning_.size() > 0 && turning_[bodies_[b].front()] != 0;
    if (!columns.empty()) {
      const Matrix K = reduced_all_.K(columns, columns);
      grows = grows || symmetric_eigen(.5 * (K + K.transpose())).values[0] < limits_.lowest;
      damped = reduced_all_.D(columns, columns).cwiseAbs().maxCoeff() > limits_.most_damping;
    }
    out_[b] = grows || damped || turns;
    if (out_[b])
      left_out_.push_back({bodies_[b], grows    ? LeftOut::Why::grows
                                       : damped ? LeftOut::Why::damped
                                                : LeftOut::Why::turns});
  }
  if (left_out_.empty()) return;
  std::vector<Index> kept, place(static_cast<std::size_t>(all_.count()), -1);
  for (std::size_t c = 0; c < body_of_.size(); ++c) {
    if (!in_use(c)) continue;
    place[c] = static_cast<Index>(kept.size());
    kept.push_back(static_cast<Index>(c));
  }
  some_ = all_.part(kept);
  reduced_some_ = {reduced_all_.K(kept, kept), reduced_all_.D(kept, kept), {}};
  for (const Index i : reduced_all_.null)
    if (const Index to = place[static_cast<std::size_t>(i)]; to >= 0) reduced_some_.null.push_back(to);
}

/// Modes of the step whose residual is too large; empty if there are none. Then checks again before they can be
/// expected to have become so.
std::vector<char> ModalSubspace::due(System& system) {
  std::vector<Index> columns;
  const auto modes = static_cast<std::size_t>(all_.count());
  for (std::size_t c = 0; c < modes; ++c)
    if (in_use(c)) columns.push_back(static_cast<Index>(c));
  if (columns.empty()) return {};
  const Vector now = staleness(system, columns);
  const bool automatic = options_.refresh.rule == Refresh::Rule::automatic;
  const double worst = largest(now), coupling = collides() ? most_coupling_with_contact : most_coupling,
               most = automatic ? coupling : options_.refresh.residual;
  if (!(worst <= most)) {
    std::vector<char> these(modes, 0);
    for (std::size_t i = 0; i < columns.size(); ++i)
      these[static_cast<std::size_t>(columns[i])] = !(now[static_cast<Index>(i)] <= most);
    return these;
  }
  const double steps = .5 * (most / std::max(worst, 1e-300) - 1) * static_cast<double>(steps_since_refresh_);
  next_check_ =
      steps_since_refresh_ + std::clamp(static_cast<long>(std::min(steps, 1e6)), 1L, most_steps_between_checks_);
  return {};
}

/// Of each mode after the best rotation among them, with r = Kx − MX XᵀKx: its error, or h² |r| in the norm of
/// diag(M + h²K)⁻¹, that is, how fast it and the implicit rest can feed each other through an explicit coupling.
Vector ModalSubspace::staleness(System& system, const std::vector<Index>& columns) const {
  const Matrix K = reduced_all_.K(columns, columns);
  Matrix r = stiff_(Eigen::all, columns);
  subtract(all_.MX(Eigen::all, columns), K, r);
  const Space& space = system.space();
  Vector k = start_.tangent.K.diagonal(), m = system.mass().diagonal();
  space.add_up(k);
  space.add_up(m);
  if (options_.refresh.rule != Refresh::Rule::automatic) return mode_errors(r, K.diagonal(), k, m, space);
  const double h2 = h_ * h_;
  const Vector weight = (m + h2 * k.cwiseMax(0)).cwiseInverse();
  if (space.shared()) return h2 * space.inner(r.cwiseAbs2(), weight).cwiseSqrt();
  return h2 * (r.cwiseAbs2().transpose() * weight).cwiseSqrt();
}

void ModalSubspace::refresh(System& system, const State& u0, const std::vector<char>& due) {
  if (together(system)) {
    try {
      return refresh(system, u0, due, ModeSearch::together);
    } catch (const StepFailure& failure) {
      notes_.push_back(
          fmt::format("t = {:.6g} s: all processes together do not find the modes, so that each seeks them "
                      "for itself: {}",
                      u0.t, failure.reason));
    }
  }
  refresh(system, u0, due, ModeSearch::each);
}

void ModalSubspace::refresh(System& system, const State& u0, const std::vector<char>& due, ModeSearch who) {
  const auto [K, M, rigid] = problem_of(system, u0, who);
  const bool gathered = who == ModeSearch::each;
  const bool first = all_.count() == 0;
  const Index before = first ? count_ : all_.count();
  const double tolerance =
      options_.refresh.rule == Refresh::Rule::residual ? refined_of_rule * options_.refresh.residual : refined;
  sought_above_ = limits_.lowest;
  try {
    Modes found =
        first ? tracker_.from_scratch(K, M, rigid)
              : tracker_.refine(K, M, rigid, {all_.lambda, gathered ? gather_rows(system.space(), all_.X) : all_.X},
                                tolerance, due);
    if (gathered) found.X = held_rows(system.space(), found.X);
    all_ = ModalBasis(system, std::move(found));
    kept_ = std::make_shared<const KeptModes>(KeptModes{all_, u0.q, {}});
  } catch (const BelowFloor&) {  // of the only body there is
    if (first) all_ = ModalBasis(system, {Vector(0), Matrix(system.size(), 0)});
    checked_ = true;
    reduced_all_ = reduce(system, start_.tangent, all_, stiff_);
    find_bodies(system, u0);
    std::fill(below_floor_.begin(), below_floor_.end(), 1);
    return;
  }
  if (all_.count() > before)
    notes_.push_back(fmt::format("t = {:.6g} s: {} modes instead of {}, so that no group of equal frequencies is cut",
                                 u0.t, all_.count(), before));
  if (all_.count() < before)
    notes_.push_back(fmt::format("t = {:.6g} s: {} modes instead of {}: a group of equal frequencies has parted", u0.t,
                                 all_.count(), before));
  steps_since_refresh_ = 0;
  next_check_ = 1;
  checked_ = true;
  ++refreshes_;
  reduced_all_ = reduce(system, start_.tangent, all_, stiff_);
  look_at_turns(system, u0);
  if (!limited()) return;
  find_bodies(system, u0);
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    for (const auto& below : tracker_.below_floor()) below_floor_[b] |= below == bodies_[b];
}

ReducedTangent ModalSubspace::reduce(System& system, const Tangent& T, const ModalBasis& basis, Matrix& KX) {
  const Matrix& X = basis.X;
  if (X.cols() == 0) {
    KX = X;
    return {Matrix(0, 0), Matrix(0, 0), {}};
  }
  const Space& space = system.space();
  if (!space.all(pattern_.take(T.K) == PatternChange::same))
    rows_ = make_row_matrix(T.K, system.symmetric() ? Symmetry::symmetric : Symmetry::general, space);
  rows_->refresh(T.K);
  KX = rows_->multiply_block(X);
  T.low_rank.add_product(X, KX);
  ReducedTangent reduced{basis.product(X, KX), Matrix::Zero(X.cols(), X.cols()), {}};
  if (system.velocity_dependent()) {
    Matrix DX(X.rows(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) DX.col(i) = limber::multiply(system, T.D, X.col(i));
    reduced.D = space.inner(X, DX);
  }
  // Rounding would otherwise let rigid motions exchange momentum with the other modes.
  if ((basis.lambda.array() != 0).all()) return reduced;
  Vector diagonal = T.K.diagonal();
  space.add_up(diagonal);
  const double size = space.max_abs(diagonal);
  for (Index i = 0; i < X.cols(); ++i)
    if (basis.lambda[i] == 0 && space.norm(KX.col(i)) <= null_rounding * size * space.norm(X.col(i))) {
      reduced.K.col(i).setZero();
      reduced.K.row(i).setZero();
      reduced.null.push_back(i);
    }
  return reduced;
}

std::optional<ModalMemory> ModalSubspace::memory() const {
  if (!kept_) return std::nullopt;
  if (const Modes& restored = kept_->restored; restored.X.size() != 0)
    return ModalMemory{restored.lambda, restored.X, steps_since_refresh_, kept_->at};
  if (all_.count() == 0) return std::nullopt;
  const ModalBasis& found = kept_->found;
  return ModalMemory{found.lambda, gather_rows(found.space, found.X), steps_since_refresh_,
                     found.space.whole(kept_->at)};
}

void ModalSubspace::restore(ModalMemory memory) {
  clear();
  kept_ = std::make_shared<const KeptModes>(
      KeptModes{{}, std::move(memory.at), {std::move(memory.lambda), std::move(memory.X)}});
  steps_since_refresh_ = memory.steps_since_refresh;
}

void ModalSubspace::return_to(const ModesMark& mark) {
  clear();
  kept_ = mark.kept;
  if (kept_) all_ = kept_->found;
  steps_since_refresh_ = mark.steps_since_refresh;
}

void ModalSubspace::clear() {
  tracker_.reset();
  all_ = {};
  kept_.reset();
  begun_ = false;
  checked_ = false;
  bodies_.clear();
  turning_.resize(0);
  left_out_.clear();
  steps_since_refresh_ = 0;
}

}  // namespace limber
