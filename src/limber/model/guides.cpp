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

Guides::Guides(std::vector<Unknown> unknowns, const SparseMatrix& A, Storage storage)
    : unknowns_(std::move(unknowns)), storage_(storage) {
  place_.assign(static_cast<std::size_t>(A.cols() / 3), -1);
  for (int k = 0; k < static_cast<int>(unknowns_.size()); ++k) place_[ix(unknowns_[ix(k)].number)] = k;
  blocks_ = blocks_of(A);
}

std::vector<Guides::Block> Guides::blocks_of(const SparseMatrix& A) const {
  std::vector<Block> found;
  each_block(A, [&](int a, int b, int first, int stride) {
    if (place_[ix(a)] >= 0 || place_[ix(b)] >= 0) found.push_back({place_[ix(a)], place_[ix(b)], {first, stride}});
  });
  return found;
}

void Guides::project(Vector& f) const {
  for (const Unknown& u : unknowns_) block(f, u.number) = u.free * Vec3(block(f, u.number));
}

void Guides::project(const Block& block, double* values, Diagonal diagonal) const {
  Mat3 A;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) A(r, c) = values[block.slot.at(r, c)];
  const bool own = block.a == block.b;
  if (own && storage_ == Storage::lower) A = Mat3(A.selfadjointView<Eigen::Lower>());
  const double size = diagonal == Diagonal::kept ? A.trace() / 3 : diagonal == Diagonal::large ? A.norm() : 0;
  if (block.a >= 0) A = unknowns_[ix(block.a)].free * A;
  if (block.b >= 0) A = A * unknowns_[ix(block.b)].free;
  if (own) A += size * (Mat3::Identity() - unknowns_[ix(block.a)].free);
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) values[block.slot.at(r, c)] = A(r, c);
}

void Guides::project(double* values, Diagonal diagonal) const {
  for (const Block& block : blocks_) project(block, values, diagonal);
}

void Guides::project(SparseMatrix& A) const {
  for (const Block& block : blocks_of(A)) project(block, A.valuePtr(), Diagonal::none);
}

}  // namespace limber
