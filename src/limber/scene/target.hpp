#pragma once
/// A shape that springs pull toward: explicit positions, or a rigid motion of the initial ones. Between the keys each
/// node's target is interpolated.

#include <optional>
#include <string>

#include "limber/scene/force_choice.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

struct TargetKey {
  MotionKey motion;             // where positions is empty; else only its time counts
  std::vector<Vec3> positions;  // [m], in the world, one for each selected node in the selection's order
};

struct TargetChoice final : ForceChoice {
  std::shared_ptr<Force> make(const ForceNodes& all) const override;
  std::vector<double> key_times() const override;
  bool holds(int) const override { return true; }
  bool damps() const override { return damping > 0; }

  std::string where;
  int body = 0;
  Selection nodes;              // default: all
  double stiffness = 0;         // [N/m] for each node
  double damping = 0;           // [N s/m] for each node, relative to the moving target
  std::vector<TargetKey> keys;  // at least one
  std::optional<Vec3> pivot;    // as in Script
  Interpolation interpolation = Interpolation::linear;
};

}  // namespace limber
