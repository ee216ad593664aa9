#include "limber/model/gather_state.hpp"

#include <algorithm>

#include "limber/core/nodes.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

Vector gather_nodes(const MechanicalSystem& system, const Vector& here) {
  const NodeHolders& holders = system.holders();
  const Space& space = system.space();
  if (!space.shared()) return here;
  Vector all = Vector::Zero(3 * static_cast<Index>(holders.nodes));
  for (int i = 0; i < system.nodes(); ++i)
    if (holders.speaker(i) == space.processes().rank()) block(all, holders.scene_number(i)) = block(here, i);
  space.processes().sum({all.data(), static_cast<std::size_t>(all.size())});
  return all;
}

State gather_state(const MechanicalSystem& system, const State& u) {
  const State here = system.full(u);
  return {gather_nodes(system, here.q), gather_nodes(system, here.v), u.t};
}

void gather_state(const MechanicalSystem& system, const State& u, const NodePiece& piece) {
  const State here = system.full(u);
  const NodeHolders& holders = system.holders();
  const Space& space = system.space();
  if (!space.shared()) return piece(0, here.q, here.v);
  constexpr int most = 1 << 17;  // nodes at a time
  const Communicator& all = space.processes();
  for (int first = 0, i = 0; first < holders.nodes; first += most) {
    const int end = std::min(first + most, holders.nodes);
    std::vector<double> mine;  // number, position, velocity
    for (; i < system.nodes() && holders.scene_number(i) < end; ++i) {
      if (holders.speaker(i) != all.rank()) continue;
      mine.push_back(holders.scene_number(i) - first);
      for (const Vector* x : {&here.q, &here.v}) {
        const Vec3 at = block(*x, i);
        mine.insert(mine.end(), at.begin(), at.end());
      }
    }
    const auto lists = all.gather_to_root(std::move(mine));
    if (all.rank() > 0) continue;
    Vector q(3 * (end - first)), v(3 * (end - first));
    for (const auto& list : lists)
      for (std::size_t k = 0; k < list.size(); k += 7) {
        block(q, static_cast<int>(list[k])) = Vec3(list[k + 1], list[k + 2], list[k + 3]);
        block(v, static_cast<int>(list[k])) = Vec3(list[k + 4], list[k + 5], list[k + 6]);
      }
    piece(first, q, v);
  }
}

}  // namespace limber
