#pragma once  // internal
/// The lowest modes of a system that several processes share, by SLEPc: generalised Davidson in the inner product of M,
/// preconditioned by a cycle of multigrid for K − σM, beside the vectors that are known. A run may miss copies of a
/// repeated eigenvalue, so the search goes on beside what is found until the next mode lies above all that were asked
/// for.

#include <memory>

#include "limber/linalg/block_algebra.hpp"
#include "limber/linalg/modes/mode_finder.hpp"
#include "limber/linalg/modes/shift_invert.hpp"

namespace limber {

/// Whether this program has SLEPc, and was started as several processes.
bool slepc_serves(const Communicator& processes);
/// locked: #n × k, M-orthonormal modes that are known. The references must outlive what is made. Throws
/// InputError("modes", …) if there is no SLEPc in this program.
std::unique_ptr<ModeFinder> make_slepc_search(const ShiftInvert& op, const BlockProduct& K, const BlockProduct& M,
                                              const Matrix& locked);

}  // namespace limber
