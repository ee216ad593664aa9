#include "limber/render/tracer.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "limber/core/parallel.hpp"
#include "limber/render/light_filter.hpp"
#include "limber/render/sampling.hpp"
#include "limber/render/sky.hpp"

namespace limber {
namespace {

constexpr float varnish = 0.04f;       // reflected at normal incidence
constexpr int highlight = 40;          // exponent of Blinn and Phong
constexpr float second_bounce = 0.4f;  // the light that reaches places which only a reflected ray sees, from all around

/// Schlick's approximation.
float fresnel(double cosine) {
  const auto x = static_cast<float>(1 - std::clamp(cosine, 0., 1.));
  return varnish + (1 - varnish) * x * x * x * x * x;
}

float power(float x, int exponent) {
  float result = 1;
  for (; exponent > 0; exponent /= 2, x *= x)
    if (exponent % 2) result *= x;
  return result;
}

class Tracer {
 public:
  Tracer(const RenderScene& scene, const Camera& camera, const RenderOptions& options)
      : camera_(camera),
        sky_(camera),
        rays_(scene.mesh, scene.planes),
        surfaces_(scene, camera, options.wireframe),
        ground_(ground(scene.planes)),
        lift_(1e-5 * scene.extent) {}

  PixelLight pixel(int x, int y, const RaySamples& samples) const;
  Color draft(const Vec2& pixel) const;

 private:
  struct Found {
    Color light;
    float sun;
  };
  Found light_on(const Surface& s, const RaySample& sample) const;
  Color ground(const std::vector<RenderPlane>& planes) const;
  Color open(const Vec3& direction) const { return direction[1] < 0 ? ground_ : sky_.light(direction); }
  Color reflected(const Vec3& origin, const Vec3& direction) const;
  /// What a surface sends on, if the cosine of the sun on it is this.
  Color lit(const Surface& s, float sun) const {
    return s.color.cwiseProduct(sky_.sun_light() * sun + second_bounce * sky_.light(s.normal));
  }
  Color sun_shine(const Surface& s, const Vec3& direction) const;
  Color sky_shine(const Surface& s, const Vec3& direction) const;
  float sun_on(const Surface& s, const Vec3& to_sun) const;

