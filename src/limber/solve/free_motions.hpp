#pragma once  // internal
/// Unresisted rigid motions: null vectors of K at a state, without loads and contact.

#include <string>
#include <vector>

#include "limber/model/system.hpp"

namespace limber {

/// Free motions of a group of nodes: velocities t + w × (x − about), one column (t, w) per independent motion.
struct FreeMotions {
  Vec3 about = Vec3::Zero();  // the centre of the nodes [m]
  double radius = 0;          // their mean distance from it [m]
  Eigen::Matrix<double, 6, Eigen::Dynamic> motions = {};

  bool any() const { return motions.cols() > 0; }
  /// "slide along (1, 0, 0) and turn about the axis through …".
  std::string text() const;
};

/// The free motions of each group of nodes, given by their unknown numbers; none for a group that is held.
std::vector<FreeMotions> free_motions(System& system, const State& u, const std::vector<std::vector<int>>& groups);

}  // namespace limber
