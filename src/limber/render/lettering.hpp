#pragma once  // internal
/// Letters drawn by strokes of a round pen, in any size: those that numbers, units and names of what colours show need.

#include <string_view>

#include "limber/render/camera.hpp"
#include "limber/render/image.hpp"

namespace limber {

using Bytes3 = std::array<std::uint8_t, 3>;  // sRGB

/// Whether all letters of an UTF-8 text can be drawn; the others are left out.
bool can_letter(std::string_view text);
/// [pixels], with capitals of this height [pixels].
double text_width(std::string_view text, double height);
/// The text's left end stands on `at` [pixels], the lower end of letters without a tail.
void draw_text(std::string_view text, const Vec2& at, double height, const Bytes3& color, Image& image);

/// Mixes `color` into a pixel; nothing happens outside of the picture. opacity in [0, 1].
void blend_pixel(Image& image, int x, int y, const Bytes3& color, double opacity);

}  // namespace limber
