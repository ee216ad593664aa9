#include "limber/contact/geometry/colliding_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "limber/contact/geometry/ccd.hpp"
#include "limber/contact/geometry/pair_pieces.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

using Kind = Collision::Kind;

constexpr double surely_free = .89;  // of a gap: who comes no nearer than this keeps a tenth, rounding included
constexpr double steps_ahead = 6;    // from where a step begins to where such a search is made

}  // namespace

/// The order of their features; equal ones stay in theirs.
std::vector<std::size_t> CollidingPairs::by_features(const std::vector<Shared>& shared) const {
  if (shared.empty()) return {};
  std::vector<std::size_t> end(scene_.surface.object.size() + 1, 0);  // of those that have this node first
  for (const Shared& s : shared) ++end[ix(s.features[0]) + 1];
  for (std::size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
  std::vector<std::size_t> order(shared.size());
  for (std::size_t k = 0; k < shared.size(); ++k) order[end[ix(shared[k].features[0])]++] = k;
  in_pieces(
      end.size() - 1, pairs_a_piece,
      [&](std::size_t node) {
        const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
        std::sort(at(node == 0 ? 0 : end[node - 1]), at(end[node]), [&](std::size_t a, std::size_t b) {
          return std::tie(shared[a].features, a) < std::tie(shared[b].features, b);
        });
      },
      10);
  return order;
}

void CollidingPairs::find(const Vector& x, double within, std::vector<Collision>& found) const {
  const auto searched = searches_.need(x, searches_.least_reach());
  const Search& near = *searched;
  const Vector travel = x - near.x();
  std::vector<MetPair> alone;
  std::vector<Shared> shared;
  for (std::size_t k = 0; k < near.pairs.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    const auto& list = near.pairs[k];
    const auto some = collect<Shared>(list.size(), [&](std::size_t i, std::vector<Shared>& out) {
      const Candidate& c = list[i];
      if (c.gap > within && c.gap - approach(kind, c.nodes, travel) > within * (1 + 1e-6)) return;
      const auto met = meet(scene_, kind, c.nodes, x, within);
      if (!met) return;
      // A mollifier is that of two edges alone.
      out.push_back({met->eps_x != 0 ? PairFeatures{-1, -1, -1}
                                     : nearest_features(kind, c.nodes, nearest_points(kind, c.nodes, x)),
                     *met});
    });
    for (const Shared& s : some)
      if (s.features[0] < 0)
        alone.push_back(s.met);
      else
        shared.push_back(s);
  }
  const std::vector<std::size_t> order = by_features(shared);
  std::vector<std::size_t> first;  // in this order, of those that share their features
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || shared[order[i]].features != shared[order[i - 1]].features) first.push_back(i);
  first.push_back(order.size());
  const std::size_t count = alone.size();
  found.resize(count + first.size() - 1);
  in_pieces(
      found.size(), pairs_a_piece,
      [&](std::size_t i) {
        if (i < count) {
          found[i] = collide(scene_, alone[i], x);
          return;
        }
        const Shared& one = shared[order[first[i - count]]];
        found[i] = reduced(scene_, collide(scene_, one.met, x), one.features);
        found[i].pairs = static_cast<int>(first[i - count + 1] - first[i - count]);
      },
      200);
  std::erase_if(found, [&](const Collision& c) { return !(c.gap < within); });
}

std::vector<Collision> CollidingPairs::near(const Vector& x, double within) const {
  // Long lists are not kept: all that asks for near pairs would go through them.
  const bool far = within > searches_.least_reach() + 2 * searches_.longest_reach();
  const auto searched = far ? searches_.made(x, within, within) : searches_.need(x, within);
  const Search& close = *searched;
  const Vector travel = x - close.x();
  std::vector<Collision> found;
  for (std::size_t k = 0; k < close.pairs.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    const auto some = collect<Collision>(close.pairs[k].size(), [&](std::size_t i, std::vector<Collision>& out) {
      const Candidate& c = close.pairs[k][i];
      if (c.gap > within && c.gap - approach(kind, c.nodes, travel) > within * (1 + 1e-6)) return;
      if (const auto met = meet(scene_, kind, c.nodes, x, within)) out.push_back(collide(scene_, *met, x));
    });
    found.insert(found.end(), some.begin(), some.end());
  }
  std::erase_if(found, [&](const Collision& c) { return !(c.gap < within); });
  return found;
}

