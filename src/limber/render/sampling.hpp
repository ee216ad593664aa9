#pragma once  // internal
/// Points that fill the unit square evenly: the first two dimensions of Sobol's sequence, scrambled as Owen proposed by
/// a hash (Laine and Karras 2011). The same on every machine.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "limber/render/camera.hpp"

namespace limber {

inline std::uint32_t mix_bits(std::uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

inline std::uint32_t reverse_bits(std::uint32_t x) {
  x = x << 16 | x >> 16;
  x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
  x = (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
  x = (x & 0x33333333u) << 2 | (x >> 2 & 0x33333333u);
  return (x & 0x55555555u) << 1 | (x >> 1 & 0x55555555u);
}

/// Flips each bit by a hash of the bits above it: digits of x, the lowest first, so that carries only go up.
inline std::uint32_t scramble(std::uint32_t x, std::uint32_t seed) {
  x = reverse_bits(x) + seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return reverse_bits(x);
}

/// Point i in [0, 1)² of the sequence with this seed.
inline Vec2 sample_point(std::uint32_t i, std::uint32_t seed) {
  i = reverse_bits(scramble(reverse_bits(i), mix_bits(seed)));
  std::uint32_t second = 0;
  for (std::uint32_t direction = 1u << 31, k = i; k; k >>= 1, direction ^= direction >> 1)
    if (k & 1) second ^= direction;
  const std::uint32_t x = scramble(reverse_bits(i), mix_bits(seed ^ 0x68bc21ebu));
  const std::uint32_t y = scramble(second, mix_bits(seed ^ 0x02e5be93u));
  constexpr double unit = 1.0 / 4294967296.0;
  return {x * unit, y * unit};
}

/// The unit disk, by rings and angle: equal areas to equal areas.
inline Vec2 to_disk(const Vec2& u) {
  const double r = std::sqrt(u[0]), angle = 2 * std::numbers::pi * u[1];
  return {r * std::cos(angle), r * std::sin(angle)};
}

/// A number of density 1 − |x| on (−1, 1).
inline double to_tent(double u) { return u < 0.5 ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u); }

/// The points for one ray through a pixel.
struct RaySample {
  Vec2 pixel;  // in (−1, 1)², of density (1 − |x|)(1 − |y|)
  Vec2 sun;    // in the unit disk
  Vec2 sky;    // in the unit disk
};

/// A few hundred scramblings of the sequence; each pixel takes one of them.
class RaySamples {
 public:
  explicit RaySamples(int count) : count_(static_cast<std::size_t>(count)) {
    for (std::uint32_t k = 0; k < scramblings; ++k)
      for (std::uint32_t i = 0; i < count_; ++i) {
        const Vec2 u = sample_point(i, 3 * k);
        samples_.push_back(
            {{to_tent(u[0]), to_tent(u[1])}, to_disk(sample_point(i, 3 * k + 1)), to_disk(sample_point(i, 3 * k + 2))});
      }
  }
  std::size_t count() const { return count_; }
  /// count() of them.
  const RaySample* of_pixel(int x, int y) const {
    const auto pixel = static_cast<std::uint32_t>(y) * 65536u + static_cast<std::uint32_t>(x);
    return samples_.data() + mix_bits(pixel) % scramblings * count_;
  }

 private:
  static constexpr std::uint32_t scramblings = 256;
  std::size_t count_;
  std::vector<RaySample> samples_;
};

}  // namespace limber
