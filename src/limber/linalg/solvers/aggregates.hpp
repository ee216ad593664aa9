#pragma once  // internal
/// Nodes gathered into connected aggregates, about three edges of the graph wide.

#include <vector>

#include "limber/linalg/row_matrix.hpp"

namespace limber {

struct Aggregates {
  std::vector<int> of;  // per node
  int count = 0;
};

/// Of the graph of A's blocks: each node with all of its neighbours, or with up to `most` − 1 of them, those with the
/// largest blocks.
/// `part`: a number per node, or none: nodes of different parts are not gathered together.
Aggregates gather(const BlockRows& A, const std::vector<int>& part);
Aggregates gather_strongest(const BlockRows& A, const std::vector<int>& part, int most);

}  // namespace limber
