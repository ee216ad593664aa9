#pragma once
/// One scalar type that is `double` or a SIMD pack of doubles, and 3×3 algebra over it. Materials are written once
/// over T and run on both: T = double for a single F, T = Lanes for a batch of elements in structure-of-arrays order.

#include <array>
#include <cmath>
#include <xsimd/xsimd.hpp>

namespace limber {

using Lanes = xsimd::batch<double>;
inline constexpr int lane_count = static_cast<int>(Lanes::size);

// Branches become selections, so that all lanes run the same instructions.
inline double select(bool c, double a, double b) { return c ? a : b; }
inline Lanes select(const Lanes::batch_bool_type& c, const Lanes& a, const Lanes& b) { return xsimd::select(c, a, b); }
inline bool any(bool c) { return c; }
inline bool any(const Lanes::batch_bool_type& c) { return xsimd::any(c); }
inline bool all(bool c) { return c; }
inline bool all(const Lanes::batch_bool_type& c) { return xsimd::all(c); }

/// Fixed-size 3×3 matrix over T, m[row][column].
template <class T>
struct M3 {
  T m[3][3];
  T& operator()(int i, int j) { return m[i][j]; }
  const T& operator()(int i, int j) const { return m[i][j]; }
};

/// 9×9 matrix over T acting on vec(F), column-major: entry i + 3j of vec(F) is F(i, j).
template <class T>
struct M9 {
  T m[9][9];
  T& operator()(int i, int j) { return m[i][j]; }
  const T& operator()(int i, int j) const { return m[i][j]; }
};

}  // namespace limber
