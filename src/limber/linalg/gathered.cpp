#include "limber/linalg/gathered.hpp"

#include "limber/core/nodes.hpp"

namespace limber {

SparseMatrix gather_entries(const Communicator& all, Index n, const std::vector<Entry>& own) {
  std::vector<double> mine;
  mine.reserve(3 * own.size());
  for (const Entry& e : own) mine.insert(mine.end(), {double(e.row()), double(e.col()), e.value()});
  std::vector<Entry> entries;
  for (const auto& list : all.allgather(mine))
    for (std::size_t i = 0; i < list.size(); i += 3)
      entries.emplace_back(static_cast<int>(list[i]), static_cast<int>(list[i + 1]), list[i + 2]);
  SparseMatrix whole(n, n);
  whole.setFromTriplets(entries.begin(), entries.end());
  return whole;
}

SparseMatrix gather_matrix(const Space& space, const SparseMatrix& A, Symmetry symmetry) {
  if (!space.shared()) return A;
  std::vector<Entry> own;
  own.reserve(static_cast<std::size_t>(A.nonZeros()));
  const auto place = [&](Index i) {
    return 3 * space.places()[static_cast<std::size_t>(i / 3)] + static_cast<int>(i % 3);
  };
  const bool symmetric = symmetry == Symmetry::symmetric;
  for (Index j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator e(A, j); e; ++e)
      if (!symmetric)
        own.emplace_back(place(e.row()), place(j), e.value());
      else if (e.row() >= j)  // blocks of the diagonal may be whole
        own.push_back(lower_entry(place(e.row()), place(j), e.value()));
  return gather_entries(space.processes(), space.global_size(A.cols()), own);
}

Matrix gather_rows(const Space& space, const Matrix& held) {
  if (!space.shared()) return held;
  Matrix all(space.global_size(held.rows()), held.cols());
  for (Index c = 0; c < held.cols(); ++c) all.col(c) = space.allgather(held.col(c));
  return all;
}

Matrix as_owners_have(const Space& space, Matrix held) {
  if (!space.shared()) return held;
  for (const int node : space.held_by_several())
    if (!space.owns(node)) held.middleRows(3 * static_cast<Index>(node), 3).setZero();
  space.add_up(held);
  return held;
}

Matrix held_rows(const Space& space, const Matrix& all) {
  if (!space.shared()) return all;
  Matrix held(3 * static_cast<Index>(space.places().size()), all.cols());
  for (Index c = 0; c < all.cols(); ++c) held.col(c) = space.restrict(all.col(c));
  return held;
}

}  // namespace limber
