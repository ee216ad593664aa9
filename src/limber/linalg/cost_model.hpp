#pragma once  // internal
/// What work costs: seconds on one common core. Only ratios matter. Decisions are made from counts with these, never
/// from a clock: they are the same on every machine.

namespace limber::cost {

// Per count, of a Neoverse-V1 at 2.6 GHz. Measured on matrices of linear elasticity on 2.5k to 160k tetrahedra.
inline constexpr double per_entry = .26e-9;         // of a product
inline constexpr double per_unknown = 3.5e-9;       // of the vector updates of an iteration
inline constexpr double per_flop = .045e-9;         // of a factorisation: in large dense blocks
inline constexpr double per_factor_entry = 8e-9;    // of a factorisation: assembling, small blocks
inline constexpr double per_factor_unknown = 1e-6;  // of a factorisation
inline constexpr double per_solve_entry = 1.8e-9;   // of the two triangular solves

// Where only unknowns and events are counted: per unknown, and per unknown squared.
inline constexpr double rough_assembly = 1e-5;   // of forces and matrices
inline constexpr double rough_iteration = 1e-7;  // of an iteration
inline constexpr double rough_factor = 3e-10;    // of a factorisation

// Of steps, per unknown unless it says otherwise: fitted to eight scenes of 9 to 4374 unknowns, with and without
// contact, where the sum is .3 to 1.7 times the seconds of an x86-64 core; methods of one scene compare within a third.
inline constexpr double step = 1e-4;            // of a step, whatever its unknowns
inline constexpr double step_forces = 1e-7;     // of forces
inline constexpr double step_newton = 4e-7;     // of a Newton iteration, beside its system
inline constexpr double step_system = 3e-7;     // of assembling and solving a system
inline constexpr double step_iteration = 5e-8;  // of an iteration of the linear solver
inline constexpr double step_factor = 6e-11;    // of a factorisation, per unknown squared
inline constexpr double step_product = 8e-8;    // of a product with the stiffness
inline constexpr double step_mode = 3e-7;       // of a mode that is moved and followed
inline constexpr double step_help = 1e-5;       // of a substep that had to be taken in another way

/// Of factorising with a block of columns, in iterations that solve for all of them, as modes are sought.
inline double factor_in_block_solves(double flops, double entries, double columns) {
  return .1 * flops / (entries * columns);
}

}  // namespace limber::cost
