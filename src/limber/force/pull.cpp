#include "limber/force/pull.hpp"

#include <algorithm>

#include "limber/core/nodes.hpp"

namespace limber {

Vec3 BodyPoint::at(const Vector& q) const {
  Vec3 x = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k)
    if (weights[k] != 0) x += weights[k] * block(q, nodes[k]);
  return x;
}

// Distances through space, inside nodes included: with the skin alone a thick body would be held by a layer that shears
// off what is below it.
std::vector<NodeShare> nodes_around(const BodyPoint& point, int first, const std::vector<Vec3>& rest, double radius) {
  const auto at = [&](int node) -> const Vec3& { return rest[ix(node - first)]; };
  Vec3 middle = Vec3::Zero();
  for (std::size_t k = 0; k < 4; ++k)
    if (point.weights[k] != 0) middle += point.weights[k] * at(point.nodes[k]);
  for (std::size_t k = 0; k < 4; ++k)
    if (point.weights[k] != 0) radius = std::max(radius, 1.5 * (at(point.nodes[k]) - middle).norm());
  std::vector<NodeShare> shares;
  double sum = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const double part = (rest[i] - middle).squaredNorm() / (radius * radius);
    if (!(part < 1)) continue;
    shares.push_back({first + static_cast<int>(i), (1 - part) * (1 - part)});
    sum += shares.back().weight;
  }
  for (NodeShare& share : shares) share.weight /= sum;
  return shares;
}

void PullForce::grasp(const BodyPoint& point, const std::vector<NodeShare>& around, const Vector& q, double stiffness) {
  point_ = point;
  to_ = point.at(q);
  held_.clear();
  for (const NodeShare& share : around)
    held_.push_back({share.node, share.weight * stiffness, block(q, share.node) - to_});
}

Vec3 PullForce::stretch(const Held& held, const Vector& q) const { return to_ + held.offset - block(q, held.node); }

Vec3 PullForce::force(const Vector& q) const {
  Vec3 sum = Vec3::Zero();
  for (const Held& held : held_) sum += held.stiffness * stretch(held, q);
  return sum;
}

void PullForce::add_force(const State& u, Vector& f) const {
  for (const Held& held : held_) block(f, held.node) += held.stiffness * stretch(held, u.q);
}

void PullForce::add_tangent(const State&, TangentBuilder& T) const {
  for (const Held& held : held_) T.add_stiffness(held.node, held.node, held.stiffness * Mat3::Identity());
}

std::optional<Potentials> PullForce::potentials(const State& u) const {
  double W = 0;
  for (const Held& held : held_) W += held.stiffness / 2 * stretch(held, u.q).squaredNorm();
  return Potentials{W, 0};
}

}  // namespace limber
