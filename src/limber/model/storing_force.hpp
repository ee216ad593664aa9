#pragma once
/// A force whose potential holds for one step only, since it depends on where the step began. What it stores is another
/// energy, which the accounts take; what its potential changes with time is no work of anybody.

#include "limber/core/state.hpp"

namespace limber {

class StoringForce {
 public:
  virtual ~StoringForce() = default;
  virtual double stored_energy(const State& u) const = 0;  // [J], +∞ outside the force's domain
};

}  // namespace limber
