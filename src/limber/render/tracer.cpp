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
constexpr float highlight = 40;        // exponent of Blinn and Phong
constexpr float second_bounce = 0.4f;  // the light that reaches places which only a reflected ray sees, from all around

/// Schlick's approximation.
float fresnel(double cosine) {
  const auto x = static_cast<float>(1 - std::clamp(cosine, 0., 1.));
  return varnish + (1 - varnish) * x * x * x * x * x;
}

class Tracer {
 public:
  Tracer(const RenderScene& scene, const Camera& camera, const RenderOptions& options)
      : camera_(camera),
        sky_(camera),
        rays_(scene.mesh, scene.planes),
        surfaces_(scene, camera, options.wireframe),
        samples_(options.samples),
        lift_(1e-5 * scene.extent) {}

  PixelLight pixel(int x, int y) const;

 private:
  struct Found {
    Color light;
    float sun;
  };
  Found light_on(const Surface& s, const RaySample& sample) const;
  Color reflected(const Vec3& origin, const Vec3& direction) const;
  Color sun_shine(const Surface& s, const Vec3& direction) const;
  Color sky_shine(const Surface& s, const Vec3& direction) const;
  float sun_on(const Surface& s, const Vec3& to_sun) const;

  const Camera& camera_;
  Sky sky_;
  RayScene rays_;
  Surfaces surfaces_;
  RaySamples samples_;
  double lift_;  // [m] off the surface where new rays start
};

/// The cosine if the surface sees the sun, else 0.
float Tracer::sun_on(const Surface& s, const Vec3& to_sun) const {
  const double cosine = s.normal.dot(to_sun);
  if (cosine <= 0 || rays_.blocked(s.sunward + lift_ * s.face, to_sun)) return 0;
  return static_cast<float>(cosine);
}

/// Light that comes along a ray which left a surface.
Color Tracer::reflected(const Vec3& origin, const Vec3& direction) const {
  const auto hit = rays_.first(origin, direction);
  if (!hit) return sky_.light(direction);
  const Surface s = surfaces_.at(*hit, origin, direction);
  const Color on_it = sky_.sun_light() * sun_on(s, sky_.sun()) + second_bounce * sky_.light(s.normal);
  return s.color.cwiseProduct(on_it);
}

Tracer::Found Tracer::light_on(const Surface& s, const RaySample& sample) const {
  const float cosine = sun_on(s, sky_.sun_direction(sample.sun));
  const Vec2& d = sample.sky;
  const Vec3 across = s.normal.unitOrthogonal(), along = s.normal.cross(across);
  Vec3 direction = d[0] * across + d[1] * along + std::sqrt(std::max(0., 1 - d.squaredNorm())) * s.normal;
  if (const double below = direction.dot(s.face); below < 0) direction -= 2 * below * s.face;
  const Color around = reflected(s.point + lift_ * s.face, direction);
  return {sky_.sun_light() * cosine + around, cosine > 0 ? 1.f : 0.f};
}

Color Tracer::sun_shine(const Surface& s, const Vec3& direction) const {
  const Vec3 half = (sky_.sun() - direction).normalized();
  const auto cosine = static_cast<float>(s.normal.dot(sky_.sun()));
  if (cosine <= 0) return Color::Zero();
  const auto peak = std::pow(static_cast<float>(std::max(0., s.normal.dot(half))), highlight);
  return s.shine * fresnel(-direction.dot(half)) * (highlight + 8) / 8 * peak * cosine * sky_.sun_light();
}

Color Tracer::sky_shine(const Surface& s, const Vec3& direction) const {
  const Vec3 mirrored = direction - 2 * direction.dot(s.normal) * s.normal;
  return s.shine * 0.45f * fresnel(-direction.dot(s.normal)) * sky_.light(mirrored);
}

PixelLight Tracer::pixel(int x, int y) const {
  PixelLight p;
  float surfaces = 0, squares = 0;
  const RaySample* samples = samples_.of_pixel(x, y);
  for (std::size_t i = 0; i < samples_.count(); ++i) {
    const Vec3 direction = camera_.direction(Vec2(x + 0.5, y + 0.5) + samples[i].pixel);
    const auto hit = rays_.first(camera_.eye(), direction);
    if (!hit) {
      p.background += sky_.background(direction);
      continue;
    }
    const Surface s = surfaces_.at(*hit, camera_.eye(), direction);
    p.background += s.fade * sky_.background(direction);
    if (s.fade >= 1) continue;
    const Found found = light_on(s, samples[i]);
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
  const auto all = static_cast<float>(samples_.count());
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

}  // namespace

Image render(const RenderScene& scene, const Camera& camera, const RenderOptions& options) {
  require_ray_tracing();
  const auto [width, height] = camera.size();
  const auto row = static_cast<std::size_t>(width);
  const Tracer tracer(scene, camera, options);
  std::vector<PixelLight> pixels(row * static_cast<std::size_t>(height));
  constexpr int band = 64;  // rows between two calls of progress
  for (int first = 0; first < height; first += band) {
    const int rows = std::min(band, height - first);
    parallel_for(rows, [&](Index k) {
      const int y = first + static_cast<int>(k);
      for (int x = 0; x < width; ++x)
        pixels[static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x)] = tracer.pixel(x, y);
    });
    options.progress(static_cast<double>(first + rows) / height);
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

}  // namespace limber
