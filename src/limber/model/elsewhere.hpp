#pragma once  // internal
/// A force that another process evaluates: here it only says what it is.

#include <memory>
#include <utility>

#include "limber/model/force.hpp"

namespace limber {

class Elsewhere final : public Force {
 public:
  explicit Elsewhere(const Force& force) : traits_(force.traits()) {}

  ForceTraits traits() const override { return traits_; }
  void add_couplings(Couplings&) const override {}
  void add_force(const State&, Vector&) const override {}
  void add_tangent(const State&, TangentBuilder&) const override {}
  std::optional<Potentials> potentials(const State&) const override {
    return traits_.has_potential ? std::optional(Potentials{}) : std::nullopt;
  }

 private:
  ForceTraits traits_;
};

}  // namespace limber
