#include "limber/contact/geometry/patches.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr std::size_t patches_in_all = 128;  // about; every object has one at least
constexpr std::size_t least_nodes = 8;       // of a patch that is cut
constexpr double joined_share = .25;         // of the reach of a layout: patches that near are neighbours
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
  patches_.resize(ix(count));
  const auto put = [&](const auto& primitive) {  // all of it goes where its first node is
    Patch& p = patches_[ix(patch[ix(primitive[0])])];
    p.object = object_of(primitive[0]);
    p.nodes.insert(p.nodes.end(), primitive.begin(), primitive.end());
  };
  for (const int i : surface.points) put(std::array{i});
  for (const auto& e : surface.edges) put(e);
  for (const auto& t : surface.triangles) put(t);
  std::erase_if(patches_, [](const Patch& p) { return p.nodes.empty(); });  // whose nodes are first ones of nothing
  for (Patch& p : patches_) {
    std::sort(p.nodes.begin(), p.nodes.end());
    p.nodes.erase(std::unique(p.nodes.begin(), p.nodes.end()), p.nodes.end());
  }
}

template <class Visit>
void Patches::for_pairs(const Visit& visit) const {
  for (std::size_t a = 0; a < patches_.size(); ++a) {
    const auto& may = may_[ix(patches_[a].object)];
    for (std::size_t b = 0; b <= a; ++b)
      if (may[ix(patches_[b].object)]) visit(a, b);
  }
}

Patches::Layout Patches::layout(const Vector& x, double reach) const {
  Layout at;
  at.x = x;
  at.boxes.resize(patches_.size());
  at.reach = reach;
  for (std::size_t p = 0; p < patches_.size(); ++p)
    for (const int i : patches_[p].nodes) {
      const double r = radius_[ix(i)];
      const Vec3 c = point(x, i);
      at.boxes[p].include({{c[0] - r, c[1] - r, c[2] - r}, {c[0] + r, c[1] + r, c[2] + r}});
    }
  if (reach == 0) return at;
  for (const Patch& p : patches_) {
    Vec3 sum = Vec3::Zero();
    for (const int i : p.nodes) sum += point(x, i);
    const Vec3 middle = sum / static_cast<double>(p.nodes.size());
    Mat3 moments = Mat3::Zero();
    double size2 = 0;
    for (const int i : p.nodes) {
      const Vec3 r = point(x, i) - middle;
      moments += r * r.transpose();
      size2 = std::max(size2, r.squaredNorm());
    }
    at.middle.push_back(middle);
    at.size.push_back(std::sqrt(size2));
    at.moments.push_back(moments);
  }
  for_pairs([&](std::size_t a, std::size_t b) {
    if (apart2(at.boxes[a], at.boxes[b]) < reach * reach) at.near.push_back({static_cast<int>(a), static_cast<int>(b)});
  });
  const auto joined = std::partition(at.near.begin(), at.near.end(), [&](const auto& pair) {
    const auto [a, b] = pair;
    return a != b && patches_[ix(a)].object == patches_[ix(b)].object &&
           apart2(at.boxes[ix(a)], at.boxes[ix(b)]) < joined_share * joined_share * reach * reach;
  });
  at.joined = static_cast<std::size_t>(joined - at.near.begin());
  for (std::size_t k = 0; k < at.joined; ++k) {
    const auto [a, b] = at.near[k];
    const Vec3 d = at.middle[ix(b)] - at.middle[ix(a)];
    const Mat3 moment = d * d.transpose();
    at.moments[ix(a)] += moment;
    at.moments[ix(b)] += moment;
  }
  for (Mat3& m : at.moments) {
    m.diagonal().array() += thin * m.trace() + std::numeric_limits<double>::min();  // it may be flat, or a point
    m = m.inverse().eval();
  }
  return at;
}

/// The straight ways of a patch's nodes lie in this ball.
struct Patches::Ways {
  Vec3 centre;
  double radius;
};

std::vector<Patches::Ways> Patches::ways(const Layout& from, const Vector& y) const {
  std::vector<Ways> ways;
  ways.reserve(patches_.size());
  const auto travel = [&](int i) { return Vec3(point(y, i) - point(from.x, i)); };
  for (const Patch& p : patches_) {
    Vec3 low = travel(p.nodes[0]), high = low;
    for (const int i : p.nodes) {
      low = low.cwiseMin(travel(i));
      high = high.cwiseMax(travel(i));
    }
    Ways w{.5 * (low + high), 0};
    for (const int i : p.nodes) w.radius = std::max(w.radius, (travel(i) - w.centre).squaredNorm());
    w.radius = std::sqrt(w.radius);
    ways.push_back(w);
  }
  return ways;
}

