#include "limber/scene/advice/forecast.hpp"

#include <algorithm>
#include <cmath>

#include "limber/core/names.hpp"
#include "limber/time/catalog.hpp"

namespace limber {
namespace {

/// Equal steps take so much less than those that the estimates allow: pilots see only parts of the motion.
constexpr double prudence = .8;

}  // namespace

Candidate candidate_of(const Scene& scene, const std::string& method, double accuracy) {
  Candidate candidate{scene.method, accuracy};
  if (!same_name(scene.method.name, method)) {
    candidate.method.parameters.clear();
    if (find_method(method).kind != MethodKind::hybrid) candidate.method.modes.reset();
  }
  candidate.method.name = method;
  return candidate;
}

std::optional<std::string> why_unfit(const Leg& leg) {
  if (leg.failed) return "fails: " + *leg.failed;
  if (leg.alarmed) return "gains energy from nowhere";
  if (leg.at_shortest > 0) return "its steps would have to be shorter than the shortest allowed";
  return std::nullopt;
}

Prediction forecast(const Candidate& candidate, const Route& route, const std::vector<Leg>& legs, double duration) {
  Prediction p;
  p.accuracy = candidate.accuracy;
  p.until.emplace_back(route.points[0].t, 0);
  double covered = 0, slowness = 0, steps = 0, lost = 0, attempts = 0;
  Effort effort;  // of all legs
  for (std::size_t k = 0; k < legs.size(); ++k) {
    const Leg& leg = legs[k];
    p.unfit = why_unfit(leg);
    if (p.unfit || !(leg.span > 0)) return p;
    const double end = k + 1 < route.points.size() ? route.points[k + 1].t : route.end;
    const double length = end - route.points[k].t, times = length / leg.span;
    covered += length;
    slowness += times * leg.slowness;
    steps += times * leg.steps;
    lost += times * leg.lost;
    attempts += leg.attempts;
    p.following.counted += times * leg.effort.counted;
    p.following.processor += times * leg.effort.processor;
    effort += leg.effort;
    p.until.emplace_back(end, p.following.counted);
  }
  const double whole = duration / covered, order = find_method(candidate.method.name).order;
  p.following.counted *= whole;
  p.following.processor *= whole;
  p.steps = steps * whole;
  p.mean_step = duration / p.steps;
  p.equal_step = prudence * std::pow(slowness / covered, -1 / order);
  const double count = duration / p.equal_step;
  const double needed = 1 - effort.carrying / effort.counted;
  p.equal = {needed * effort.counted / attempts * count, 0, needed * effort.processor / attempts * count};
  p.energy_lost = route.in_play > 0 ? std::clamp(lost * whole / route.in_play, 0.0, 1.0) : 0;
  return p;
}

double work_until(const std::vector<std::pair<double, double>>& until, double t) {
  for (std::size_t k = 1; k < until.size(); ++k) {
    const auto& [t0, w0] = until[k - 1];
    const auto& [t1, w1] = until[k];
    if (t <= t1 || k + 1 == until.size()) return w0 + (t - t0) / (t1 - t0) * (w1 - w0);
  }
  return 0;
}

Suggestion with_followed_steps(const std::string& method, const Prediction& p) {
  Suggestion s;
  s.method = method;
  s.step = p.mean_step;
  s.accuracy = p.accuracy;
  s.error = p.accuracy;
  s.energy_lost = p.energy_lost;
  s.steps = p.steps;
  s.seconds = p.following.processor;
  s.counted = p.following.counted;
  return s;
}

Suggestion with_equal_steps(const std::string& method, const Prediction& p, double duration) {
  Suggestion s = with_followed_steps(method, p);
  // Two digits are enough, downwards.
  const double unit = std::pow(10, std::floor(std::log10(p.equal_step)) - 1);
  s.step = unit * std::max(1.0, std::floor(p.equal_step / unit + 1e-9));
  s.accuracy.reset();
  s.steps = std::ceil(duration / s.step);
  s.seconds = p.equal.processor * p.equal_step / s.step;
  s.counted = p.equal.counted * p.equal_step / s.step;
  return s;
}

}  // namespace limber
