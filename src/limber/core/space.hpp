#pragma once
/// The vectors over the unknowns of a system, three to a node, as several processes hold them. A vector is consistent:
/// a node that several processes hold has the same bits on each. Forces and matrices come as each process makes them
/// from its own elements: `add_up` makes such a vector consistent. On one process all of this is what Eigen does.

#include <memory>
#include <vector>

#include "limber/core/communicator.hpp"
#include "limber/core/types.hpp"

namespace limber {

/// Which processes hold which nodes of the whole scene. All processes know it. Process numbers are ascending; the first
/// one of a node answers for it.
struct NodeHolders {
  const Communicator* processes = nullptr;  // null: one process, which holds every node
  std::vector<int> start;                   // #nodes + 1
  std::vector<int> holder;

  bool shared() const { return processes != nullptr; }
  bool holds(int node) const;
};

class Space {
 public:
  /// One process.
  Space() = default;
  /// `nodes`: those of the unknowns that this process holds, ascending; `everywhere`: of all processes.
  Space(const NodeHolders& holders, const std::vector<int>& nodes, const std::vector<int>& everywhere);

  bool shared() const { return parts_ != nullptr; }
  const Communicator& processes() const { return parts_ ? *parts_->processes : one_process(); }

  double dot(const Vector& x, const Vector& y) const;
  double squared_norm(const Vector& x) const { return parts_ ? dot(x, x) : x.squaredNorm(); }
  double norm(const Vector& x) const;
  double max_abs(const Vector& x) const;
  bool all_finite(const Vector& x) const { return all(x.allFinite()); }
  bool is_zero(const Vector& x) const { return all(x.isZero(0)); }
  /// XᵀY, sums over all processes.
  Matrix inner(const Matrix& X, const Matrix& Y) const;

  /// Over all processes.
  double sum(double x) const;
  double min(double x) const;
  double max(double x) const { return -min(-x); }
  bool all(bool x) const { return parts_ ? min(x ? 1 : 0) > 0 : x; }
  /// What each process has from its own elements becomes the whole.
  void add_up(Vector& f) const;
  void add_up(Matrix& F) const;

  /// Of the scene: the number of all unknowns; all of them, in the order of their nodes, and the part held here.
  Index whole_size(Index here) const { return parts_ ? 3 * parts_->nodes : here; }
  Vector whole(const Vector& x) const;
  Vector part(const Vector& whole) const;

  /// Nodes in the order of the processes that answer for them, as distributed matrices number them. Only where shared.
  struct Numbering {
    std::vector<int> number;  // of each node held here
    int first = 0, own = 0;   // those that this process answers for: first … first + own − 1
    int nodes = 0;            // in all
  };
  const Numbering& numbering() const { return parts_->numbering; }
  /// Whether this process answers for a node that it holds.
  bool owns(Index node) const { return !parts_ || parts_->owned[3 * node] != 0; }

 private:
  struct Neighbour {
    int process;
    std::vector<int> nodes;  // held by both, ascending
  };
  struct Parts {
    const Communicator* processes;
    int nodes = 0;  // in all
    Vector owned;   // 1 where this process answers for an unknown, else 0
    std::vector<Neighbour> neighbours;
    std::vector<int> shared;  // nodes held here and elsewhere, ascending
    std::vector<int> place;   // of each node held here among all unknowns' nodes
    Numbering numbering;
  };
  std::shared_ptr<const Parts> parts_;  // null: one process
};

/// For those who have no other.
const Space& whole_space();

}  // namespace limber
