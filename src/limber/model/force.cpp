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

void TangentBuilder::count_free(std::span<NodeBlock> blocks) const {
  for (NodeBlock& x : blocks) {
    if (x.a < 0) continue;
    x.a = free_index_[static_cast<std::size_t>(x.a)];
    x.b = free_index_[static_cast<std::size_t>(x.b)];
    if (x.b < 0) x.a = -1;
  }
}

void TangentBuilder::add_symmetric(double* values, std::span<NodeBlock> blocks) {
  count_free(blocks);
  pattern_.add(blocks, Mirrored::yes, values);
}

void TangentBuilder::add_unsymmetric_stiffness(int a, int b, const Mat3& block) {
  add_unsymmetric_stiffness({{a, b, block}});
}

void TangentBuilder::add_unsymmetric_stiffness(std::vector<NodeBlock> blocks) {
  count_free(blocks);
  if (unsymmetric_.empty())
    unsymmetric_ = std::move(blocks);
  else
    unsymmetric_.insert(unsymmetric_.end(), blocks.begin(), blocks.end());
}

}  // namespace limber
