#pragma once  // internal
/// Elements prepared for the element loop: sorted along a space-filling curve, packed by lane_count in
/// structure-of-arrays order, grouped in blocks with one kernel each, and coloured so that blocks of one colour share
/// no node. Colours run one after another and blocks of a colour in parallel, which gives the same bits for any number
/// of threads, without atomics.

#include <cstdint>
#include <span>
#include <vector>

#include "limber/core/lanes.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/model/block_pattern.hpp"

namespace limber {

/// Elements first … first + count − 1 in packed order; first is the start of a batch.
struct ElementBlock {
  int first = 0, count = 0;
  int kernel = 0;
};

/// Number and index of the blocks (row ≥ column) of an element with n nodes, column by column.
constexpr int block_count(int n) { return n * (n + 1) / 2; }
constexpr int block_index(int n, int row, int column) { return column * n - column * (column - 1) / 2 + row - column; }

class ElementBatches {
 public:
  /// Node i of the mesh is node first_node + i of the state. part: #E, the fraction of each volume that counts; empty:
  /// all of it.
  ElementBatches(const ElementMesh& mesh, int first_node, const std::vector<int>& kernel_of_element,
                 const std::vector<double>& part = {});

  /// Orders each element's nodes by their free number and looks up the slots.
  void bind(const BlockPattern& pattern, std::span<const int> free_index);

  /// Calls visit(nodes of the state) for each element once, in packed order.
  template <class Visit>
  void for_elements(const Visit& visit) const {
    std::vector<int> nodes(static_cast<std::size_t>(n_));
    for (std::size_t place = 0; place < order_.size(); ++place) {
      if (place > 0 && order_[place] == order_[place - 1]) continue;
      for (int a = 0; a < n_; ++a) nodes[static_cast<std::size_t>(a)] = nodes_[node_at(place, a)] / 3;
      visit(nodes);
    }
  }

  /// Blocks, sorted by colour; colour c has the blocks colour_start[c] … colour_start[c + 1] − 1.
  const std::vector<ElementBlock>& blocks() const { return blocks_.list; }
  const std::vector<int>& colour_start() const { return blocks_.colour_start; }
  /// The element at each packed place. Places that pad a batch repeat the element before them. Elements of one kernel
  /// are contiguous.
  const std::vector<int>& order() const { return order_; }
  /// n and the number of quadrature points.
  int nodes_each() const { return n_; }
  int points() const { return static_cast<int>(rule_.weights.size()); }
  /// Of each volume that is counted, #E; empty: all.
  const std::vector<double>& part() const { return part_; }
  std::size_t count() const { return count_; }

  // Below, n > 0 is the number of nodes if it is known at compile time.
  /// [3 (n − 1) + 1][lane_count] of a batch at a point: gradients of nodes 1, 2, … [1/m], weight [m³]
  template <int n = 0>
  const double* shape(int batch, int point) const {
    const std::size_t each = static_cast<std::size_t>(n > 0 ? 3 * (n - 1) + 1 : shape_size());
    const std::size_t points = static_cast<std::size_t>(n == 4 ? 1 : rule_.weights.size());
    return shape_.data() +
           (static_cast<std::size_t>(batch) * points + static_cast<std::size_t>(point)) * each * lane_count;
  }
  /// 3 × node, [n][lane_count] of a batch
  template <int n = 0>
  const int* nodes(int batch) const {
    return nodes_.data() + static_cast<std::size_t>(batch) * static_cast<std::size_t>(n > 0 ? n : n_) * lane_count;
  }
  /// Positions of an element's blocks in the value array, block_count(n). first < 0: not stored, a node is prescribed.
  template <int n = 0>
  const int* slots(int element) const {
    return binding_.slots.data() +
           static_cast<std::size_t>(element) * static_cast<std::size_t>(block_count(n > 0 ? n : n_));
  }
  /// The column stride of a node, which is given as 3 × node.
  int stride(int three_nodes) const { return binding_.stride[static_cast<std::size_t>(three_nodes)]; }
  /// With full storage: positions of the transposes of the blocks below the diagonal, in their order; otherwise null.
  const int* mirrors(int element) const {
    return binding_.mirrors.empty() ? nullptr
                                    : binding_.mirrors.data() + static_cast<std::size_t>(element) *
                                                                    static_cast<std::size_t>(n_ * (n_ - 1) / 2);
  }
  bool is_bound() const { return !binding_.slots.empty() || blocks_.list.empty(); }

 private:
  void make_blocks(const ElementMesh& mesh, const std::vector<int>& kernel_of_element);
  void colour_blocks(const ElementMesh& mesh);
  void take_nodes(const ElementMesh& mesh, int first_node);
  /// `rank` of a node determines its place in the element.
  template <class Rank>
  void pack(const Rank& rank);
  /// The nodes of the state at a packed place, in the order of the mesh.
  void corners_at(std::size_t place, std::vector<int>& corners) const;
  void pack_shape(std::size_t place, const std::vector<int>& corners, const std::vector<int>& arranged);
  const Vec3& rest_of(int node) const;
  std::size_t node_at(std::size_t place, int a) const {
    return (place / lane_count * static_cast<std::size_t>(n_) + static_cast<std::size_t>(a)) * lane_count +
           place % lane_count;
  }
  int shape_size() const { return 3 * (n_ - 1) + 1; }

  std::size_t count_;
  std::vector<double> part_;
  int n_;
  Quadrature rule_;
  std::vector<Matrix> gradients_;  // ∂N/∂ξ at the points, n × 3 each
  struct {
    std::vector<ElementBlock> list;  // sorted by colour
    std::vector<int> colour_start;
  } blocks_;
  std::vector<int> order_;
  std::vector<double> shape_;
  std::vector<int> nodes_;
  std::vector<std::uint8_t> corner_;  // the mesh's corner number of each of these nodes, n per packed place
  struct {
    std::vector<int> held;   // nodes of the state that occur in elements, ascending
    std::vector<Vec3> rest;  // rest positions of these nodes
  } known_;
  struct {
    std::vector<int> stride;  // column stride of each node of the state, at 3 × node
    std::vector<int> slots, mirrors;
  } binding_;
};

}  // namespace limber
