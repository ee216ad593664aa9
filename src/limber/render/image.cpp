#include "limber/render/image.hpp"

#include <zlib.h>

#include <array>
#include <cstdlib>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

void add_number(std::string& out, std::uint32_t x) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(x >> shift & 255);
}

void add_chunk(std::string& out, const std::string& type, const std::string& data) {
  const std::string checked = type + data;
  add_number(out, static_cast<std::uint32_t>(data.size()));
  out += checked;
  add_number(out, static_cast<std::uint32_t>(
                      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()))));
}

/// PNG's Paeth predictor: of left, above and above left the one nearest to left + above − above left.
int paeth(int a, int b, int c) {
  const int pa = std::abs(b - c), pb = std::abs(a - c), pc = std::abs(a + b - 2 * c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/// Each row as the number of its filter (4, Paeth) and the differences to what that predicts.
std::string filtered_rows(const Image& image) {
  const std::size_t stride = static_cast<std::size_t>(image.width) * 3;
  const std::vector<std::uint8_t> zeros(stride, 0);
  std::string out;
  out.reserve((stride + 1) * static_cast<std::size_t>(image.height));
  const std::uint8_t* above = zeros.data();
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.rgb.data() + static_cast<std::size_t>(y) * stride;
    out += '\4';
    for (std::size_t i = 0; i < stride; ++i)
      out += static_cast<char>(row[i] - (i < 3 ? paeth(0, above[i], 0) : paeth(row[i - 3], above[i], above[i - 3])));
    above = row;
  }
  return out;
}

std::string compressed(const std::string& data) {
  uLongf size = compressBound(data.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(data.data()), data.size(),
                6) != Z_OK)
    throw OutputError("a picture could not be compressed: out of memory");
  out.resize(size);
  return out;
}

}  // namespace

std::string encode_png(const Image& image) {
  std::string out = "\x89PNG\r\n\x1a\n", header;
  add_number(header, static_cast<std::uint32_t>(image.width));
  add_number(header, static_cast<std::uint32_t>(image.height));
  header += std::string("\x08\x02\0\0\0", 5);  // 8 bits, RGB, deflate, the five filters, not interlaced
  add_chunk(out, "IHDR", header);
  add_chunk(out, "sRGB", std::string(1, '\0'));
  add_chunk(out, "IDAT", compressed(filtered_rows(image)));
  add_chunk(out, "IEND", "");
  return out;
}

}  // namespace limber
