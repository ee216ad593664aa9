#include "limber/model/near_pairs.hpp"

#include <algorithm>
#include <string>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"

namespace limber {
namespace {

constexpr double least_weight = 1e-16;  // of a node in a gap, squared

}  // namespace

GapConstraints NearPairs::at(const State& u, double until, double distance) {
  const UnknownMap& map = system_.map();
  const State all = system_.full(u);
  if (map.scripted())
    for (const Vector moved = map.prescribed(until).x - map.prescribed(u.t).x; const int i : map.prescribed_nodes())
      distance = std::max(distance, block(moved, map.prescribed_index(i)).norm());
  GapConstraints c;
  c.contact = source_->contact();
  std::vector<double> gap, rate;
  std::vector<Eigen::Triplet<double>> entries;
  const std::vector<Gap> near = source_->near(all, until, distance);
  count_ = near.size();
  for (std::size_t number = 0; number < near.size(); ++number) {
    const Gap& g = near[number];
    const int row = static_cast<int>(gap.size());
    double by_script = g.rate, weight = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      if (g.nodes[a] < 0) continue;
      const int node = g.nodes[a], f = map.free_index()[ix(node)];
      const Vec3 free = map.free_part(node, g.gradient[a]);
      if (map.prescribed_index(node) >= 0) by_script += (g.gradient[a] - free).dot(block(all.v, node));
      if (f < 0) continue;
      if (const double part = free.squaredNorm(); part > least_weight) {
        weight += part;
        map.ties().for_terms(f, [&](int unknown, double w) {
          for (int j = 0; j < 3; ++j) entries.emplace_back(row, 3 * unknown + j, w * free[j]);
        });
      }
    }
    if (weight > 0) {
      gap.push_back(g.value);
      rate.push_back(by_script);
      c.source.push_back(static_cast<int>(number));
    } else if (g.value + (until - u.t) * by_script < 0) {
      throw StepFailure((g.rate != 0 ? "an obstacle" : "a script") +
                        std::string(" runs into something that cannot yield"));
    }
  }
  const auto count = static_cast<Index>(gap.size());
  c.gap = Eigen::Map<const Vector>(gap.data(), count);
  c.rate = Eigen::Map<const Vector>(rate.data(), count);
  c.G.resize(count, system_.size());
  c.G.setFromTriplets(entries.begin(), entries.end());
  return c;
}

void NearPairs::report_forces(const GapConstraints& gaps, const Vector& forces) {
  std::vector<double> all(count_, 0);
  for (std::size_t i = 0; i < gaps.source.size(); ++i) all[ix(gaps.source[i])] = forces[static_cast<Index>(i)];
  source_->report_forces(std::move(all));
}

}  // namespace limber
