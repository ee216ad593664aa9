#include "limber/render/color_bar.hpp"

#include <gtest/gtest.h>

#include "limber/render/colors.hpp"
#include "limber/render/lettering.hpp"

namespace limber {
namespace {

std::vector<std::string> labels(double largest, const std::string& unit) {
  const ColorScale scale = color_scale({"x", unit, largest});
  std::vector<std::string> all{scale.unit};
  for (const auto& tick : scale.ticks) all.push_back(tick.label);
  return all;
}

TEST(ColorBar, TicksAreRoundNumbersInAFittingUnit) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels(158000, "Pa"), (Labels{"kPa", "0", "50", "100", "150"}));
  EXPECT_EQ(labels(1, "m"), (Labels{"m", "0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(0.0123, "m"), (Labels{"mm", "0", "5", "10"}));
  EXPECT_EQ(labels(3.1e6, "Pa"), (Labels{"MPa", "0", "1", "2", "3"}));
  EXPECT_EQ(labels(999.9, "Pa"), (Labels{"Pa", "0", "200", "400", "600", "800"}));
  EXPECT_EQ(labels(4e-6, "m"), (Labels{"µm", "0", "1", "2", "3", "4"}));
  EXPECT_EQ(labels(0, "Pa"), (Labels{"Pa", "0"}));
}

TEST(ColorBar, TicksStandAtTheirValues) {
  const ColorScale scale = color_scale({"x", "Pa", 8e3});
  ASSERT_EQ(scale.ticks.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(scale.ticks[k].at, static_cast<double>(k) / 4, 1e-12);
  for (double largest = 1e-20; largest < 1e20; largest *= 1.37) {
    const ColorScale any = color_scale({"x", "Pa", largest});
    EXPECT_GE(any.ticks.size(), 2u) << largest;
    EXPECT_LE(any.ticks.size(), 6u) << largest;
    EXPECT_TRUE(can_letter(any.ticks.back().label + any.unit)) << any.ticks.back().label << any.unit;
  }
}

TEST(ColorBar, IsDrawnInTheCornerWithTheColoursOfTheMap) {
  Image image{1280, 720, std::vector<std::uint8_t>(1280 * 720 * 3, 100)};
  draw_color_bar({"von Mises stress", "Pa", 1e5}, image);
  const auto pixel = [&](int x, int y) {
    const auto i = 3 * (static_cast<std::size_t>(y) * 1280 + static_cast<std::size_t>(x));
    return std::array<int, 3>{image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]};
  };
  for (int y = 0; y < 360; ++y)
    for (int x = 0; x < 1280; ++x) ASSERT_EQ(pixel(x, y), (std::array<int, 3>{100, 100, 100}));
  const auto bytes = [](const Color& c) { return std::array<int, 3>{to_byte(c[0]), to_byte(c[1]), to_byte(c[2])}; };
  int violet = 0, yellow = 0;
  for (int y = 360; y < 720; ++y)
    for (int x = 0; x < 640; ++x) {
      violet += pixel(x, y) == bytes(viridis(0.5 / 300));
      yellow += pixel(x, y) == bytes(viridis(1 - 0.5 / 300));
    }
  EXPECT_GE(violet, 16);
  EXPECT_GE(yellow, 16);
}

TEST(ColorBar, SmallPicturesHaveNone) {
  Image image{319, 180, std::vector<std::uint8_t>(319 * 180 * 3, 100)};
  draw_color_bar({"von Mises stress", "Pa", 1e5}, image);
  for (const std::uint8_t x : image.rgb) ASSERT_EQ(x, 100);
}

TEST(Lettering, KnowsWhatItIsGiven) {
  EXPECT_TRUE(can_letter("von Mises stress [kPa] distance from rest [µm] 0123456789.-+"));
  EXPECT_FALSE(can_letter("Q"));
}

TEST(Lettering, TextHasItsWidthAndHeight) {
  const double height = 21, left = 30, base = 60;
  Image image{300, 100, std::vector<std::uint8_t>(300 * 100 * 3, 255)};
  draw_text("0800", {left, base}, height, {0, 0, 0}, image);
  int low_x = 300, high_x = 0, low_y = 100, high_y = 0;
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 300; ++x)
      if (image.rgb[3 * (static_cast<std::size_t>(y) * 300 + static_cast<std::size_t>(x))] < 128) {
        low_x = std::min(low_x, x);
        high_x = std::max(high_x, x + 1);
        low_y = std::min(low_y, y);
        high_y = std::max(high_y, y + 1);
      }
  const double pen = 0.46 * height / 7;
  EXPECT_NEAR(low_x, left - pen, 1);
  EXPECT_NEAR(high_x, left + text_width("0800", height) + pen, 1);
  EXPECT_NEAR(low_y, base - height - pen, 1);
  EXPECT_NEAR(high_y, base + pen, 1);
}

}  // namespace
}  // namespace limber
