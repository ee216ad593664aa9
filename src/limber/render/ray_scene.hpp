#pragma once
/// What a ray meets first, and whether it meets anything: Embree on a mesh and its lines, and planes.

#include <memory>
#include <optional>

#include "limber/render/render_mesh.hpp"

namespace limber {

/// Throws InputError("render", …) where this build has no Embree.
void require_ray_tracing();

struct RaySceneHit {
  double distance = 0;           // [m] along the ray's unit direction
  int triangle = -1, line = -1;  // one of the three is ≥ 0
  int plane = -1;
  double b = 0, c = 0;          // barycentric, of the triangle's second and third corner; b: the way along a line
  Vec3 normal = Vec3::UnitY();  // unit, of the triangle, rod or plane
};

class RayScene {
 public:
  RayScene(const RenderMesh& mesh, const std::vector<RenderPlane>& planes);
  ~RayScene();

  std::optional<RaySceneHit> first(const Vec3& origin, const Vec3& direction) const;
  /// Planes do not count: they lie around everything and would keep the light out.
  bool blocked(const Vec3& origin, const Vec3& direction) const;

 private:
  struct Impl;
  bool passes_by(const Vec3& origin, const Vec3& direction) const;

  std::unique_ptr<Impl> impl_;
  Vec3 low_, high_;  // [m] a box around the mesh
  std::vector<RenderPlane> planes_;
};

}  // namespace limber
