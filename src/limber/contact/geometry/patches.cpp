#include "limber/contact/geometry/patches.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "limber/core/extremes.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr std::size_t patches_in_all = 256;  // about; every object has one at least
constexpr std::size_t least_nodes = 4;       // of a patch that is cut
constexpr double listed = 2;                 // times the reach: pairs of patches that are watched one by one
constexpr double thin = 1e-3;                // of the moments of a patch, added to all
constexpr double rounding = 1e-12;

/// Numbers the nodes of one object by patches from `next` on: halves along the longest side until they are small.
void cut(std::vector<int>::iterator begin, std::vector<int>::iterator end, std::size_t most, const Vector& x,
         std::vector<int>& patch, int& next) {
  if (static_cast<std::size_t>(end - begin) <= most) {
    for (auto i = begin; i != end; ++i) patch[ix(*i)] = next;
    ++next;
    return;
  }
  Vec3 low = point(x, *begin), high = low;
  for (auto i = begin; i != end; ++i) {
    low = low.cwiseMin(point(x, *i));
    high = high.cwiseMax(point(x, *i));
  }
  Index axis = 0;
  (high - low).maxCoeff(&axis);
  const auto middle = begin + (end - begin) / 2;
  std::nth_element(begin, middle, end, [&](int a, int b) {
    const double xa = x[3 * a + axis], xb = x[3 * b + axis];
    return xa < xb || (xa == xb && a < b);
  });
  cut(begin, middle, most, x, patch, next);
  cut(middle, end, most, x, patch, next);
}

double apart2(const Bounds& a, const Bounds& b) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double apart = std::max({0.0, a.low[k] - b.high[k], b.low[k] - a.high[k]});
    sum += apart * apart;
  }
  return sum;
}

}  // namespace

Patches::Patches(const ContactSurface& surface, const MayCollide& may, const Vector& rest)
    : radius_(surface.radius), may_(may) {
  for (const double r : radius_) widest_radius_ = std::max(widest_radius_, r);
  std::vector<int> patch(surface.object.size(), -1);
  const auto object_of = [&](int node) { return surface.object[ix(node)]; };
  std::vector<int> nodes = surface.points;
  for (const auto& e : surface.edges) nodes.insert(nodes.end(), e.begin(), e.end());
  for (const auto& t : surface.triangles) nodes.insert(nodes.end(), t.begin(), t.end());
  std::sort(nodes.begin(), nodes.end(),
            [&](int a, int b) { return object_of(a) != object_of(b) ? object_of(a) < object_of(b) : a < b; });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const std::size_t most = std::max(least_nodes, nodes.size() / patches_in_all + 1);
  int count = 0;
  for (auto begin = nodes.begin(); begin != nodes.end();) {
    const auto end = std::find_if(begin, nodes.end(), [&](int i) { return object_of(i) != object_of(*begin); });
    cut(begin, end, most, rest, patch, count);
    begin = end;
  }
  nodes_ = std::move(nodes);
  std::vector<int> index(surface.object.size(), -1);  // in nodes_
  for (std::size_t k = 0; k < nodes_.size(); ++k) index[ix(nodes_[k])] = static_cast<int>(k);
  patches_.resize(ix(count));
  const auto put = [&](const auto& primitive) {  // all of it goes where its first node is
    Patch& p = patches_[ix(patch[ix(primitive[0])])];
    p.object = object_of(primitive[0]);
    for (const int i : primitive) p.nodes.push_back(index[ix(i)]);
  };
  for (const int i : surface.points) put(std::array{i});
  for (const auto& e : surface.edges) put(e);
  for (const auto& t : surface.triangles) put(t);
  std::erase_if(patches_, [](const Patch& p) { return p.nodes.empty(); });  // whose nodes are first ones of nothing
  for (Patch& p : patches_) {
    std::sort(p.nodes.begin(), p.nodes.end());
    p.nodes.erase(std::unique(p.nodes.begin(), p.nodes.end()), p.nodes.end());
    objects_.push_back(p.object);
  }
}

std::vector<Vec3> Patches::points(const Vector& x) const {
  std::vector<Vec3> points;
  points.reserve(nodes_.size());
  for (const int i : nodes_) points.push_back(point(x, i));
  return points;
}

