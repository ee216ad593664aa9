#include "limber/linalg/modes/modes.hpp"

#include "limber/linalg/modes/parted_modes.hpp"

namespace limber {
namespace {

Modes search(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid, Extent extent,
             const Vector* positions) {
  require_mode_problem(K, M, s, rigid);
  auto parts = uncoupled_parts(K, M, rigid);
  if (parts.size() == 1) {
    ShiftInvert op;
    op.set_positions(positions);
    return search_modes(K, M, s, rigid, extent, op);
  }
  PartedModes modes(std::move(parts), K, M, rigid);
  const Index count = modes.choose(s, extent, [&](std::size_t p, int more) {
    const ModeProblem& part = modes.problems[p];
    ShiftInvert op;
    return search_modes(part.K, part.M, more, part.rigid, Extent::as_asked, op);
  });
  return modes.modes(count);
}

}  // namespace

Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s) {
  return lowest_modes(K, M, s, Matrix(K.cols(), 0));
}

Modes lowest_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid, const Vector* positions) {
  Modes modes = search(K, M, s, rigid, Extent::as_asked, positions);
  settle_zeros(K, serial_space(), modes);
  return modes;
}

Modes whole_modes(const SparseMatrix& K, const SparseMatrix& M, int s, const Matrix& rigid) {
  return search(K, M, s, rigid, Extent::whole_clusters, nullptr);
}

}  // namespace limber
