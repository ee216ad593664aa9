#include "limber/render/light_filter.hpp"

#include <algorithm>
#include <cmath>

#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr int passes = 4;               // with steps of 1, 2, 4, 8 pixels
constexpr float noise_tolerance = 4;    // standard deviations
constexpr float normal_power = 64;      // weight n·n'^64: half at 8°
constexpr float plane_tolerance = 1;    // pixels that a neighbour may lie off the tangent plane, per pixel of distance
constexpr float least_cosine = 0.8f;    // between the normals of one surface
constexpr float least_noise = 1e-6f;    // variance that cannot be seen
constexpr std::size_t noise_reach = 3;  // pixels around one that tell its noise

/// Pixels of a row that are computed together.
using Chunk = Eigen::Array<float, 16, 1>;
constexpr std::size_t chunk = Chunk::SizeAtCompileTime, beside = 2 << (passes - 1);

/// Some numbers for each pixel, each number of a row's pixels one after the other; zeros left and right of the picture.
template <std::size_t numbers>
class Layers {
 public:
  explicit Layers(PictureSize size)
      : stride_((static_cast<std::size_t>(size.width) + chunk - 1) / chunk * chunk + 2 * beside),
        data_(numbers * stride_ * static_cast<std::size_t>(size.height), 0.f) {}

  /// Number k of the pixel, and on from there.
  float* at(std::size_t k, std::size_t x, std::size_t y) {
    return data_.data() + (y * numbers + k) * stride_ + beside + x;
  }
  const float* at(std::size_t k, std::size_t x, std::size_t y) const {
    return data_.data() + (y * numbers + k) * stride_ + beside + x;
  }
  Eigen::Map<Chunk> chunk_at(std::size_t k, std::size_t x, std::size_t y) { return Eigen::Map<Chunk>(at(k, x, y)); }
  /// `shift` may reach beside the picture.
  Eigen::Map<const Chunk> chunk_at(std::size_t k, std::size_t x, std::size_t y, std::ptrdiff_t shift = 0) const {
    return Eigen::Map<const Chunk>(at(k, x, y) + shift);
  }

 private:
  std::size_t stride_;
  std::vector<float> data_;
};

using Places = Layers<6>;  // normal, point
enum : std::size_t { light = 0, sun = 3, variance, bright, light_numbers };
using Lights = Layers<light_numbers>;

/// The mean variance around each pixel, since that of one pixel's few rays is itself noisy: sums along rows, then
/// columns.
Layers<1> noise_around(const std::vector<PixelLight>& pixels, const Lights& from, PictureSize size) {
  const auto width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
  Layers<2> rows(size);  // the sum, and of how many
  parallel_for(size.height, [&](Index row) {
    const auto y = static_cast<std::size_t>(row);
    float *sum = rows.at(0, 0, y), *count = rows.at(1, 0, y);
    for (std::size_t x = 0; x < width; ++x) {
      if (pixels[y * width + x].normal.isZero()) continue;
      for (std::size_t u = x - std::min(x, noise_reach); u <= std::min(x + noise_reach, width - 1); ++u) {
        sum[u] += *from.at(variance, x, y);
        count[u] += 1;
      }
    }
  });
  Layers<1> noise(size);
  parallel_for(size.height, [&](Index row) {
    const auto y = static_cast<std::size_t>(row);
    for (std::size_t x = 0; x < width; x += chunk) {
      Chunk sum = Chunk::Zero(), count = Chunk::Constant(1e-9f);
      for (std::size_t v = y - std::min(y, noise_reach); v <= std::min(y + noise_reach, height - 1); ++v) {
        sum += rows.chunk_at(0, x, v);
        count += rows.chunk_at(1, x, v);
      }
      noise.chunk_at(0, x, y) = sum / count;
    }
  });
  return noise;
}

/// exp(−x), x ≥ 0, nearly; the exponential itself took a third of a picture's time.
Chunk decay(const Chunk& x) { return 1 / (1 + x * (1 + x * (0.5f + x * 0.2f))); }

class Pass {
 public:
  Pass(const Places& places, const Lights& from, const Layers<1>& noise, const Camera& camera, int step)
      : places_(places),
        from_(from),
        noise_(noise),
        height_(camera.size().height),
        pixel_(static_cast<float>(camera.pixel_size(1))),
        step_(step) {}

