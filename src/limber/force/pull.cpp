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

void PullForce::bind(const BlockPattern& pattern, std::span<const int> free_index) {
  pattern_ = &pattern;
  free_index_ = free_index;
}

bool PullForce::coupled(int a, int b) const {
  const int i = free_index_[ix(a)], j = free_index_[ix(b)];
  return i < 0 || j < 0 || pattern_->slot(std::max(i, j), std::min(i, j)).first >= 0;
}

void PullForce::pull(const BodyPoint& point, const Vec3& to, double stiffness) {
  point_ = point;
  to_ = to;
  stiffness_ = stiffness;
  bool all = true;
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t l = 0; l < k; ++l)
      if (point.weights[k] != 0 && point.weights[l] != 0) all = all && coupled(point.nodes[k], point.nodes[l]);
  if (all) return;
  const auto largest = std::max_element(point.weights.begin(), point.weights.end()) - point.weights.begin();
  point_ = {{point.nodes[static_cast<std::size_t>(largest)]}, {1}};
}

void PullForce::add_force(const State& u, Vector& f) const {
  if (!pulls()) return;
  const Vec3 force = this->force(u.q);
  for (std::size_t k = 0; k < 4; ++k)
    if (point_.weights[k] != 0) block(f, point_.nodes[k]) += point_.weights[k] * force;
}

void PullForce::add_tangent(const State&, TangentBuilder& T) const {
  if (!pulls()) return;
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t l = 0; l < 4; ++l)
      if (const double w = point_.weights[k] * point_.weights[l]; w != 0)
        T.add_stiffness(point_.nodes[k], point_.nodes[l], w * stiffness_ * Mat3::Identity());
}

std::optional<Potentials> PullForce::potentials(const State& u) const {
  if (!pulls()) return Potentials{};
  return Potentials{stiffness_ / 2 * (to_ - point_.at(u.q)).squaredNorm(), 0};
}

}  // namespace limber
