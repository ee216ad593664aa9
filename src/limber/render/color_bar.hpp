#pragma once
/// What the colours of a picture mean: a bar of them, from 0 to the largest value, with numbers and their unit.

#include <string>
#include <vector>

#include "limber/render/image.hpp"

namespace limber {

struct ColorBar {
  std::string quantity;  // for example "von Mises stress"
  std::string unit;      // of SI, without a prefix
  double largest = 0;    // ≥ 0
};

struct ColorScale {
  struct Tick {
    double at = 0;  // in [0, 1] of the largest value
    std::string label;
  };
  std::string unit;  // with a prefix that keeps numbers between 1 and 1000
  std::vector<Tick> ticks;
};
/// At most six ticks, at multiples of 1, 2 or 5 and a power of ten.
ColorScale color_scale(const ColorBar& bar);

/// Into the left lower corner. Pictures below 320 × 180 pixels are left as they are: nobody could read it.
void draw_color_bar(const ColorBar& bar, Image& image);

}  // namespace limber
