#pragma once  // internal
/// A factor of a distributed matrix: every process has the factor of the whole. Nothing is divided, so it is for small
/// matrices, and for those where nothing else converges.

#include <functional>

#include "limber/linalg/solvers/factor.hpp"

namespace limber {

using MakeFactor = std::function<std::unique_ptr<Factor>(const SparseMatrix& A)>;
/// On one process: the result of `make`.
std::unique_ptr<Factor> make_gathered_factor(const SparseMatrix& A, Symmetry symmetry, const Space& space,
                                             const MakeFactor& make);

}  // namespace limber
