#include "limber/render/lettering.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

// Letters are drawn on a grid on which capitals are 7 high and small letters 5.
constexpr double capital = 7, pen = 0.46 /* radius */, gap = 1.6, space = 2.6;

/// Straight lines through the points, or a curve: quadratic B-splines that start at the first point, end at the last
/// one and touch the lines between the others in their middles.
struct Stroke {
  enum Kind { line, curve } kind;
  std::vector<Vec2> points;
};

struct Glyph {
  unsigned letter;  // of Unicode
  double width;
  std::vector<Stroke> strokes;
};

const std::vector<Glyph>& glyphs() {
  constexpr auto line = Stroke::line, curve = Stroke::curve;
  static const std::vector<Glyph> all = {
      {'0', 4, {{curve, {{2, 7}, {0, 7}, {0, 0}, {4, 0}, {4, 7}, {2, 7}}}}},
      {'1', 4, {{line, {{0.8, 5.6}, {2.3, 7}, {2.3, 0}}}}},
      {'2', 4, {{curve, {{0.2, 5.2}, {0.2, 7}, {3.9, 7}, {3.9, 4.2}, {1.5, 2.2}, {0, 0}}}, {line, {{0, 0}, {4, 0}}}}},
      {'3',
       4,
       {{curve, {{0.2, 5.6}, {0.4, 7}, {3.7, 7}, {3.7, 3.8}, {1.5, 3.8}}},
        {curve, {{1.5, 3.8}, {4, 3.8}, {4, 0}, {0.2, 0}, {0, 1.5}}}}},
      {'4', 4, {{line, {{3, 0}, {3, 7}, {0, 2}, {4, 2}}}}},
      {'5',
       4,
       {{line, {{3.6, 7}, {0.7, 7}, {0.4, 4}}}, {curve, {{0.4, 4}, {1.2, 4.6}, {4, 4.6}, {4, 0}, {0.3, 0}, {0, 1.4}}}}},
      {'6', 4, {{curve, {{3.6, 6.3}, {3.2, 7}, {0, 7}, {0, 0}, {4, 0}, {4, 4.3}, {0.9, 4.3}, {0, 2.4}}}}},
      {'7', 4, {{line, {{0, 7}, {4, 7}, {1.4, 0}}}}},
      {'8',
       4,
       {{curve, {{2, 3.8}, {0.2, 3.8}, {0.2, 7}, {3.8, 7}, {3.8, 3.8}, {2, 3.8}}},
        {curve, {{2, 3.8}, {0, 3.8}, {0, 0}, {4, 0}, {4, 3.8}, {2, 3.8}}}}},
      {'9', 4, {{curve, {{0.4, 0.7}, {0.8, 0}, {4, 0}, {4, 7}, {0, 7}, {0, 2.7}, {3.1, 2.7}, {4, 4.6}}}}},
      {'.', 0.8, {{line, {{0.4, 0.1}, {0.4, 0.1}}}}},
      {'-', 3, {{line, {{0, 3}, {3, 3}}}}},
      {'+', 3.6, {{line, {{0, 3}, {3.6, 3}}}, {line, {{1.8, 1.2}, {1.8, 4.8}}}}},
      {'[', 1.5, {{line, {{1.4, 8}, {0.1, 8}, {0.1, -1.4}, {1.4, -1.4}}}}},
      {']', 1.5, {{line, {{0.1, 8}, {1.4, 8}, {1.4, -1.4}, {0.1, -1.4}}}}},
      {'G',
       4.7,
       {{curve, {{4.6, 5.6}, {4.3, 7}, {0, 7}, {0, 0}, {4.4, 0}, {4.7, 2}}}, {line, {{2.7, 3}, {4.7, 3}, {4.7, 0.4}}}}},
      {'M', 5.4, {{line, {{0.2, 0}, {0.2, 7}, {2.7, 1.8}, {5.2, 7}, {5.2, 0}}}}},
      {'P',
       4,
       {{line, {{2.2, 3.2}, {0.2, 3.2}, {0.2, 7}, {2.2, 7}}},
        {line, {{0.2, 3.2}, {0.2, 0}}},
        {curve, {{2.2, 7}, {4.2, 7}, {4.2, 3.2}, {2.2, 3.2}}}}},
      {'T', 4.6, {{line, {{0, 7}, {4.6, 7}}}, {line, {{2.3, 7}, {2.3, 0}}}}},
      {'a', 3.6, {{line, {{3.5, 5}, {3.5, 0}}}, {curve, {{3.5, 3.2}, {3.4, 5}, {0, 5}, {0, 0}, {3.4, 0}, {3.5, 1.8}}}}},
      {'c', 3.3, {{curve, {{3.3, 3.9}, {3, 5}, {0, 5}, {0, 0}, {3, 0}, {3.3, 1.1}}}}},
      {'d',
       3.8,
       {{line, {{3.7, 7.4}, {3.7, 0}}}, {curve, {{3.7, 3.2}, {3.6, 5}, {0, 5}, {0, 0}, {3.6, 0}, {3.7, 1.8}}}}},
      {'e',
       3.7,
       {{line, {{0, 2.6}, {3.7, 2.6}}}, {curve, {{3.7, 2.6}, {3.7, 5}, {0, 5}, {0, 0}, {3.4, 0}, {3.6, 1.1}}}}},
      {'f', 2.4, {{curve, {{2.5, 7.3}, {1, 7.5}, {1, 5.5}, {1, 0}}}, {line, {{0, 5}, {2.3, 5}}}}},
      {'i', 0.6, {{line, {{0.3, 5}, {0.3, 0}}}, {line, {{0.3, 6.9}, {0.3, 6.9}}}}},
      {'k', 3.4, {{line, {{0.2, 7.4}, {0.2, 0}}}, {line, {{3.2, 5}, {0.2, 2}}}, {line, {{1.3, 3.1}, {3.5, 0}}}}},
      {'m',
       5.6,
       {{line, {{0.2, 5}, {0.2, 0}}},
        {curve, {{0.2, 2.8}, {0.3, 5}, {2.8, 5}, {2.8, 3}, {2.8, 0}}},
        {curve, {{2.8, 2.8}, {2.9, 5}, {5.4, 5}, {5.4, 3}, {5.4, 0}}}}},
      {'n', 3.8, {{line, {{0.2, 5}, {0.2, 0}}}, {curve, {{0.2, 2.8}, {0.4, 5}, {3.6, 5}, {3.6, 3}, {3.6, 0}}}}},
      {'o', 3.8, {{curve, {{1.9, 5}, {0, 5}, {0, 0}, {3.8, 0}, {3.8, 5}, {1.9, 5}}}}},
      {'p',
       3.9,
       {{line, {{0.2, 5}, {0.2, -2.2}}}, {curve, {{0.2, 3.2}, {0.3, 5}, {3.9, 5}, {3.9, 0}, {0.3, 0}, {0.2, 1.8}}}}},
      {'r', 2.4, {{line, {{0.2, 5}, {0.2, 0}}}, {curve, {{0.2, 2.8}, {0.4, 4.9}, {2.4, 4.9}}}}},
      {'s', 3.2, {{curve, {{3.1, 4.2}, {2.9, 5}, {0.2, 5}, {0.2, 2.7}, {3.2, 2.4}, {3.2, 0}, {0.2, 0}, {0, 0.9}}}}},
      {'t', 2.5, {{line, {{0, 5}, {2.4, 5}}}, {curve, {{1, 6.6}, {1, 2}, {1, 0}, {2.5, 0}}}}},
      {'v', 3.8, {{line, {{0, 5}, {1.9, 0}, {3.8, 5}}}}},
      {0xb5,
       3.7,
       {{line, {{0.2, 5}, {0.2, -2}}},
        {line, {{3.5, 5}, {3.5, 0}}},
        {curve, {{0.2, 2.2}, {0.3, 0}, {3.4, 0}, {3.5, 2.2}}}}},
  };
  return all;
}

