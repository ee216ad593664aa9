#include "surroundings.hpp"

#include <algorithm>

#include "limber/scene/construction/obstacle_parts.hpp"

namespace limber::app {
namespace {

/// The cells that the scene asks of the distance grid.
double cell_of(const TriMesh& mesh, const ObstacleChoice& o) {
  const Box3 box = bounding_box(mesh.nodes);
  return (box.max - box.min).maxCoeff() / o.resolution;
}

CheckedObstacle checked(const ObstacleChoice& o) {
  using Shape = ObstacleChoice::Shape;
  const ObstacleSurface surface =
      o.shape == Shape::box || o.shape == Shape::mesh ? obstacle_surface(o) : ObstacleSurface{};
  const TriMesh& mesh = surface.mesh;
  CheckedObstacle c{o.name, obstacle_motion(o, obstacle_centre(o, mesh)), {}};
  switch (o.shape) {
    case Shape::plane:
    case Shape::half_space:
      c.shape = PlaneObstacle{o.point, o.normal};
      break;
    case Shape::sphere:
      c.shape = RoundObstacle{o.center, o.center, o.radius};
      break;
    case Shape::capsule:
      c.shape = RoundObstacle{o.a, o.b, o.radius};
      break;
    case Shape::cylinder:
      c.shape = CylinderObstacle{o.a, o.b, o.radius};
      break;
    case Shape::torus:
      c.shape = TorusObstacle{o.center, o.axis, o.major, o.minor};
      break;
    case Shape::box:
    case Shape::mesh:
      if (surface.form == ObstacleChoice::Form::triangles)
        c.shape = MeshObstacle{mesh, surface.edges, surface.points, o.thickness / 2, surface.sequence};
      else
        c.shape = GridObstacle{mesh, cell_of(mesh, o)};
      break;
  }
  return c;
}

}  // namespace

Surroundings surroundings(const Scene& scene) {
  Surroundings around;
  for (const ObstacleChoice& o : scene.obstacles) around.obstacles.push_back(checked(o));
  for (const BodyChoice& b : scene.bodies) around.radius.push_back(b.thickness / 2);
  for (const StitchChoice& s : scene.stitches)
    if (const BodyPair pair{s.body, s.to}; std::find(around.sewn.begin(), around.sewn.end(), pair) == around.sewn.end())
      around.sewn.push_back(pair);
  if (scene.contact) around.collide = scene.contact->self ? Collide::with_themselves_too : Collide::with_others;
  return around;
}

}  // namespace limber::app
