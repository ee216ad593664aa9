#pragma once
/// Which nodes of a system are free, prescribed, guided or tied, and how vectors go from its unknowns to its nodes and
/// back. A map never changes: a release makes a new one.

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/core/state.hpp"
#include "limber/model/guides.hpp"
#include "limber/model/motion.hpp"
#include "limber/model/ties.hpp"

namespace limber {

/// A group of nodes that move as `motion` says; pinned nodes have the motion that stands still. From `until` on they
/// may be released: then they go on with the velocity that they had, the one from the left where it jumps.
struct Prescription {
  std::vector<int> nodes;
  Motion motion;
  double until = std::numeric_limits<double>::infinity();  // [s]
  /// The projection on the directions in which they are held. Prescriptions of one node hold orthogonal ones.
  Mat3 held = Mat3::Identity();
};

/// The nodes that a process knows, as they were given.
struct NodeLayout {
  NodeLayout(Vector reference, std::vector<Prescription> prescriptions, std::vector<Tie> ties, NodeHolders holders);

  Vector reference;  // 3N [m]: free nodes at the start, prescribed ones at their reference
  std::vector<Prescription> prescriptions;
  std::vector<char> tied;  // per node
  std::vector<Tie> ties;   // of the nodes that this process holds
  NodeHolders holders;
};

/// Positions, velocities and accelerations of the prescribed nodes, what is held of them, 3P each.
struct PrescribedMotion {
  Vector x, v, a;
};

class UnknownMap {
 public:
  /// With the prescriptions that end after `released` [s]. Throws InputError if no node is free.
  UnknownMap(std::shared_ptr<const NodeLayout> layout, double released);

  /// Unknowns, three per node: nodes that are free and not tied.
  Index size() const { return 3 * static_cast<Index>(ties_.unknowns()); }
  int nodes() const { return static_cast<int>(free_index_.size()); }
  const std::vector<int>& free_nodes() const { return free_nodes_; }
  const std::vector<int>& free_index() const { return free_index_; }  // per node, −1 where wholly prescribed
  const std::vector<int>& unknown_nodes() const { return unknown_nodes_; }
  const Vector& unknown_positions() const { return unknown_positions_; }  // at the start
  const Vector& reference() const { return layout_->reference; }          // 3N
  const NodeLayout& layout() const { return *layout_; }
  const NodeHolders& holders() const { return layout_->holders; }
  const Ties& ties() const { return ties_; }
  const Guides& guides() const { return guides_; }
  const Space& space() const { return space_; }

  /// Nodes that are held, some of them in some directions only.
  const std::vector<int>& prescribed_nodes() const { return prescribed_.nodes; }
  /// The same on all processes, by their scene numbers, ascending.
  const std::vector<int>& prescribed_in_scene() const { return prescribed_.in_scene; }
  /// The place of a node among the prescribed ones; −1 where it is wholly free.
  int prescribed_index(int node) const { return prescribed_.index[static_cast<std::size_t>(node)]; }
  const std::vector<GuidedNode>& guided_nodes() const { return prescribed_.guided; }
  /// The directions in which a node is free, if it is held in some only; else null.
  const Mat3* guide(int node) const;
  /// The component of a vector at a node along the directions in which the node is free.
  Vec3 free_part(int node, const Vec3& x) const;
  /// Whether a prescription moves.
  bool scripted() const { return prescribed_.scripted; }
  /// At time t; in statics prescribed nodes stand still, at this share of the way to where they go.
  PrescribedMotion prescribed(double t, std::optional<double> still = {}) const;

  double released() const { return released_; }
  UnknownMap after(double released) const { return {layout_, released}; }
  /// When the next nodes are to be released [s]; ∞: none are.
  double next_release() const;
  /// How many releases there have been, of nodes that are let go at the same time together.
  int releases() const;

  /// From a vector of the unknowns to all nodes: as it is, with zero at nodes that are wholly prescribed; and a
  /// displacement or velocity, with zero along all that is held.
  Vector on_nodes(const Vector& x) const;
  Vector spread(const Vector& x) const;
  State full(const State& u, std::optional<double> still = {}) const;
  /// From all nodes to the unknowns: positions, and forces.
  Vector restrict_to_free(const Vector& full) const;
  Vector gather(const Vector& full) const;
  State state(const Vector& positions, const Vector& velocities, double t) const;

 private:
  struct Prescribed {
    std::vector<int> nodes, in_scene;
    std::vector<int> index;         // per node
    std::vector<int> prescription;  // per prescribed node; −1: guided
    std::vector<GuidedNode> guided;
    std::vector<int> guide_of;  // per node its place in `guided`, or −1; empty: none
    bool scripted = false;
  };
  void find_guides(const std::vector<int>& holds);
  /// Numbers the nodes; the scene numbers of those without unknowns, on all processes.
  std::vector<int> number_nodes(const std::vector<int>& holds);

  std::shared_ptr<const NodeLayout> layout_;
  double released_;
  Prescribed prescribed_;
  std::vector<int> free_nodes_, free_index_, unknown_nodes_;
  Vector unknown_positions_;
  Ties ties_;
  Guides guides_;
  Space space_;
};

}  // namespace limber
