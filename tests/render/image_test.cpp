#include "limber/render/image.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "limber/core/errors.hpp"
#include "limber/render/colors.hpp"

namespace limber {
namespace {

std::uint32_t number(const std::string& bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i) x = x << 8 | static_cast<unsigned char>(bytes[at + i]);
  return x;
}

/// A reader of its own for 8-bit RGB files whose rows all have the filter Paeth.
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
    if (type == "IDAT") data += content;
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

void add_number(std::string& out, std::uint32_t x) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(x >> shift & 255);
}

void add_chunk(std::string& out, const std::string& type, const std::string& data) {
  const std::string checked = type + data;
  add_number(out, static_cast<std::uint32_t>(data.size()));
  add_number(out += checked, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                                                              static_cast<uInt>(checked.size()))));
}

/// 3 × 5 RGBA pixels: each row has another filter.
std::string png_of_five_filters() {
  const std::string rows(
      "\0\x0a\x14\x1e\xff\x28\x32\x3c\xff\x46\x50\x5a\xff"  // as they are: 10 20 30, 40 50 60, 70 80 90
      "\1\x01\x02\x03\xff\1\1\1\0\1\1\1\0"                  // less the left one: 1 2 3, 2 3 4, 3 4 5
      "\2\1\1\1\0\1\1\1\0\1\1\1\0"                          // less the upper one: 2 3 4, 3 4 5, 4 5 6
      "\3\0\0\0\x80\0\0\0\0\0\0\0\0"                        // less half of both: 1 1 2, 2 2 3, 3 3 4
      "\4\x64\x64\x64\0\0\0\0\0\0\0\0\0",                   // less Paeth's: 101 101 102, then the left one
      65);
  uLongf size = compressBound(rows.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  packed.resize(size);
  std::string png = "\x89PNG\r\n\x1a\n";
  add_chunk(png, "IHDR", std::string("\0\0\0\3\0\0\0\5\x08\x06\0\0\0", 13));
  add_chunk(png, "IDAT", packed.substr(0, 9));
  add_chunk(png, "IDAT", packed.substr(9));
  add_chunk(png, "IEND", "");
  return png;
}

TEST(Png, AllFiltersAreRead) {
  const Image image = decode_png(png_of_five_filters(), "x.png");
  ASSERT_EQ(image.width, 3);
  ASSERT_EQ(image.height, 5);
  const std::vector<std::uint8_t> expected = {10,  20,  30,  40,  50,  60,  70,  80,  90,  //
                                              1,   2,   3,   2,   3,   4,   3,   4,   5,   //
                                              2,   3,   4,   3,   4,   5,   4,   5,   6,   //
                                              1,   1,   2,   2,   2,   3,   3,   3,   4,   //
                                              101, 101, 102, 101, 101, 102, 101, 101, 102};
  EXPECT_EQ(image.rgb, expected);
}

TEST(Png, WhatIsWrittenIsRead) {
  Image image{5, 3, {}};
  for (int i = 0; i < 45; ++i) image.rgb.push_back(static_cast<std::uint8_t>(i * i * 11));
  EXPECT_EQ(decode_png(encode_png(image), "x.png").rgb, image.rgb);
}

TEST(Png, DamagedOnesAreRefused) {
  const std::string good = png_of_five_filters();
  EXPECT_THROW(decode_png("", "x.png"), InputError);
  EXPECT_THROW(decode_png("GIF89a", "x.png"), InputError);
  for (std::size_t n = 0; n < good.size() - 16; ++n) {  // within the last of the pixels
    EXPECT_THROW(decode_png(good.substr(0, n), "x.png"), InputError) << n;
    std::string other = good;
    other[n] = static_cast<char>(other[n] ^ 1);
    EXPECT_THROW(decode_png(other, "x.png"), InputError) << n;
  }
}

TEST(Picture, PartsArePasted) {
  Image page{4, 3, std::vector<std::uint8_t>(36, 0)};
  paste({2, 1, {1, 2, 3, 4, 5, 6}}, 1, 2, page);
  for (std::size_t i = 0; i < 36; ++i) EXPECT_EQ(page.rgb[i], i >= 27 && i < 33 ? i - 26 : 0) << i;
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

TEST(Image, EnlargedGoesStraightBetweenCentres) {
  Image image{4, 2, {}};
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 4; ++x)
      for (const int value : {16 * x, 100, 80 * y}) image.rgb.push_back(static_cast<std::uint8_t>(value));
  const Image large = enlarged(image, 7, 4);
  ASSERT_EQ(large.rgb.size(), 7u * 4 * 3);
  for (std::size_t y = 0; y < 4; ++y)
    for (std::size_t x = 0; x < 7; ++x) {
      const std::uint8_t* pixel = large.rgb.data() + 3 * (7 * y + x);
      // The centre of new pixel x lies at (x + ½)/2 − ½ of the old ones.
      EXPECT_EQ(pixel[0], x == 0 ? 0 : 8 * x - 4);
      EXPECT_EQ(pixel[1], 100);
      EXPECT_EQ(pixel[2], y == 0 ? 0 : y == 3 ? 80 : 40 * y - 20);
    }
}

}  // namespace
}  // namespace limber
