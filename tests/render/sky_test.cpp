#include "limber/render/sky.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace limber {
namespace {

const Sky sky(Camera({0, 1, 5}, {0, 0, 0}, 40, {64, 48}));

/// The light of the sky at a height d_y goes as √d_y from the horizon's to the zenith's.
Color between(double part) {
  const Color horizon = sky.light(Vec3::UnitX()), zenith = sky.light(Vec3::UnitY());
  return horizon + static_cast<float>(part) * (zenith - horizon);
}

TEST(Sky, AnOpenSkyByItsClosedForms) {
  const Color ground(0.1f, 0.2f, 0.3f);
  // Upwards: ∫ 2 u √u du = 4/5; down: the ground alone; sideways: B(3/4, 3/2)/π of the sky, and half of the ground.
  EXPECT_LT((sky.open_light(Vec3::UnitY(), ground) - between(0.8)).norm(), 1e-3);
  EXPECT_LT((sky.open_light(-Vec3::UnitY(), ground) - ground).norm(), 1e-5);
  const double beta = std::tgamma(0.75) * std::tgamma(1.5) / std::tgamma(2.25);
  const Color sideways = between(beta / std::numbers::pi) + 0.5f * (ground - between(0));
  EXPECT_LT((sky.open_light(Vec3::UnitZ(), ground) - sideways).norm(), 1e-3);
}

}  // namespace
}  // namespace limber
