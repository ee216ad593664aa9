#pragma once
/// Colours: linear light in sRGB's primaries, 1 a white surface.

#include <cstdint>

#include "limber/core/types.hpp"

namespace limber {

using Color = Eigen::Vector3f;

/// Luminance.
inline float brightness(const Color& c) { return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]; }
/// Of a colour as pictures hold it, 0xRRGGBB.
Color from_hex(std::uint32_t rgb);
/// sRGB's curve: linear light in [0, 1] to what a picture holds, in [0, 255].
std::uint8_t to_byte(float linear);

/// Of body b: a short list, over and over.
Color body_color(std::size_t body);
/// The perceptually uniform map viridis, dark violet at 0 to yellow at 1; polynomials that fit it to 0.015.
Color viridis(double x);

}  // namespace limber
