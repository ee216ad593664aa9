#include "limber/render/colors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace limber {

Color from_hex(std::uint32_t rgb) {
  Color color;
  for (int i = 0; i < 3; ++i) {
    const float x = static_cast<float>(rgb >> (16 - 8 * i) & 255) / 255;
    color[i] = x <= 0.04045f ? x / 12.92f : std::pow((x + 0.055f) / 1.055f, 2.4f);
  }
  return color;
}

std::uint8_t to_byte(float linear) {
  const float x = std::clamp(linear, 0.f, 1.f);
  const float y = x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::lround(255 * y));
}

Color body_color(std::size_t body) {
  constexpr std::array<std::uint32_t, 8> palette = {0xe8743b, 0x3a9bc1, 0xe9b949, 0x5fae72,
                                                    0xc8556c, 0x6a79c9, 0x3fb3a3, 0xb07cc6};
  return from_hex(palette[body % palette.size()]);
}

Color viridis(double x) {
  constexpr std::array<std::array<double, 7>, 3> coefficients = {
      {{0.268, 0.2337, -1.0578, -2.811, 4.2454, 5.5586, -5.4448},
       {0.0048, 1.3719, 0.4017, -6.2779, 14.9242, -14.3621, 4.8435},
       {0.3297, 1.3879, 0.3247, -20.702, 60.0599, -69.0245, 27.7673}}};
  x = std::clamp(x, 0., 1.);
  std::uint32_t rgb = 0;
  for (const auto& c : coefficients) {
    double y = 0;
    for (std::size_t k = c.size(); k-- > 0;) y = y * x + c[k];
    rgb = rgb << 8 | static_cast<std::uint32_t>(std::lround(255 * std::clamp(y, 0., 1.)));
  }
  return from_hex(rgb);
}

}  // namespace limber
