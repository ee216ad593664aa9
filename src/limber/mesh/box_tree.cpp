#include "limber/mesh/box_tree.hpp"

#include <Eigen/Geometry>
#include <cassert>
#include <numeric>

namespace limber {
namespace {

using Point = std::array<double, 3>;

Point centre(const Bounds& box) {
  Point c;
  for (int k = 0; k < 3; ++k) c[k] = .5 * box.low[k] + .5 * box.high[k];
  return c;
}

/// Orders [first, last) so that its halves lie apart along the axis in which the centres spread most.
void split_at_median(std::vector<int>& order, int first, int last, const std::vector<Point>& centres) {
  Bounds spread;
  for (int i = first; i < last; ++i) {
    const Point& c = centres[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
    spread.include({c, c});
  }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (spread.high[k] - spread.low[k] > spread.high[axis] - spread.low[axis]) axis = k;
  const auto before = [&](int a, int b) {
    const double ca = centres[static_cast<std::size_t>(a)][axis], cb = centres[static_cast<std::size_t>(b)][axis];
    return ca < cb || (ca == cb && a < b);
  };
  std::nth_element(order.begin() + first, order.begin() + (first + last) / 2, order.begin() + last, before);
}

Vec3 nearest_in_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double l2 = ab.squaredNorm();
  return l2 > 0 ? Vec3(a + std::clamp((x - a).dot(ab) / l2, 0., 1.) * ab) : a;
}

}  // namespace

struct BoxTree::Builder {
  BoxTree& tree;
  std::vector<Point> item_centres;
  std::vector<int> objects;           // those that have items, in the order of the upper levels
  std::vector<int> first_slot;        // per object: [first_slot[o], first_slot[o + 1])
  std::vector<Point> object_centres;  // per object

  Builder(BoxTree& t, const std::vector<Bounds>& boxes, const std::vector<int>& item_objects) : tree(t) {
    const std::size_t n = boxes.size();
    const int object_count = n == 0 ? 0 : 1 + *std::max_element(item_objects.begin(), item_objects.end());
    item_centres.resize(n);
    std::transform(boxes.begin(), boxes.end(), item_centres.begin(), centre);
    first_slot.assign(static_cast<std::size_t>(object_count) + 1, 0);
    std::vector<Bounds> object_boxes(static_cast<std::size_t>(object_count));
    for (std::size_t i = 0; i < n; ++i) {
      const auto o = static_cast<std::size_t>(item_objects[i]);
      ++first_slot[o + 1];
      object_boxes[o].include(boxes[i]);
    }
    std::partial_sum(first_slot.begin(), first_slot.end(), first_slot.begin());
    tree.items_.resize(n);
    std::vector<int> next(first_slot);
    for (std::size_t i = 0; i < n; ++i)
      tree.items_[static_cast<std::size_t>(next[static_cast<std::size_t>(item_objects[i])]++)] = static_cast<int>(i);
    object_centres.resize(object_boxes.size());
    std::transform(object_boxes.begin(), object_boxes.end(), object_centres.begin(), centre);
    for (int o = 0; o < object_count; ++o)
      if (first_slot[static_cast<std::size_t>(o)] < first_slot[static_cast<std::size_t>(o) + 1]) objects.push_back(o);
  }

  int add(Node node) {
    tree.nodes_.push_back(node);
    return static_cast<int>(tree.nodes_.size()) - 1;
  }

  void add_objects(int first, int last) {
    if (last - first == 1) {
      const int o = objects[static_cast<std::size_t>(first)];
      return add_items(first_slot[static_cast<std::size_t>(o)], first_slot[static_cast<std::size_t>(o) + 1], o);
    }
    split_at_median(objects, first, last, object_centres);
    const int node = add({.box = {}, .link = 0, .count = 0, .object = -1});
    add_objects(first, (first + last) / 2);
    tree.nodes_[static_cast<std::size_t>(node)].link = static_cast<int>(tree.nodes_.size());
    add_objects((first + last) / 2, last);
  }

  void add_items(int first, int last, int object) {
    if (last - first <= tree.leaf_) {
      add({.box = {}, .link = first, .count = last - first, .object = object});
      return;
    }
    split_at_median(tree.items_, first, last, item_centres);
    const int node = add({.box = {}, .link = 0, .count = 0, .object = object});
    add_items(first, (first + last) / 2, object);
    tree.nodes_[static_cast<std::size_t>(node)].link = static_cast<int>(tree.nodes_.size());
    add_items((first + last) / 2, last, object);
  }
};

BoxTree::BoxTree(const std::vector<Box3>& boxes) : leaf_(4) {
  build({boxes.begin(), boxes.end()}, std::vector<int>(boxes.size(), 0));
}

std::pair<int, int> BoxTree::slots(int node) const {
  int left = node, right = node;
  while (nodes_[static_cast<std::size_t>(left)].count == 0) ++left;
  while (nodes_[static_cast<std::size_t>(right)].count == 0) right = nodes_[static_cast<std::size_t>(right)].link;
  const Node& last = nodes_[static_cast<std::size_t>(right)];
  return {nodes_[static_cast<std::size_t>(left)].link, last.link + last.count};
}

void BoxTree::build(const std::vector<Bounds>& boxes, const std::vector<int>& objects) {
  assert(boxes.size() == objects.size());
  nodes_.clear();
  Builder builder(*this, boxes, objects);
  if (!builder.objects.empty()) builder.add_objects(0, static_cast<int>(builder.objects.size()));
  boxes_.resize(items_.size());
  refit(boxes);
}

void BoxTree::refit(const std::vector<Bounds>& boxes) {
  assert(boxes.size() == items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) boxes_[i] = boxes[static_cast<std::size_t>(items_[i])];
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    if (node.count == 0) {
      node.box = nodes_[i + 1].box;
      node.box.include(nodes_[static_cast<std::size_t>(node.link)].box);
    } else {
      node.box = item_box(node.link);
      for (int k = 1; k < node.count; ++k) node.box.include(item_box(node.link + k));
    }
  }
}

double BoxTree::surface_area(double shrink) const {
  double sum = 0;
  for (const Node& node : nodes_) {
    Point e;
    for (int k = 0; k < 3; ++k) e[k] = std::max(0., node.box.high[k] - node.box.low[k] - 2 * shrink);
    sum += 2 * (e[0] * e[1] + e[1] * e[2] + e[2] * e[0]);
  }
  return sum;
}

Vec3 nearest_in_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a);
  const double n2 = n.squaredNorm();
  if (n2 > 0) {
    const double u = (c - b).cross(x - b).dot(n), v = (a - c).cross(x - c).dot(n), w = (b - a).cross(x - a).dot(n);
    if (u >= 0 && v >= 0 && w >= 0) return x - n * ((x - a).dot(n) / n2);
  }
  Vec3 best = nearest_in_segment(x, a, b);
  for (const Vec3& p : {nearest_in_segment(x, b, c), nearest_in_segment(x, c, a)})
    if ((p - x).squaredNorm() < (best - x).squaredNorm()) best = p;
  return best;
}

}  // namespace limber
