#include "limber/render/color_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/render/colors.hpp"
#include "limber/render/lettering.hpp"

namespace limber {
namespace {

constexpr std::array<const char*, 9> prefixes = {"p", "n", "µ", "m", "", "k", "M", "G", "T"};
constexpr Bytes3 ink = {40, 44, 52}, paper = {255, 255, 255};

/// The 1, 2 or 5 times a power of ten that fits into `length` at most five times.
double tick_step(double length) {
  const double power = std::pow(10, std::floor(std::log10(length / 5)));
  for (const double step : {1., 2., 5.})
    if (step * power * 5 >= length * (1 - 1e-9)) return step * power;
  return 10 * power;
}

void fill(Image& image, int x, int y, int width, int height, const Bytes3& color, double opacity) {
  for (int v = y; v < y + height; ++v)
    for (int u = x; u < x + width; ++u) blend_pixel(image, u, v, color, opacity);
}

}  // namespace

ColorScale color_scale(const ColorBar& bar) {
  if (!(bar.largest > 0) || !std::isfinite(bar.largest)) return {bar.unit, {{0, "0"}}};
  const int thousands = std::clamp(static_cast<int>(std::floor(std::log10(bar.largest) / 3 + 1e-9)), -4, 4);
  const double length = bar.largest / std::pow(1000, thousands), step = tick_step(length);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  ColorScale scale{prefixes[static_cast<std::size_t>(thousands + 4)] + bar.unit, {}};
  for (int k = 0; k * step <= length * (1 + 1e-9); ++k) {
    const bool plain = length < 1e4 && decimals < 4;
    scale.ticks.push_back({std::min(1., k * step / length), k == 0  ? "0"
                                                            : plain ? fmt::format("{:.{}f}", k * step, decimals)
                                                                    : fmt::format("{:.4g}", k * step)});
  }
  return scale;
}

void draw_color_bar(const ColorBar& bar, Image& image) {
  if (image.width < 320 || image.height < 180) return;
  const double unit = std::min(image.height / 720., image.width / 960.);
  const auto scaled = [&](double length) { return std::max(1, static_cast<int>(std::lround(length * unit))); };
  const ColorScale scale = color_scale(bar);
  const std::string title = fmt::format("{} [{}]", bar.quantity, scale.unit);
  const double letters = std::max(6., 12 * unit);
  const int length = std::max(scaled(300), static_cast<int>(std::ceil(text_width(title, letters))));
  const int thickness = scaled(16), pad = scaled(16) + 2, line = static_cast<int>(std::ceil(letters));
  const int first_label = static_cast<int>(std::ceil(text_width(scale.ticks.back().label, letters) / 2));
  const int width = length + 2 * pad + first_label, height = 2 * pad + 2 * line + thickness + scaled(24);
  const int x = scaled(20), y = image.height - scaled(20) - height;
  fill(image, x, y, width, height, paper, 0.8);
  draw_text(title, Vec2(x + pad, y + pad + line), letters, ink, image);
  const int left = x + pad, top = y + pad + line + scaled(12);
  fill(image, left - 1, top - 1, length + 2, thickness + 2, ink, 1);
  for (int i = 0; i < length; ++i) {
    const Color color = viridis((i + 0.5) / length);
    fill(image, left + i, top, 1, thickness, {to_byte(color[0]), to_byte(color[1]), to_byte(color[2])}, 1);
  }
  for (const ColorScale::Tick& tick : scale.ticks) {
    const double at = left + tick.at * length;
    fill(image, static_cast<int>(std::lround(at - unit / 2 - 0.25)), top + thickness, scaled(1.2), scaled(6), ink, 1);
    draw_text(tick.label, Vec2(at - text_width(tick.label, letters) / 2, top + thickness + scaled(12) + line), letters,
              ink, image);
  }
}

}  // namespace limber
