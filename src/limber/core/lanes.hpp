#pragma once  // internal
/// SIMD packs of doubles: one double of each of lane_count elements, in structure-of-arrays order. lane_count depends
/// on compiler flags, so no public header may include this one.

#include <array>
#include <utility>
#include <xsimd/xsimd.hpp>

#include "limber/core/small_matrices.hpp"

namespace limber {

// The AVX-512 part of xsimd 8.1 does not compile with GCC 12, so four lanes are used there too.
#if defined(__AVX512F__) && defined(__AVX2__) && defined(__FMA__)
using LaneArchitecture = xsimd::fma3<xsimd::avx2>;
#else
using LaneArchitecture = xsimd::default_arch;
#endif
using Lanes = xsimd::batch<double, LaneArchitecture>;
inline constexpr int lane_count = static_cast<int>(Lanes::size);

/// {base[index[0]], base[index[1]], …}
LIMBER_INLINE Lanes gather(const double* base, const int* index) {
  return [&]<std::size_t... l>(std::index_sequence<l...>) { return Lanes{base[index[l]]...}; }
  (std::make_index_sequence<static_cast<std::size_t>(lane_count)>());
}

}  // namespace limber
