#include "limber/linalg/modes/shared_modes.hpp"

#include <algorithm>
#include <vector>

#include "limber/linalg/modes/mode_search.hpp"
#include "limber/linalg/modes/slepc_search.hpp"

namespace limber {
namespace {

constexpr Index together_from = 100000;  // unknowns: each process is quicker on its own with less (docs/cluster.md)
constexpr Index unknowns_of_mode = 50;   // where more of the spectrum is asked for, so are dense solutions

}  // namespace

bool sought_together(const UnknownNodes& nodes, Index n, Index s, ModeSearch search) {
  const Space& space = nodes.where();
  const Index all = space.global_size(n);
  if (!space.shared() || !nodes.parts || search == ModeSearch::each || all < unknowns_of_mode * s) return false;
  if (search == ModeSearch::automatic && all < together_from) return false;
  if (!slepc_serves(space.processes())) return false;
  std::vector<int> empty;  // all processes know the same parts, but not who holds nodes of them
  for (const auto& part : *nodes.parts) empty.push_back(part.empty() ? 1 : 0);
  space.processes().min(std::span<int>(empty));
  return std::count(empty.begin(), empty.end(), 0) == 1;
}

Modes lowest_modes_together(const UnknownNodes& nodes, const SparseMatrix& K, const SparseMatrix& M, int s,
                            const Matrix& rigid) {
  ShiftInvert op;
  op.set_space(nodes.where());
  op.set_positions(nodes.positions);
  Modes modes = search_modes(K, M, s, rigid, Extent::as_asked, op);
  settle_zeros(K, nodes.where(), modes);
  return modes;
}

}  // namespace limber
