#include "limber/contact/geometry/scene_motion.hpp"

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"

namespace limber {

SceneMotion::SceneMotion(const ContactScene& scene)
    : scene_(scene), obstacle_of_node_(scene.surface.object.size() - ix(scene.body_nodes), -1) {
  for (std::size_t o = 0; o < scene_.surfaces.size(); ++o)
    for (const int node : scene_.surfaces[o].nodes)
      obstacle_of_node_[ix(node - scene_.body_nodes)] = static_cast<int>(o);
}

bool SceneMotion::moves() const {
  return std::any_of(scene_.implicit.begin(), scene_.implicit.end(),
                     [](const auto& o) { return !o.shape.is_static(); }) ||
         std::any_of(scene_.surfaces.begin(), scene_.surfaces.end(), [](const auto& o) { return !o.is_static(); });
}

Vector SceneMotion::positions(const Vector& q, double t) const {
  if (scene_.surfaces.empty()) return q;
  Vector x(scene_.rest.size());
  x.head(q.size()) = q;
  for (const SurfaceObstacle& o : scene_.surfaces) {
    const RigidMotion now = o.motion.at(t);
    const std::vector<Vec3> shape = o.sequence ? o.sequence->at(t) : std::vector<Vec3>{};
    for (std::size_t i = 0; i < o.nodes.size(); ++i) {
      Vec3 y, v, a;
      now.evaluate(o.sequence ? shape[i] : o.positions[i], y, v, a);
      x.segment<3>(3 * static_cast<Index>(o.nodes[i])) = y;
    }
  }
  return x;
}

Vector SceneMotion::finite_positions(const Vector& q, double t) const {
  Vector x = positions(q, t);
  const auto finite = [&](int node) { return point(x, node).allFinite(); };
  // Several processes all know the surface, and what they say of it must be the same.
  const auto& points = scene_.surface.points;
  if (!(scene_.processes > 1 ? std::all_of(points.begin(), points.end(), finite) : x.allFinite()))
    throw StepFailure("a position is not finite");
  return x;
}

Vec3 SceneMotion::velocity(int node, const Vector& v, double t) const {
  if (node < scene_.body_nodes) return point(v, node);
  const SurfaceObstacle& o = scene_.surfaces[ix(obstacle_of_node_[ix(node - scene_.body_nodes)])];
  Vec3 x, rate, a;
  if (!o.sequence) {
    o.motion.evaluate(t, point(scene_.rest, node), x, rate, a);
    return rate;
  }
  const RigidMotion now = o.motion.at(t);
  const int own = node - o.nodes[0];
  const Vec3 reshaping = o.sequence->rate(own, t);
  now.evaluate(o.sequence->at(own, t), x, rate, a);
  return rate + reshaping + now.R_minus_I * reshaping;
}

int SceneMotion::turning_pieces(double t0, double t1) const {
  constexpr double most_turn = .25;  // [rad]
  double angle = 0;
  if (t0 != t1)
    for (const SurfaceObstacle& o : scene_.surfaces)
      angle = std::max(angle, (o.motion.rotation.at(t1).value - o.motion.rotation.at(t0).value).norm());
  return static_cast<int>(std::ceil(angle / most_turn));
}

}  // namespace limber
