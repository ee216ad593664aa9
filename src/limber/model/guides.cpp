#include "limber/model/guides.hpp"

#include "limber/core/nodes.hpp"
#include "limber/linalg/blocks.hpp"

namespace limber {

bool add_guide(GuidedNode& node, int k, const Mat3& held) {
  constexpr double rounding = 1e-9;
  if ((held * (Mat3::Identity() - node.free)).norm() > rounding) return false;
  node.held.emplace_back(k, held);
  node.free -= held;
  return true;
}

Guides::Guides(std::vector<Unknown> unknowns, int nodes) : unknowns_(std::move(unknowns)) {
  if (!any()) return;
  place_.assign(ix(nodes), -1);
  for (int k = 0; k < static_cast<int>(unknowns_.size()); ++k) place_[ix(unknowns_[ix(k)].number)] = k;
}

std::vector<Guides::Block> Guides::blocks_of(const SparseMatrix& A) const {
  std::vector<Block> found;
  if (!any()) return found;
  each_block(A, [&](int a, int b, int first, int stride) {
    if (place_[ix(a)] >= 0 || place_[ix(b)] >= 0) found.push_back({place_[ix(a)], place_[ix(b)], {first, stride}});
  });
  return found;
}

void Guides::project(Vector& f) const {
  for (const Unknown& u : unknowns_) block(f, u.number) = u.free * Vec3(block(f, u.number));
}

/// own(A, free): changes a diagonal block before projection and returns the block added along held directions.
template <class Own>
void Guides::project(const Block& block, double* values, const Own& own) const {
  Mat3 A, added = Mat3::Zero();
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) A(r, c) = values[block.slot.at(r, c)];
  if (block.a == block.b) added = own(A, unknowns_[ix(block.a)].free);
  if (block.a >= 0) A = unknowns_[ix(block.a)].free * A;
  if (block.b >= 0) A = A * unknowns_[ix(block.b)].free;
  A += added;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) values[block.slot.at(r, c)] = A(r, c);
}

void Guides::project(SparseMatrix& A) const {
  for (const Block& block : blocks_of(A))
    project(block, A.valuePtr(), [](Mat3&, const Mat3&) -> Mat3 { return Mat3::Zero(); });
}

GuidedPattern::GuidedPattern(const Guides& guides, const SparseMatrix& A, Storage storage)
    : guides_(&guides), blocks_(guides.blocks_of(A)), storage_(storage) {}

void GuidedPattern::project(double* values, Diagonal diagonal) const {
  for (const Guides::Block& block : blocks_)
    guides_->project(block, values, [&](Mat3& A, const Mat3& free) -> Mat3 {
      if (storage_ == Storage::lower) A = Mat3(A.selfadjointView<Eigen::Lower>());
      const double size = diagonal == Diagonal::kept ? A.trace() / 3 : diagonal == Diagonal::large ? A.norm() : 0;
      return size * (Mat3::Identity() - free);
    });
}

}  // namespace limber
