#pragma once  // internal
/// The light of a picture: a warm sun of some width, whose shadows are soft, and a blue sky. Light is given as what it
/// makes of a white surface that faces it: a sky of L everywhere, or a sun of L, show it as L.

#include <array>

#include "limber/render/camera.hpp"
#include "limber/render/colors.hpp"

namespace limber {

class Sky {
 public:
  /// The sun stands behind the viewer's left shoulder.
  explicit Sky(const Camera& camera);

  const Vec3& sun() const { return sun_; }  // unit, towards it
  /// A direction to the sun's disk, for a point of the unit disk.
  Vec3 sun_direction(const Vec2& disk) const;
  Color sun_light() const { return {1.02f, 0.93f, 0.80f}; }
  /// Light from a direction.
  Color light(const Vec3& direction) const;
  /// What falls on a surface with this unit normal where nothing stands around, the ground below being of one colour:
  /// the mean of light(d), or of `ground` for d that go down, with the weight max(0, d · normal).
  Color open_light(const Vec3& normal, const Color& ground) const;
  /// What the picture shows behind everything: paler than the light.
  Color background(const Vec3& direction) const;

 private:
  Vec3 sun_, across_, along_;
  std::array<float, 65> openness_;  // the mean of √max(0, d_y), at normals of height −1, …, 1
};

}  // namespace limber
