#pragma once
/// Tetrahedra made ready for the element loop: sorted along a space-filling curve, packed by lane_count in
/// structure-of-arrays order, grouped in blocks of one material, and the blocks coloured so that blocks of one colour
/// share no node. Colours run one after another and blocks of a colour side by side: the same bits on any number of
/// threads, without atomics.

#include <array>
#include <span>
#include <vector>

#include "limber/mesh/tet_mesh.hpp"
#include "limber/model/block_pattern.hpp"

namespace limber {

/// Elements first … first + count − 1 (in packed order; first is that of a batch).
struct ElementBlock {
  int first = 0, count = 0;
  int material = 0;
};

/// Where an element's ten stiffness blocks (row node ≥ column node, column by column) go in the value array, and
/// with full storage their six mirror images. first < 0: a prescribed node, no place.
struct ElementSlots {
  std::array<int, 10> first;
  std::array<int, 4> stride;  // of each node's columns
};
using MirrorSlots = std::array<int, 6>;

class ElementBatches {
 public:
  static constexpr int shape_size = 10;  // gradients of nodes 1, 2, 3 [1/m], volume [m³]

  /// Node i of the mesh is node first_node + i of the state.
  ElementBatches(const TetMesh& mesh, int first_node, const std::vector<int>& material_of_tet);

  /// Orders each element's nodes by their free number and looks up the slots.
  void bind(const BlockPattern& pattern, std::span<const int> free_index);

  /// Blocks, sorted by colour; blocks of colour c are colour_start[c] … colour_start[c + 1] − 1.
  const std::vector<ElementBlock>& blocks() const { return blocks_; }
  const std::vector<int>& colour_start() const { return colour_start_; }
  /// The mesh's nodes of tetrahedron t, as numbers of the state.
  std::array<int, 4> tet(std::size_t t) const;
  std::size_t tets() const { return mesh_.tets.size(); }

  /// [10][lane_count] of a batch
  const double* shape(int batch) const;
  /// 3 × node, [4][lane_count] of a batch
  const int* nodes(int batch) const;
  const ElementSlots& slots(int element) const { return slots_[static_cast<std::size_t>(element)]; }
  /// Null with lower storage.
  const MirrorSlots* mirrors(int element) const {
    return mirrors_.empty() ? nullptr : &mirrors_[static_cast<std::size_t>(element)];
  }
  bool is_bound() const { return !slots_.empty(); }

 private:
  void make_blocks(const std::vector<int>& material_of_tet);
  void colour_blocks();
  /// `rank` of a node decides its place in the element.
  template <class Rank>
  void pack(const Rank& rank);

  TetMesh mesh_;
  int first_node_;
  std::vector<ElementBlock> blocks_;
  std::vector<int> colour_start_;
  std::vector<int> order_;                  // tetrahedron at each packed place, −1 where a batch is filled up
  std::vector<std::array<int, 4>> packed_;  // nodes of the state at each packed place, in the element's order
  std::vector<double> shape_;
  std::vector<int> nodes_;
  std::vector<ElementSlots> slots_;
  std::vector<MirrorSlots> mirrors_;
};

}  // namespace limber
