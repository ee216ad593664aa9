#pragma once
/// A pinhole camera, y up. With right r, up u and forward f, a point at x = eye + a r + b u + c f (c > 0) appears at
///
///     (w/2 + s a/c, h/2 − s b/c) pixels,  s = (h/2) / tan(fov/2),
///
/// from the left upper corner of the picture.

#include <limits>

#include "limber/core/types.hpp"

namespace limber {

using Vec2 = Eigen::Vector2d;

struct PictureSize {
  int width = 1280, height = 720;  // pixels
};

class Camera {
 public:
  /// fov: the vertical field of view [degrees], in (0, 180). Throws InputError if eye and look_at are the same.
  Camera(const Vec3& eye, const Vec3& look_at, double fov, PictureSize size);

  const Vec3& eye() const { return eye_; }
  const Vec3& forward() const { return forward_; }
  const Vec3& right() const { return right_; }
  PictureSize size() const { return size_; }
  /// Unit vector through a point of the picture [pixels].
  Vec3 direction(const Vec2& pixel) const;
  /// The pixel of a point before the camera.
  Vec2 project(const Vec3& x) const;
  /// What a pixel covers [m] at a distance [m] along the view.
  double pixel_size(double depth) const { return depth / scale_; }

 private:
  Vec3 eye_, forward_, right_, up_;
  PictureSize size_;
  double scale_;  // s [pixels]
};

/// Collects what pictures must show, and finds the nearest camera of a three-quarter view from above that does.
class Framing {
 public:
  /// fov as for Camera.
  Framing(double fov, PictureSize size);

  void include(const Vec3& x);
  /// All that the other one shows; it has the same fov and size.
  void include(const Framing& other);
  bool empty() const { return !(box_min_[0] <= box_max_[0]); }
  const Vec3& box_min() const { return box_min_; }  // [m]
  const Vec3& box_max() const { return box_max_; }
  Vec3 centre() const { return (box_min_ + box_max_) / 2; }
  double diagonal() const { return (box_max_ - box_min_).norm(); }
  Camera camera() const;

 private:
  /// A direction to look into, and how far the points reach over the four sides of the picture, the slopes of which
  /// are t: max ±a − t c (right, left) and max ±b − t c (top, bottom) in the camera's coordinates (a, b, c).
  struct View {
    Vec3 right, up, forward;
    double reach[4];
  };

  double fov_;
  PictureSize size_;
  double slope_a_, slope_b_;
  View views_[2];  // the long side of what is seen goes along x, or along z
  Vec3 box_min_ = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 box_max_ = Vec3::Constant(-std::numeric_limits<double>::infinity());
};

}  // namespace limber
