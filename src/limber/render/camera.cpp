#include "limber/render/camera.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

constexpr double degrees = std::numbers::pi / 180;
constexpr double margin = 1.15;  // the picture is so much larger than what it must show

}  // namespace

Camera::Camera(const Vec3& eye, const Vec3& look_at, double fov, PictureSize size)
    : eye_(eye), forward_(look_at - eye), size_(size), scale_(size.height / 2.0 / std::tan(fov * degrees / 2)) {
  if (!(forward_.norm() > 0)) throw InputError("camera", "the eye and the point it looks at are the same");
  forward_.normalize();
  right_ = forward_.cross(Vec3::UnitY());
  if (right_.norm() < 1e-9) right_ = Vec3::UnitX();  // straight up or down
  right_.normalize();
  up_ = right_.cross(forward_);
}

Vec3 Camera::direction(const Vec2& pixel) const {
  const double a = (pixel[0] - size_.width / 2.0) / scale_, b = (size_.height / 2.0 - pixel[1]) / scale_;
  return (forward_ + a * right_ + b * up_).normalized();
}

Vec2 Camera::project(const Vec3& x) const {
  const Vec3 d = x - eye_;
  const double c = d.dot(forward_);
  return {size_.width / 2.0 + scale_ * d.dot(right_) / c, size_.height / 2.0 - scale_ * d.dot(up_) / c};
}

Framing::Framing(double fov, PictureSize size)
    : fov_(fov),
      size_(size),
      slope_a_(std::tan(fov * degrees / 2) / margin * size.width / size.height),
      slope_b_(std::tan(fov * degrees / 2) / margin) {
  for (int k = 0; k < 2; ++k) {
    const double azimuth = (k == 0 ? 28 : 62) * degrees, elevation = 17 * degrees;  // from z towards x; upwards
    const Vec3 level(std::sin(azimuth), 0, std::cos(azimuth));
    const Camera axes(std::cos(elevation) * level + std::sin(elevation) * Vec3::UnitY(), Vec3::Zero(), fov, size);
    constexpr double none = -std::numeric_limits<double>::infinity();
    views_[k] = {axes.right(), axes.right().cross(axes.forward()), axes.forward(), {none, none, none, none}};
  }
}

void Framing::include(const Vec3& x) {
  box_min_ = box_min_.cwiseMin(x);
  box_max_ = box_max_.cwiseMax(x);
  for (View& v : views_) {
    const double a = x.dot(v.right), b = x.dot(v.up), c = x.dot(v.forward);
    v.reach[0] = std::max(v.reach[0], a - slope_a_ * c);
    v.reach[1] = std::max(v.reach[1], -a - slope_a_ * c);
    v.reach[2] = std::max(v.reach[2], b - slope_b_ * c);
    v.reach[3] = std::max(v.reach[3], -b - slope_b_ * c);
  }
}

void Framing::include(const Framing& other) {
  box_min_ = box_min_.cwiseMin(other.box_min_);
  box_max_ = box_max_.cwiseMax(other.box_max_);
  for (int k = 0; k < 2; ++k)
    for (int side = 0; side < 4; ++side)
      views_[k].reach[side] = std::max(views_[k].reach[side], other.views_[k].reach[side]);
}

/// The eye e must satisfy |a − e_a| ≤ t (c − e_c) for each point, and the same for b: e_a and e_b in the middle of what
/// this allows, e_c the largest possible.
Camera Framing::camera() const {
  const Vec3 extent = box_max_ - box_min_;
  const View& v = views_[extent[0] >= 0.8 * extent[2] ? 0 : 1];
  const double depth =
      std::min(-(v.reach[0] + v.reach[1]) / (2 * slope_a_), -(v.reach[2] + v.reach[3]) / (2 * slope_b_));
  const double off = 1e-9 * (1 + box_max_.norm());  // a single point is seen from a little way off
  const Vec3 eye =
      (v.reach[0] - v.reach[1]) / 2 * v.right + (v.reach[2] - v.reach[3]) / 2 * v.up + (depth - off) * v.forward;
  return {eye, eye + v.forward, fov_, size_};
}

}  // namespace limber