template <class Skip, class Look>
void Patches::for_pairs(const BoxTree& tree, const Skip& skip, const Look& look) const {
  if (tree.empty()) return;
  const std::vector<BoxTree::Node>& nodes = tree.nodes();
  const auto may = [&](int a, int b) { return a < 0 || b < 0 || may_[ix(a)][ix(b)]; };
  const auto size = [&](int a) {
    const Bounds& box = nodes[ix(a)].box;
    return (box.high[0] - box.low[0]) + (box.high[1] - box.low[1]) + (box.high[2] - box.low[2]);
  };
  std::vector<std::array<int, 2>> open;
  const auto add = [&](int a, int b) {
    if (may(nodes[ix(a)].object, nodes[ix(b)].object) && !skip(a, b)) open.push_back({a, b});
  };
  add(0, 0);
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    const BoxTree::Node &one = nodes[ix(a)], &other = nodes[ix(b)];
    if (one.count > 0 && other.count > 0) {
      for (int i = 0; i < one.count; ++i)
        for (int j = a == b ? i : 0; j < other.count; ++j) {
          const int p = tree.item(one.link + i), q = tree.item(other.link + j);
          if (may(objects_[ix(p)], objects_[ix(q)])) look(std::max(p, q), std::min(p, q));
        }
    } else if (a == b) {
      add(a + 1, a + 1);
      add(one.link, one.link);
      add(a + 1, one.link);
    } else if (one.count > 0 || (other.count == 0 && size(a) < size(b))) {
      add(a, b + 1);
      add(a, other.link);
    } else {
      add(a + 1, b);
      add(one.link, b);
    }
  }
}

Patches::Layout Patches::layout(const Vector& x, double reach, bool bending) const {
  Layout at;
  at.x = x;
  const std::vector<Vec3> points = this->points(x);
  at.boxes.resize(patches_.size());
  for (std::size_t p = 0; p < patches_.size(); ++p)
    for (const int i : patches_[p].nodes) {
      const double r = radius_[ix(nodes_[ix(i)])];
      const Vec3& c = points[ix(i)];
      at.boxes[p].include({{c[0] - r, c[1] - r, c[2] - r}, {c[0] + r, c[1] + r, c[2] + r}});
    }
  at.tree.build(at.boxes, objects_);
  if (reach == 0) return at;
  at.far = listed * reach;
  const double far2 = at.far * at.far;
  for_pairs(
      at.tree, [&](int a, int b) { return apart2(at.tree.nodes()[ix(a)].box, at.tree.nodes()[ix(b)].box) >= far2; },
      [&](int a, int b) {
        const double apart = apart2(at.boxes[ix(a)], at.boxes[ix(b)]);
        if (apart < far2) at.near.push_back({a, b, std::max(reach, std::sqrt(apart) * (1 - rounding))});
      });
  std::sort(at.near.begin(), at.near.end(),
            [](const Near& s, const Near& t) { return s.a != t.a ? s.a < t.a : s.b < t.b; });
  if (!bending) return at;
  at.shapes.resize(patches_.size());
  std::vector<Mat3> moments(patches_.size(), Mat3::Zero());
  for (std::size_t p = 0; p < patches_.size(); ++p) {
    Layout::Shape& shape = at.shapes[p];
    const std::vector<int>& own = patches_[p].nodes;
    for (const int i : own) shape.middle += points[ix(i)];
    shape.middle /= static_cast<double>(own.size());
    double size2 = 0;
    for (const int i : own) {
      const Vec3 r = points[ix(i)] - shape.middle;
      moments[p] += r * r.transpose();
      size2 = std::max(size2, r.squaredNorm());
    }
    shape.size = std::sqrt(size2);
  }
  for (const auto& [a, b, gap] : at.near) {
    if (a == b || gap > reach || objects_[ix(a)] != objects_[ix(b)]) continue;
    at.shapes[ix(a)].neighbours.push_back(b);
    at.shapes[ix(b)].neighbours.push_back(a);
    const Vec3 d = at.shapes[ix(b)].middle - at.shapes[ix(a)].middle;
    const Mat3 moment = d * d.transpose();
    moments[ix(a)] += moment;
    moments[ix(b)] += moment;
  }
  for (std::size_t p = 0; p < patches_.size(); ++p) {
    Mat3& m = moments[p];
    m.diagonal().array() += thin * m.trace() + std::numeric_limits<double>::min();  // it may be flat, or a point
    at.shapes[p].inverse_moments = m.inverse();
  }
  return at;
}

/// The straight ways of a patch's nodes, or of all patches below a node of a tree, lie in this ball.
struct Patches::Ball {
  Vec3 centre = Vec3::Zero();
  double radius = 0;

