#include "limber/contact/geometry/obstacle_collisions.hpp"

#include <algorithm>

#include "limber/contact/geometry/pair_pieces.hpp"
#include "limber/core/nodes.hpp"

namespace limber {

std::vector<Bounds> ObstacleCollisions::body_boxes(const Vector& q) const {
  constexpr double all = Bounds::unbounded();
  std::vector<Bounds> boxes(scene_.may_collide.size());
  for (const int node : scene_.surface.points) {
    if (node >= scene_.body_nodes) continue;
    const double r = scene_.surface.radius[ix(node)];
    const Vec3 x = point(q, node);
    Bounds& box = boxes[ix(scene_.surface.object[ix(node)])];
    if (x.allFinite())
      box.include({{x[0] - r, x[1] - r, x[2] - r}, {x[0] + r, x[1] + r, x[2] + r}});
    else
      box.include({{-all, -all, -all}, {all, all, all}});
  }
  return boxes;
}

std::vector<char> ObstacleCollisions::far_from(const ImplicitObstacle& obstacle, const PosedShape& shape,
                                               const std::vector<Bounds>& boxes, double within, double times) const {
  std::vector<char> far(boxes.size());
  for (std::size_t o = 0; o < boxes.size(); ++o) {
    const Eigen::Map<const Vec3> low(boxes[o].low.data()), high(boxes[o].high.data());
    const double size = (high - low).norm();
    far[o] = low[0] > high[0] || !scene_.may_collide[o][ix(obstacle.object)] ||
             (size < Bounds::unbounded() &&
              shape.value(.5 * (low + high)) > (1 + 1e-9) * (within + (times + .5) * shape.lipschitz() * size));
  }
  return far;
}

void ObstacleCollisions::find(const Vector& q, double t, double within, std::vector<Collision>& found) const {
  if (scene_.implicit.empty()) return;
  const std::vector<Bounds> boxes = body_boxes(q);
  for (std::size_t o = 0; o < scene_.implicit.size(); ++o) {
    const ImplicitObstacle& obstacle = scene_.implicit[o];
    const PosedShape shape = obstacle.shape.pose(t);
    const std::vector<char> far = far_from(obstacle, shape, boxes, within, 0);
    if (std::find(far.begin(), far.end(), 0) == far.end()) continue;
    const auto& points = scene_.surface.points;
    const auto some = collect<Collision>(points.size(), [&](std::size_t i, std::vector<Collision>& list) {
      const int node = points[i];
      if (node >= scene_.body_nodes) return;
      const int body = scene_.surface.object[ix(node)];
      if (far[ix(body)]) return;
      const double xi = scene_.surface.radius[ix(node)];
      const Vec3 p = point(q, node);
      if (shape.value(p) - xi >= within) return;
      const ImplicitValue phi = shape.at(p);
      Collision c;
      c.nodes[0] = node;
      c.count = 1;
      c.objects = {body, obstacle.object};
      c.obstacle = static_cast<int>(o);
      c.gap = phi.value - xi;
      c.nearest.d = phi.value;
      c.nearest.n = phi.gradient;
      c.nearest.w = {1, 0, 0, 0};
      c.curvature = phi.hessian;
      list.push_back(std::move(c));
    });
    found.insert(found.end(), some.begin(), some.end());
  }
}

double ObstacleCollisions::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  if (scene_.implicit.empty()) return 1;
  double s = 1;
  std::vector<Bounds> boxes = body_boxes(q);
  const std::vector<Bounds> ends = body_boxes(q + dq);
  for (std::size_t o = 0; o < boxes.size(); ++o) boxes[o].include(ends[o]);
  for (const ImplicitObstacle& obstacle : scene_.implicit) {
    // In the obstacle's own coordinates it rests: what moves is the point. The straight way between both ends there
    // serves as well as the true one: what counts is that the ends are joined without harm.
    const PosedShape before = obstacle.shape.pose(t0), after = obstacle.shape.pose(t1);
    const bool moves = t0 != t1 && !obstacle.shape.is_static();
    // Whoever goes less than half as far as it is away is free to.
    const std::vector<char> far = far_from(obstacle, before, boxes, 0, moves ? Bounds::unbounded() : 2);
    if (std::find(far.begin(), far.end(), 0) == far.end()) continue;
    const auto& points = scene_.surface.points;
    s = std::min(s, smallest(points.size(), [&](std::size_t i) {
                   const int node = points[i];
                   if (node >= scene_.body_nodes) return 1.0;
                   if (far[ix(scene_.surface.object[ix(node)])]) return 1.0;
                   const double xi = scene_.surface.radius[ix(node)];
                   const Vec3 x = point(q, node), dx = point(dq, node);
                   if (moves)
                     return obstacle.shape.safe_share(before.material(x), after.material(x + dx), least_kept, xi);
                   return dx == Vec3::Zero() ? 1.0 : before.safe_step(x, dx, least_kept, xi);
                 }));
  }
  return s;
}

}  // namespace limber
