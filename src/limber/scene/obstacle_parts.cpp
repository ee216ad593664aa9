#include "limber/scene/obstacle_parts.hpp"

#include "limber/mesh/tet_mesh.hpp"
#include "limber/scene/build_forces.hpp"

namespace limber {
namespace {

TriMesh unit_box() {
  TriMesh mesh;
  for (int k = 0; k < 8; ++k) mesh.nodes.emplace_back(k & 1 ? .5 : -.5, k & 2 ? .5 : -.5, k & 4 ? .5 : -.5);
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

}  // namespace

TriMesh obstacle_surface(const ObstacleChoice& o, SurfaceNotes* notes) {
  const Mat3 R = Mat3::Identity() + rotation_minus_identity(o.rotation);
  if (o.shape == ObstacleChoice::Shape::box) {
    TriMesh mesh = unit_box();
    for (Vec3& x : mesh.nodes) x = o.center + R * x.cwiseProduct(o.size);
    return mesh;
  }
  TriMesh mesh = read_surface(o.file, notes);
  for (Vec3& x : mesh.nodes) x = o.position + R * (o.scale * x);
  if (is_closed(mesh)) orient_outwards(mesh);
  return mesh;
}

Vec3 obstacle_centre(const ObstacleChoice& o, const TriMesh& surface) {
  using Shape = ObstacleChoice::Shape;
  switch (o.shape) {
    case Shape::plane:
    case Shape::half_space:
      return o.point;
    case Shape::sphere:
    case Shape::box:
    case Shape::torus:
      return o.center;
    case Shape::capsule:
    case Shape::cylinder:
      return (o.a + o.b) / 2;
    case Shape::mesh:
      break;
  }
  const Box3 box = bounding_box(surface.nodes);
  return (box.min + box.max) / 2;
}

Motion obstacle_motion(const ObstacleChoice& o, const Vec3& centre) {
  if (!o.motion) return {};
  return keyed_motion(o.motion->keys, o.motion->interpolation, o.motion->pivot.value_or(centre), o.motion->where);
}

}  // namespace limber
