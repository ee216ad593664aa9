#include "limber/render/image.hpp"

#include <png.h>
#include <zlib.h>

#include <algorithm>

#include "limber/core/errors.hpp"

namespace limber {

std::string encode_png(const Image& image) {
  const auto row = static_cast<std::size_t>(image.width) * 3, rows = static_cast<std::size_t>(image.height);
  std::string out;
  out.reserve((row + 1) * rows * 101 / 100 + 4096);  // no more will come: nothing is thrown through libpng
  const auto give_up = [](png_structp at, png_const_charp) { png_longjmp(at, 1); };
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, give_up, [](png_structp, png_const_charp) {});
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    throw OutputError("a picture could not be compressed");
  }
  const auto append = [](png_structp to, png_bytep bytes, std::size_t count) {
    static_cast<std::string*>(png_get_io_ptr(to))->append(reinterpret_cast<const char*>(bytes), count);
  };
  png_set_write_fn(png, &out, append, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  // Only runs of equal bytes are looked for: pictures of smooth shades get 5 % larger by this, and are written six
  // times as fast.
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_PAETH);
  png_set_compression_strategy(png, Z_RLE);
  png_write_info(png, info);
  for (std::size_t y = 0; y < rows; ++y) png_write_row(png, image.rgb.data() + y * row);
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

Image decode_png(std::string_view bytes, const std::string& where) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  const auto refuse = [&] {
    const std::string why = png.message;
    png_image_free(&png);
    throw InputError(where, "is no PNG that can be read: " + why);
  };
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) refuse();
  png.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(png));
  if (png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr) == 0) refuse();
  Image image{static_cast<int>(png.width), static_cast<int>(png.height), {}};
  image.rgb.reserve(pixels.size() / 4 * 3);
  for (std::size_t i = 0; i < pixels.size(); i += 4) image.rgb.insert(image.rgb.end(), &pixels[i], &pixels[i] + 3);
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
