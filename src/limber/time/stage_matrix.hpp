#pragma once
/// The stage matrix A = M + τᵥ D + τᵥ τ_q K, added as arrays: K and D share one pattern, and so does M unless it is
/// diagonal.

#include "limber/linalg/solvers/corrected_solver.hpp"
#include "limber/model/system.hpp"

namespace limber {

/// Writes A. Its pattern is copied from K in the first call only.
void combine(const System& system, const Tangent& T, double tau_q, double tau_v, SparseMatrix& A);
/// The same in the memory of K, which is left empty.
void combine_in_place(const System& system, Tangent& T, double tau_q, double tau_v, SparseMatrix& A);

/// The contributions to A of the parts of a tangent that are kept apart from K and D: −U C Uᵀ for deflated modes and
/// for low-rank parts, and the unsymmetric part.
Correction correction(const Tangent& T, double tau_q, double tau_v);

/// S x, where S is M, K or D in the system's storage.
Vector multiply(const System& system, const SparseMatrix& S, const Vector& x);
/// K x, including the low-rank part of K.
Vector multiply_stiffness(const System& system, const Tangent& T, const Vector& x);

}  // namespace limber
