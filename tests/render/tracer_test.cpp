#include "limber/render/tracer.hpp"

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"
#include "limber/render/sky.hpp"
#include "render/pictures.hpp"

namespace limber {
namespace {

class Tracing : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      require_ray_tracing();
    } catch (const InputError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

const Camera camera({0, 3, 6}, {0, 0.5, 0}, 45, {160, 120});

void expect_the_shadow_of_a_ball(const RenderOptions& options) {
  const Vec3 centre(0, 1.5, 0);
  const double radius = 0.5;
  const Image image = render(test::on_ground(test::ball(centre, radius, 0), 20), camera, options);
  // The ray from the centre away from the sun meets the ground in the middle of the shadow.
  const Vec3 sun = Sky(camera).sun();
  const Vec3 shadow = centre - sun * (centre[1] / sun[1]);
  const Vec3 opposite(-shadow[0], 0, -shadow[2]);
  // Across the sun's direction the shadow ends at the radius, but for half the penumbra, 0.07 rad from 1.5 m / sin.
  const Vec3 across = Vec3(sun[2], 0, -sun[0]).normalized();
  const double penumbra = 0.07 * centre[1] / sun[1];
  const int dark = test::brightness(image, camera.project(shadow)),
            lit = test::brightness(image, camera.project(opposite));
  EXPECT_LT(dark, 0.8 * lit);
  for (const double side : {-1., 1.}) {
    const Vec3 inside = shadow + side * (radius - 1.3 * penumbra) * across,
               outside = shadow + side * (radius + 2.5 * penumbra) * across;
    EXPECT_LT(test::brightness(image, camera.project(inside)), (dark + lit) / 2);
    EXPECT_GT(test::brightness(image, camera.project(outside)), (dark + lit) / 2);
  }
}

TEST_F(Tracing, ABallCastsItsShadowAwayFromTheSun) { expect_the_shadow_of_a_ball({}); }

TEST_F(Tracing, AlsoInADraft) {
  RenderOptions options;
  options.quality = Quality::draft;
  expect_the_shadow_of_a_ball(options);
}

TEST_F(Tracing, FewRaysAndManyShowTheSame) {
  const RenderScene scene = test::on_ground(test::cube({0, 0.7, 0}, 1, 0), 4);
  RenderOptions options;
  const Image few = render(scene, camera, options);
  options.samples = 128;
  const Image many = render(scene, camera, options);
  double difference = 0, square = 0;
  for (std::size_t i = 0; i < few.rgb.size(); ++i) {
    difference += few.rgb[i] - many.rgb[i];
    square += (few.rgb[i] - many.rgb[i]) * (few.rgb[i] - many.rgb[i]);
  }
  const auto count = static_cast<double>(few.rgb.size());
  EXPECT_LT(std::abs(difference / count), 0.3);  // of 255
  EXPECT_LT(std::sqrt(square / count), 2);
}

TEST_F(Tracing, BodiesHaveTheirColours) {
  RenderScene scene = test::on_ground(test::cube({0, 0.5, 0}, 1, 1), 4);
  const auto at_middle = [&](const RenderScene& s) {
    const Image image = render(s, camera, {});
    const Vec2 pixel = camera.project({0, 0.6, 0.5});
    const auto i = 3 * (static_cast<std::size_t>(pixel[1]) * 160 + static_cast<std::size_t>(pixel[0]));
    return std::array<int, 3>{image.rgb[i], image.rgb[i + 1], image.rgb[i + 2]};
  };
  const auto blue = at_middle(scene);
  EXPECT_GT(blue[2], blue[0] + 40);
  scene.mesh.body.assign(12, obstacle_body);
  const auto grey = at_middle(scene);
  EXPECT_LT(std::abs(grey[0] - grey[2]), 40);
  scene.mesh.colors.assign(8, Color(1, 0, 0));
  scene.mesh.body.assign(12, 1);
  const auto red = at_middle(scene);
  EXPECT_GT(red[0], red[2] + 80);
}

TEST_F(Tracing, TheSamePictureOnAnyNumberOfThreads) {
  RenderScene scene = test::on_ground(test::cube({0, 0.7, 0}, 1, 0), 4);
  scene.mesh.lines = {{0, 7}, {1, 6}};
  scene.mesh.line_body = {1, 1};
  scene.mesh.line_radius = {0.02, 0.02};
  for (Vec3& x : scene.mesh.positions) x[0] *= 1 + x[1];
  RenderOptions options;
  options.wireframe = Wireframe::on;
  for (const int samples : {4, 16}) {
    options.samples = samples;
    const int before = threads();
    set_threads(1);
    const Image one = render(scene, camera, options);
    set_threads(2);
    const Image two = render(scene, camera, options);
    set_threads(before);
    EXPECT_EQ(one.rgb, two.rgb);
  }
}

TEST_F(Tracing, LinesAreRodsOfTheirRadius) {
  RenderMesh mesh;
  mesh.positions = {{-1, 1, 0}, {1, 1, 0}, {-1, 3, 0}, {1, 3, 0}};
  mesh.lines = {{0, 1}, {2, 3}};
  mesh.line_body = {0, 1};
  mesh.line_radius = {0.1, 0.3};
  const RayScene rays(mesh, {});
  const auto hit = rays.first({0.5, 1, 5}, {0, 0, -1});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->line, 0);
  EXPECT_NEAR(hit->distance, 4.9, 1e-5);
  EXPECT_LT((hit->normal - Vec3::UnitZ()).norm(), 1e-3);
  EXPECT_TRUE(rays.first({0.5, 1.09, 5}, {0, 0, -1}));
  EXPECT_FALSE(rays.first({0.5, 1.11, 5}, {0, 0, -1}));
  EXPECT_TRUE(rays.first({0.5, 3.29, 5}, {0, 0, -1}));
  EXPECT_FALSE(rays.first({0.5, 3.31, 5}, {0, 0, -1}));
}

TEST_F(Tracing, WiresDarkenEdgesOnly) {
  const RenderScene scene = test::on_ground(test::cube({0, 0.5, 0}, 1, 0), 4);
  RenderOptions options;
  const Image plain = render(scene, camera, options);
  options.wireframe = Wireframe::on;
  const Image wired = render(scene, camera, options);
  const auto at = [&](const Image& image, const Vec3& x) { return test::brightness(image, camera.project(x)); };
  const Vec3 on_diagonal(0, 0.5, 0.5), off_diagonal(0.2, 0.75, 0.5);
  EXPECT_LT(at(wired, on_diagonal), 0.8 * at(plain, on_diagonal));
  EXPECT_NEAR(at(wired, off_diagonal), at(plain, off_diagonal), 12);
}

TEST_F(Tracing, NothingButTheGroundIsNoError) {
  const Image image = render(test::on_ground({}, 1), camera, {});
  EXPECT_EQ(image.rgb.size(), 160u * 120 * 3);
}

}  // namespace
}  // namespace limber
