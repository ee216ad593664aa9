#include "limber/force/point_states.hpp"

#include "limber/force/element_batches.hpp"

namespace limber {

PointStates::PointStates(std::shared_ptr<const ElementBatches> elements, std::size_t each)
    : elements_(std::move(elements)),
      each_(each),
      points_(static_cast<std::size_t>(elements_->points())),
      stride_(each * lane_count),
      values_(elements_->order().size() * points_ * each, 0.0) {}

template <class Visit>
void PointStates::for_all(const Visit& visit) const {
  const auto& order = elements_->order();
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t point = 0; point < points_; ++point)
      for (std::size_t k = 0; k < each_; ++k)
        visit(place(i / lane_count, point) + k * lane_count + i % lane_count,
              (static_cast<std::size_t>(order[i]) * points_ + point) * each_ + k);
}

std::size_t PointStates::size() const { return elements_->count() * points_ * each_; }

std::vector<double> PointStates::by_element() const {
  std::vector<double> all(size());
  for_all([&](std::size_t own, std::size_t element) { all[element] = values_[own]; });
  return all;
}

void PointStates::restore(std::span<const double> by_element) {
  for_all([&](std::size_t own, std::size_t element) { values_[own] = by_element[element]; });
}

}  // namespace limber
