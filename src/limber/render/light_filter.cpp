#include "limber/render/light_filter.hpp"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr int passes = 4;             // with steps of 1, 2, 4, 8 pixels
constexpr float noise_tolerance = 4;  // standard deviations
constexpr float normal_power = 64;    // weight n·n'^64: half at 8°
constexpr float plane_tolerance = 1;  // pixels that a neighbour may lie off the tangent plane, per pixel of distance

struct Light {
  Color light;
  float sun, variance;
};

/// exp(−x), x ≥ 0, nearly; the exponential itself took a third of a picture's time.
float decay(float x) { return 1 / (1 + x * (1 + x * (0.5f + x * 0.2f))); }

class Pass {
 public:
  Pass(const std::vector<PixelLight>& pixels, const std::vector<Light>& from, const Camera& camera, int step)
      : pixels_(pixels), from_(from), camera_(camera), size_(camera.size()), step_(step) {}

  Light at(int x, int y) const {
    constexpr std::array<float, 3> kernel = {0.375f, 0.25f, 0.0625f};
    const std::size_t i = index(x, y);
    const PixelLight& here = pixels_[i];
    if (here.normal.isZero()) return from_[i];
    const float tolerance = 1e-3f + noise_tolerance * std::sqrt(noise(x, y)), bright = brightness(from_[i].light);
    const float pixel = static_cast<float>(camera_.pixel_size(here.point.norm()));
    Light sum{Color::Zero(), 0, 0};
    float total = 0;
    for (int dy = -2; dy <= 2; ++dy)
      for (int dx = -2; dx <= 2; ++dx) {
        const int px = x + dx * step_, py = y + dy * step_;
        if (px < 0 || py < 0 || px >= size_.width || py >= size_.height) continue;
        const std::size_t j = index(px, py);
        const PixelLight& there = pixels_[j];
        const float cosine = here.normal.dot(there.normal);
        if (cosine <= 0.8f) continue;
        const float off = std::abs(here.normal.dot(there.point - here.point)) / (pixel * static_cast<float>(step_));
        const float unlike = normal_power * (1 - cosine) + off / plane_tolerance +
                             std::abs(brightness(from_[j].light) - bright) / tolerance;
        const float w = kernel[static_cast<std::size_t>(std::abs(dx))] *
                        kernel[static_cast<std::size_t>(std::abs(dy))] * decay(unlike);
        total += w;
        sum.light += w * from_[j].light;
        sum.sun += w * from_[j].sun;
        sum.variance += w * w * from_[j].variance;
      }
    return {sum.light / total, sum.sun / total, sum.variance / (total * total)};
  }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(size_.width) + static_cast<std::size_t>(x);
  }
  /// The variance around a pixel: that of one pixel is itself noisy.
  float noise(int x, int y) const {
    float sum = 0, count = 0;
    for (int py = std::max(0, y - 1); py <= std::min(size_.height - 1, y + 1); ++py)
      for (int px = std::max(0, x - 1); px <= std::min(size_.width - 1, x + 1); ++px) {
        if (pixels_[index(px, py)].normal.isZero()) continue;
        sum += from_[index(px, py)].variance;
        count += 1;
      }
    return sum / count;
  }

  const std::vector<PixelLight>& pixels_;
  const std::vector<Light>& from_;
  const Camera& camera_;
  PictureSize size_;
  int step_;
};

}  // namespace

void smooth_light(std::vector<PixelLight>& pixels, const Camera& camera) {
  std::vector<Light> from, to(pixels.size());
  from.reserve(pixels.size());
  for (const PixelLight& p : pixels) from.push_back({p.light, p.sun, p.variance});
  const auto width = static_cast<std::size_t>(camera.size().width);
  for (int pass = 0; pass < passes; ++pass) {
    const Pass filter(pixels, from, camera, 1 << pass);
    parallel_for(camera.size().height, [&](Index y) {
      for (std::size_t x = 0; x < width; ++x)
        to[static_cast<std::size_t>(y) * width + x] = filter.at(static_cast<int>(x), static_cast<int>(y));
    });
    from.swap(to);
  }
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i].light = from[i].light;
    pixels[i].sun = from[i].sun;
  }
}

}  // namespace limber
