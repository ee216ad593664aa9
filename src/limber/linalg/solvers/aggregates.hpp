#pragma once  // internal
/// Nodes gathered into connected aggregates, about three edges of the graph wide.

#include <functional>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/linalg/row_matrix.hpp"

namespace limber {

struct Aggregates {
  std::vector<int> of;  // per node
  int count = 0;
  // On several processes `of` has the numbers that all of them know.
  int first = 0, own = 0;     // those made here: first … first + own − 1
  std::vector<char> alien{};  // per node: gathered by another process; empty: none is
};

/// Of the graph of A's blocks: each node with all of its neighbours, or with up to `most` − 1 of them, those with the
/// largest blocks.
/// `part`: a number per node, or none: nodes of different parts are not gathered together.
Aggregates gather(const BlockRows& A, const std::vector<int>& part);
Aggregates gather_strongest(const BlockRows& A, const std::vector<int>& part, int most);

/// gather(A, part) on one process. On several, each node is gathered by the one that has most of its row, so that no
/// aggregate is made by two.
using Gather = std::function<Aggregates(const BlockRows& A, const std::vector<int>& part)>;
Aggregates gather_shared(const BlockRows& A, const std::vector<int>& part, const Space& space, const Gather& gather);

}  // namespace limber
