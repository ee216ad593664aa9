#pragma once
/// A picture of 8-bit sRGB pixels, rows from the top, and its PNG.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // height × width × 3
};

/// The bytes of a PNG file.
std::string encode_png(const Image& image);
/// Of any kind of PNG; transparency is dropped. `where` names it in errors. Throws InputError.
Image decode_png(std::string_view bytes, const std::string& where);

/// Twice as large, or one pixel less: between the centres of pixels colours go straight.
Image enlarged(const Image& image, int width, int height);
/// Puts `part` with its left upper corner at (x, y); it must fit.
void paste(const Image& part, int x, int y, Image& onto);

}  // namespace limber
