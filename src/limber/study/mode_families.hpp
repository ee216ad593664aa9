#pragma once  // internal
/// Modes followed in time by their shapes: at each look a family goes on with the mode x' of largest |xᵀMx'|, each mode
/// taken once, largest overlap first. Modes of one cluster (frequencies that differ by less than one percent) may turn
/// among themselves, which is no crossing.

#include <vector>

#include "limber/linalg/modes/modes.hpp"

namespace limber {

class ModeFamilies {
 public:
  /// s families, numbered by their order at the first look.
  explicit ModeFamilies(std::size_t s) : frequencies_(s), place_(s) {}

  /// modes: s of them; M: lower triangle.
  void add(double time, const Modes& modes, const SparseMatrix& M);

  std::size_t size() const { return frequencies_.size(); }
  const std::vector<double>& times() const { return times_; }
  /// [Hz] of the family at each look; negative for λ < 0.
  const std::vector<double>& frequencies(std::size_t family) const { return frequencies_[family]; }
  /// How often two families changed their order.
  long crossings() const { return crossings_; }
  /// How often a family left the lowest s: no mode had half of its shape.
  long losses() const { return losses_; }

 private:
  std::vector<double> times_;
  std::vector<std::vector<double>> frequencies_;
  std::vector<std::size_t> place_;  // of each family among the modes of the last look
  Matrix X_;                        // of the last look
  long crossings_ = 0, losses_ = 0;
};

}  // namespace limber
