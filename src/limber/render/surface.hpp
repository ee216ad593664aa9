#pragma once
/// The visible surface at a point that a ray has met.

#include "limber/render/camera.hpp"
#include "limber/render/ray_scene.hpp"

namespace limber {

enum class Wireframe { off, on };

/// A picture's content: the mesh with its normals (see SmoothNormals), and what lies around it.
struct RenderScene {
  RenderMesh mesh;
  std::vector<Vec3> normals;        // 3 #F
  std::vector<RenderPlane> planes;  // they fade away from `centre`
  Vec3 centre = Vec3::Zero();       // [m]
  double extent = 1;                // [m] of what matters
};

struct Surface {
  Vec3 point;    // [m]
  Vec3 sunward;  // [m] where rays to the sun start: on the smooth surface, which bulges over the flat triangle
  Vec3 normal;   // unit, smooth
  Vec3 face;     // unit, of the triangle; both point to the viewer's side
  Color color;
  float shine = 0;  // of reflections, 1: a coat of varnish
  float fade = 0;   // how much of it is lost in the background
};

class Surfaces {
 public:
  Surfaces(const RenderScene& scene, const Camera& camera, Wireframe wireframe);

  Surface at(const RaySceneHit& hit, const Vec3& origin, const Vec3& direction) const;

 private:
  Surface triangle(const RaySceneHit& hit, const Vec3& point) const;
  Surface line(const RaySceneHit& hit, const Vec3& point) const;
  Surface plane(const RaySceneHit& hit, const Vec3& point) const;
  bool on_wire(const std::array<int, 3>& corners, const Vec3& point) const;
  Color body(int body) const;

  const RenderScene& scene_;
  const Camera& camera_;
  Wireframe wireframe_;
  std::vector<Color> body_colors_;  // of obstacles, then of each body
};

}  // namespace limber
