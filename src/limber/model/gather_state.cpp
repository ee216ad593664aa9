#include "limber/model/gather_state.hpp"

#include <algorithm>

#include "limber/core/nodes.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

State gather_state(const MechanicalSystem& system, const State& u) {
  State here = system.full(u);
  const NodeHolders& holders = system.holders();
  const Space& space = system.space();
  if (!space.shared()) return here;
  const Index size = 3 * static_cast<Index>(holders.nodes);
  State all{Vector::Zero(size), Vector::Zero(size), u.t};
  for (int i = 0; i < system.nodes(); ++i) {
    if (holders.speaker(i) != space.processes().rank()) continue;
    block(all.q, holders.scene_number(i)) = block(here.q, i);
    block(all.v, holders.scene_number(i)) = block(here.v, i);
  }
  for (Vector* x : {&all.q, &all.v}) space.processes().sum({x->data(), static_cast<std::size_t>(x->size())});
  return all;
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
