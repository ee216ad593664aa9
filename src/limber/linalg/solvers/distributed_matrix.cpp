#ifdef LIMBER_HAS_PETSC
#include "limber/linalg/solvers/distributed_matrix.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/linalg/blocks.hpp"
#include "limber/linalg/pattern.hpp"

namespace limber {
namespace {

void require_blocks(const SparseMatrix& A) {
  const int *start = A.outerIndexPtr(), *row = A.innerIndexPtr();
  bool blocks = A.cols() % 3 == 0 && A.isCompressed();
  for (Index b = 0; blocks && b < A.cols() / 3; ++b) {
    const int count = start[3 * b + 1] - start[3 * b];
    blocks =
        count % 3 == 0 && start[3 * b + 2] - start[3 * b + 1] == count && start[3 * b + 3] - start[3 * b + 2] == count;
    for (int p = 0; blocks && p < count; p += 3) {
      const int first = row[start[3 * b] + p];
      blocks = first % 3 == 0 && row[start[3 * b] + p + 2] == first + 2 && row[start[3 * b + 2] + p] == first;
    }
  }
  if (!blocks) throw InputError("method.solver", "PETSc is for matrices of 3×3 blocks, one for each pair of nodes");
}

}  // namespace

void DistributedMatrix::number(Index unknowns) {
  if (space_.shared()) {
    const auto& n = space_.numbering();
    number_ = n.number;
    first_ = n.first;
    own_ = n.own;
    nodes_ = n.nodes;
  } else {
    number_.resize(static_cast<std::size_t>(unknowns / 3));
    std::iota(number_.begin(), number_.end(), 0);
    own_ = nodes_ = static_cast<int>(number_.size());
  }
  first_of_.assign(ix(space_.processes().size()), nodes_);
  first_of_[ix(space_.processes().rank())] = first_;
  space_.processes().min(std::span<int>(first_of_));
}

std::size_t DistributedMatrix::owner(int row) const {
  return static_cast<std::size_t>(std::upper_bound(first_of_.begin(), first_of_.end(), row) - first_of_.begin()) - 1;
}

bool DistributedMatrix::take(const SparseMatrix& A) {
  // All processes make it anew if one of them has another pattern.
  const bool fresh = !space_.all(matrix_ && same_pattern(pattern_, A));
  if (fresh) make(A);
  fill(A);
  return fresh;
}

std::vector<std::vector<DistributedMatrix::Pair>> DistributedMatrix::exchanged(
    const std::vector<std::vector<Pair>>& out) const {
  std::vector<std::vector<double>> sent(out.size());
  for (std::size_t p = 0; p < out.size(); ++p)
    for (const auto& [row, column] : out[p])
      sent[p].insert(sent[p].end(), {static_cast<double>(row), static_cast<double>(column)});
  const auto came = space_.processes().alltoall(sent);
  std::vector<std::vector<Pair>> in(out.size());
  for (std::size_t p = 0; p < out.size(); ++p)
    for (std::size_t i = 0; i + 1 < came[p].size(); i += 2)
      in[p].emplace_back(static_cast<int>(came[p][i]), static_cast<int>(came[p][i + 1]));
  return in;
}

void DistributedMatrix::make(const SparseMatrix& A) {
  require_blocks(A);
  pattern_ = A;
  number(A.cols());
  const auto count = ix(space_.processes().size());
  std::vector<std::vector<Pair>> out(count);
  std::vector<Pair> own;
  const bool symmetric = symmetry_ == Symmetry::symmetric;
  const auto note = [&](int row, int column) {
    if (is_own(row))
      own.emplace_back(row, column);
    else
      out[owner(row)].emplace_back(row, column);
  };
  each_block(A, [&](int a, int b, int, int) {
    note(number_[ix(a)], number_[ix(b)]);
    if (symmetric && a != b) note(number_[ix(b)], number_[ix(a)]);
  });
  const auto in = exchanged(out);
  for (const auto& pairs : in) own.insert(own.end(), pairs.begin(), pairs.end());
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());

