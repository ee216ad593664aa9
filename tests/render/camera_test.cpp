#include "limber/render/camera.hpp"

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

TEST(Camera, ProjectsKnownPoints) {
  // 90°: at distance 5 the picture's height of 400 pixels covers 10 m.
  const Camera camera({0, 0, 5}, {0, 0, 0}, 90, {600, 400});
  EXPECT_LT((camera.project({0, 0, 0}) - Vec2(300, 200)).norm(), 1e-12);
  EXPECT_LT((camera.project({1, 2, 0}) - Vec2(340, 120)).norm(), 1e-12);
  EXPECT_LT((camera.project({0, -5, 0}) - Vec2(300, 400)).norm(), 1e-12);
  EXPECT_LT((camera.project({3, 3, -5}) - Vec2(360, 140)).norm(), 1e-12);
  EXPECT_DOUBLE_EQ(camera.pixel_size(5), 10.0 / 400);
}

TEST(Camera, DirectionsGoThroughTheirPixels) {
  const Camera camera({3, 2, 5}, {-1, 0.5, 0}, 35, {1280, 720});
  for (const Vec2& pixel : {Vec2(0, 0), Vec2(1280, 720), Vec2(17, 600.5)})
    EXPECT_LT((camera.project(camera.eye() + 7 * camera.direction(pixel)) - pixel).norm(), 1e-9);
}

TEST(Camera, LooksStraightDown) {
  const Camera camera({0, 4, 0}, {0, 0, 0}, 90, {400, 400});
  EXPECT_LT((camera.project({1, 0, 0}) - Vec2(250, 200)).norm(), 1e-12);
}

TEST(Camera, RefusesToLookAtItself) { EXPECT_THROW(Camera({1, 2, 3}, {1, 2, 3}, 35, {}), InputError); }

TEST(Framing, ShowsAllAndFillsThePicture) {
  for (const Vec3& extent : {Vec3(8, 1, 1), Vec3(0.1, 0.5, 0.1), Vec3(1, 1, 30)}) {
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k) corners.push_back(Vec3(1, 2, 3) + extent.cwiseProduct(Vec3(k & 1, k >> 1 & 1, k >> 2)));
    Framing framing(35, {1280, 720});
    for (const Vec3& corner : corners) framing.include(corner);
    const Camera camera = framing.camera();
    Vec2 low(1e9, 1e9), high(-1e9, -1e9);
    for (const Vec3& corner : corners) {
      EXPECT_GT((corner - camera.eye()).dot(camera.forward()), 0);
      low = low.cwiseMin(camera.project(corner));
      high = high.cwiseMax(camera.project(corner));
    }
    EXPECT_GT(low.minCoeff(), 0);
    EXPECT_LT(high[0], 1280);
    EXPECT_LT(high[1], 720);
    // One side is reached but for the margin of 15 %.
    EXPECT_NEAR(std::max((high[0] - low[0]) / 1280, (high[1] - low[1]) / 720), 1 / 1.15, 1e-6);
    EXPECT_GT(camera.eye()[1], 2 + extent[1] / 2);
  }
}

TEST(Framing, ShowsWhatAnotherOneShows) {
  Framing a(35, {1280, 720}), b(35, {1280, 720}), both(35, {1280, 720});
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(1, 2, 0)}) a.include(x), both.include(x);
  for (const Vec3& x : {Vec3(-4, 1, 2), Vec3(0, 0, 9)}) b.include(x), both.include(x);
  a.include(b);
  EXPECT_EQ(a.camera().eye(), both.camera().eye());
  EXPECT_EQ(a.box_min(), Vec3(-4, 0, 0));
  EXPECT_EQ(a.box_max(), Vec3(1, 2, 9));
}

TEST(Framing, SeesASinglePoint) {
  Framing framing(35, {1280, 720});
  EXPECT_TRUE(framing.empty());
  framing.include({1, 2, 3});
  const Camera camera = framing.camera();
  EXPECT_LT((camera.project({1, 2, 3}) - Vec2(640, 360)).norm(), 1);
}

}  // namespace
}  // namespace limber