  /// The relative way of two nodes is at most this.
  double apart(const Ball& other) const {
    return (radius + other.radius + (centre - other.centre).norm()) * (1 + rounding);
  }
  /// Whether that is at most this, surely: without a root.
  bool within(const Ball& other, double most) const {
    const double room = most * (1 - 4 * rounding) - radius - other.radius;
    return room >= 0 && (centre - other.centre).squaredNorm() <= room * room * (1 - 4 * rounding);
  }
};

struct Patches::Travel {
  std::vector<Vec3> ways;  // of nodes_
  std::vector<Ball> patches, tree;

  /// Whether two primitives that are √apart2 [m] apart at first stay `within` apart, as far as these balls say.
  static bool stay(double way, double apart2, double within) {
    const double need = (within + way) * (1 + rounding);
    return apart2 >= need * need;
  }
};

Patches::Travel Patches::travel(const Layout& from, const Vector& y) const {
  Travel all;
  all.ways.reserve(nodes_.size());
  for (const int i : nodes_) all.ways.push_back(point(y, i) - point(from.x, i));
  all.patches.reserve(patches_.size());
  for (const Patch& p : patches_) {
    Vec3 low = all.ways[ix(p.nodes[0])], high = low;
    for (const int i : p.nodes) {
      low = low.cwiseMin(all.ways[ix(i)]);
      high = high.cwiseMax(all.ways[ix(i)]);
    }
    Ball ball{.5 * (low + high), 0};
    for (const int i : p.nodes) ball.radius = std::max(ball.radius, (all.ways[ix(i)] - ball.centre).squaredNorm());
    ball.radius = std::sqrt(ball.radius);
    all.patches.push_back(ball);
  }
  const std::vector<BoxTree::Node>& nodes = from.tree.nodes();
  all.tree.resize(nodes.size());
  for (std::size_t k = nodes.size(); k-- > 0;) {
    const BoxTree::Node& node = nodes[k];
    Ball& ball = all.tree[k];
    if (node.count == 0) {
      const Ball &a = all.tree[k + 1], &b = all.tree[ix(node.link)];
      ball.centre = .5 * (a.centre + b.centre);
      ball.radius = std::max((a.centre - ball.centre).norm() + a.radius, (b.centre - ball.centre).norm() + b.radius);
      continue;
    }
    const auto part = [&](int i) -> const Ball& { return all.patches[ix(from.tree.item(node.link + i))]; };
    for (int i = 0; i < node.count; ++i) ball.centre += part(i).centre;
    ball.centre /= node.count;
    for (int i = 0; i < node.count; ++i)
      ball.radius = std::max(ball.radius, (part(i).centre - ball.centre).norm() + part(i).radius);
  }
  return all;
}

double Patches::spread(const Layout& from, const Vector& y, double within) const {
  const Travel travel = this->travel(from, y);
  const std::vector<BoxTree::Node>& nodes = from.tree.nodes();
  double most = 0;
  const auto look = [&](int a, int b) {
    const double way = travel.patches[ix(a)].apart(travel.patches[ix(b)]);
    if (way > most && !Travel::stay(way, apart2(from.boxes[ix(a)], from.boxes[ix(b)]), within)) most = way;
  };
  for (const Near& pair : from.near) look(pair.a, pair.b);
  for_pairs(
      from.tree,
      [&](int a, int b) {
        const double way = travel.tree[ix(a)].apart(travel.tree[ix(b)]);
        return way <= most || (within + way) * (1 + rounding) <= from.far ||
               Travel::stay(way, apart2(nodes[ix(a)].box, nodes[ix(b)].box), within);
      },
      look);
  return most;
}

/// With u = y − x, each patch has a gradient G of u, fitted to its nodes and its neighbours. For two points that are d
/// apart at x and come to be d + λ (G d + e), whatever G is,
///
///     |d + λ (G d + e)| ≥ (1 − λ |sym G|) |d| − λ |e|.
///
/// All of it is convex in u, which covers ways between two y.
class Patches::Flows {
 public:
  Flows(const Patches& patches, const Layout& from, const Travel& travel)
      : patches_(patches), from_(from), ways_(travel.ways), points_(patches.points(from.x)) {
    flows_.resize(patches.count());
    for (std::size_t p = 0; p < flows_.size(); ++p) {
      const std::vector<int>& own = patches.patches_[p].nodes;
      for (const int i : own) flows_[p].mean += ways_[ix(i)];
      flows_[p].mean /= static_cast<double>(own.size());
    }
  }

