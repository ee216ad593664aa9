#pragma once  // internal
/// How a number is taken from a scene: frequencies, an equilibrium, or a motion.

#include <functional>
#include <string>
#include <vector>

#include "limber/study/validation/case.hpp"

namespace limber {

/// [Hz] of these modes, the lowest one being 1 (rigid motions count).
Measurement frequencies(std::vector<int> modes);
/// [Hz] of these among the modes that move mostly along an axis, then of these among the others; `looked_at` lowest
/// modes are sorted so.
Measurement frequencies_by_direction(Index axis, std::vector<int> along, std::vector<int> across, int looked_at);

/// [Hz] of these modes about the equilibrium of a scene.
Measurement frequencies_in_equilibrium(std::vector<int> modes);

/// The equilibrium of a scene.
class Equilibrium {
 public:
  Equilibrium(const Scene& scene, const Model& model);

  /// Of a probe of the scene, by its place in the list [m].
  Vec3 position(std::size_t probe) const;
  Vec3 displacement(std::size_t probe) const;
  /// [N] that holds the prescribed nodes whose places at rest satisfy `chosen`.
  Vec3 reaction(const std::function<bool(const Vec3& rest)>& chosen) const;
  /// [N m] about the origin.
  Vec3 torque(const std::function<bool(const Vec3& rest)>& chosen) const;
  /// Σ λ |x|²/Σ λ over the forces λ of contact at x, but for their component along y [m²].
  double mean_square_distance_of_contact() const;

 private:
  void for_reactions(const std::function<bool(const Vec3&)>& chosen,
                     const std::function<void(const Vec3& place, const Vec3& force)>& take) const;

  const Model* model_;
  Vector rest_, x_;  // 3N
  State state_;      // reduced
  Vector forces_;    // 3P
};
Measurement in_equilibrium(std::function<std::vector<double>(const Equilibrium&)> numbers);

/// What was followed during a motion: the first probe of the scene and the first prescribed node after each step, and
/// the end.
struct FollowedMotion {
  std::vector<double> times;    // [s], from the start
  std::vector<Vec3> positions;  // [m]
  std::vector<Vec3> reactions;  // [N]
  Vec3 end_velocity;            // [m/s] of the probe
  std::vector<Vec3> momenta;    // [kg m/s] of each body at the end
};
Measurement in_motion(std::function<std::vector<double>(const FollowedMotion&)> numbers);

/// From the points of contact after each step.
Measurement in_contact(std::function<std::vector<double>(const std::vector<std::vector<ContactPoint>>&)> numbers);

/// When y passes zero, between the times by a straight line.
std::vector<double> passages(const std::vector<double>& times, const std::vector<double>& y);

/// The least value of y, by the parabola through the three values around the smallest.
double least(const std::vector<double>& y);

}  // namespace limber
