#pragma once
/// Vectors over the unknowns of a system, three per node, distributed over processes. Vectors are consistent: a node
/// that several processes hold has the same bits on each. Forces and matrices are first the sums over a process's own
/// elements; `add_up` makes such a vector consistent. On one process, everything here reduces to Eigen's operations.

#include <memory>
#include <vector>

#include "limber/core/communicator.hpp"
#include "limber/core/types.hpp"

namespace limber {

/// Which processes hold which of the nodes that this process knows: all nodes of the scene, or fewer where bodies are
/// made by parts, which it then holds. Process numbers are ascending; the first one of a node answers for it.
struct NodeHolders {
  const Communicator* processes = nullptr;  // null: one process, which holds every node
  std::vector<int> start;                   // #nodes known here + 1
  std::vector<int> holder;
  std::vector<int> number;  // of the nodes known here among those of the scene, ascending; empty: all are known
  int nodes = 0;            // of the scene

  bool shared() const { return processes != nullptr; }
  bool holds(int node) const;
  bool by_parts() const { return !number.empty(); }
  int scene_number(int node) const { return by_parts() ? number[static_cast<std::size_t>(node)] : node; }
  /// The process that reports a node's position: its owner, or process 0 if no process holds it.
  int speaker(int node) const;
  /// The union over all processes, ascending, without repeats. Unchanged unless nodes are known by parts.
  std::vector<int> united(std::vector<int> scene_numbers) const;
};

class Space {
 public:
  /// One process.
  Space() = default;
  /// `nodes`: those of the unknowns that this process holds, ascending. `others`: the nodes of the scene that have no
  /// unknowns, by their scene numbers, ascending.
  Space(const NodeHolders& holders, const std::vector<int>& nodes, const std::vector<int>& others);
  /// Nodes that processes have numbered one after the other, `own` of them by this one, and those that it holds:
  /// ascending numbers, its own among them. Who numbered a node answers for it.
  static Space numbered(const Communicator& processes, const std::vector<int>& held, int own);

  bool shared() const { return parts_ != nullptr; }
  /// On several processes: of nodes held here, whether others hold it too.
  bool held_elsewhere(Index node) const {
    return parts_ && parts_->place_of_shared[static_cast<std::size_t>(node)] >= 0;
  }
  /// These nodes, ascending.
  const std::vector<int>& held_by_several() const;
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
  /// Sums the contributions of all processes at shared nodes.
  void add_up(Vector& f) const { add_up(f.data(), 3); }
  void add_up(Matrix& F) const;
  /// The same with `width` numbers per node, in double or single precision.
  template <class Number>
  void add_up(Number* f, int width) const;
  /// The same for the nodes of held_by_several() only, one after the other. With rows of unequal length, the k-th row
  /// is from start[k] to start[k + 1].
  void add_up_held(double* values, int width) const;
  void add_up_held(double* values, const std::vector<int>& start) const;
  /// For each shared node, the union of its row over the processes that hold it, ascending, without repeats.
  void unite(std::vector<std::vector<int>>& rows) const;

  /// The number of unknowns of the scene; the vector of all of them, in the order of their nodes; the part held here.
  Index global_size(Index here) const { return parts_ ? 3 * static_cast<Index>(parts_->nodes) : here; }
  Vector allgather(const Vector& x) const { return parts_ ? allgather(x.data(), 3) : x; }
  Vector restrict(const Vector& whole) const { return parts_ ? restrict(whole, 3) : whole; }
  /// The same with `width` numbers per node. Only where shared.
  template <class Number>
  Vector allgather(const Number* x, int width) const;
  Vector restrict(const Vector& whole, int width) const;
  /// The whole vector on process 0, an empty one on the others; and back from there.
  Vector gather_to_root(const Vector& x) const;
  Vector scatter_from_root(const Vector& whole) const;
  /// The global index of each node held here. Only where shared.
  const std::vector<int>& places() const { return parts_->place; }

  /// Nodes in the order of the processes that answer for them, as distributed matrices number them. Only where shared.
  struct Numbering {
    std::vector<int> number;  // of each node held here
    int first = 0, own = 0;   // those that this process answers for: first … first + own − 1
    int nodes = 0;            // in all
  };
  const Numbering& numbering() const { return parts_->numbering; }
  /// Whether this process answers for a node that it holds.
  bool owns(Index node) const { return !parts_ || parts_->owned[static_cast<std::size_t>(node)] != 0; }

 private:
  struct Neighbour {
    int process;
    std::vector<int> nodes;  // held by both, ascending: their places among those held by several
  };
  struct Parts {
    const Communicator* processes;
    int nodes = 0;                                      // in all
    std::vector<char> owned;                            // of each node held here: 1 where this process answers for it
    std::vector<std::pair<Index, Index>> owned_ranges;  // the same: unknowns from the first to before the second
    std::vector<Neighbour> neighbours;
    std::vector<int> shared;           // nodes held here and elsewhere, ascending
    std::vector<int> place_of_shared;  // of each node held here among these, or −1
    std::vector<int> place;            // of each node held here among all unknowns' nodes
    Numbering numbering;
  };
  /// owned_ranges; neighbours, shared, place_of_shared: `others` have the nodes held here, ascending.
  static void meet(Parts& parts, const std::vector<std::vector<int>>& others);
  template <class Range>
  void add_up_ranges(double* values, const Range& range) const;

  std::shared_ptr<const Parts> parts_;  // null: one process
};

/// The trivial space of a single process.
const Space& serial_space();

}  // namespace limber
