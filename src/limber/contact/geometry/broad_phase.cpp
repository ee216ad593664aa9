#include "limber/contact/geometry/broad_phase.hpp"

#include <cassert>
#include <cmath>
#include <utility>

#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr std::size_t kParts = 256;
constexpr double kWorn = 2;  // a tree is made anew when its boxes have this many times their first surface

using Pair = std::array<int, 2>;

template <std::size_t N, std::size_t M>
bool share(const std::array<int, N>& a, const std::array<int, M>& b) {
  bool any = false;
  for (const int i : a)
    for (const int j : b) any |= i == j;
  return any;
}

void append_nodes(const ContactSurface& surface, std::vector<int>& nodes) {
  nodes = surface.points;
  for (const auto& e : surface.edges) nodes.insert(nodes.end(), e.begin(), e.end());
  for (const auto& t : surface.triangles) nodes.insert(nodes.end(), t.begin(), t.end());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

/// The pairs of all parts, ascending: counted into rows by their first number, then each row sorted.
void merge_sorted(const std::vector<std::vector<Pair>>& parts, std::size_t part_count, std::size_t rows,
                  std::vector<int>& offsets, std::vector<Pair>& out) {
  offsets.assign(rows + 1, 0);
  for (std::size_t p = 0; p < part_count; ++p)
    for (const Pair& pair : parts[p]) ++offsets[static_cast<std::size_t>(pair[0]) + 1];
  for (std::size_t i = 0; i < rows; ++i) offsets[i + 1] += offsets[i];
  out.resize(static_cast<std::size_t>(offsets[rows]));
  for (std::size_t p = 0; p < part_count; ++p)
    for (const Pair& pair : parts[p])
      out[static_cast<std::size_t>(offsets[static_cast<std::size_t>(pair[0])]++)] = pair;
  if (out.empty()) return;
  // Row i now ends where it began before plus its length: at offsets[i].
  parallel_for(
      static_cast<Index>(rows),
      [&](Index i) {
        const int begin = i == 0 ? 0 : offsets[static_cast<std::size_t>(i) - 1];
        const int end = offsets[static_cast<std::size_t>(i)];
        std::sort(out.begin() + begin, out.begin() + end, [](const Pair& a, const Pair& b) { return a[1] < b[1]; });
      },
      50);
}

}  // namespace

BroadPhase::BroadPhase(ContactSurface surface, const MayCollide& may) : surface_(std::move(surface)) {
  may_.size = may.size();
  for (const auto& row : may) {
    assert(row.size() == may.size());
    may_.may.insert(may_.may.end(), row.begin(), row.end());
  }
  append_nodes(surface_, nodes_);
  boxes_.resize(nodes_.size());
  make_families();
}

template <std::size_t N>
void BroadPhase::add(Family<N>& family, int number, std::array<int, N> nodes) const {
  const int object = surface_.object[static_cast<std::size_t>(nodes[0])];
  assert(object >= 0 && static_cast<std::size_t>(object) < may_.size);
  for (int& node : nodes) {
    assert(surface_.object[static_cast<std::size_t>(node)] == object);
    node = static_cast<int>(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin());
  }
  family.corners.push_back(nodes);
  family.number.push_back(number);
  family.object.push_back(object);
}

void BroadPhase::make_families() {
  std::vector<Pair> sides;  // of triangles
  std::vector<int> joined;  // nodes of edges and triangles
  for (std::size_t i = 0; i < surface_.triangles.size(); ++i) {
    const auto& t = surface_.triangles[i];
    add(triangles_, static_cast<int>(i), t);
    for (int k = 0; k < 3; ++k) sides.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
    joined.insert(joined.end(), t.begin(), t.end());
  }
  std::sort(sides.begin(), sides.end());
  for (std::size_t i = 0; i < surface_.edges.size(); ++i) {
    const auto& e = surface_.edges[i];
    add(edges_, static_cast<int>(i), e);
    const Pair sorted{std::min(e[0], e[1]), std::max(e[0], e[1])};
    if (!std::binary_search(sides.begin(), sides.end(), sorted)) add(rods_, static_cast<int>(i), e);
    joined.insert(joined.end(), e.begin(), e.end());
  }
  std::sort(joined.begin(), joined.end());
  for (std::size_t i = 0; i < surface_.points.size(); ++i) {
    const int node = surface_.points[i];
    add<1>(points_, static_cast<int>(i), {node});
    if (!std::binary_search(joined.begin(), joined.end(), node)) add<1>(lone_points_, static_cast<int>(i), {node});
  }
}

