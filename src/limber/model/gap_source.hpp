#pragma once
/// Where gaps come from: g(q, t) ≥ 0 of pairs of things, of all nodes, prescribed ones included.

#include <array>
#include <vector>

#include "limber/model/system.hpp"

namespace limber {

/// One gap with ∂g/∂q on up to four nodes.
struct Gap {
  double value = 0;                          // g [m]
  double rate = 0;                           // ∂g/∂t [m/s] by what moves and is no node
  std::array<int, 4> nodes{-1, -1, -1, -1};  // −1: unused
  std::array<Vec3, 4> gradient{};            // per node, where one is given
};

class GapSource {
 public:
  virtual ~GapSource() = default;
  virtual GapRule rule() const = 0;
  virtual double contact() const = 0;  // [m] a pair with a smaller gap is in contact
  /// The pairs at u (q, v: 3N) whose gap can close by `until` if no node moves further than `distance` [m].
  virtual std::vector<Gap> near(const State& u, double until, double distance) = 0;
  /// Told the normal force [N] of each of the pairs that were near last.
  virtual void report_forces(std::vector<double> forces) = 0;
};

}  // namespace limber
