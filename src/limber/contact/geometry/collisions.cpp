#include "limber/contact/geometry/collisions.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr double smooth_share = .1;  // of δ, beside smooth surfaces

/// All pairs of these nodes, those of obstacles left out.
void couple(const std::array<int, 4>& nodes, int body_nodes, std::vector<std::pair<int, int>>& pairs) {
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (nodes[a] >= 0 && nodes[b] >= 0 && nodes[a] < body_nodes && nodes[b] < body_nodes)
        pairs.emplace_back(nodes[a], nodes[b]);
}

}  // namespace

Collisions::Collisions(ContactScene scene)
    : scene_(std::move(scene)), motion_(scene_), obstacles_(scene_), pairs_(scene_) {}

double Collisions::delta(const Collision& c) const {
  if (scene_.smooth.empty() || c.kind == Collision::Kind::obstacle) return scene_.delta;
  const auto [a, b] = c.objects;
  return scene_.smooth[ix(a)][ix(b)] || scene_.smooth[ix(b)][ix(a)] ? smooth_share * scene_.delta : scene_.delta;
}

std::shared_ptr<const Collisions::Found> Collisions::found(const Vector& q, double t) const {
  return found_.at_in_place(ConfigurationAt{q, t}, [&](Found& found) {
    pairs_.find(motion_.finite_positions(q, t), scene_.delta, found.all);
    obstacles_.find(q, t, scene_.delta, found.all);
    if (!scene_.smooth.empty()) std::erase_if(found.all, [&](const Collision& c) { return c.gap >= delta(c); });
    found.own.clear();
    if (scene_.processes > 1)  // by its nodes, so that a collision stays with its process
      std::copy_if(found.all.begin(), found.all.end(), std::back_inserter(found.own), [&](const Collision& c) {
        return std::accumulate(c.nodes.begin(), c.nodes.begin() + c.count, 0) % scene_.processes == scene_.process;
      });
  });
}

HeldList<Collision> Collisions::at(const Vector& q, double t) const {
  const auto all = found(q, t);
  return HeldList<Collision>({all, &all->all});
}

HeldList<Collision> Collisions::own(const Vector& q, double t) const {
  const auto all = found(q, t);
  return HeldList<Collision>({all, scene_.processes > 1 ? &all->own : &all->all});
}

std::optional<Collision> Collisions::nearest(const Vector& q, double t) const {
  std::vector<Collision> near;
  pairs_.find(positions(q, t), pairs_.reach(), near);
  obstacles_.find(q, t, pairs_.reach(), near);
  const auto least =
      std::min_element(near.begin(), near.end(), [](const Collision& a, const Collision& b) { return a.gap < b.gap; });
  return least == near.end() ? std::nullopt : std::optional(*least);
}

std::vector<Collision> Collisions::near(const Vector& q, double t, double within) const {
  std::vector<Collision> found = pairs_.near(positions(q, t), within);
  obstacles_.find(q, t, within, found);
  return found;
}

void Collisions::add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now) const {
  for (const Collision& c : at(q, t)) couple(c.nodes, scene_.body_nodes, now);
}

void Collisions::add_couplings_soon(const Vector& q, double t, std::vector<std::pair<int, int>>& soon) const {
  for (const PairNodes& nodes : pairs_.nodes_of_near(positions(q, t))) couple(nodes, scene_.body_nodes, soon);
}

double Collisions::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  if (const int pieces = motion_.turning_pieces(t0, t1); pieces > 1) {
    for (int k = 0; k < pieces; ++k) {
      const double from = static_cast<double>(k) / pieces, part = 1.0 / pieces;
      const double begin = t0 + from * (t1 - t0), end = k + 1 == pieces ? t1 : t0 + (from + part) * (t1 - t0);
      const double s = max_step(q + from * dq, part * dq, begin, end);
      if (s < 1) return from + s * part;
    }
    return 1;
  }
  const Vector x0 = motion_.finite_positions(q, t0), x1 = motion_.finite_positions(q + dq, t1);
  // Obstacles first: they are cheap, and a shorter way has fewer candidates.
  const double s = obstacles_.max_step(q, dq, t0, t1);
  const Vector end = s < 1 ? Vector(x0 + s * (x1 - x0)) : x1;
  return s * pairs_.max_step(x0, end, t0 == t1 ? CollidingPairs::Way::correction : CollidingPairs::Way::step);
}

}  // namespace limber