void BroadPhase::update_boxes(const Vector& x0, const Vector& x1, double reach) {
  assert(x0.allFinite() && x1.allFinite() && x0.size() == x1.size());
  // Eight roundings of the largest number at hand: those of this box and of positions along the motion.
  constexpr double slack = 8 * std::numeric_limits<double>::epsilon();
  parallel_for(
      static_cast<Index>(nodes_.size()),
      [&](Index i) {
        const int node = nodes_[static_cast<std::size_t>(i)];
        const double grow = .5 * reach + surface_.radius[static_cast<std::size_t>(node)];
        Bounds& box = boxes_[static_cast<std::size_t>(i)];
        for (int k = 0; k < 3; ++k) {
          const double a = x0[3 * node + k], b = x1[3 * node + k];
          const double margin = grow + slack * (grow + std::max(std::abs(a), std::abs(b)));
          box.low[k] = std::min(a, b) - margin;
          box.high[k] = std::max(a, b) + margin;
        }
      },
      10);
}

template <std::size_t N>
void BroadPhase::update(Family<N>& family, double reach) {
  family.boxes.resize(family.corners.size());
  parallel_for(
      static_cast<Index>(family.corners.size()),
      [&](Index i) {
        const auto& corners = family.corners[static_cast<std::size_t>(i)];
        Bounds box = boxes_[static_cast<std::size_t>(corners[0])];
        for (std::size_t k = 1; k < N; ++k) box.include(boxes_[static_cast<std::size_t>(corners[k])]);
        family.boxes[static_cast<std::size_t>(i)] = box;
      },
      10);
  if (family.built_area >= 0) {
    family.tree.refit(family.boxes);
    // Without the reach, so that calls with another reach do not count as wear.
    if (!(family.tree.surface_area(.5 * reach) > kWorn * family.built_area)) return;
    ++rebuilds_;
  }
  family.tree.build(family.boxes, family.object);
  family.built_area = family.tree.surface_area(.5 * reach);
}

template <std::size_t N, std::size_t M>
void BroadPhase::pairs(const Family<N>& a, const Family<M>& b, std::size_t first_count, std::vector<Pair>& out) {
  const TreePairs trees(a.tree, b.tree, may_);
  const bool self = &a.tree == &b.tree;
  const auto parts = trees.parts(kParts);
  if (found_.size() < parts.size()) found_.resize(parts.size());
  parallel_for(static_cast<Index>(parts.size()), [&](Index p) {
    auto& found = found_[static_cast<std::size_t>(p)];
    std::size_t count = 0;
    trees.visit(parts[static_cast<std::size_t>(p)], [&](const Pair* block, int size) {
      if (found.size() < count + TreePairs::max_block) found.resize(2 * found.size() + TreePairs::max_block);
      for (int k = 0; k < size; ++k) {
        const auto i = static_cast<std::size_t>(block[k][0]), j = static_cast<std::size_t>(block[k][1]);
        const int first = a.number[i], second = b.number[j];
        found[count] = self ? Pair{std::min(first, second), std::max(first, second)} : Pair{first, second};
        count += static_cast<std::size_t>(!share(a.corners[i], b.corners[j]));
      }
    });
    found.resize(count);
  });
  merge_sorted(found_, parts.size(), first_count, offsets_, out);
}

void BroadPhase::find(const Vector& x0, const Vector& x1, double reach, Candidates& out) {
  update_boxes(x0, x1, reach);
  update(points_, reach);
  update(lone_points_, reach);
  update(edges_, reach);
  update(rods_, reach);
  update(triangles_, reach);
  pairs(points_, triangles_, surface_.points.size(), out.point_triangle);
  pairs(edges_, edges_, surface_.edges.size(), out.edge_edge);
  pairs(points_, rods_, surface_.points.size(), out.point_edge);
  pairs(lone_points_, lone_points_, surface_.points.size(), out.point_point);
}

}  // namespace limber
