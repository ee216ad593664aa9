#pragma once
/// Parts of a system that nothing couples with each other, and how each moves as a whole.

#include <vector>

#include "limber/model/unknown_map.hpp"

namespace limber {

struct ConnectedParts {
  std::vector<std::vector<int>> parts;  // the numbers of their unknown nodes
  std::vector<char> guided;             // per part: some node is held in some directions only
  std::vector<std::vector<int>> loose;  // the parts without a prescribed node
};

/// coupled: pairs of nodes. On several processes each finds all parts, also those of which it holds nothing.
ConnectedParts connected_parts(const UnknownMap& map, const std::vector<std::pair<int, int>>& coupled);

/// Translations along and rotations about three axes of each of these parts, at positions q of the unknowns.
Matrix rigid_motions(const UnknownMap& map, const std::vector<std::vector<int>>& parts, const Vector& q);

}  // namespace limber