  /// What is left of a gap between two patches.
  double left(int a, int b, double gap) {
    const Flow &fa = flow(a), &fb = flow(b);
    const double turned = (fb.G - fa.G).norm();
    return std::max(left(a, b, fa, fb, turned, gap), left(b, a, fb, fa, turned, gap));
  }

 private:
  struct Flow {
    bool known = false;
    Vec3 mean = Vec3::Zero();  // way of its nodes [m]
    Mat3 G = Mat3::Zero();
    double rest = 0, shrinks = 0;  // max |e| of its own nodes [m], |sym G|
  };

  double left(int a, int b, const Flow& fa, const Flow& fb, double turned, double gap) const {
    const Layout::Shape &sa = from_.shapes[ix(a)], &sb = from_.shapes[ix(b)];
    const double e = (fb.mean - fa.mean - fa.G * (sb.middle - sa.middle)).norm() + fa.rest + fb.rest + turned * sb.size;
    return gap - (e + fa.shrinks * (gap + 2 * patches_.widest_radius_)) * (1 + rounding);
  }

  const Flow& flow(int p) {
    Flow& flow = flows_[ix(p)];
    if (flow.known) return flow;
    flow.known = true;
    const Layout::Shape& shape = from_.shapes[ix(p)];
    const std::vector<int>& own = patches_.patches_[ix(p)].nodes;
    for (const int i : own) flow.G += ways_[ix(i)] * (points_[ix(i)] - shape.middle).transpose();
    for (const int other : shape.neighbours)
      flow.G += (flows_[ix(other)].mean - flow.mean) * (from_.shapes[ix(other)].middle - shape.middle).transpose();
    flow.G = (flow.G * shape.inverse_moments).eval();
    flow.shrinks = (.5 * (flow.G + flow.G.transpose())).norm();
    for (const int i : own)
      flow.rest =
          std::max(flow.rest, (ways_[ix(i)] - flow.mean - flow.G * (points_[ix(i)] - shape.middle)).squaredNorm());
    flow.rest = std::sqrt(flow.rest);
    return flow;
  }

  const Patches& patches_;
  const Layout& from_;
  const std::vector<Vec3>& ways_;
  std::vector<Vec3> points_;
  std::vector<Flow> flows_;
};

double Patches::kept_gap(const Layout& from, const Vector& y, double least, double most) const {
  const Travel travel = this->travel(from, y);
  std::optional<Flows> flows;
  if (!from.shapes.empty()) flows.emplace(*this, from, travel);
  double kept = most;
  for (const auto& [a, b, gap] : from.near) {
    if (travel.patches[ix(a)].within(travel.patches[ix(b)], gap - kept)) continue;
    const double left = gap - travel.patches[ix(a)].apart(travel.patches[ix(b)]);
    kept = min_or_nan(kept, flows ? std::max(left, flows->left(a, b, gap)) : left);
    if (!(kept >= least)) return kept;
  }
  const std::vector<BoxTree::Node>& nodes = from.tree.nodes();
  for_pairs(
      from.tree,
      [&](int a, int b) {
        const Ball &one = travel.tree[ix(a)], &other = travel.tree[ix(b)];
        return one.within(other, from.far - kept) ||
               Travel::stay(one.apart(other), apart2(nodes[ix(a)].box, nodes[ix(b)].box), kept);
      },
      [&](int a, int b) {
        const double apart = std::sqrt(apart2(from.boxes[ix(a)], from.boxes[ix(b)])) * (1 - rounding);
        if (apart < from.far) return;  // looked at above
        const double left = apart - travel.patches[ix(a)].apart(travel.patches[ix(b)]);
        if (!(left >= kept)) kept = min_or_nan(kept, flows ? std::max(left, flows->left(a, b, apart)) : left);
      });
  return kept;
}

double Patches::largest_way(const Vector& x, const Vector& y) const {
  if (nodes_.empty()) return 0;
  const auto way = [&](int i) { return Vec3(point(y, i) - point(x, i)); };
  Vec3 low = way(nodes_[0]), high = low;
  for (const int i : nodes_) {
    const Vec3 w = way(i);
    low = low.cwiseMin(w);
    high = high.cwiseMax(w);
  }
  return (high - low).norm() * (1 + rounding);
}

}  // namespace limber