  const Camera& camera_;
  Sky sky_;
  RayScene rays_;
  Surfaces surfaces_;
  Color ground_;  // the light that comes up from it
  double lift_;   // [m] off the surface where new rays start
};

/// The cosine if the surface sees the sun, else 0.
float Tracer::sun_on(const Surface& s, const Vec3& to_sun) const {
  const double cosine = s.normal.dot(to_sun);
  if (cosine <= 0 || rays_.blocked(s.sunward + lift_ * s.face, to_sun)) return 0;
  return static_cast<float>(cosine);
}

/// What a plane that faces up shows in the sun; the horizon where there is none.
Color Tracer::ground(const std::vector<RenderPlane>& planes) const {
  for (const RenderPlane& plane : planes)
    if (plane.normal[1] > 0.999) {
      RaySceneHit hit;
      hit.plane = 0;
      hit.normal = plane.normal;
      const Surface s = surfaces_.at(hit, plane.point, -plane.normal);
      return lit(s, static_cast<float>(s.normal.dot(sky_.sun())));
    }
  return sky_.light(-Vec3::UnitY());
}

/// Light that comes along a ray which left a surface.
Color Tracer::reflected(const Vec3& origin, const Vec3& direction) const {
  const auto hit = rays_.first(origin, direction);
  if (!hit) return sky_.light(direction);
  const Surface s = surfaces_.at(*hit, origin, direction);
  return lit(s, sun_on(s, sky_.sun()));
}

/// Only what stands around is sampled, as its difference to an open sky over open ground, whose light is known.
Tracer::Found Tracer::light_on(const Surface& s, const RaySample& sample) const {
  const float cosine = sun_on(s, sky_.sun_direction(sample.sun));
  const Vec2& d = sample.sky;
  const Vec3 across = s.normal.unitOrthogonal(), along = s.normal.cross(across);
  Vec3 direction = d[0] * across + d[1] * along + std::sqrt(std::max(0., 1 - d.squaredNorm())) * s.normal;
  const Color open_sky = open(direction);
  if (const double below = direction.dot(s.face); below < 0) direction -= 2 * below * s.face;
  const Color around = reflected(s.point + lift_ * s.face, direction) - open_sky;
  return {sky_.sun_light() * cosine + sky_.open_light(s.normal, ground_) + around, cosine > 0 ? 1.f : 0.f};
}

Color Tracer::sun_shine(const Surface& s, const Vec3& direction) const {
  const auto cosine = static_cast<float>(s.normal.dot(sky_.sun()));
  if (cosine <= 0 || s.shine <= 0) return Color::Zero();
  const Vec3 half = (sky_.sun() - direction).normalized();
  const float peak = power(static_cast<float>(std::max(0., s.normal.dot(half))), highlight);
  return s.shine * fresnel(-direction.dot(half)) * (highlight + 8) / 8 * peak * cosine * sky_.sun_light();
}

Color Tracer::sky_shine(const Surface& s, const Vec3& direction) const {
  if (s.shine <= 0) return Color::Zero();
  const Vec3 mirrored = direction - 2 * direction.dot(s.normal) * s.normal;
  return s.shine * 0.45f * fresnel(-direction.dot(s.normal)) * sky_.light(mirrored);
}

PixelLight Tracer::pixel(int x, int y, const RaySamples& samples) const {
  PixelLight p;
  float surfaces = 0, squares = 0;
  const RaySample* sample = samples.of_pixel(x, y);
  for (const RaySample* end = sample + samples.count(); sample != end; ++sample) {
    const Vec3 direction = camera_.direction(Vec2(x + 0.5, y + 0.5) + sample->pixel);
    const auto hit = rays_.first(camera_.eye(), direction);
    if (!hit) {
      p.background += sky_.background(direction);
      continue;
    }
    const Surface s = surfaces_.at(*hit, camera_.eye(), direction);
    p.background += s.fade * sky_.background(direction);
    if (s.fade >= 1) continue;
    const Found found = light_on(s, *sample);
    p.light += found.light;
    p.sun += found.sun;
    squares += brightness(found.light) * brightness(found.light);
    p.color += (1 - s.fade) * s.color;
    p.covariance += (1 - s.fade) * s.color.cwiseProduct(found.light);
    p.sun_shine += sun_shine(s, direction);
    p.sky_shine += sky_shine(s, direction);
    p.normal += s.normal.cast<float>();
    p.point += (s.point - camera_.eye()).cast<float>();
    surfaces += 1;
  }
  const auto all = static_cast<float>(samples.count());
  for (Color* c : {&p.background, &p.color, &p.sun_shine, &p.sky_shine, &p.covariance}) *c /= all;
  if (surfaces > 0) {
    p.light /= surfaces;
    p.sun /= surfaces;
    p.point /= surfaces;
    p.covariance -= p.color.cwiseProduct(p.light);
    p.normal.normalize();
    const float mean = brightness(p.light);
    p.variance = std::max(0.f, squares / surfaces - mean * mean) / surfaces;
  }
  return p;
}

/// Leaves colours alone up to `knee` and bends what is brighter towards 1.
float tone(float x) {
  constexpr float knee = 0.7f;
  return x < knee ? x : 1 - (1 - knee) * std::exp(-(x - knee) / (1 - knee));
}

/// A point in shade reflects less of the sky, as much less as it is darker than the open.
Color developed(const PixelLight& p) {
  const float open = std::min(1.f, brightness(p.light) / 0.5f);
  return p.color.cwiseProduct(p.light) + p.covariance + p.sun * p.sun_shine + open * p.sky_shine + p.background;
}

/// One ray, and one to the middle of the sun.
Color Tracer::draft(const Vec2& pixel) const {
  const Vec3 direction = camera_.direction(pixel);
  const auto hit = rays_.first(camera_.eye(), direction);
  if (!hit) return sky_.background(direction);
  const Surface s = surfaces_.at(*hit, camera_.eye(), direction);
  if (s.fade >= 1) return sky_.background(direction);
  const float sun = sun_on(s, sky_.sun());
  const Color light = sky_.sun_light() * sun + sky_.open_light(s.normal, ground_);
  const Color shine = sky_shine(s, direction) + (sun > 0 ? sun_shine(s, direction) : Color(Color::Zero()));
  return (1 - s.fade) * s.color.cwiseProduct(light) + shine + s.fade * sky_.background(direction);
}

/// Pixels at which few rays do not suffice: the surfaces seen there or next to them, or whether these see the sun,
/// differ.
std::vector<char> uneven(const std::vector<PixelLight>& pixels, PictureSize size) {
  const auto width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
  const auto differ = [](const PixelLight& a, const PixelLight& b) {
    return (a.color - b.color).cwiseAbs().maxCoeff() > 0.02f || std::abs(a.sun - b.sun) > 0.01f ||
           a.normal.dot(b.normal) < 0.98f * a.normal.squaredNorm();
  };
  std::vector<char> marked(pixels.size(), 0), all(pixels.size(), 0);
  const auto mark = [&](std::size_t i, std::size_t j) {
    if (differ(pixels[i], pixels[j])) marked[i] = marked[j] = 1;
  };
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (pixels[i].sun > 0 && pixels[i].sun < 1) marked[i] = 1;
    if ((i + 1) % width) mark(i, i + 1);
    if (i + width < pixels.size()) mark(i, i + width);
  }
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t v = y - (y > 0); v <= std::min(y + 1, height - 1); ++v)
        for (std::size_t u = x - (x > 0); u <= std::min(x + 1, width - 1); ++u)
          all[y * width + x] |= marked[v * width + u];
  return all;
}

