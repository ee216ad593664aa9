#include "limber/contact/geometry/patches.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr std::size_t patches_in_all = 128;  // about; every object has one at least
constexpr std::size_t least_nodes = 8;       // of a patch that is cut

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

/// The straight ways of a patch's nodes lie in this ball.
struct Ways {
  Vec3 centre;
  double radius;
};

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

std::vector<Bounds> Patches::boxes(const Vector& x) const {
  std::vector<Bounds> all(patches_.size());
  for (std::size_t p = 0; p < patches_.size(); ++p)
    for (const int i : patches_[p].nodes) {
      const double r = radius_[ix(i)];
      const Vec3 at = point(x, i);
      all[p].include({{at[0] - r, at[1] - r, at[2] - r}, {at[0] + r, at[1] + r, at[2] + r}});
    }
  return all;
}

double Patches::spread(const std::vector<Bounds>& boxes, const Vector& x, const Vector& y, double within) const {
  std::vector<Ways> ways;
  ways.reserve(patches_.size());
  const auto travel = [&](int i) { return Vec3(point(y, i) - point(x, i)); };
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
  constexpr double rounding = 1e-12;
  double most = 0;
  for (std::size_t a = 0; a < patches_.size(); ++a) {
    const auto& may = may_[ix(patches_[a].object)];
    for (std::size_t b = 0; b <= a; ++b) {
      const double radii = ways[a].radius + ways[b].radius;
      if (!may[ix(patches_[b].object)]) continue;
      const double centres2 = (ways[a].centre - ways[b].centre).squaredNorm();
      if (radii <= most && centres2 <= (most - radii) * (most - radii)) continue;
      const double relative = (radii + std::sqrt(centres2)) * (1 + rounding),
                   need = (within + relative) * (1 + rounding);
      if (apart2(boxes[a], boxes[b]) < need * need) most = std::max(most, relative);
    }
  }
  return most;
}

}  // namespace limber
