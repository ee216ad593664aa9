#include "limber/contact/forces/collision_gaps.hpp"

#include <algorithm>

#include "limber/contact/forces/barrier_force.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr double reserve = .1;  // of δ, left of a distance

}  // namespace

double CollisionGaps::obstacle_travel(const Vector& q, double t, double until) const {
  const ContactScene& scene = collisions_->scene();
  const Vector moved = collisions_->positions(q, until) - collisions_->positions(q, t);
  double distance = 0;
  for (Index i = q.size(); i < moved.size(); i += 3) distance = std::max(distance, moved.segment<3>(i).norm());
  for (const ImplicitObstacle& o : scene.implicit) {
    if (o.shape.is_static()) continue;
    const PosedShape before = o.shape.pose(t), after = o.shape.pose(until);
    for (const int node : scene.surface.points)
      if (node < scene.body_nodes)
        distance = std::max(distance, before.value(point(q, node)) - after.value(point(q, node)));
  }
  return distance;
}

std::vector<Gap> CollisionGaps::near(const State& u, double until, double distance) {
  const Vector x = collisions_->positions(u.q, u.t);
  const int bodies = collisions_->scene().body_nodes;
  const double within = std::max(4 * contact(), 2 * distance + obstacle_travel(u.q, u.t, until));
  std::vector<Gap> gaps;
  near_.clear();
  for (const Collision& c : collisions_->near(u.q, u.t, within)) {
    if (mollifier_value(c, x) < 1 || !c.normal().allFinite()) continue;
    Gap g{.value = std::min(c.gap, c.obstacle >= 0 ? c.gap : c.nearest.d - reserve * contact())};
    for (std::size_t a = 0; a < static_cast<std::size_t>(c.count); ++a) {
      const Vec3 gradient = c.weights()[a] * c.normal();
      if (c.nodes[a] < bodies) {
        g.nodes[a] = c.nodes[a];
        g.gradient[a] = gradient;
      } else {
        g.rate += gradient.dot(collisions_->velocity(c.nodes[a], u.v, u.t));
      }
    }
    if (c.obstacle >= 0) g.rate -= c.normal().dot(collisions_->pose(c.obstacle, u.t).velocity(point(u.q, c.nodes[0])));
    gaps.push_back(g);
    near_.push_back(pair(c));
  }
  return gaps;
}

CollisionGaps::Pair CollisionGaps::pair(const Collision& c) {
  return {c.nodes[0], c.nodes[1], c.nodes[2], c.nodes[3], c.obstacle, static_cast<int>(c.kind)};
}

void CollisionGaps::report_forces(std::vector<double> forces) {
  forces_.clear();
  for (std::size_t i = 0; i < forces.size(); ++i)
    if (forces[i] != 0) forces_[near_[i]] = forces[i];
}

double CollisionGaps::normal_force(const Collision& c) const {
  const auto it = forces_.find(pair(c));
  return it == forces_.end() ? 0 : it->second;
}

}  // namespace limber
