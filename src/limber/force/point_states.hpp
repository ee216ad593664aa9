#pragma once
/// Internal variables of a material at the quadrature points of elements, so many numbers at each. They are constant
/// during a step; a force changes them once, from the state at its end, in LearningForce::begin_step.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace limber {

class ElementBatches;

class PointStates {
 public:
  /// `each` numbers, all 0, at each point.
  PointStates(std::shared_ptr<const ElementBatches> elements, std::size_t each);

  std::size_t each() const { return each_; }
  /// [each][lanes]: those of a point in all lanes of a batch.
  double* at(std::size_t batch, std::size_t point) { return values_.data() + place(batch, point); }
  const double* at(std::size_t batch, std::size_t point) const { return values_.data() + place(batch, point); }

  /// For a checkpoint: in the order of the elements, which does not depend on the lanes of a machine.
  std::vector<double> by_element() const;
  /// How many numbers these are.
  std::size_t size() const;
  void restore(std::span<const double> by_element);

 private:
  std::size_t place(std::size_t batch, std::size_t point) const { return (batch * points_ + point) * stride_; }
  /// visit(the number's place in values_, its place by elements)
  template <class Visit>
  void for_all(const Visit& visit) const;

  std::shared_ptr<const ElementBatches> elements_;
  std::size_t each_, points_, stride_;
  std::vector<double> values_;
};

}  // namespace limber
