#pragma once
/// A source of gaps g(q, t) ≥ 0 between pairs, over all nodes, prescribed ones included.

#include <array>
#include <vector>

#include "limber/model/system.hpp"

namespace limber {

/// One gap with ∂g/∂q on up to four nodes.
struct Gap {
  double value = 0;                          // g [m]
  double rate = 0;                           // ∂g/∂t [m/s] due to moving things that are not nodes
  std::array<int, 4> nodes{-1, -1, -1, -1};  // −1: unused
  std::array<Vec3, 4> gradient{};            // per used node
};

class GapSource {
 public:
  virtual ~GapSource() = default;
  virtual GapRule rule() const = 0;
  virtual double contact() const = 0;  // [m] a pair with a smaller gap is in contact
  /// The pairs at u (q, v: 3N) whose gap can close by `until` if no node moves farther than `distance` [m].
  virtual std::vector<Gap> near(const State& u, double until, double distance) = 0;
  /// Takes the normal force [N] of each pair of the last call of near().
  virtual void report_forces(std::vector<double> forces) = 0;
};

}  // namespace limber
