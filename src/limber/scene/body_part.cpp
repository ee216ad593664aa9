#include "limber/scene/body_part.hpp"

#include <algorithm>

namespace limber {

void BodyPart::set_holders(const std::vector<std::vector<int>>& holders) {
  start = {0};
  holder.clear();
  for (const auto& list : holders) {
    holder.insert(holder.end(), list.begin(), list.end());
    start.push_back(static_cast<int>(holder.size()));
  }
}

int BodyPart::here(int number_in_body) const {
  const auto at = std::lower_bound(number.begin(), number.end(), number_in_body);
  return at != number.end() && *at == number_in_body ? static_cast<int>(at - number.begin()) : -1;
}

double BodyPart::sum(double x) const {
  processes->sum({&x, 1});
  return x;
}

Box3 BodyPart::united(Box3 box) const {
  processes->min(std::span<double>(box.min.data(), 3));
  box.max = -box.max;
  processes->min(std::span<double>(box.max.data(), 3));
  box.max = -box.max;
  return box;
}

}  // namespace limber
