#pragma once  // internal
/// Connected aggregates of nodes, about three graph edges wide.

#include <functional>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/linalg/row_matrix.hpp"

namespace limber {

struct Aggregates {
  std::vector<int> of;  // per node
  int count = 0;
  // On several processes `of` contains global numbers.
  int first = 0, own = 0;     // aggregates made here: first … first + own − 1
  std::vector<char> alien{};  // per node: aggregated by another process; empty: none is
};

/// Aggregates in the graph of A's blocks: each node with all its neighbours, or with up to `most` − 1 of them, those
/// with the largest blocks. `part`: a number per node, or empty; nodes of different parts are never aggregated
/// together.
Aggregates gather(const BlockRows& A, const std::vector<int>& part);
Aggregates gather_strongest(const BlockRows& A, const std::vector<int>& part, int most);

/// gather(A, part) on one process. On several, each node is aggregated by the process that has most of its row, so that
/// no aggregate is split between processes.
using Gather = std::function<Aggregates(const BlockRows& A, const std::vector<int>& part)>;
Aggregates gather_shared(const BlockRows& A, const std::vector<int>& part, const Space& space, const Gather& gather);

}  // namespace limber
