#pragma once  // internal
/// The modes of a system whose unknowns are shared by several processes: computed by all of them together, or by each
/// for the whole system (linalg/gathered.hpp) if that is faster or the system has several parts.

#include "limber/linalg/modes/modes.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

/// Whether s modes are computed together. n: unknowns held here. The system must be connected, since a mode belongs to
/// one part, and large enough for this to pay off (figures in docs/cluster.md).
bool sought_together(const UnknownNodes& nodes, Index n, Index s, ModeSearch search = ModeSearch::automatic);

/// lowest_modes, computed together. K, M: of each process's own elements, in 3×3 blocks of the lower triangle; M may be
/// diagonal. `rigid` and the resulting modes have the rows held here.
Modes lowest_modes_together(const UnknownNodes& nodes, const SparseMatrix& K, const SparseMatrix& M, int s,
                            const Matrix& rigid);

}  // namespace limber
