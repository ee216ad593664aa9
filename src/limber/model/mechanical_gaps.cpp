#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {
namespace {

constexpr double least_weight = 1e-16;  // of a node in a gap, squared

}  // namespace

GapConstraints MechanicalSystem::gaps(const State& u, double until, double way) const {
  if (!gaps_) return {};
  const State all = full(u);
  if (scripted_)
    for (const Vector moved = prescribed(until).x - prescribed(u.t).x; const int i : prescribed_nodes_)
      way = std::max(way, block(moved, prescribed_index_[ix(i)]).norm());
  GapConstraints c;
  c.contact = gaps_->contact();
  std::vector<double> gap, rate;
  std::vector<Eigen::Triplet<double>> entries;
  const std::vector<Gap> near = gaps_->near(all, until, way);
  near_ = near.size();
  for (std::size_t number = 0; number < near.size(); ++number) {
    const Gap& g = near[number];
    const int row = static_cast<int>(gap.size());
    double by_script = g.rate, weight = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      if (g.nodes[a] < 0) continue;
      const int f = free_index_[ix(g.nodes[a])];
      if (f < 0) {
        by_script += g.gradient[a].dot(block(all.v, g.nodes[a]));
      } else if (const double part = g.gradient[a].squaredNorm(); part > least_weight) {
        weight += part;
        for (const auto& [unknown, w] : ties_.terms(f))
          for (int j = 0; j < 3; ++j) entries.emplace_back(row, 3 * unknown + j, w * g.gradient[a][j]);
      }
    }
    if (weight > 0) {
      gap.push_back(g.value);
      rate.push_back(by_script);
      c.source.push_back(static_cast<int>(number));
    } else if (g.value + (until - u.t) * by_script < 0) {
      throw StepFailure("what is prescribed (a script or an obstacle) runs into something that cannot yield");
    }
  }
  const auto count = static_cast<Index>(gap.size());
  c.gap = Eigen::Map<const Vector>(gap.data(), count);
  c.rate = Eigen::Map<const Vector>(rate.data(), count);
  c.G.resize(count, size());
  c.G.setFromTriplets(entries.begin(), entries.end());
  return c;
}

void MechanicalSystem::bear(const GapConstraints& gaps, const Vector& forces) const {
  std::vector<double> all(near_, 0);
  for (std::size_t i = 0; i < gaps.source.size(); ++i) all[ix(gaps.source[i])] = forces[static_cast<Index>(i)];
  gaps_->bear(std::move(all));
}

}  // namespace limber