const Glyph* glyph_of(unsigned letter) {
  const auto it = std::find_if(glyphs().begin(), glyphs().end(), [&](const Glyph& g) { return g.letter == letter; });
  return it == glyphs().end() ? nullptr : &*it;
}

/// Of the part of Unicode that two bytes hold.
std::vector<unsigned> letters_of(std::string_view text) {
  std::vector<unsigned> letters;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0xc0 && i + 1 < text.size())
      letters.push_back((byte & 31u) << 6 | (static_cast<unsigned char>(text[++i]) & 63u));
    else
      letters.push_back(byte);
  }
  return letters;
}

std::vector<Vec2> flattened(const Stroke& stroke) {
  const auto& p = stroke.points;
  if (stroke.kind == Stroke::line || p.size() < 3) return p;
  std::vector<Vec2> points{p.front()};
  for (std::size_t k = 1; k + 1 < p.size(); ++k) {
    const Vec2 from = points.back(), to = k + 2 == p.size() ? p[k + 1] : Vec2((p[k] + p[k + 1]) / 2);
    constexpr int pieces = 8;
    for (int i = 1; i <= pieces; ++i) {
      const double t = static_cast<double>(i) / pieces;
      points.emplace_back((1 - t) * (1 - t) * from + 2 * t * (1 - t) * p[k] + t * t * to);
    }
  }
  return points;
}

