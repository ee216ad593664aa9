#pragma once
/// All overlapping pairs of items of two box trees (mesh/box_tree.hpp).

#include <array>
#include <vector>

#include "limber/mesh/box_tree.hpp"

namespace limber {

/// Which objects may collide, as a table [a × size + b].
struct ObjectTable {
  std::vector<char> may;
  std::size_t size = 0;

  bool operator()(int a, int b) const { return may[static_cast<std::size_t>(a) * size + static_cast<std::size_t>(b)]; }
};

/// All pairs of items of two trees whose boxes overlap and whose objects may collide. If both are the same tree, each
/// pair of different items occurs once. The division of the work does not depend on the number of threads.
class TreePairs {
 public:
  struct NodePair {
    int a, b;
  };

  TreePairs(const BoxTree& a, const BoxTree& b, const ObjectTable& may) : a_(a), b_(b), may_(may), self_(&a == &b) {}

  /// At least `wanted` independent parts if there are as many; each pair is in exactly one of them.
  std::vector<NodePair> parts(std::size_t wanted) const;

  /// Calls emit(pairs, count) for the pairs (item of a, item of b) of one part, in blocks of at most max_block.
  static constexpr int max_block = BoxTree::max_leaf * BoxTree::max_leaf;
  template <class Emit>
  void visit(NodePair part, const Emit& emit) const {
    std::vector<NodePair> stack{part};
    std::array<std::array<int, 2>, max_block> block;
    while (!stack.empty()) {
      const NodePair pair = stack.back();
      stack.pop_back();
      if (is_leaf(pair))
        emit(block.data(), overlapping_items(pair, block.data()));
      else
        split(pair, stack);
    }
  }

 private:
  const BoxTree::Node& node_a(int i) const { return a_.nodes()[static_cast<std::size_t>(i)]; }
  const BoxTree::Node& node_b(int i) const { return b_.nodes()[static_cast<std::size_t>(i)]; }
  bool is_leaf(NodePair p) const { return node_a(p.a).count > 0 && node_b(p.b).count > 0; }

  bool needed(NodePair p) const {
    const BoxTree::Node &a = node_a(p.a), &b = node_b(p.b);
    if (a.object >= 0 && b.object >= 0 && !may_(a.object, b.object)) return false;
    return overlap(a.box, b.box);
  }

  static double size(const Bounds& box) {
    return (box.high[0] - box.low[0]) + (box.high[1] - box.low[1]) + (box.high[2] - box.low[2]);
  }

  /// Appends the relevant pairs of children; the larger node is opened.
  void split(NodePair p, std::vector<NodePair>& out) const {
    const BoxTree::Node &a = node_a(p.a), &b = node_b(p.b);
    std::array<NodePair, 3> children{NodePair{p.a + 1, p.b}, NodePair{a.link, p.b}, NodePair{p.a + 1, a.link}};
    int count = 2;
    if (self_ && p.a == p.b) {
      children[0].b = p.a + 1;
      children[1].b = a.link;
      count = 3;
    } else if (a.count > 0 || (b.count == 0 && size(a.box) < size(b.box))) {
      children = {NodePair{p.a, p.b + 1}, NodePair{p.a, b.link}, {}};
    }
    for (int i = 0; i < count; ++i)
      if (needed(children[static_cast<std::size_t>(i)])) out.push_back(children[static_cast<std::size_t>(i)]);
  }

  /// Branch-free: overlaps are hard to predict, so each pair is written, and kept by advancing the count.
  int overlapping_items(NodePair p, std::array<int, 2>* out) const {
    const BoxTree::Node &a = node_a(p.a), &b = node_b(p.b);
    const bool same = self_ && p.a == p.b;
    const Bounds* boxes = &b_.item_box(b.link);
    const int* items = &b_.item(b.link);
    const int last = b.count;
    std::array<int, 2>* next = out;
    for (int i = 0; i < a.count; ++i) {
      const Bounds box = a_.item_box(a.link + i);
      const int item = a_.item(a.link + i);
      for (int j = same ? i + 1 : 0; j < last; ++j) {
        *next = {item, items[j]};
        next += static_cast<int>(overlap(box, boxes[j]));
      }
    }
    return static_cast<int>(next - out);
  }

  const BoxTree& a_;
  const BoxTree& b_;
  const ObjectTable& may_;
  bool self_;
};

}  // namespace limber
