#pragma once
/// A force that learns from the motion itself, so that it depends on the states before the step: viscous stresses,
/// damping that turns with the body.

namespace limber {

class FollowingForce {
 public:
  virtual ~FollowingForce() = default;
  /// Whether it does so with its present parameters.
  virtual bool follows() const = 0;
  /// Whether its tangent is never more than an approximation.
  virtual bool tangent_is_approximate() const { return false; }
};

}  // namespace limber
