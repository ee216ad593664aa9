#include "limber/model/node_sequence.hpp"

#include <cassert>

namespace limber {

NodeSequence::NodeSequence(const std::vector<double>& times, const std::vector<std::vector<Vec3>>& shapes,
                           Interpolation interpolation, const std::string& where)
    : times_(times, interpolation, where) {
  assert(times_.size() == shapes.size());
  for (const auto& shape : shapes) {
    Vector& x = shapes_.emplace_back(3 * static_cast<Index>(shape.size()));
    for (std::size_t i = 0; i < shape.size(); ++i) x.segment<3>(3 * static_cast<Index>(i)) = shape[i];
  }
  if (interpolation == Interpolation::smooth) curvatures_ = times_.curvatures(shapes_);
}

namespace {

Vec3 weighted(const KeyWeights& key, const std::array<double, 4>& w, const std::vector<Vector>& shapes,
              const std::vector<Vector>& curvatures, int node) {
  const Index i = 3 * static_cast<Index>(node);
  Vec3 sum = w[0] * shapes[key.left].segment<3>(i) + w[1] * shapes[key.right].segment<3>(i);
  if (w[2] != 0 || w[3] != 0)
    sum += w[2] * curvatures[key.left].segment<3>(i) + w[3] * curvatures[key.right].segment<3>(i);
  return sum;
}

}  // namespace

std::vector<Vec3> NodeSequence::at(double t) const {
  const KeyWeights key = times_.at(t);
  std::vector<Vec3> x(static_cast<std::size_t>(shapes_[0].size() / 3));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = weighted(key, key.value, shapes_, curvatures_, static_cast<int>(i));
  return x;
}

Vec3 NodeSequence::at(int node, double t) const {
  const KeyWeights key = times_.at(t);
  return weighted(key, key.value, shapes_, curvatures_, node);
}

Vec3 NodeSequence::rate(int node, double t) const {
  const KeyWeights key = times_.at(t);
  return weighted(key, key.rate, shapes_, curvatures_, node);
}

}  // namespace limber
