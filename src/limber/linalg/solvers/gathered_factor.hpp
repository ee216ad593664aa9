#pragma once  // internal
/// A factor of a matrix that several processes have parts of: each of them has the factor of the whole. Nothing is
/// divided, so it is for small matrices, and where nothing else converges.

#include <functional>

#include "limber/linalg/solvers/factor.hpp"

namespace limber {

using MakeFactor = std::function<std::unique_ptr<Factor>(const SparseMatrix& A)>;
/// What `make` makes, by itself on one process.
std::unique_ptr<Factor> make_gathered_factor(const SparseMatrix& A, Symmetry symmetry, const Space& space,
                                             const MakeFactor& make);

}  // namespace limber
