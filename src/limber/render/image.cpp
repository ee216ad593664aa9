#include "limber/render/image.hpp"

#include <zlib.h>

#include <algorithm>
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

/// Only runs of equal bytes are looked for: pictures of smooth shades get 5 % larger by this, and are written six times
/// as fast.
std::string compressed(const std::string& data) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15, 8, Z_RLE) != Z_OK)
    throw OutputError("a picture could not be compressed: out of memory");
  std::string out(deflateBound(&stream, data.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (end != Z_STREAM_END) throw OutputError("a picture could not be compressed");
  return out;
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i) x = x << 8 | static_cast<unsigned char>(bytes[at + i]);
  return x;
}

struct PngParts {
  int width = 0, height = 0;
  std::size_t channels = 0;  // 0: of a kind that is not read
  std::string data;          // compressed
};

/// No chunk reaches beyond the end.
PngParts png_parts(std::string_view bytes) {
  PngParts png;
  if (bytes.substr(0, 8) != "\x89PNG\r\n\x1a\n") return png;
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::size_t size = number_at(bytes, at);
    if (size > bytes.size() - at - 12) break;
    const std::string_view type = bytes.substr(at + 4, 4), content = bytes.substr(at + 8, size);
    if (type == "IHDR" && size == 13 && number_at(content, 0) <= 65535 && number_at(content, 4) <= 65535) {
      png.width = static_cast<int>(number_at(content, 0));
      png.height = static_cast<int>(number_at(content, 4));
      if (content[8] == 8 && content[12] == 0) png.channels = content[9] == 2 ? 3 : content[9] == 6 ? 4 : 0;
    }
    if (type == "IDAT") png.data += content;
    at += size + 12;
  }
  return png;
}

/// What filter `kind` of PNG predicts from left, above and above left.
int predicted(int kind, int a, int b, int c) {
  switch (kind) {
    case 1:
      return a;
    case 2:
      return b;
    case 3:
      return (a + b) / 2;
    case 4:
      return paeth(a, b, c);
    default:
      return 0;
  }
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

Image decode_png(std::string_view bytes, const std::string& where) {
  const PngParts png = png_parts(bytes);
  const std::size_t n = png.channels, stride = static_cast<std::size_t>(png.width) * n;
  const auto height = static_cast<std::size_t>(png.height);
  if (stride * height == 0) throw InputError(where, "is not a PNG of 8-bit RGB or RGBA pixels");
  std::vector<std::uint8_t> rows((stride + 1) * height);
  uLongf size = rows.size();
  if (uncompress(rows.data(), &size, reinterpret_cast<const Bytef*>(png.data.data()), png.data.size()) != Z_OK ||
      size != rows.size())
    throw InputError(where, "is a damaged PNG");
  Image image{png.width, png.height, {}};
  image.rgb.reserve(3 * rows.size() / n);
  for (std::size_t y = 0; y < height; ++y) {
    std::uint8_t *row = rows.data() + y * (stride + 1) + 1, *above = y > 0 ? row - stride - 1 : row;
    for (std::size_t i = 0; i < stride; ++i) {
      const int a = i >= n ? row[i - n] : 0, b = y > 0 ? above[i] : 0, c = i >= n && y > 0 ? above[i - n] : 0;
      row[i] = static_cast<std::uint8_t>(row[i] + predicted(row[-1], a, b, c));
      if (i % n < 3) image.rgb.push_back(row[i]);
    }
  }
  return image;
}

Image enlarged(const Image& image, int width, int height) {
  Image large{width, height, {}};
  large.rgb.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  const auto row = [&](int y) {
    return image.rgb.data() +
           static_cast<std::size_t>(std::clamp(y, 0, image.height - 1)) * 3 * static_cast<std::size_t>(image.width);
  };
  const auto column = [&](int x) { return 3 * static_cast<std::size_t>(std::clamp(x, 0, image.width - 1)); };
  for (int y = 0; y < height; ++y) {
    // A new pixel lies a quarter of an old one off the nearest centre.
    const std::uint8_t *near = row(y / 2), *far = row(y / 2 + (y % 2 ? 1 : -1));
    for (int x = 0; x < width; ++x) {
      const std::size_t a = column(x / 2), b = column(x / 2 + (x % 2 ? 1 : -1));
      for (std::size_t i = 0; i < 3; ++i)
        large.rgb.push_back(
            static_cast<std::uint8_t>((9 * near[a + i] + 3 * (near[b + i] + far[a + i]) + far[b + i] + 8) / 16));
    }
  }
  return large;
}

void paste(const Image& part, int x, int y, Image& onto) {
  const auto row = static_cast<std::size_t>(part.width) * 3;
  for (int k = 0; k < part.height; ++k) {
    const auto to =
        3 * (static_cast<std::size_t>(y + k) * static_cast<std::size_t>(onto.width) + static_cast<std::size_t>(x));
    std::copy_n(part.rgb.begin() + static_cast<long>(static_cast<std::size_t>(k) * row), row,
                onto.rgb.begin() + static_cast<long>(to));
  }
}

}  // namespace limber
