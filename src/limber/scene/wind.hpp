#pragma once
/// Moving air, which drags the outside of all bodies along.

#include <vector>

#include "limber/model/time_function.hpp"
#include "limber/scene/force_choice.hpp"

namespace limber {

struct WindChoice final : ForceChoice {
  std::shared_ptr<Force> make(const ForceNodes& all) const override;
  std::vector<double> key_times() const override;

  std::vector<double> times;     // [s], increasing, at least one
  std::vector<Vec3> velocities;  // [m/s]
  Interpolation interpolation = Interpolation::linear;
  double drag = 1;       // coefficient
  double density = 1.2;  // [kg/m³] of the air
};

}  // namespace limber
