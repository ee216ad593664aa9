#pragma once  // internal
/// The rest stiffness of a block of elements, rotated with them (turning.hpp) separately at each quadrature point.

#include <array>
#include <span>
#include <vector>

#include "limber/core/lanes.hpp"
#include "limber/force/element_batches.hpp"
#include "limber/material/catalog.hpp"

namespace limber {

class TurnedKernel {
 public:
  /// Arguments as in make_element_kernel.
  TurnedKernel(std::span<const AnyMaterial* const> materials, int first_batch);
  /// K += the stiffness of the shape reached from q with the velocities v after dt.
  void add(const ElementBatches& elements, const ElementBlock& block, const double* q, const double* v, double dt,
           double* K) const;

 private:
  template <int n>
  void add_of(const ElementBatches& elements, const ElementBlock& block, const double* q, const double* v, double dt,
              double* K) const;

  std::vector<std::array<Lanes, 2>> moduli_;  // μ, λ of each batch, or one for all
  int first_batch_;
  bool turns_;
};

}  // namespace limber
