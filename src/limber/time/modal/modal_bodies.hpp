#pragma once
/// The bodies to which modes belong, and those left out of a step because their modes are unsuitable.

#include <limits>
#include <utility>
#include <vector>

#include "limber/time/modal/reduction.hpp"

namespace limber {

/// Requirements on the modes of a body in a step: no λ below `lowest` [1/s²], no |XᵀDX| above `most_damping` [1/s].
/// `most_turning` is the `share` of turning_bodies, used by the automatic rule.
struct ModalLimits {
  double lowest = -std::numeric_limits<double>::infinity();
  double most_damping = std::numeric_limits<double>::infinity();
  double most_turning = std::numeric_limits<double>::infinity();
};

/// A body whose modes are left out of a step.
struct LeftOut {
  std::vector<int> unknowns;
  enum class Why { grows, damped, turns } why;
};

class ModalBodies {
 public:
  bool known() const { return !unknowns_.empty(); }
  /// of_mode: the body of each mode, −1 if it belongs to none.
  void set(std::vector<std::vector<int>> unknowns, std::vector<int> of_mode) {
    unknowns_ = std::move(unknowns);
    of_mode_ = std::move(of_mode);
    below_floor_.assign(unknowns_.size(), 0);
  }
  void clear() {
    unknowns_.clear();
    left_out_.clear();
  }

  /// Marks bodies whose modes were not found because of the floor.
  void set_below_floor(const std::vector<std::vector<int>>& bodies);
  void set_all_below_floor() { below_floor_.assign(below_floor_.size(), 1); }
  void forget_floor() { below_floor_.assign(below_floor_.size(), 0); }
  bool any_below_floor() const;

  /// Chooses the bodies to leave out. `reduced`: the tangent reduced to all modes. `turning`: result of turning_bodies.
  void leave_out(const ReducedTangent& reduced, const ModalLimits& limits, const Vector& turning);
  void leave_out_none() { left_out_.clear(); }
  const std::vector<LeftOut>& left_out() const { return left_out_; }
  bool in_use(std::size_t mode) const;
  std::vector<Index> columns_in_use(Index modes) const;

 private:
  std::vector<Index> modes_of(std::size_t body) const;

  std::vector<std::vector<int>> unknowns_;  // of each body, over all processes
  std::vector<int> of_mode_;
  std::vector<char> below_floor_, out_;  // per body
  std::vector<LeftOut> left_out_;
};

}  // namespace limber
