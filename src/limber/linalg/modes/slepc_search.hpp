#pragma once  // internal
/// The lowest modes of a system shared by several processes, by SLEPc: generalised Davidson in the inner product of M,
/// preconditioned by a multigrid cycle for K − σM, orthogonal to the known vectors. A run may miss copies of a repeated
/// eigenvalue, so the search is repeated orthogonally to the modes found until the next one lies above all the
/// requested ones.

#include <memory>

#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/modes/mode_iteration.hpp"
#include "limber/linalg/modes/shift_invert.hpp"

namespace limber {

/// Whether this program has SLEPc and runs on several processes.
bool slepc_serves(const Communicator& processes);
/// locked: #n × k, known M-orthonormal modes. The references must outlive the result. Throws InputError("modes", …) if
/// the program is built without SLEPc.
std::unique_ptr<ModeIteration> make_slepc_search(const ShiftInvert& op, const BlockProduct& K, const BlockProduct& M,
                                                 const Matrix& locked);

}  // namespace limber