  void at(std::size_t x, std::size_t y, Lights& to) const {
    constexpr std::array<float, 3> kernel = {0.375f, 0.25f, 0.0625f};
    const Chunk noise = noise_.chunk_at(0, x, y);
    if ((noise < least_noise).all()) {
      for (std::size_t k = 0; k < light_numbers; ++k) to.chunk_at(k, x, y) = from_.chunk_at(k, x, y);
      return;
    }
    std::array<Chunk, 3> n, p;
    for (std::size_t i = 0; i < 3; ++i) n[i] = places_.chunk_at(i, x, y), p[i] = places_.chunk_at(3 + i, x, y);
    const Chunk here = from_.chunk_at(bright, x, y), per_noise = 1 / (1e-3f + noise_tolerance * noise.sqrt());
    const Chunk depth = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
    const Chunk per_pixel = 1 / (plane_tolerance * pixel_ * static_cast<float>(step_) * depth + 1e-30f);
    Chunk total = Chunk::Zero();
    std::array<Chunk, light_numbers> sum;
    sum.fill(Chunk::Zero());
    for (int dy = -2; dy <= 2; ++dy) {
      const int row = static_cast<int>(y) + dy * step_;
      if (row < 0 || row >= height_) continue;
      const auto v = static_cast<std::size_t>(row);
      for (int dx = -2; dx <= 2; ++dx) {
        const std::ptrdiff_t shift = dx * step_;
        Chunk cosine = Chunk::Zero(), off = Chunk::Zero();
        for (std::size_t i = 0; i < 3; ++i) {
          cosine += n[i] * places_.chunk_at(i, x, v, shift);
          off += n[i] * (places_.chunk_at(3 + i, x, v, shift) - p[i]);
        }
        const Chunk unlike = normal_power * (1 - cosine).max(0.f) + off.abs() * per_pixel +
                             (from_.chunk_at(bright, x, v, shift) - here).abs() * per_noise +
                             1e6f * (least_cosine - cosine).max(0.f);
        const Chunk w = kernel[static_cast<std::size_t>(std::abs(dx))] *
                        kernel[static_cast<std::size_t>(std::abs(dy))] * decay(unlike);
        total += w;
        for (std::size_t k = 0; k < variance; ++k) sum[k] += w * from_.chunk_at(k, x, v, shift);
        sum[variance] += w * w * from_.chunk_at(variance, x, v, shift);
      }
    }
    // Where there is no surface nothing is like the pixel, not even itself.
    const auto any = n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0;
    sum[variance] /= total;
    for (std::size_t k = 0; k <= variance; ++k)
      to.chunk_at(k, x, y) = any.select(sum[k] / total, from_.chunk_at(k, x, y));
    for (std::size_t i = 0; i < chunk; ++i) {
      const float* c = to.at(light, x + i, y);
      const std::ptrdiff_t next = to.at(1, 0, 0) - to.at(0, 0, 0);
      *to.at(bright, x + i, y) = brightness({c[0], c[next], c[2 * next]});
    }
  }

 private:
  const Places& places_;
  const Lights& from_;
  const Layers<1>& noise_;
  int height_;
  float pixel_;  // [m] that a pixel covers at 1 m
  int step_;
};

}  // namespace

void smooth_light(std::vector<PixelLight>& pixels, const Camera& camera) {
  const auto width = static_cast<std::size_t>(camera.size().width);
  Places places(camera.size());
  Lights from(camera.size()), to(camera.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const PixelLight& p = pixels[i];
    const std::size_t x = i % width, y = i / width;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      *places.at(k, x, y) = p.normal[c];
      *places.at(3 + k, x, y) = p.point[c];
      *from.at(light + k, x, y) = p.light[c];
    }
    *from.at(sun, x, y) = p.sun;
    *from.at(variance, x, y) = p.variance;
    *from.at(bright, x, y) = brightness(p.light);
  }
  for (int pass = 0; pass < passes; ++pass) {
    const Layers<1> noise = noise_around(pixels, from, camera.size());
    const Pass filter(places, from, noise, camera, 1 << pass);
    parallel_for(camera.size().height, [&](Index y) {
      for (std::size_t x = 0; x < width; x += chunk) filter.at(x, static_cast<std::size_t>(y), to);
    });
    std::swap(from, to);
  }
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k)
      pixels[i].light[static_cast<Eigen::Index>(k)] = *from.at(light + k, i % width, i / width);
    pixels[i].sun = *from.at(sun, i % width, i / width);
  }
}

}  // namespace limber