  // Each row's blocks, in both parts.
  std::vector<PetscInt> here(ix(own_), 0), beside(ix(own_), 0);
  for (const auto& [row, column] : own) ++(is_own(column) ? here : beside)[ix(row - first_)];
  check_petsc(MatCreate(PETSC_COMM_WORLD, matrix_.fresh()));
  check_petsc(MatSetSizes(matrix_, 3 * own_, 3 * own_, 3 * nodes_, 3 * nodes_));
  check_petsc(MatSetBlockSize(matrix_, 3));
  check_petsc(MatSetType(matrix_, MATAIJ));
  check_petsc(MatXAIJSetPreallocation(matrix_, 3, here.data(), beside.data(), nullptr, nullptr));
  const std::array<double, 9> zero{};
  for (const auto& [row, column] : own) {
    const PetscInt r = row, c = column;
    check_petsc(MatSetValuesBlocked(matrix_, 1, &r, 1, &c, zero.data(), INSERT_VALUES));
  }
  check_petsc(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  check_petsc(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
  if (symmetric) {
    check_petsc(MatSetOption(matrix_, MAT_SYMMETRIC, PETSC_TRUE));
    check_petsc(MatSetOption(matrix_, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }

  // Rows are stored one after the other, their columns ascending: so are the blocks.
  std::vector<std::int64_t> first_here(ix(own_) + 1, 0), first_beside(ix(own_) + 1, 0), first_pair(ix(own_) + 1, 0);
  for (std::size_t r = 0; r < ix(own_); ++r) {
    first_here[r + 1] = first_here[r] + 9 * here[r];
    first_beside[r + 1] = first_beside[r] + 9 * beside[r];
    first_pair[r + 1] = first_pair[r] + here[r] + beside[r];
  }
  const auto place = [&](const Pair& pair) {
    const auto r = ix(pair.first - first_);
    const auto begin = own.begin() + first_pair[r], end = own.begin() + first_pair[r + 1];
    const auto at = std::lower_bound(begin, end, pair);
    const auto left = std::lower_bound(begin, end, Pair(pair.first, first_));  // columns beside, to the left of our own
    if (is_own(pair.second)) return Place{first_here[r] + 3 * (at - left), static_cast<int>(3 * here[r]), false};
    const auto before = at < left ? at - begin : at - begin - here[r];
    return Place{first_beside[r] + 3 * before, static_cast<int>(3 * beside[r]), true};
  };
  neighbours_.assign(count, {});
  places_.clear();
  mirrored_.clear();
  std::vector<std::int64_t> sent(count, 0);
  const auto where = [&](int row, int column) {
    if (is_own(row)) return place({row, column});
    const std::size_t p = owner(row);
    sent[p] += 9;
    return Place{sent[p] - 9, -1 - static_cast<int>(p), false};
  };
  each_block(A, [&](int a, int b, int, int) {
    places_.push_back(where(number_[ix(a)], number_[ix(b)]));
    if (symmetric) mirrored_.push_back(a != b ? where(number_[ix(b)], number_[ix(a)]) : Place{});
  });
  for (std::size_t p = 0; p < count; ++p) {
    Neighbour& n = neighbours_[p];
    n.process = static_cast<int>(p);
    n.out.resize(static_cast<std::size_t>(sent[p]));
    n.in.resize(9 * in[p].size());
    for (const Pair& pair : in[p]) n.places.push_back(place(pair));
  }
}

void DistributedMatrix::fill(const SparseMatrix& A) {
  Mat here = matrix_, beside = nullptr;
  const bool several = space_.processes().size() > 1;
  if (several) check_petsc(MatMPIAIJGetSeqAIJ(matrix_, &here, &beside, nullptr));
  check_petsc(MatZeroEntries(matrix_));
  PetscScalar *values = nullptr, *values_beside = nullptr;
  check_petsc(MatSeqAIJGetArray(here, &values));
  if (several) check_petsc(MatSeqAIJGetArray(beside, &values_beside));
  const auto add = [&](const Place& to, const auto& entry) {
    if (to.width < 0) {
      double* out = neighbours_[ix(-1 - to.width)].out.data() + to.first;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) out[3 * r + c] = entry(r, c);
      return;
    }
    PetscScalar* first = (to.beside ? values_beside : values) + to.first;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) first[r * to.width + c] += entry(r, c);
  };
  const double* value = A.valuePtr();
  const bool symmetric = symmetry_ == Symmetry::symmetric;
  std::size_t k = 0;
  each_block(A, [&](int a, int b, int first, int stride) {
    const auto entry = [&](int r, int c) { return value[first + c * stride + r]; };
    if (symmetric && a == b)
      add(places_[k], [&](int r, int c) { return r >= c ? entry(r, c) : entry(c, r); });
    else
      add(places_[k], entry);
    if (symmetric && a != b) add(mirrored_[k], [&](int r, int c) { return entry(c, r); });
    ++k;
  });
  if (several) {
    std::vector<Communicator::Message> messages;
    for (Neighbour& n : neighbours_)
      if (!n.out.empty() || !n.in.empty()) messages.push_back({n.process, n.out, n.in});
    space_.processes().exchange(messages);
    for (const Neighbour& n : neighbours_)
      for (std::size_t i = 0; i < n.places.size(); ++i)
        add(n.places[i], [&](int r, int c) { return n.in[9 * i + static_cast<std::size_t>(3 * r + c)]; });
    check_petsc(MatSeqAIJRestoreArray(beside, &values_beside));
  }
  check_petsc(MatSeqAIJRestoreArray(here, &values));
  check_petsc(MatAssemblyBegin(matrix_, MAT_FINAL_ASSEMBLY));
  check_petsc(MatAssemblyEnd(matrix_, MAT_FINAL_ASSEMBLY));
}

void DistributedMatrix::to_petsc(const Vector& x, Vec out) const {
  PetscScalar* values = nullptr;
  check_petsc(VecGetArray(out, &values));
  for (std::size_t i = 0; i < number_.size(); ++i)
    if (is_own(number_[i])) std::copy_n(x.data() + 3 * i, 3, values + 3 * (number_[i] - first_));
  check_petsc(VecRestoreArray(out, &values));
}

void DistributedMatrix::from_petsc(Vec in, Vector& x) const {
  const PetscScalar* values = nullptr;
  x.setZero(3 * static_cast<Index>(number_.size()));
  check_petsc(VecGetArrayRead(in, &values));
  for (std::size_t i = 0; i < number_.size(); ++i)
    if (is_own(number_[i])) std::copy_n(values + 3 * (number_[i] - first_), 3, x.data() + 3 * i);
  check_petsc(VecRestoreArrayRead(in, &values));
  space_.add_up(x);
}

}  // namespace limber
#endif
