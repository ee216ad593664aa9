#include "limber/scene/gradient/observed_probes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"

namespace limber {

void require_time_within(double t, const DifferentiableRun& run, const std::string& where) {
  const double start = run.model().start.t, end = start + run.scene().time.duration;
  if (!(t >= start - time_tolerance && t <= end + time_tolerance))
    throw InputError(where, fmt::format("t = {:.6g} s lies outside the run, from {:.6g} to {:.6g} s; "
                                        "set time.duration",
                                        t, start, end));
}

std::vector<const Probe*> observed_probes(const Observations& observed, const DifferentiableRun& run) {
  std::vector<std::string> names;
  for (const Probe& p : run.model().probes) names.push_back(p.name);
  if (names.empty())
    throw InputError("output.probes", "is empty: the columns of the observations are probes of the scene");
  observed.require_probes(names);
  for (const double t : observed.times) require_time_within(t, run, observed.source);
  std::vector<const Probe*> probes;
  for (const ObservedColumn& column : observed.columns)
    for (const Probe& probe : run.model().probes)
      if (probe.name == column.probe) probes.push_back(&probe);
  return probes;
}

void add_probe_adjoint(const Probe& probe, const Vector& q, const Vec3& g, Vector& to) {
  for (std::size_t k = 0; k < probe.nodes.size(); ++k) block(to, probe.nodes[k]) += probe.weights[k] * g;
  if (probe.height == 0) return;
  // The normal of a sheet turns too: what its place depends on beside the mean, by differences.
  const double edge = (point(q, probe.nodes[0]) - point(q, probe.nodes[1])).norm(), e = 1e-5 * edge;
  Vector moved = q;
  for (std::size_t k = 0; k < 3; ++k)
    for (int axis = 0; axis < 3; ++axis) {
      double& x = moved[3 * static_cast<Index>(probe.nodes[k]) + axis];
      const double here = x;
      const auto over = [&](double step) {
        x = here + step;
        const Vec3 ahead = probe.at(moved);
        x = here - step;
        const Vec3 behind = probe.at(moved);
        x = here;
        return Vec3((ahead - behind) / (2 * step));
      };
      const Vec3 change = (4 * over(e) - over(2 * e)) / 3 - probe.weights[k] * Vec3::Unit(axis);
      to[3 * static_cast<Index>(probe.nodes[k]) + axis] += g.dot(change);
    }
}

}  // namespace limber
