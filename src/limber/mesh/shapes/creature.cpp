#include "limber/mesh/shapes/creature.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <vector>

#include "limber/core/errors.hpp"
#include "limber/mesh/fill/stuffing.hpp"
#include "limber/mesh/shape_checks.hpp"
#include "limber/mesh/shapes/shape_field.hpp"

namespace limber {
namespace {

constexpr double volume_of_unit = 0.065;  // [height³], measured

/// |R(x − c) / r| − 1, times the smallest of the radii r: not the distance, but below it.
struct Ellipsoid {
  Vec3 centre, radii;
  Mat3 rotation = Mat3::Identity();
  double distance(const Vec3& x) const {
    return ((rotation * (x - centre)).cwiseQuotient(radii).norm() - 1) * radii.minCoeff();
  }
};

// In units of the height. Limbs, ears and eyes are given on the side x > 0.

struct Head {
  double distance(const Vec3& x) const {
    double d = smooth_union(skull.distance(x), snout.distance(x), 0.07);
    d = smooth_union(d, cheek.distance(x), 0.05);
    d = smooth_union(d, std::max(ear.distance(x), -hollow.distance(x)), 0.035);
    d = smooth_union(d, nose.distance(x), 0.012);
    return smooth_union(d, eye.distance(x), 0.006);
  }
  static Mat3 rotation(double about_x, double about_y, double about_z) {
    return (Eigen::AngleAxisd(about_x, Vec3::UnitX()) * Eigen::AngleAxisd(about_y, Vec3::UnitY()) *
            Eigen::AngleAxisd(about_z, Vec3::UnitZ()))
        .toRotationMatrix();
  }

  Ellipsoid skull{{0, 0.70, 0.02}, {0.155, 0.135, 0.14}};
  RoundCone cheek{{0.07, 0.655, 0.07}, {0.075, 0.655, 0.075}, 0.075, 0.075};
  RoundCone snout{{0, 0.67, 0.11}, {0, 0.645, 0.225}, 0.082, 0.050};
  RoundCone nose{{0, 0.672, 0.268}, {0, 0.673, 0.270}, 0.030, 0.030};
  RoundCone eye{{0.070, 0.740, 0.145}, {0.070, 0.741, 0.145}, 0.031, 0.031};
  Ellipsoid ear{{0.150, 0.865, -0.005}, {0.098, 0.112, 0.040}, rotation(0.1, 0.25, 0.5)};
  Ellipsoid hollow{{0.162, 0.872, 0.055}, {0.062, 0.075, 0.035}, rotation(0.1, 0.25, 0.5)};
};

class Creature {
 public:
  double operator()(const Vec3& p) const {
    const Vec3 x(std::abs(p[0]), p[1], p[2]);
    double d = body_.distance(x);
    d = smooth_union(d, belly_.distance(x), 0.06);
    double tail = tail_[0].distance(x);
    for (const RoundCone& cone : tail_) tail = std::min(tail, cone.distance(x));
    d = smooth_union(d, tail, 0.07);
    d = smooth_union(d, chain(leg_, x), 0.05);
    d = smooth_union(d, foot_.distance(x), 0.03);
    d = smooth_union(d, chain(arm_, x), 0.045);
    d = smooth_union(d, hand_.distance(x), 0.03);
    d = smooth_union(d, thumb_.distance(x), 0.015);
    d = smooth_union(d, head_.distance(x), 0.05);
    return std::max(d, -x[1]);
  }

 private:
  template <std::size_t n>
  static double chain(const std::array<RoundCone, n>& cones, const Vec3& x) {
    double d = cones[0].distance(x);
    for (std::size_t i = 1; i < n; ++i) d = smooth_union(d, cones[i].distance(x), 0.015);
    return d;
  }
  /// Along a cubic Bézier curve.
  static std::vector<RoundCone> tail() {
    const Vec3 p(0, 0.24, -0.10), q(0, 0.06, -0.24), r(0, 0.04, -0.52), s(0, 0.30, -0.48);
    constexpr int pieces = 10;
    const auto at = [&](double t) -> Vec3 {
      const double u = 1 - t;
      return u * u * u * p + 3 * u * u * t * q + 3 * u * t * t * r + t * t * t * s;
    };
    const auto radius = [](double t) { return 0.075 - 0.044 * t; };
    std::vector<RoundCone> cones;
    for (int i = 0; i < pieces; ++i) {
      const double t = static_cast<double>(i) / pieces, next = static_cast<double>(i + 1) / pieces;
      cones.emplace_back(at(t), at(next), radius(t), radius(next));
    }
    return cones;
  }
  RoundCone body_{{0, 0.30, -0.01}, {0, 0.50, 0.0}, 0.145, 0.105};
  RoundCone belly_{{0, 0.29, 0.045}, {0, 0.36, 0.05}, 0.125, 0.105};
  std::vector<RoundCone> tail_ = tail();
  std::array<RoundCone, 2> leg_{{{{0.085, 0.24, 0.0}, {0.115, 0.14, 0.035}, 0.095, 0.072},
                                 {{0.115, 0.14, 0.035}, {0.12, 0.05, 0.01}, 0.072, 0.055}}};
  RoundCone foot_{{0.12, 0.035, 0.0}, {0.14, 0.03, 0.12}, 0.052, 0.056};
  std::array<RoundCone, 2> arm_{{{{0.095, 0.51, 0.0}, {0.205, 0.43, 0.03}, 0.058, 0.046},
                                 {{0.205, 0.43, 0.03}, {0.27, 0.475, 0.13}, 0.046, 0.038}}};
  RoundCone hand_{{0.275, 0.485, 0.14}, {0.29, 0.525, 0.17}, 0.046, 0.043};
  RoundCone thumb_{{0.25, 0.50, 0.155}, {0.225, 0.535, 0.175}, 0.028, 0.025};
  Head head_;
};

constexpr double design_height = 0.9715;  // of the ears' tips, in the numbers above

}  // namespace

TetMesh creature_mesh(const CreatureShape& shape) {
  require_positive("height", shape.height);
  require_positive("resolution", shape.resolution);
  require_between("resolution", shape.resolution, 0, coarsest_resolution(shape), "the ears need 0.05 of the height");
  const double spacing = shape.resolution / stuffed_mean_edge, unit = shape.height / design_height;
  require_count(12 * volume_of_unit * std::pow(shape.height / spacing, 3), shape.max_tets, shape.resolution);
  // Whole numbers of cubes: the lattice is symmetric in x, and has a plane at the soles.
  const double across = spacing * std::ceil(0.37 * unit / spacing);
  const Box3 box{{-across, 0, -0.56 * unit}, {across, unit, 0.34 * unit}};
  const Creature creature;
  Stuffed result =
      stuff([&](const Vec3& x) { return unit * creature(x / unit); }, {.box = box, .spacing = spacing, .lipschitz = 1});
  if (result.components != 1)
    throw InputError("resolution", fmt::format("at {} the creature falls into {} pieces; choose a finer one",
                                               shape.resolution, result.components));
  return std::move(result.mesh);
}

}  // namespace limber
