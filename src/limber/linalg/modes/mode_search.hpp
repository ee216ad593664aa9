#pragma once
/// The search behind `lowest_modes` and `whole_modes`: dense for few unknowns, else block Lanczos with a factor that
/// the caller may keep.

#include "limber/linalg/modes/modes.hpp"
#include "limber/linalg/modes/shift_invert.hpp"

namespace limber {

enum class Extent { as_asked, whole_clusters };

/// Throws InputError("modes", …) unless the sizes fit and s is 1 to n.
void require_mode_problem(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid,
                          const Space& space = serial_space());
/// Whether a dense solution is cheaper.
bool few_unknowns(Index n, Index s);
/// For a system that is not in parts, or as if it were not. Leaves the factor in `op` (unless the solution was dense).
/// K, M compressed. Where several processes share the unknowns of `op`, all of them search together, and none of it is
/// dense.
Modes search_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid, Extent extent,
                   ShiftInvert& op);

/// Makes λ 0 where it is but the rounding of K: 2e-13 of what its entries could add to xᵀK x, which is fifty times what
/// rounding leaves. Bodies that turn about a hinge have such modes beside rigid motions. K: its lower triangle, on
/// several processes of each one's own elements.
void settle_zeros(const SparseMatrix& K, const Space& space, Modes& modes);

/// The first `count` modes of those with the vectors R and λ = 0 (#n × k, M-orthonormal) and of the others.
Modes merge_modes(const Matrix& R, const Modes& others, Index count);

/// Whether a cut between neighbours a ≤ b would cut a cluster: they differ by 1e-6 or both are noise about 0.
/// `largest`: of all |λ| computed; `top`: max |K_ii| / M_ii.
bool same_cluster(double a, double b, double largest, double top);

}  // namespace limber
