#include "limber/force/targets.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/force/require.hpp"

namespace limber {

namespace {

void check_shapes(const TargetShapes& targets, std::size_t nodes, const std::string& where) {
  if (targets.shapes.size() != targets.times.size())
    throw InputError(where, fmt::format("{} shapes for {} times", targets.shapes.size(), targets.times.size()));
  for (std::size_t k = 0; k < targets.shapes.size(); ++k) {
    const Vector& shape = targets.shapes[k];
    if (shape.size() != 3 * static_cast<Index>(nodes))
      throw InputError(fmt::format("{}[{}]", where, k),
                       fmt::format("{} coordinates for {} nodes; 3 each are needed", shape.size(), nodes));
    if (!shape.allFinite()) throw InputError(fmt::format("{}[{}]", where, k), "a coordinate is not finite");
  }
}

}  // namespace

TargetSprings::TargetSprings(std::vector<int> nodes, TargetShapes targets, double stiffness, double damping,
                             const std::string& where)
    : nodes_(std::move(nodes)), targets_(std::move(targets)), stiffness_(stiffness), damping_(damping) {
  require_not_negative(stiffness, where + ".stiffness");
  require_not_negative(damping, where + ".damping");
  check_shapes(targets_, nodes_.size(), where + ".shapes");
  curvatures_ = targets_.times.curvatures(targets_.shapes);
}

Vec3 TargetSprings::target(const KeyWeights& w, const std::array<double, 4>& c, Index at) const {
  const Vector &y0 = targets_.shapes[w.left], &y1 = targets_.shapes[w.right];
  const Vector &m0 = curvatures_[w.left], &m1 = curvatures_[w.right];
  return c[0] * y0.segment<3>(at) + c[1] * y1.segment<3>(at) + c[2] * m0.segment<3>(at) + c[3] * m1.segment<3>(at);
}

template <class Visit>
void TargetSprings::each_deviation(const State& u, const Visit& visit) const {
  const KeyWeights w = targets_.times.at(u.t);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Index at = 3 * static_cast<Index>(i), node = 3 * nodes_[i];
    const Vec3 off = u.q.segment<3>(node) - target(w, w.value, at);
    const Vec3 off_rate = u.v.segment<3>(node) - target(w, w.rate, at);
    visit(nodes_[i], off, off_rate);
  }
}

void TargetSprings::add_force(const State& u, Vector& f) const {
  each_deviation(u, [&](int i, const Vec3& off, const Vec3& off_rate) {
    f.segment<3>(3 * i) -= stiffness_ * off + damping_ * off_rate;
  });
}

void TargetSprings::add_tangent(const State&, TangentBuilder& T) const {
  for (const int i : nodes_) {
    T.add_stiffness(i, i, stiffness_ * Mat3::Identity());
    if (damping_ > 0) T.add_damping(i, i, damping_ * Mat3::Identity());
  }
}

std::optional<Potentials> TargetSprings::potentials(const State& u) const {
  Potentials sum;
  each_deviation(u, [&](int, const Vec3& off, const Vec3& off_rate) {
    sum += {stiffness_ / 2 * off.squaredNorm(), damping_ / 2 * off_rate.squaredNorm()};
  });
  return sum;
}

double TargetSprings::driving_work(const Travel& step, const State& u) const {
  const KeyWeights from = targets_.times.at(step.a.t), to = targets_.times.at(step.b.t);
  double work = 0;
  std::size_t k = 0;
  each_deviation(u, [&](int, const Vec3& off, const Vec3& off_rate) {
    const Index at = 3 * static_cast<Index>(k++);
    work -= (stiffness_ * off + damping_ * off_rate).dot(target(to, to.value, at) - target(from, from.value, at));
  });
  return work;
}

double TargetSprings::damping_power(const State& u) const {
  double power = 0;
  each_deviation(u, [&](int, const Vec3&, const Vec3& off_rate) { power += damping_ * off_rate.squaredNorm(); });
  return power;
}

}  // namespace limber
