#pragma once
/// A force whose potential holds for one step only, since it depends on the state at the start of the step. The
/// accounts use stored_energy instead; changes of its potential with time are not counted as work.

#include "limber/core/state.hpp"

namespace limber {

class StoringForce {
 public:
  virtual ~StoringForce() = default;
  virtual double stored_energy(const State& u) const = 0;  // [J], +∞ outside the force's domain
};

}  // namespace limber
