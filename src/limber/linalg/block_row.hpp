#pragma once  // internal
/// One row of a matrix of small dense blocks times a vector: the innermost loop of the iterative solvers.

#include <cstddef>
#include <type_traits>
#include <xsimd/xsimd.hpp>

namespace limber {

/// Number of values after the last block that may be read. Their content does not matter.
inline constexpr std::size_t read_beyond_blocks = 4;

/// y = Σ aₛ x over the row's `count` blocks of R rows and C columns, stored one after the other, each column by column.
/// column[s] is the position in x in units of C. Values may have lower precision than x.
template <int R, int C, class Value, class T>
inline void multiply_block_row(const Value* a, const int* column, int count, const T* x, T* y) {
  if constexpr (R == 1 && C == 1) {
    T sum = 0;
    for (int s = 0; s < count; ++s) sum += a[s] * x[column[s]];
    *y = sum;
    return;
  }
  using Four = xsimd::make_sized_batch_t<T, 4>;
  using Pack = std::conditional_t<std::is_void_v<Four>, xsimd::make_sized_batch_t<T, 2>, Four>;
  constexpr int lanes = static_cast<int>(Pack::size), packs = (R + lanes - 1) / lanes;
  constexpr int chains = 3;  // independent sums
  // x is read at scattered positions, which keeps the processor from recognising that blocks are read in sequence.
  constexpr int ahead = 8192, line = 64;  // [bytes]
  Pack sums[chains][packs];
  for (auto& chain : sums)
    for (Pack& sum : chain) sum = Pack(T(0));
  for (int s = 0; s < count; ++s, a += R * C) {
    for (int byte = 0; byte < static_cast<int>(R * C * sizeof(Value)); byte += line)
      __builtin_prefetch(reinterpret_cast<const char*>(a) + ahead + byte);
    const T* v = x + static_cast<std::ptrdiff_t>(column[s]) * C;
    for (int c = 0; c < C; ++c)  // values that a pack reads beyond its column are not used
      for (int p = 0; p < packs; ++p) {
        Pack& sum = sums[c % chains][p];
        sum = xsimd::fma(Pack::load_unaligned(a + c * R + lanes * p), Pack(v[c]), sum);
      }
  }
  T out[packs * lanes];
  for (int p = 0; p < packs; ++p) ((sums[0][p] + sums[1][p]) + sums[2][p]).store_unaligned(out + lanes * p);
  for (int r = 0; r < R; ++r) y[r] = out[r];
}

}  // namespace limber
