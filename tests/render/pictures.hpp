#pragma once
/// Small scenes and pictures for the tests of rendering.

#include <cmath>
#include <numbers>

#include "limber/render/smooth_normals.hpp"
#include "limber/render/tracer.hpp"

namespace limber::test {

/// 8 shared nodes, 12 triangles.
inline RenderMesh cube(const Vec3& centre, double side, int body) {
  RenderMesh mesh;
  for (int k = 0; k < 8; ++k)
    mesh.positions.push_back(centre + side * Vec3(k & 1 ? .5 : -.5, k & 2 ? .5 : -.5, k & 4 ? .5 : -.5));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  mesh.body.assign(12, body);
  return mesh;
}

inline RenderMesh ball(const Vec3& centre, double radius, int body) {
  constexpr int rings = 32, around = 64;
  RenderMesh mesh;
  for (int r = 0; r <= rings; ++r)
    for (int k = 0; k < around; ++k) {
      const double a = std::numbers::pi * r / rings, b = 2 * std::numbers::pi * k / around;
      mesh.positions.push_back(centre +
                               radius * Vec3(std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b)));
    }
  for (int r = 0; r < rings; ++r)
    for (int k = 0; k < around; ++k) {
      const int a = r * around + k, b = r * around + (k + 1) % around;
      if (r > 0) mesh.triangles.push_back({a, b, b + around});
      if (r + 1 < rings) mesh.triangles.push_back({a, b + around, a + around});
    }
  mesh.body.assign(mesh.triangles.size(), body);
  return mesh;
}

/// The mesh above the ground y = 0.
inline RenderScene on_ground(RenderMesh mesh, double extent) {
  RenderScene scene;
  scene.normals = SmoothNormals(mesh.positions, mesh.triangles).at(mesh.positions);
  scene.mesh = std::move(mesh);
  scene.planes = {{Vec3::Zero(), Vec3::UnitY()}};
  scene.extent = extent;
  return scene;
}

/// The sum of a pixel's three bytes.
inline int brightness(const Image& image, const Vec2& pixel) {
  const auto i = 3 * (static_cast<std::size_t>(pixel[1]) * static_cast<std::size_t>(image.width) +
                      static_cast<std::size_t>(pixel[0]));
  return image.rgb[i] + image.rgb[i + 1] + image.rgb[i + 2];
}

}  // namespace limber::test
