#include "limber/contact/smooth/smooth_contacts.hpp"

#include <algorithm>
#include <map>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr std::size_t contacts_a_piece = 8;  // that one piece of work evaluates

}  // namespace

SmoothContacts::SmoothContacts(std::shared_ptr<const Collisions> collisions)
    : collisions_(std::move(collisions)), neighbours_(collisions_->scene()) {}

HeldList<SmoothContact> SmoothContacts::at(const Vector& q, double t) const {
  return HeldList<SmoothContact>(found_.at_in_place(ConfigurationAt{q, t}, [&](std::vector<SmoothContact>& contacts) {
    const auto found = neighbours_.at(collisions_->positions(q, t));
    std::vector<SmoothNeighbours::Near> list = found->near;
    std::erase_if(list, [&](const auto& n) { return !(n.gap < delta()); });
    contacts.resize(list.size());  // each keeps its memory
    in_pieces(list.size(), contacts_a_piece, [&](std::size_t i) {
      const auto& p = *list[i].pair;
      SmoothContact& c = contacts[i];
      c.objects = neighbours_.objects(p);
      found->surface(p).evaluate(p.node, p.triangles, c.local);
      c.gap = c.local.d - neighbours_.radii(p);
    });
  }));
}

std::vector<SmoothContacts::Gap> SmoothContacts::gaps(const Vector& q, double t) const {
  const auto found = neighbours_.at(collisions_->positions(q, t));
  std::vector<Gap> list;
  for (const auto& n : found->near)
    if (n.gap < delta()) list.push_back({neighbours_.objects(*n.pair), n.gap});
  return list;
}

void SmoothContacts::couple(const std::vector<std::vector<int>>& groups,
                            std::vector<std::pair<int, int>>& pairs) const {
  const std::size_t N = ix(collisions_->scene().body_nodes);
  std::vector<std::vector<std::size_t>> of_node(N);
  for (std::size_t k = 0; k < groups.size(); ++k)
    for (const int node : groups[k])
      if (ix(node) < N) of_node[ix(node)].push_back(k);
  std::vector<int> last(N, -1);  // that the node was paired with
  for (int a = 0; a < static_cast<int>(N); ++a)
    for (const std::size_t k : of_node[ix(a)])
      for (const int b : groups[k])
        if (b < a && last[ix(b)] != a) {
          last[ix(b)] = a;
          pairs.emplace_back(a, b);
        }
}

void SmoothContacts::add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now) const {
  std::vector<std::vector<int>> groups;
  for (const SmoothContact& c : at(q, t)) groups.push_back(c.local.nodes);
  couple(groups, now);
}

void SmoothContacts::add_couplings_soon(const Vector& q, double t, std::vector<std::pair<int, int>>& soon) const {
  std::vector<std::vector<int>> groups;
  const auto found = neighbours_.at(collisions_->positions(q, t));
  for (const auto& n : found->near)
    groups.push_back(found->surface(*n.pair).nodes_around(n.pair->node, n.pair->triangles));
  couple(groups, soon);
}

double SmoothContacts::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  const Vector x0 = collisions_->positions(q, t0), way = collisions_->positions(q + dq, t1) - x0;
  std::map<std::array<int, 2>, double> before;  // gaps by node and surface
  auto start = neighbours_.at(x0);
  for (const auto& n : start->near) before[{n.pair->node, n.pair->surface}] = std::min(n.gap, delta());
  start.reset();  // its memory serves again
  double s = 1;
  for (int tries = 0; tries < 60; ++tries, s /= 2) {
    const auto close = neighbours_.at(x0 + s * way);
    if (std::all_of(close->near.begin(), close->near.end(), [&](const SmoothNeighbours::Near& n) {
          const auto was = before.find({n.pair->node, n.pair->surface});
          return n.gap >= least_kept * (was == before.end() ? delta() : was->second);
        }))
      return s;
  }
  return s;
}

double stand_off(const std::vector<std::array<int, 3>>& triangles, const Vector& rest, double radius) {
  constexpr double step = .02, most = .3;
  const SmoothSurface phi(triangles, rest, radius);
  double worst = 0;
  for (const auto& t : triangles) {
    const Vec3 n = (point(rest, t[1]) - point(rest, t[0])).cross(point(rest, t[2]) - point(rest, t[0])).normalized();
    const Vec3 c = centroid(t, rest);
    for (const Vec3& x :
         {c, Vec3((c + point(rest, t[0])) / 2), Vec3((c + point(rest, t[1])) / 2), Vec3((c + point(rest, t[2])) / 2)})
      while (worst <= most && !(phi.value(x + worst * radius * n).value_or(radius) > 0)) worst += step;
  }
  return worst;
}

}  // namespace limber
