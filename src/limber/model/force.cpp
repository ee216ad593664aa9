#include "limber/model/force.hpp"

namespace limber {

void TangentBuilder::add(const BlockPattern& pattern, double* values, int a, int b, const Mat3& block) {
  const int fa = free_index_[static_cast<std::size_t>(a)], fb = free_index_[static_cast<std::size_t>(b)];
  if (fa >= 0 && fb >= 0) pattern.add(fa, fb, block, values);
}

void TangentBuilder::count_free(std::span<int> nodes) const {
  for (int& node : nodes)
    if (node >= 0) node = free_index_[static_cast<std::size_t>(node)];
}

double* TangentBuilder::unsymmetric_values() {
  if (unsymmetric_.matrix->size() == 0) *unsymmetric_.matrix = unsymmetric_.pattern->zero();
  return unsymmetric_.matrix->valuePtr();
}

}  // namespace limber
