#include "limber/time/modal/mode_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "limber/core/errors.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/modes/parts.hpp"
#include "limber/linalg/modes/shared_modes.hpp"
#include "limber/time/as_step_failure.hpp"

namespace limber {
namespace {

/// The lower triangle of ½(A + Aᵀ).
SparseMatrix symmetric_part(const SparseMatrix& A, bool symmetric) {
  if (symmetric) return A;
  const SparseMatrix transposed = A.transpose();
  return SparseMatrix((.5 * (A + transposed)).triangularView<Eigen::Lower>());
}

/// The same in whole 3×3 blocks, as required on several processes; a mass may be diagonal.
SparseMatrix lower_blocks(const SparseMatrix& A, bool symmetric) {
  if (symmetric || A.nonZeros() == A.cols()) return A;
  const SparseMatrix transposed = A.transpose();
  SparseMatrix both = .5 * (A + transposed);
  both.prune([](Index row, Index column, double) { return row / 3 >= column / 3; });
  return both;
}

/// Empty if they are not known.
Vector whole_positions(const System& system) {
  const Vector* positions = system.traits().nodes.positions;
  const bool known = system.space().all(positions && positions->size() == system.size());
  return known ? system.space().allgather(*positions) : Vector();
}

}  // namespace

bool ModeFinder::together(const System& system, const Linearization& at, Index modes) const {
  return system.space().all(!at.tangent.low_rank.any()) &&
         sought_together(system.traits().nodes, system.size(), std::max<Index>(count_, modes), search_);
}

ModeFinder::Problem ModeFinder::problem(System& system, const Linearization& at, ModeSearch who) {
  const Space& space = system.space();
  const bool symmetric = system.symmetric();
  tracker_.set_space(who == ModeSearch::together ? space : serial_space());
  if (who == ModeSearch::together) {
    tracker_.set_positions(system.traits().nodes.positions);
    return {lower_blocks(at.tangent.K, symmetric), lower_blocks(system.mass(), symmetric), system.rigid_motions(at.at)};
  }
  if (positions_.size() == 0) positions_ = whole_positions(system);
  tracker_.set_positions(&positions_);
  const auto all = [&](const SparseMatrix& A) {
    return gather_matrix(space, symmetric_part(A, symmetric), Symmetry::symmetric);
  };
  as_step_failure("modes", [&] { require_entries(at.tangent.low_rank); });
  return {with_entries(all(at.tangent.K), at.tangent.low_rank, 1, Triangle::lower), all(system.mass()),
          gather_rows(space, system.rigid_motions(at.at))};
}

std::vector<std::vector<int>> ModeFinder::bodies(System& system, const Linearization& at, Index modes) {
  if (together(system, at, modes)) {  // one body
    std::vector<int> all(static_cast<std::size_t>(system.space().global_size(system.size())));
    std::iota(all.begin(), all.end(), 0);
    return {all};
  }
  const Problem whole = problem(system, at, ModeSearch::each);
  return uncoupled_parts(whole.K, whole.M, whole.rigid);
}

Modes ModeFinder::find(System& system, const Linearization& at, const ModalBasis& known, double tolerance,
                       const std::vector<char>& due, std::string& note) {
  if (together(system, at, known.count())) {
    Modes found;
    const auto failed = failure_of([&] { found = find(system, at, known, tolerance, due, ModeSearch::together); });
    if (!failed) return found;
    note = fmt::format(
        "t = {:.6g} s: all processes together do not find the modes, so that each seeks them for itself: {}", at.at.t,
        failed->reason);
  }
  return find(system, at, known, tolerance, due, ModeSearch::each);
}

Modes ModeFinder::find(System& system, const Linearization& at, const ModalBasis& known, double tolerance,
                       const std::vector<char>& due, ModeSearch who) {
  const auto [K, M, rigid] = problem(system, at, who);
  const bool gathered = who == ModeSearch::each;
  const Space& space = system.space();
  Modes found = known.count() == 0
                    ? tracker_.from_scratch(K, M, rigid)
                    : tracker_.refine(K, M, rigid, {known.lambda, gathered ? gather_rows(space, known.X) : known.X},
                                      tolerance, due);
  if (gathered) found.X = held_rows(space, found.X);
  return found;
}

}  // namespace limber
