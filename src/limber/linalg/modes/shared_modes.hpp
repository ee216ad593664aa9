#pragma once  // internal
/// The modes of a system whose unknowns several processes share: sought by all of them together, or by each for the
/// whole system (linalg/gathered.hpp), where that is quicker or where they must be those of several parts.

#include "limber/linalg/modes/modes.hpp"
#include "limber/linalg/solvers/linear_solver.hpp"

namespace limber {

/// Whether s modes are sought together. n: unknowns held here. The system must hang together in one part, since a mode
/// must be of one, and have so many unknowns that it pays (docs/cluster.md has the figures).
bool sought_together(const UnknownNodes& nodes, Index n, Index s, ModeSearch search = ModeSearch::automatic);

/// lowest_modes, sought together. K, M: of each process's own elements, of 3×3 blocks in the lower triangle or, M, its
/// diagonal alone. `rigid` and the modes found have the rows that are held here.
Modes lowest_modes_together(const UnknownNodes& nodes, const SparseMatrix& K, const SparseMatrix& M, int s,
                            const Matrix& rigid);

}  // namespace limber