/// Of rows, with a call of `progress` after each band of them; done: [from, to] of the whole.
template <class Row>
void for_rows(int height, const std::function<void(double)>& progress, double from, double to, const Row& row) {
  constexpr int band = 64;
  for (int first = 0; first < height; first += band) {
    const int rows = std::min(band, height - first);
    parallel_for(rows, [&](Index k) { row(first + static_cast<int>(k)); });
    progress(from + (to - from) * (first + rows) / height);
  }
}

Image traced(const Tracer& tracer, const Camera& camera, const RenderOptions& options) {
  const int width = camera.size().width, height = camera.size().height;
  const auto row = static_cast<std::size_t>(width);
  std::vector<PixelLight> pixels(row * static_cast<std::size_t>(height));
  const int few = std::min(options.samples, std::max(4, options.samples / 4));
  const RaySamples first(few);
  const double share = few < options.samples ? 0.7 : 1;  // of the time, about
  for_rows(height, options.progress, 0, share, [&](int y) {
    for (int x = 0; x < width; ++x)
      pixels[static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x)] = tracer.pixel(x, y, first);
  });
  if (few < options.samples) {
    const RaySamples all(options.samples);
    const std::vector<char> again = uneven(pixels, camera.size());
    for_rows(height, options.progress, share, 1, [&](int y) {
      for (int x = 0; x < width; ++x) {
        const std::size_t i = static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x);
        if (again[i]) pixels[i] = tracer.pixel(x, y, all);
      }
    });
  }
  smooth_light(pixels, camera);
  Image image{width, height, {}};
  image.rgb.reserve(3 * pixels.size());
  for (const PixelLight& p : pixels) {
    const Color c = developed(p);
    for (int i = 0; i < 3; ++i) image.rgb.push_back(to_byte(tone(c[i])));
  }
  return image;
}

/// At half the size, and enlarged.
Image drafted(const Tracer& tracer, const Camera& camera, const RenderOptions& options) {
  const auto [width, height] = camera.size();
  Image half{(width + 1) / 2, (height + 1) / 2, {}};
  half.rgb.resize(static_cast<std::size_t>(half.width) * static_cast<std::size_t>(half.height) * 3);
  for_rows(half.height, options.progress, 0, 1, [&](int y) {
    std::uint8_t* to = half.rgb.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(half.width) * 3;
    for (int x = 0; x < half.width; ++x) {
      const Color c = tracer.draft(Vec2(2 * x + 1, 2 * y + 1));
      for (int i = 0; i < 3; ++i) *to++ = to_byte(tone(c[i]));
    }
  });
  return enlarged(half, width, height);
}

}  // namespace

Image render(const RenderScene& scene, const Camera& camera, const RenderOptions& options) {
  require_ray_tracing();
  const Tracer tracer(scene, camera, options);
  return options.quality == Quality::draft ? drafted(tracer, camera, options) : traced(tracer, camera, options);
}

}  // namespace limber
