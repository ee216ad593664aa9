#include "limber/linalg/modes/parts.hpp"

#include <numeric>

#include "limber/core/parallel.hpp"

namespace limber {
namespace {

/// Sets that grow together; the smallest member names a set.
class Sets {
 public:
  explicit Sets(Index n) : root_(static_cast<std::size_t>(n)) { std::iota(root_.begin(), root_.end(), 0); }

  int find(int i) {
    while (root(i) != i) i = root(i) = root(root(i));
    return i;
  }
  void join(int a, int b) {
    a = find(a);
    b = find(b);
    root(std::max(a, b)) = std::min(a, b);
  }

 private:
  int& root(int i) { return root_[static_cast<std::size_t>(i)]; }
  std::vector<int> root_;
};

void join(const SparseMatrix& A, Sets& sets) {
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it)
      if (it.value() != 0) sets.join(static_cast<int>(it.row()), j);
}

int first_of(const Matrix& columns, Index c) {
  int i = 0;
  while (i < columns.rows() && columns(i, c) == 0) ++i;
  return i;
}

/// `local`: the place of each unknown in its part.
SparseMatrix restricted(const SparseMatrix& A, const std::vector<int>& unknowns, const std::vector<int>& local) {
  const auto n = static_cast<Index>(unknowns.size());
  SparseMatrix part(n, n);
  Index entries = 0;
  for (const int j : unknowns)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) entries += it.value() != 0;
  part.reserve(entries);
  for (Index c = 0; c < n; ++c) {
    part.startVec(c);
    for (SparseMatrix::InnerIterator it(A, unknowns[static_cast<std::size_t>(c)]); it; ++it)
      if (it.value() != 0) part.insertBack(local[static_cast<std::size_t>(it.row())], c) = it.value();
  }
  part.finalize();
  return part;
}

}  // namespace

std::vector<std::vector<int>> uncoupled_parts(const SparseMatrix& K, const SparseMatrix& M, const Matrix& joining) {
  const Index n = K.cols();
  Sets sets(n);
  join(K, sets);
  join(M, sets);
  for (Index c = 0; c < joining.cols(); ++c) {
    const int first = first_of(joining, c);
    for (int i = first; i < n; ++i)
      if (joining(i, c) != 0) sets.join(i, first);
  }
  std::vector<std::vector<int>> parts;
  std::vector<int> part(static_cast<std::size_t>(n), -1);
  for (int i = 0; i < n; ++i) {
    int& mine = part[static_cast<std::size_t>(sets.find(i))];
    if (mine < 0) {
      mine = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    parts[static_cast<std::size_t>(mine)].push_back(i);
  }
  return parts;
}

std::vector<int> parts_of_columns(const std::vector<std::vector<int>>& parts, const Matrix& X) {
  std::vector<int> part(static_cast<std::size_t>(X.rows()), -1), holders(static_cast<std::size_t>(X.cols()), -1);
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const int i : parts[p]) part[static_cast<std::size_t>(i)] = static_cast<int>(p);
  for (Index c = 0; c < X.cols(); ++c) {
    const int first = first_of(X, c);
    if (first == X.rows()) continue;
    const int holder = part[static_cast<std::size_t>(first)];
    bool whole = true;
    for (Index i = first; i < X.rows() && whole; ++i)
      whole = X(i, c) == 0 || part[static_cast<std::size_t>(i)] == holder;
    if (whole) holders[static_cast<std::size_t>(c)] = holder;
  }
  return holders;
}

std::vector<ModeProblem> part_problems(const std::vector<std::vector<int>>& parts, const SparseMatrix& K,
                                       const SparseMatrix& M, const Matrix& rigid) {
  std::vector<int> local(static_cast<std::size_t>(K.cols())), part(local.size());
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (std::size_t i = 0; i < parts[p].size(); ++i) {
      local[static_cast<std::size_t>(parts[p][i])] = static_cast<int>(i);
      part[static_cast<std::size_t>(parts[p][i])] = static_cast<int>(p);
    }
  std::vector<std::vector<Index>> columns(parts.size());
  for (Index c = 0; c < rigid.cols(); ++c)
    if (const int first = first_of(rigid, c); first < rigid.rows())
      columns[static_cast<std::size_t>(part[static_cast<std::size_t>(first)])].push_back(c);
  std::vector<ModeProblem> problems(parts.size());
  parallel_for(static_cast<Index>(parts.size()), [&](Index p) {
    const auto at = static_cast<std::size_t>(p);
    problems[at] = {restricted(K, parts[at], local), restricted(M, parts[at], local), rigid(parts[at], columns[at])};
  });
  return problems;
}

}  // namespace limber
