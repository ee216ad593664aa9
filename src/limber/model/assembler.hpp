#pragma once
/// M, K and D of a system on their patterns. Forces give blocks between free nodes; where nodes are tied or guided, the
/// matrices of the unknowns are made of those. The pattern of contact grows with what meets.

#include <functional>
#include <vector>

#include "limber/model/force_list.hpp"
#include "limber/model/mass_matrix.hpp"
#include "limber/model/nodal_mass.hpp"
#include "limber/model/unknown_map.hpp"

namespace limber {

class Assembler {
 public:
  /// Keeps references to the map, forces and masses. coupled: pairs of nodes, in any order. Throws InputError if an
  /// unknown has no mass.
  Assembler(const UnknownMap& map, const ForceList& forces, const NodalMasses& masses, Couplings coupled);
  Assembler(const Assembler&) = delete;
  Assembler& operator=(const Assembler&) = delete;

  const MassMatrix& mass() const { return mass_; }
  /// Forgets the couplings that came with contact, and what the solver of the mass has left behind.
  void forget();
  /// After masses, or a force that couples the same nodes as the one in its place, have changed.
  void masses_changed() { make_mass(); }
  void bind(Force& force) const { force.bind(pattern_, map_.free_index()); }
  /// Lets the pattern grow to hold the contact forces' tangent at a full state.
  void couple(const State& all);
  /// K and, if damped, D of the unknowns in T, from what `add` gives to the builder, block by block.
  void assemble(Definiteness definiteness, bool damped, Tangent& T, const std::function<void(TangentBuilder&)>& add);

 private:
  bool grows() const { return forces_.traits(ForceGroup::all).collides; }
  bool coupled_unsymmetrically() const { return forces_.lag() == Lag::each_iterate; }
  const BlockPattern& unknowns_pattern() const { return map_.ties().any() ? tied_.pattern() : pattern_; }
  BlockPattern pattern_of(const Couplings& pairs, Storage storage) const;
  void make_pattern(const Couplings& more);
  void make_mass();
  void clear(SparseMatrix& A) const;
  void reduce(Tangent& T, bool damped);
  LowRank gathered(const std::vector<RankOne>& parts) const;

  const UnknownMap& map_;
  const ForceList& forces_;
  const NodalMasses& masses_;
  Couplings fixed_;  // of free nodes (free numbers), a > b, ascending, without repeats; kept where the pattern grows
  BlockPattern pattern_;      // of the free nodes
  bool grown_ = false;        // it has couplings that came with contact
  BlockPattern unsymmetric_;  // of the free nodes: for the unsymmetric part of coupled friction
  TiedPattern tied_;          // where nodes are tied
  GuidedPattern guided_;      // where nodes are guided
  MassMatrix mass_;           // of the unknowns
  struct {
    Vector K, D;
  } of_nodes_;  // on pattern_, where nodes are tied
};

}  // namespace limber
