#pragma once  // internal
/// The stiffness at rest of a block of elements, turned with them (turning.hpp): strains are those of each point.

#include <array>
#include <span>
#include <vector>

#include "limber/core/lanes.hpp"
#include "limber/force/element_batches.hpp"
#include "limber/material/catalog.hpp"

namespace limber {

class TurnedKernel {
 public:
  /// As make_element_kernel.
  TurnedKernel(std::span<const AnyMaterial* const> materials, int first_batch);
  /// K += that of the shape into which q with the velocities v has moved after dt.
  void add(const ElementBatches& elements, const ElementBlock& block, const double* q, const double* v, double dt,
           double* K) const;

 private:
  template <int n>
  void add_of(const ElementBatches& elements, const ElementBlock& block, const double* q, const double* v, double dt,
              double* K) const;

  std::vector<std::array<Lanes, 2>> moduli_;  // μ, λ of each batch, or of all
  int first_batch_;
  bool turns_;
};

}  // namespace limber
