#pragma once
/// Shapes of one set of nodes at given times, interpolated between them and constant beyond:
///
///     X(t) = w₀ X_left + w₁ X_right + w₂ X″_left + w₃ X″_right,
///
/// The weights are those of time_function.hpp. The rate is the derivative of X(t); at a jump, the one from the right.

#include "limber/model/time_function.hpp"

namespace limber {

class NodeSequence {
 public:
  /// shapes: #times × #nodes [m]. Throws InputError(where, …) for the times [s].
  NodeSequence(const std::vector<double>& times, const std::vector<std::vector<Vec3>>& shapes,
               Interpolation interpolation, const std::string& where);

  std::size_t keys() const { return shapes_.size(); }
  std::vector<Vec3> at(double t) const;  // [m]
  Vec3 at(int node, double t) const;     // [m]
  Vec3 rate(int node, double t) const;   // [m/s]

 private:
  KeyTimes times_;
  std::vector<Vector> shapes_, curvatures_;  // #keys × 3 #nodes; linear: no curvatures
};

}  // namespace limber
