#pragma once
/// The search behind `lowest_modes` and `whole_modes`: dense for few unknowns, otherwise block Lanczos with a factor
/// that the caller may retain.

#include "limber/linalg/modes/modes.hpp"
#include "limber/linalg/modes/shift_invert.hpp"

namespace limber {

enum class Extent { as_asked, whole_clusters };

/// Throws InputError("modes", …) unless the sizes fit and 1 ≤ s ≤ n.
void require_mode_problem(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid,
                          const Space& space = serial_space());
/// Whether a dense solution is cheaper.
bool few_unknowns(Index n, Index s);
/// Treats the system as one part. Leaves the factor in `op` (unless the solution was dense). K, M compressed. If
/// several processes share the unknowns of `op`, they search together and never use the dense solution.
Modes search_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid, Extent extent,
                   ShiftInvert& op);

/// Sets λ to 0 if it is within rounding of K: 2e-13 of the largest possible xᵀK x for the magnitudes of K's entries,
/// fifty times the rounding error. Bodies that turn about a hinge have such modes besides rigid motions. K: its lower
/// triangle; on several processes, that of each one's own elements.
void settle_zeros(const SparseMatrix& K, const Space& space, Modes& modes);

/// Merges the modes with vectors R and λ = 0 (#n × k, M-orthonormal) with the others and returns the first `count`.
Modes merge_modes(const Matrix& R, const Modes& others, Index count);

/// Whether neighbours a ≤ b belong to one cluster: they differ by at most 1e-6 or both are noise about 0. `largest`:
/// largest |λ| computed; `top`: max |K_ii| / M_ii.
bool same_cluster(double a, double b, double largest, double top);

}  // namespace limber