double distance_to(const Vec2& x, const Vec2& a, const Vec2& b) {
  const Vec2 d = b - a;
  const double along = d.squaredNorm() > 0 ? std::clamp((x - a).dot(d) / d.squaredNorm(), 0., 1.) : 0;
  return (x - a - along * d).norm();
}

}  // namespace

bool can_letter(std::string_view text) {
  const auto letters = letters_of(text);
  return std::all_of(letters.begin(), letters.end(), [](unsigned l) { return l == ' ' || glyph_of(l); });
}

double text_width(std::string_view text, double height) {
  double width = 0;
  for (const unsigned letter : letters_of(text)) {
    const Glyph* glyph = glyph_of(letter);
    width += letter == ' ' ? space : glyph ? glyph->width + gap : 0;
  }
  return std::max(0., width - gap) * height / capital;
}

void draw_text(std::string_view text, const Vec2& at, double height, const Bytes3& color, Image& image) {
  const double scale = height / capital, radius = pen * scale;
  double start = at[0];
  for (const unsigned letter : letters_of(text)) {
    const Glyph* glyph = glyph_of(letter);
    if (glyph) {
      std::vector<std::vector<Vec2>> lines;
      for (const Stroke& stroke : glyph->strokes) {
        lines.push_back(flattened(stroke));
        for (Vec2& p : lines.back()) p = Vec2(start + scale * p[0], at[1] - scale * p[1]);
      }
      // A letter reaches at most so far; the pixel's centre is off by ½.
      const int left = static_cast<int>(start - 2), right = static_cast<int>(start + scale * glyph->width + 2);
      const int top = static_cast<int>(at[1] - scale * 9 - 2), bottom = static_cast<int>(at[1] + scale * 3 + 2);
      for (int y = top; y <= bottom; ++y)
        for (int x = left; x <= right; ++x) {
          double nearest = 2 * radius + 2;
          for (const auto& line : lines)
            for (std::size_t k = 0; k + 1 < line.size(); ++k)
              nearest = std::min(nearest, distance_to({x + 0.5, y + 0.5}, line[k], line[k + 1]));
          blend_pixel(image, x, y, color, std::clamp(radius + 0.5 - nearest, 0., 1.));
        }
    }
    start += scale * (letter == ' ' ? space : glyph ? glyph->width + gap : 0);
  }
}

void blend_pixel(Image& image, int x, int y, const Bytes3& color, double opacity) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height || !(opacity > 0)) return;
  std::uint8_t* pixel = image.rgb.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                                                static_cast<std::size_t>(x));
  for (std::size_t i = 0; i < 3; ++i)
    pixel[i] = static_cast<std::uint8_t>(std::lround(pixel[i] + opacity * (color[i] - pixel[i])));
}

}  // namespace limber
