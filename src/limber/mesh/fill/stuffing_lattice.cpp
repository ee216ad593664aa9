#include "limber/mesh/fill/stuffing_lattice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr int block_cubes = 4;
constexpr int block_steps = 2 * block_cubes;
constexpr std::size_t most_blocks = std::size_t{1} << 20;  // 1.3·10⁸ points, 1.5 GB

/// Steps within the block of a point.
LatticeSteps local_steps(std::int64_t point) {
  const int n = static_cast<int>(point % BccLattice::block_points);
  const int odd = n >> 6;
  return {2 * (n & 3) + odd, 2 * (n >> 2 & 3) + odd, 2 * (n >> 4 & 3) + odd};
}

int local_number(const LatticeSteps& s) { return (s[0] & 1) << 6 | (s[2] >> 1) << 4 | (s[1] >> 1) << 2 | (s[0] >> 1); }

}  // namespace

BccLattice::BccLattice(const ScalarField& phi, const StuffingOptions& options) : spacing_(options.spacing) {
  if (!(spacing_ > 0 && std::isfinite(spacing_)))
    throw InputError("spacing", fmt::format("{} must be finite and > 0", spacing_));
  const Box3& box = options.box;
  if (!box.min.allFinite() || !box.max.allFinite() || !(box.min.array() <= box.max.array()).all())
    throw InputError("box", "it must be finite, with min ≤ max");

  // Two cubes of room on each side, so that all neighbours of points in the box exist.
  origin_ = box.min - Vec3::Constant(2 * spacing_);
  const Vec3 blocks = ((box.max - box.min) / spacing_ + Vec3::Constant(4)) / block_cubes;
  if (!(blocks.maxCoeff() < 1 << 20))
    throw InputError("spacing", fmt::format("{} is too fine for a box of diagonal {}", spacing_, box.diagonal()));
  std::array<int, 3> extent{};
  for (int a = 0; a < 3; ++a) extent[a] = static_cast<int>(std::floor(blocks[a])) + 1;
  find_blocks(phi, options, extent);
  link_blocks();
}

void BccLattice::find_blocks(const ScalarField& phi, const StuffingOptions& options, const std::array<int, 3>& extent) {
  enum class Where : char { inside, outside, both };
  int level = 0;
  while (1 << level < *std::max_element(extent.begin(), extent.end())) ++level;
  blocks_ = {Block{}};
  for (;; --level) {
    // A block with one more cube on each side.
    const double half = spacing_ * (block_cubes / 2. * (1 << level) + 1);
    const double reach = options.lipschitz * half * std::numbers::sqrt3;
    std::vector<Where> where(blocks_.size(), Where::both);
    parallel_for(static_cast<Index>(blocks_.size()), [&](Index i) {
      const Block& block = blocks_[static_cast<std::size_t>(i)];
      Vec3 centre;
      for (int a = 0; a < 3; ++a) {
        if (block.at[a] << level >= extent[a]) return void(where[static_cast<std::size_t>(i)] = Where::outside);
        centre[a] = origin_[a] + spacing_ * block_cubes * (block.at[a] + 0.5) * (1 << level);
      }
      if (block.inside) return void(where[static_cast<std::size_t>(i)] = Where::inside);
      if (!std::isfinite(reach)) return;
      const double value = phi(centre);
      if (value > reach) where[static_cast<std::size_t>(i)] = Where::outside;
      if (value < -reach) where[static_cast<std::size_t>(i)] = Where::inside;
    });
    std::vector<Block> kept;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (where[i] == Where::outside) continue;
      const auto& at = blocks_[i].at;
      const bool inside = where[i] == Where::inside;
      if (level == 0) kept.push_back({at, inside});
      for (int child = 0; level > 0 && child < 8; ++child)
        kept.push_back({{2 * at[0] + (child & 1), 2 * at[1] + (child >> 1 & 1), 2 * at[2] + (child >> 2)}, inside});
    }
    blocks_ = std::move(kept);
    if (blocks_.size() > most_blocks)
      throw InputError("spacing", fmt::format("{} makes a lattice of more than {} million points", spacing_,
                                              most_blocks * block_points >> 20));
    if (level == 0) return;
  }
}

void BccLattice::link_blocks() {
  struct Entry {
    std::array<int, 3> at;
    int block;
  };
  std::vector<Entry> sorted(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) sorted[b] = {blocks_[b].at, static_cast<int>(b)};
  const auto before = [](const Entry& a, const Entry& b) { return a.at < b.at; };
  std::sort(sorted.begin(), sorted.end(), before);
  around_.resize(blocks_.size());
  parallel_for(static_cast<Index>(blocks_.size()), [&](Index b) {
    const auto& at = blocks_[static_cast<std::size_t>(b)].at;
    for (int n = 0; n < 27; ++n) {
      const Entry wanted{{at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1}, 0};
      const auto found = std::lower_bound(sorted.begin(), sorted.end(), wanted, before);
      around_[static_cast<std::size_t>(b)][n] = found != sorted.end() && found->at == wanted.at ? found->block : -1;
    }
  });
}

Vec3 BccLattice::position(std::int64_t point) const {
  const auto& at = blocks_[static_cast<std::size_t>(point / block_points)].at;
  const LatticeSteps steps = local_steps(point);
  Vec3 x;
  for (int a = 0; a < 3; ++a) x[a] = origin_[a] + spacing_ / 2 * (block_steps * at[a] + steps[a]);
  return x;
}

std::int64_t BccLattice::neighbour(std::int64_t point, const LatticeSteps& steps) const {
  LatticeSteps s = local_steps(point);
  int toward = 0;
  constexpr int stride[3] = {1, 3, 9};
  for (int a = 0; a < 3; ++a) {
    s[a] += steps[a] + block_steps;
    toward += stride[a] * (s[a] / block_steps);
    s[a] %= block_steps;
  }
  const int block = around_[static_cast<std::size_t>(point / block_points)][toward];
  return block < 0 ? -1 : static_cast<std::int64_t>(block) * block_points + local_number(s);
}

int BccLattice::parity(std::int64_t point) {
  const LatticeSteps s = local_steps(point);
  return ((s[0] >> 1) + (s[1] >> 1) + (s[2] >> 1)) & 1;
}

}  // namespace limber
