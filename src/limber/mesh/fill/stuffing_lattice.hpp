#pragma once  // internal
/// The part of a body-centred cubic lattice near and inside {φ < 0}: points x = origin + (spacing/2)·(i, j, k) with i,
/// j, k all even or all odd, stored in blocks of 4×4×4 cubes. Points of blocks not stored, and all their neighbours,
/// have φ > 0.

#include <array>
#include <cstdint>
#include <vector>

#include "limber/mesh/fill/stuffing.hpp"

namespace limber {

using LatticeSteps = std::array<int, 3>;  // in half spacings
/// To the neighbours of a point: first along the six long edges, then the eight short ones; d ^ 1 is the opposite of d.
inline constexpr std::array<LatticeSteps, 14> lattice_directions{{{2, 0, 0},
                                                                  {-2, 0, 0},
                                                                  {0, 2, 0},
                                                                  {0, -2, 0},
                                                                  {0, 0, 2},
                                                                  {0, 0, -2},
                                                                  {1, 1, 1},
                                                                  {-1, -1, -1},
                                                                  {-1, 1, 1},
                                                                  {1, -1, -1},
                                                                  {1, -1, 1},
                                                                  {-1, 1, -1},
                                                                  {1, 1, -1},
                                                                  {-1, -1, 1}}};
inline constexpr int long_directions = 6;

/// Points are numbered, 128 per block, the block's 64 even points first.
class BccLattice {
 public:
  static constexpr int block_points = 128;

  BccLattice(const ScalarField& phi, const StuffingOptions& options);

  std::size_t blocks() const { return blocks_.size(); }
  std::int64_t points() const { return static_cast<std::int64_t>(blocks_.size()) * block_points; }
  /// Whether all points of the block are known to be inside.
  bool all_inside(std::size_t block) const { return blocks_[block].inside; }
  Vec3 position(std::int64_t point) const;
  /// −1 if the point's block is not stored.
  std::int64_t neighbour(std::int64_t point, const LatticeSteps& steps) const;
  /// Alternates along the long edges.
  static int parity(std::int64_t point);

 private:
  struct Block {
    std::array<int, 3> at{};  // in blocks; on level l of the search in 2ˡ blocks
    bool inside = false;
  };

  void find_blocks(const ScalarField& phi, const StuffingOptions& options, const std::array<int, 3>& extent);
  void link_blocks();

  Vec3 origin_ = Vec3::Zero();
  double spacing_ = 0;
  std::vector<Block> blocks_;                // along a Z-curve
  std::vector<std::array<int, 27>> around_;  // neighbouring blocks, −1: not stored
};

}  // namespace limber