std::vector<PairNodes> CollidingPairs::nodes_of_near(const Vector& x) const {
  const double within = searches_.least_reach();
  const auto near = searches_.need(x, within);
  const Vector travel = x - near->x();
  std::vector<PairNodes> found;
  for (std::size_t k = 0; k < near->pairs.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    for (const Candidate& c : near->pairs[k])
      if (c.gap - approach(kind, c.nodes, travel) <= within * (1 + 1e-6) &&
          std::sqrt(distance2(kind, c.nodes, x)) - thickness(scene_.surface, kind, c.nodes) < within)
        found.push_back(c.nodes);
  }
  return found;
}

double CollidingPairs::pair_step(Kind kind, const PairNodes& n, const Vector& x0, const Vector& x1) const {
  const double xi = thickness(scene_.surface, kind, n), most = scene_.delta;
  const auto a = [&](int i) { return point(x0, n[ix(i)]); };
  const auto b = [&](int i) { return point(x1, n[ix(i)]); };
  switch (kind) {
    case Kind::point_triangle:
      return safe_step_point_triangle({a(0), a(1), a(2), a(3)}, {b(0), b(1), b(2), b(3)}, least_kept, xi, most);
    case Kind::edge_edge:
      return safe_step_edge_edge({a(0), a(1), a(2), a(3)}, {b(0), b(1), b(2), b(3)}, least_kept, xi, most);
    case Kind::point_edge:
      return safe_step_point_edge({a(0), a(1), a(2)}, {b(0), b(1), b(2)}, least_kept, xi);
    default:
      return safe_step_point_point({a(0), a(1)}, {b(0), b(1)}, least_kept, xi, most);
  }
}

double CollidingPairs::step_of_all(const Candidates& pairs, const Vector& x0, const Vector& x1) const {
  const auto step = [&](Kind kind, const std::vector<std::array<int, 2>>& some) {
    return smallest(some.size(),
                    [&](std::size_t i) { return pair_step(kind, nodes_of(scene_.surface, kind, some[i]), x0, x1); });
  };
  return std::min({step(Kind::point_triangle, pairs.point_triangle), step(Kind::edge_edge, pairs.edge_edge),
                   step(Kind::point_edge, pairs.point_edge), step(Kind::point_point, pairs.point_point)});
}

double CollidingPairs::step_of_near(const Search& near, const Vector& x0, const Vector& x1) const {
  const Vector before = x0 - near.x(), motion = x1 - x0;
  const double slack = 64 * std::numeric_limits<double>::epsilon() * x0.lpNorm<Eigen::Infinity>();  // of distances
  double step = 1;
  for (std::size_t k = 0; k < near.pairs.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    const auto& list = near.pairs[k];
    step = std::min(step, smallest(list.size(), [&](std::size_t i) {
                      const Candidate& c = list[i];
                      const double gap = c.gap - approach(kind, c.nodes, before) - slack;
                      if (approach(kind, c.nodes, motion) <= surely_free * gap) return 1.0;
                      return pair_step(kind, c.nodes, x0, x1);
                    }));
  }
  return step;
}

/// Which pairs are looked at must not show in the result: those beyond the boxes and the candidates keep their share.
double CollidingPairs::max_step(const Vector& x, const Vector& end, Way way) const {
  const double least = searches_.least_reach();
  auto near = searches_.recall(x, end, least);
  if (!near) {
    const Patches& patches = searches_.patches();
    const double travel = patches.spread(patches.layout(x, 0, false), end, least);
    if (travel > 2 * searches_.longest_reach())
      return searches_.on_the_way(x, end, least_kept * scene_.delta,
                                  [&](const Candidates& pairs) { return step_of_all(pairs, x, end); });
    // Of a whole step: what serves some steps ahead serves here as well, and for longer.
    if (way == Way::step && searches_.finds_little()) {
      searches_.search(x + steps_ahead * (end - x), travel, least);
      near = searches_.recall(x, end, least);
    }
    if (!near) near = searches_.search(x, travel, least);
  }
  return step_of_near(*near, x, end);
}

}  // namespace limber
