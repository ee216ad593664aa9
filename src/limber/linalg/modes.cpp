#include "limber/linalg/modes.hpp"

#include <string>

#include "limber/core/errors.hpp"
#include "limber/linalg/mode_search.hpp"

namespace limber {
namespace {

Modes search(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid, Extent extent) {
  ShiftInvert op;
  return search_modes(K, M, s, rigid, extent, op);
}

}  // namespace

Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s) {
  return lowest_modes(K, M, s, Matrix(K.cols(), 0));
}

Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid) {
  return search(K, M, s, rigid, Extent::as_asked);
}

Modes whole_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid) {
  return search(K, M, s, rigid, Extent::whole_clusters);
}

}  // namespace limber
