#include "limber/gradient/learnt_changes.hpp"

#include <algorithm>
#include <cmath>

#include "limber/gradient/parameter_variation.hpp"
#include "limber/gradient/stage_tangent.hpp"

namespace limber {
namespace {

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double a : x) most = std::max(most, std::abs(a));
  return most;
}

}  // namespace

ForceMemories sum(const ForceMemories& x, double c, const ForceMemories& y) {
  ForceMemories z = x;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    for (std::size_t k = 0; k < std::min(x[i].size(), y[i].size()); ++k) z[i][k] += c * y[i][k];
  return z;
}

LearntChanges::LearntChanges(MechanicalSystem& system, Index directions)
    : system_(system), directions_(static_cast<std::size_t>(directions)) {}

void LearntChanges::set(const State& u, const ForceMemories& memories) {
  system_.forces().restore(memories);
  system_.begin_step(u);
}

void LearntChanges::begin_step(const State& u, const StateChange& change, double h, const ForceMemories& before,
                               const ForceMemories& within, const std::vector<ForceMemories>& by_parameters) {
  constexpr double relative = 1e-5;
  const double length = system_.length_scale();
  start_ = u;
  within_ = within;
  for (std::size_t j = 0; j < directions_.size(); ++j) {
    Direction& d = directions_[j];
    const Vector dq = change.q.col(static_cast<Index>(j)), dv = change.v.col(static_cast<Index>(j));
    double size = std::max(dq.lpNorm<Eigen::Infinity>(), h * dv.lpNorm<Eigen::Infinity>()) / length;
    // Relative to what is known within the step: what is known before the first one may be rounding.
    for (std::size_t i = 0; i < std::min(within.size(), d.change.size()); ++i)
      if (const double most = largest(within[i]); most > 0) size = std::max(size, largest(d.change[i]) / most);
    d.step = size > 0 ? relative / size : 0;
    ForceMemories next(within.size());
    if (d.step > 0) {
      d.ahead = {u.q + d.step * dq, u.v + d.step * dv, u.t};
      d.behind = {u.q - d.step * dq, u.v - d.step * dv, u.t};
      set(d.ahead, sum(before, d.step, d.change));
      next = system_.forces().memories();
      set(d.behind, sum(before, -d.step, d.change));
      const ForceMemories behind = system_.forces().memories();
      for (std::size_t i = 0; i < next.size(); ++i)
        for (std::size_t k = 0; k < next[i].size(); ++k) next[i][k] = (next[i][k] - behind[i][k]) / (2 * d.step);
      d.memory_ahead = sum(within, d.step, next);
      d.memory_behind = sum(within, -d.step, next);
    }
    for (std::size_t i = 0; i < next.size(); ++i) next[i].resize(within[i].size(), 0);
    d.change = sum(next, 1, by_parameters[j]);
  }
  set(start_, within_);
}

void LearntChanges::add_sources(const CallEquation& equation, Matrix& to) {
  const auto value = [&] {
    Vector g = Vector::Zero(equation.x.size());
    for (const ForceTerm& term : equation.terms)
      g += evaluated(term, system_.length_scale(), [&](const State& u) { return force_of(system_, term.of, u); });
    return g;
  };
  for (std::size_t j = 0; j < directions_.size(); ++j) {
    const Direction& d = directions_[j];
    if (d.step == 0) continue;
    set(d.ahead, d.memory_ahead);
    const Vector ahead = value();
    set(d.behind, d.memory_behind);
    to.col(static_cast<Index>(j)) += (ahead - value()) / (2 * d.step);
  }
  set(start_, within_);
}

}  // namespace limber
