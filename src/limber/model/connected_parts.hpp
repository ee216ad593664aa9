#pragma once
/// The connected parts of a system, and their rigid motions.

#include <vector>

#include "limber/model/unknown_map.hpp"

namespace limber {

struct ConnectedParts {
  std::vector<std::vector<int>> parts;  // the numbers of their unknown nodes
  std::vector<char> guided;             // per part: some node is held in some directions only
  std::vector<std::vector<int>> loose;  // parts without a prescribed node
};

/// coupled: pairs of nodes. Every process gets all parts, including those of which it holds no node.
ConnectedParts connected_parts(const UnknownMap& map, const std::vector<std::pair<int, int>>& coupled);

/// Translations along and rotations about three axes of each part, at positions q of the unknowns.
Matrix rigid_motions(const UnknownMap& map, const std::vector<std::vector<int>>& parts, const Vector& q);

}  // namespace limber
