#pragma once
/// A picture of 8-bit sRGB pixels, rows from the top, and its PNG.

#include <cstdint>
#include <string>
#include <vector>

namespace limber {

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // height × width × 3
};

/// The bytes of a PNG file.
std::string encode_png(const Image& image);

}  // namespace limber
