#include "limber/render/sky.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace limber {
namespace {

constexpr double sun_radius = 0.07;  // [rad]: wider than the real one, for soft shadows

Color mixed(const Color& a, const Color& b, double x) { return a + static_cast<float>(x) * (b - a); }

Color sky_light(double toward_zenith) { return mixed({0.50f, 0.51f, 0.53f}, {0.40f, 0.50f, 0.66f}, toward_zenith); }

/// The mean of √max(0, d_y) over the directions d around a normal whose height is c, weighted by the cosine between
/// them: that of points spread evenly over the unit disk below the hemisphere.
double mean_openness(double c) {
  constexpr int rings = 24, spokes = 48;
  const double s = std::sqrt(std::max(0., 1 - c * c));
  double sum = 0;
  for (int i = 0; i < rings; ++i)
    for (int k = 0; k < spokes; ++k) {
      const double square = (i + 0.5) / rings, angle = 2 * std::numbers::pi * (k + 0.5) / spokes;
      sum += std::sqrt(std::max(0., c * std::sqrt(1 - square) + s * std::sqrt(square) * std::cos(angle)));
    }
  return sum / (rings * spokes);
}

}  // namespace

Sky::Sky(const Camera& camera) {
  const Vec3 ahead = Vec3::UnitY().cross(camera.right());  // level
  sun_ = (Vec3::UnitY() * 1.1 - camera.right() * 0.8 - ahead * 0.3).normalized();
  across_ = sun_.unitOrthogonal() * sun_radius;
  along_ = sun_.cross(across_);
  for (std::size_t i = 0; i < openness_.size(); ++i)
    openness_[i] = static_cast<float>(mean_openness(2. * static_cast<double>(i) / (openness_.size() - 1) - 1));
}

Vec3 Sky::sun_direction(const Vec2& disk) const { return (sun_ + disk[0] * across_ + disk[1] * along_).normalized(); }

Color Sky::light(const Vec3& direction) const { return sky_light(std::sqrt(std::max(0., direction[1]))); }

Color Sky::open_light(const Vec3& normal, const Color& ground) const {
  const double at = (std::clamp(normal[1], -1., 1.) + 1) / 2 * (openness_.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), openness_.size() - 2);
  const double part = at - static_cast<double>(i);
  const auto down = static_cast<float>((1 - normal[1]) / 2);
  return sky_light((1 - part) * openness_[i] + part * openness_[i + 1]) + down * (ground - sky_light(0));
}

Color Sky::background(const Vec3& direction) const {
  return mixed({0.80f, 0.84f, 0.88f}, {0.30f, 0.46f, 0.70f}, std::min(1., std::max(0., direction[1]) * 1.4));
}

}  // namespace limber
