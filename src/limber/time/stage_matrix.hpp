#pragma once
/// A = M + τᵥ D + τᵥ τ_q K, added as arrays: K and D have one pattern, and M too unless it is diagonal.

#include "limber/linalg/solvers/corrected_solver.hpp"
#include "limber/model/system.hpp"

namespace limber {

/// Writes A; its pattern is copied from K the first time only.
void combine(const System& system, const Tangent& T, double tau_q, double tau_v, SparseMatrix& A);
/// The same in the memory of K, which is empty afterwards.
void combine_in_place(const System& system, Tangent& T, double tau_q, double tau_v, SparseMatrix& A);

/// What the parts of a tangent beside K and D add to A: − U C Uᵀ where modes are deflated and for what is of low rank,
/// and what is not symmetric.
Correction correction(const Tangent& T, double tau_q, double tau_v);

/// S x for M, K or D as the system stores it.
Vector multiply(const System& system, const SparseMatrix& S, const Vector& x);
/// K x with what of K is of low rank.
Vector multiply_stiffness(const System& system, const Tangent& T, const Vector& x);

}  // namespace limber
