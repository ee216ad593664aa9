#pragma once
/// Products with the first m columns of a tall matrix V, by chunks of rows: the same bits for any number of threads.

#include <vector>

#include "limber/linalg/chunks.hpp"

namespace limber {

/// V_mᵀ x
inline Vector project(const Matrix& V, Index m, const Vector& x) {
  const Index n = x.size();
  if (n <= chunk_length) return V.leftCols(m).transpose() * x;
  std::vector<Vector> parts(static_cast<std::size_t>(chunk_count(n)));
  for_chunks(n, [&](Index begin, Index end) {
    parts[static_cast<std::size_t>(begin / chunk_length)] =
        V.block(begin, 0, end - begin, m).transpose() * x.segment(begin, end - begin);
  });
  Vector sum = Vector::Zero(m);
  for (const Vector& part : parts) sum += part;
  return sum;
}

/// x += V_m y
inline void add_combination(const Matrix& V, const Vector& y, Vector& x) {
  for_chunks(x.size(), [&](Index begin, Index end) {
    x.segment(begin, end - begin).noalias() += V.block(begin, 0, end - begin, y.size()) * y;
  });
}

}  // namespace limber
