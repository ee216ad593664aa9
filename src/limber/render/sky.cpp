#include "limber/render/sky.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr double sun_radius = 0.07;  // [rad]: wider than the real one, for soft shadows

Color mixed(const Color& a, const Color& b, double x) { return a + static_cast<float>(x) * (b - a); }

}  // namespace

Sky::Sky(const Camera& camera) {
  const Vec3 ahead = Vec3::UnitY().cross(camera.right());  // level
  sun_ = (Vec3::UnitY() * 1.1 - camera.right() * 0.8 - ahead * 0.3).normalized();
  across_ = sun_.unitOrthogonal() * sun_radius;
  along_ = sun_.cross(across_);
}

Vec3 Sky::sun_direction(const Vec2& disk) const { return (sun_ + disk[0] * across_ + disk[1] * along_).normalized(); }

Color Sky::light(const Vec3& direction) const {
  return mixed({0.50f, 0.51f, 0.53f}, {0.40f, 0.50f, 0.66f}, std::sqrt(std::max(0., direction[1])));
}

Color Sky::background(const Vec3& direction) const {
  return mixed({0.80f, 0.84f, 0.88f}, {0.30f, 0.46f, 0.70f}, std::min(1., std::max(0., direction[1]) * 1.4));
}

}  // namespace limber
