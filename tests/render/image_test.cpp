#include "limber/render/image.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "limber/render/colors.hpp"

namespace limber {
namespace {

std::uint32_t number(const std::string& bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i) x = x << 8 | static_cast<unsigned char>(bytes[at + i]);
  return x;
}

/// A reader of its own for 8-bit RGB files with one IDAT and rows that all have the filter Paeth.
Image decode(const std::string& png) {
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  Image image;
  std::string data;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t size = number(png, at);
    const std::string type = png.substr(at + 4, 4), content = png.substr(at + 8, size);
    EXPECT_EQ(number(png, at + 8 + size), crc32(0, reinterpret_cast<const Bytef*>(&png[at + 4]), uInt(size + 4)));
    if (type == "IHDR") {
      image.width = static_cast<int>(number(content, 0));
      image.height = static_cast<int>(number(content, 4));
      EXPECT_EQ(content.substr(8), std::string("\x08\x02\0\0\0", 5));
    }
    if (type == "IDAT") data = content;
    at += size + 12;
    EXPECT_EQ(type == "IEND", at == png.size());
  }
  const std::size_t stride = std::size_t(image.width) * 3;
  std::string rows((stride + 1) * std::size_t(image.height), '\0');
  uLongf size = rows.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
                       data.size()),
            Z_OK);
  EXPECT_EQ(size, rows.size());
  image.rgb.assign(stride * std::size_t(image.height), 0);
  for (std::size_t y = 0; y < std::size_t(image.height); ++y) {
    EXPECT_EQ(rows[y * (stride + 1)], 4);
    for (std::size_t i = 0; i < stride; ++i) {
      const int a = i >= 3 ? image.rgb[y * stride + i - 3] : 0, b = y > 0 ? image.rgb[(y - 1) * stride + i] : 0;
      const int c = i >= 3 && y > 0 ? image.rgb[(y - 1) * stride + i - 3] : 0, p = a + b - c;
      const int best = std::min({std::abs(p - a), std::abs(p - b), std::abs(p - c)});
      const int predicted = std::abs(p - a) == best ? a : std::abs(p - b) == best ? b : c;
      image.rgb[y * stride + i] = static_cast<std::uint8_t>(rows[y * (stride + 1) + 1 + i] + predicted);
    }
  }
  return image;
}

TEST(Png, ReadsBackAsItWas) {
  Image image{37, 23, {}};
  for (int i = 0; i < 37 * 23 * 3; ++i) image.rgb.push_back(static_cast<std::uint8_t>(i * i / 7 + i));
  const Image back = decode(encode_png(image));
  EXPECT_EQ(back.width, 37);
  EXPECT_EQ(back.height, 23);
  EXPECT_EQ(back.rgb, image.rgb);
}

TEST(Colors, GammaIsThatOfSrgb) {
  EXPECT_EQ(to_byte(0), 0);
  EXPECT_EQ(to_byte(0.2158605f), 128);  // ((128/255 + .055)/1.055)^2.4
  EXPECT_EQ(to_byte(1), 255);
  EXPECT_EQ(to_byte(7), 255);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(to_byte(from_hex(static_cast<std::uint32_t>(i) << 16)[0]), i);
}

TEST(Colors, ViridisAtKnownPoints) {
  const auto near = [](double x, int r, int g, int b) {
    const Color c = viridis(x);
    EXPECT_NEAR(to_byte(c[0]), r, 5);
    EXPECT_NEAR(to_byte(c[1]), g, 5);
    EXPECT_NEAR(to_byte(c[2]), b, 5);
  };
  near(-1, 68, 1, 84);
  near(0.5, 33, 145, 140);
  near(1, 253, 231, 37);
}

}  // namespace
}  // namespace limber
