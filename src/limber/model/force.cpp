#include "limber/model/force.hpp"

namespace limber {

void TangentBuilder::add(double* values, int a, int b, const Mat3& block) {
  const int fa = free_index_[static_cast<std::size_t>(a)], fb = free_index_[static_cast<std::size_t>(b)];
  if (fa < 0 || fb < 0) return;
  if (pattern_.storage() == Storage::lower && fa < fb) return;
  const auto slot = pattern_.slot(fa, fb);
  eigen_assert(slot.first >= 0 && "a force's tangent has a block that it did not declare");
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) values[slot.at(r, c)] += block(r, c);
}

void TangentBuilder::add_unsymmetric_stiffness(int a, int b, const Mat3& block) {
  const int fa = free_index_[static_cast<std::size_t>(a)], fb = free_index_[static_cast<std::size_t>(b)];
  if (fa < 0 || fb < 0) return;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) unsymmetric_.emplace_back(3 * fa + r, 3 * fb + c, block(r, c));
}

}  // namespace limber
