#pragma once  // internal
/// Vector loops over chunks of fixed length: the order of summation does not depend on the number of threads.

#include <algorithm>
#include <cmath>

#include "limber/core/extremes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/core/types.hpp"

namespace limber {

inline constexpr Index chunk_length = 6144;  // a multiple of 3, so that no node is split

inline constexpr double chunk_cost = 6e3;  // [ns] of a loop that reads two vectors and writes one

inline Index chunk_count(Index n) { return (n + chunk_length - 1) / chunk_length; }

/// Calls body(begin, end) for each chunk of 0 … n−1.
template <class Body>
void for_chunks(Index n, const Body& body) {
  if (n <= chunk_length) return body(Index{0}, n);
  parallel_for(
      chunk_count(n), [&](Index c) { body(c * chunk_length, std::min(n, (c + 1) * chunk_length)); }, chunk_cost);
}

/// Σ term(begin, end) over the chunks of 0 … n−1, in their order.
template <class Term>
double sum_chunks(Index n, const Term& term) {
  if (n <= chunk_length) return term(Index{0}, n);
  return ordered_sum(
      chunk_count(n), [&](Index c) { return term(c * chunk_length, std::min(n, (c + 1) * chunk_length)); }, chunk_cost);
}

/// xᵀy over [0, n), in eight interleaved sums.
inline double serial_dot(Index n, const double* x, const double* y) {
  double s[8] = {};
  Index i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; ++l) s[l] += x[i + l] * y[i + l];
  for (; i < n; ++i) s[0] += x[i] * y[i];
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

inline double chunked_dot(Index n, const double* x, const double* y) {
  return sum_chunks(n, [=](Index begin, Index end) { return serial_dot(end - begin, x + begin, y + begin); });
}
inline double chunked_dot(const Vector& x, const Vector& y) { return chunked_dot(x.size(), x.data(), y.data()); }
inline double chunked_norm(const Vector& x) { return std::sqrt(chunked_dot(x, x)); }

/// ‖x‖, safe if squares of its entries overflow or underflow.
inline double scaled_norm(const Vector& x) {
  const double largest = largest_magnitude(x);
  return largest > 0 && std::isfinite(largest) ? largest * (x / largest).norm() : largest;
}

}  // namespace limber