double Patches::spread(const Layout& from, const Vector& y, double within) const {
  const std::vector<Ways> ways = this->ways(from, y);
  double most = 0, widest = 0;
  for (const Ways& w : ways) widest = std::max(widest, w.radius + (w.centre - ways[0].centre).norm());
  const auto look = [&](std::size_t a, std::size_t b) {
    const double radii = ways[a].radius + ways[b].radius;
    const double centres2 = (ways[a].centre - ways[b].centre).squaredNorm();
    if (radii <= most && centres2 <= (most - radii) * (most - radii)) return;
    const double relative = (radii + std::sqrt(centres2)) * (1 + rounding), need = (within + relative) * (1 + rounding);
    if (apart2(from.boxes[a], from.boxes[b]) < need * need) most = std::max(most, relative);
  };
  if ((within + 2 * widest) * (1 + 4 * rounding) < from.reach)  // no other pair can have met
    for (const auto& [a, b] : from.near) look(ix(a), ix(b));
  else
    for_pairs(look);
  return most;
}

/// With u = y − x, each patch has a gradient G of u, fitted to its nodes and its neighbours. For two points that are d
/// apart at x and come to be d + λ (G d + e), whatever G is,
///
///     |d + λ (G d + e)| ≥ (1 − λ |sym G|) |d| − λ |e|.
///
/// All of it is convex in u, which covers ways between two y.
bool Patches::keep_apart(const Layout& from, const Vector& y, double within, double reach) const {
  if (spread(from, y, within) + within <= reach) return true;
  const std::vector<Ways> ways = this->ways(from, y);
  double widest = 0;
  for (const Ways& w : ways) widest = std::max(widest, w.radius + (w.centre - ways[0].centre).norm());

  struct Flow {
    Vec3 mean = Vec3::Zero();  // way of its nodes [m]
    Mat3 G = Mat3::Zero();
    double rest = 0, shrinks = 0;  // max |e| of its own nodes [m], |sym G|
  };
  std::vector<Flow> flows(patches_.size());
  const auto travel = [&](int i) { return Vec3(point(y, i) - point(from.x, i)); };
  for (std::size_t p = 0; p < patches_.size(); ++p) {
    for (const int i : patches_[p].nodes) {
      flows[p].mean += travel(i);
      flows[p].G += travel(i) * (point(from.x, i) - from.middle[p]).transpose();
    }
    flows[p].mean /= static_cast<double>(patches_[p].nodes.size());
  }
  for (std::size_t k = 0; k < from.joined; ++k) {
    const auto [a, b] = from.near[k];
    const Mat3 both = (flows[ix(b)].mean - flows[ix(a)].mean) * (from.middle[ix(b)] - from.middle[ix(a)]).transpose();
    flows[ix(a)].G += both;
    flows[ix(b)].G += both;
  }
  for (std::size_t p = 0; p < patches_.size(); ++p) {
    Flow& flow = flows[p];
    flow.G = (flow.G * from.moments[p]).eval();
    flow.shrinks = (.5 * (flow.G + flow.G.transpose())).norm();
    for (const int i : patches_[p].nodes)
      flow.rest =
          std::max(flow.rest, (travel(i) - flow.mean - flow.G * (point(from.x, i) - from.middle[p])).squaredNorm());
    flow.rest = std::sqrt(flow.rest);
  }
  const double longest = reach + 2 * widest_radius_;
  bool all = true;
  const auto look = [&](std::size_t a, std::size_t b) {
    const Vec3 apart = ways[b].centre - ways[a].centre;
    const double plain = (ways[a].radius + ways[b].radius + apart.norm()) * (1 + rounding);
    if (!all || within + plain <= reach) return;
    if (const double need = (within + plain) * (1 + rounding); apart2(from.boxes[a], from.boxes[b]) >= need * need)
      return;
    const double e = (flows[b].mean - flows[a].mean - flows[a].G * (from.middle[b] - from.middle[a])).norm() +
                     flows[a].rest + flows[b].rest + (flows[b].G - flows[a].G).norm() * from.size[b];
    all = within + (e + flows[a].shrinks * longest) * (1 + rounding) <= reach;
  };
  if ((within + 2 * widest) * (1 + 4 * rounding) < from.reach)
    for (const auto& [a, b] : from.near) look(ix(a), ix(b));
  else
    for_pairs(look);
  return all;
}

}  // namespace limber
