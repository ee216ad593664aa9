#include "limber/scene/advice/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/core/names.hpp"
#include "limber/scene/advice/forecast.hpp"
#include "limber/time/catalog.hpp"

namespace limber {
namespace {

using Kind = Wish::Kind;

/// What pilots may take: seconds of counted work, and a part of the run where that is more.
constexpr double least_budget = .45, part_of_run = .03;
constexpr double part_for_route = .25, part_to_confirm = .15;
constexpr int most_points = 4;
/// A candidate that costs so much more than the best so far is dropped.
constexpr double hopeless = 2.5;
/// Equal steps are advised where they cost so much less than steps that follow their error.
constexpr double clearly_less = .75;
/// Accuracies that are tried where the wish is about something else, in parts of how far things move.
constexpr double roughest = .1, rough = 1. / 30, finest = 1e-6;

/// From those that serve most scenes to those that serve few: where the budget is short, the last are not tried.
const std::vector<std::string>& usual_candidates() {
  static const std::vector<std::string> names = {
      "TR-BDF2",  "S-newmark",    "STR-SBDF2", "verlet",     "gen-alpha", "RK4",   "newmark",     "SDIRK",
      "SBDF2",    "BDF2",         "SSDIRK",    "S-midpoint", "midpoint",  "SIERE", "S-gen-alpha", "TR-BDF2ERE",
      "SBDF2ERE", "STR-SBDF2ERE", "A-search",  "ERE",        "SI",        "BE"};
  return names;
}

class Adviser {
 public:
  Adviser(const Scene& scene, const Model& model, const AdviceRequest& request)
      : scene_(scene), model_(model), request_(request) {}

  Advice advise();

 private:
  void explore();
  double first_accuracy() const;
  std::vector<std::string> candidates() const;
  double spent() const { return spent_.counted; }
  bool may_go_on(const std::string& what);
  Prediction predict(const std::string& method, double accuracy, double dearest);
  std::optional<Suggestion> for_accuracy(const std::string& method);
  std::optional<Suggestion> for_energy(const std::string& method);
  std::optional<Suggestion> for_time(const std::string& method, double seconds);
  Suggestion followed_or_equal(const std::string& method, const Prediction& p) const;
  void drop(const std::string& method, const std::string& reason) { advice_.dropped.push_back({method, reason}); }
  void sort();
  void confirm();
  bool confirmed(Suggestion& s);

  const Scene& scene_;
  const Model& model_;
  const AdviceRequest& request_;
  Route route_;
  double budget_ = 0, leg_limit_ = 0;  // [s] of counted work
  Effort spent_;
  double least_ = std::numeric_limits<double>::infinity();  // [s] of counted work of the best so far
  std::map<std::string, Prediction> known_;                 // the last of each method
  Advice advice_;
};

bool Adviser::may_go_on(const std::string& what) {
  return !request_.go_on || request_.go_on(std::min(1.0, budget_ > 0 ? spent() / budget_ : 0), what);
}

/// [m] by which the route is run, before it is known how far things move.
double Adviser::first_accuracy() const {
  const double size = model_.system->length_scale();
  constexpr double rougher = 30;
  if (request_.wish.kind != Kind::accuracy) return size * rough * rough;
  return std::clamp(rougher * request_.wish.amount, request_.wish.amount, std::max(request_.wish.amount, .02 * size));
}

void Adviser::explore() {
  const double accuracy = first_accuracy(), duration = scene_.time.duration;
  const auto go_on = [&] { return may_go_on("the route"); };
  budget_ = request_.budget.value_or(least_budget);
  route_ = find_route(scene_, model_, accuracy, most_points, part_for_route * budget_, go_on);
  spent_ += route_.effort;
  const double start = route_.points[0].t, came = route_.end - start;
  if (!request_.budget && came > 0) {
    // A run with TR-BDF2 to the accuracy that is asked for.
    const double finer = request_.wish.kind == Kind::accuracy ? std::sqrt(accuracy / request_.wish.amount) : 1;
    budget_ = std::max(least_budget, part_of_run * finer * route_.effort.counted * duration / came);
    if (came < .999 * duration && part_for_route * budget_ > 1.5 * spent()) {
      route_ = find_route(scene_, model_, accuracy, most_points, part_for_route * budget_, go_on);
      spent_ += route_.effort;
    }
  }
  if (!(route_.end > start))
    throw StepFailure(route_.stopped ? *route_.stopped : std::string("the budget does not last for one step"));
  if (route_.stopped)
    advice_.notes.push_back(fmt::format("TR-BDF2 stops at t = {:.4g} s: {}; what comes later is not in the predictions",
                                        route_.end, *route_.stopped));
  else if (route_.end < start + .999 * duration)
    advice_.notes.push_back(
        fmt::format("the budget of pilots lasts until t = {:.4g} s of {:.4g} s: what comes later is "
                    "taken to be alike",
                    route_.end, start + duration));
  // Whether the budget serves all candidates at all points: a leg takes some ten steps.
  constexpr double steps_in_leg = 12;
  const double a_leg = steps_in_leg * route_.effort.counted / static_cast<double>(std::max(1L, route_.attempts));
  const auto all = candidates();
  const double legs = std::max(1.0, (budget_ - spent()) / std::max(a_leg, 1e-12));
  const auto points = static_cast<std::size_t>(
      std::clamp(std::floor(legs / static_cast<double>(all.size())), 1.0, static_cast<double>(route_.points.size())));
  std::vector<Route::Point> kept;
  for (std::size_t i = 0; i < points; ++i) kept.push_back(route_.points[i * route_.points.size() / points]);
  if (points == 1 && route_.points.size() > 1) kept[0] = route_.points[route_.points.size() / 2];
  route_.points = std::move(kept);
  const double served = std::clamp(legs / static_cast<double>(points), 2.0, static_cast<double>(all.size()));
  leg_limit_ = (budget_ - spent()) / (served * static_cast<double>(points));
}

std::vector<std::string> Adviser::candidates() const {
  return request_.methods.empty() ? usual_candidates() : request_.methods;
}

/// The run, from what the legs did at their points. Ends early where it will cost more than `dearest` [s] of counted
/// work.
Prediction Adviser::predict(const std::string& method, double accuracy, double dearest) {
  const Candidate candidate = candidate_of(scene_, method, accuracy);
  std::vector<Leg> legs;
  Prediction p;
  for (std::size_t k = 0; k < route_.points.size(); ++k) {
    try {
      const auto go_on = [&] { return may_go_on(method); };
      legs.push_back(run_leg(scene_, model_, candidate, route_, k, k + 1, leg_limit_, go_on));
    } catch (const InputError& refused) {
      p.unfit = refused.what();
      return p;
    }
    spent_ += legs.back().all;
    p = known_[method] = forecast(candidate, route_, legs, scene_.time.duration);
    if (p.unfit || std::min(p.following.counted, p.equal.counted) > dearest) return p;
  }
  return p;
}

/// Impacts make equal steps a risk.
Suggestion Adviser::followed_or_equal(const std::string& method, const Prediction& p) const {
  const bool equal =
      !request_.following_only && !route_.touched && p.equal.counted < clearly_less * p.following.counted;
  return equal ? with_equal_steps(method, p, scene_.time.duration) : with_followed_steps(method, p);
}

std::string percent(double share) { return fmt::format("{:.2g} %", 100 * share); }

std::optional<Suggestion> Adviser::for_accuracy(const std::string& method) {
  const Prediction p = predict(method, request_.wish.amount, hopeless * least_);
  if (p.unfit) {
    drop(method, *p.unfit);
    return std::nullopt;
  }
  Suggestion s = followed_or_equal(method, p);
  if (s.counted > hopeless * least_) {
    drop(method, fmt::format("takes {:.2g} times as long", s.counted / least_));
    return std::nullopt;
  }
  return s;
}

std::optional<Suggestion> Adviser::for_energy(const std::string& method) {
  constexpr int tries = 3;
  constexpr double below = .7;
  const double allowed = 1 - request_.wish.amount, extent = std::max(route_.extent, 1e-9);
  double accuracy = rough * extent;
  Prediction p;
  for (int i = 0; i < tries; ++i) {
    p = predict(method, accuracy, hopeless * least_);
    if (p.unfit) {
      drop(method, *p.unfit);
      return std::nullopt;
    }
    if (p.energy_lost <= allowed || std::min(p.following.counted, p.equal.counted) > hopeless * least_) break;
    // The loss falls like h for methods of first order, and like h³ for the others, errors like h and h².
    const double power = find_method(method).order == 1 ? 1 : 1.5;
    accuracy = std::max(accuracy * std::pow(below * allowed / p.energy_lost, 1 / power), finest * extent);
  }
  Suggestion s = followed_or_equal(method, p);
  s.meets = p.energy_lost <= allowed;
  if (s.counted > hopeless * least_) {
    drop(method, s.meets ? fmt::format("takes {:.2g} times as long", s.counted / least_)
                         : fmt::format("still loses {} where it takes {:.2g} times as long", percent(p.energy_lost),
                                       s.counted / least_));
    return std::nullopt;
  }
  return s;
}

/// The smallest error that the method reaches in this time [s of the processor].
std::optional<Suggestion> Adviser::for_time(const std::string& method, double seconds) {
  const bool real_time = request_.wish.kind == Kind::real_time;
  const double extent = std::max(route_.extent, 1e-9), order = find_method(method).order;
  const auto cost = [&](const Prediction& p) { return real_time ? p.equal.processor : p.following.processor; };
  double accuracy = rough * extent;
  Prediction p;
  for (int i = 0; i < 2; ++i) {
    p = predict(method, accuracy, std::numeric_limits<double>::infinity());
    if (p.unfit) {
      drop(method, *p.unfit);
      return std::nullopt;
    }
    constexpr double reserve = .9;
    const double wanted = accuracy * std::pow(cost(p) / (reserve * seconds), order);
    accuracy = std::clamp(wanted, finest * extent, roughest * extent);
    if (i == 0 && wanted > roughest * extent * std::pow(hopeless, order)) break;
  }
  Suggestion s = real_time ? with_equal_steps(method, p, scene_.time.duration) : with_followed_steps(method, p);
  s.meets = s.seconds <= seconds;
  return s;
}

void Adviser::sort() {
  const bool by_error = request_.wish.kind == Kind::time || request_.wish.kind == Kind::real_time;
  const auto better = [&](const Suggestion& a, const Suggestion& b) {
    if (a.meets != b.meets) return a.meets;
    if (by_error && a.meets && a.error != b.error) return a.error < b.error;
    if (request_.wish.kind == Kind::keep_energy && !a.meets) return a.energy_lost < b.energy_lost;
    return a.counted < b.counted;
  };
  std::stable_sort(advice_.suggestions.begin(), advice_.suggestions.end(), better);
}

/// Pilots start from a motion by TR-BDF2, in which nothing rings. So the first suggestion has to prove itself on one
/// way from the start, as far as the budget allows; where that costs more than was predicted, another one may come
/// first.
void Adviser::confirm() {
  constexpr int most = 3;
  for (int i = 0; i < most && !advice_.suggestions.empty(); ++i) {
    sort();
    const std::string first = advice_.suggestions[0].method;
    if (confirmed(advice_.suggestions[0])) {
      sort();
      if (advice_.suggestions[0].method == first) return;
    } else {
      advice_.suggestions.erase(advice_.suggestions.begin());
    }
  }
}

bool Adviser::confirmed(Suggestion& s) {
  if (!s.accuracy) return true;
  const auto go_on = [&] { return may_go_on(s.method); };
  const Leg leg = run_leg(scene_, model_, candidate_of(scene_, s.method, *s.accuracy), route_, 0, route_.points.size(),
                          part_to_confirm * budget_, go_on);
  spent_ += leg.all;
  if (const auto why = why_unfit(leg)) {
    drop(s.method, *why);
    return false;
  }
  const auto& until = known_.at(s.method).until;
  const double end = until[0].first + leg.begin + leg.span;
  const double expected = work_until(until, end) - work_until(until, end - leg.span);
  constexpr double agrees = 1.25;
  if (leg.effort.counted <= agrees * expected) return true;
  const double dearer = leg.effort.counted / expected;
  s.counted *= dearer;
  s.seconds *= dearer;
  s.steps *= dearer;
  s.step /= dearer;
  return true;
}

/// Why a suggestion stands where it stands.
std::string reason(const Suggestion& s, const Suggestion& best, const Wish& wish) {
  const MethodInfo& method = find_method(s.method);
  std::string text = method.kind == MethodKind::explicit_ ? "explicit: no systems to solve, but short steps"
                                                          : fmt::format("{}, {} solve{} a step", to_string(method.kind),
                                                                        method.stages, method.stages == 1 ? "" : "s");
  if (method.kind == MethodKind::exponential) text = "exponential: no systems to solve";
  text += fmt::format(", {:.0f} steps", s.steps);
  if (!s.meets && wish.kind == Kind::keep_energy)
    text += fmt::format("; keeps only {} of the energy", percent(1 - s.energy_lost));
  if (!s.meets && (wish.kind == Kind::time || wish.kind == Kind::real_time)) text += "; takes longer than that";
  if (&s != &best && s.meets && best.counted > 0 && wish.kind != Kind::time && wish.kind != Kind::real_time)
    text += fmt::format("; {:.1f} times the work of the first", s.counted / best.counted);
  return text;
}

Advice Adviser::advise() {
  advice_.wish = request_.wish;
  advice_.duration = scene_.time.duration;
  const auto all = candidates();
  try {
    explore();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string& method = find_method(all[i]).name;
      if (i >= 2 && spent() > budget_) {
        drop(method, "not tried: the budget of pilots is spent");
        continue;
      }
      std::optional<Suggestion> s;
      switch (request_.wish.kind) {
        case Kind::accuracy:
          s = for_accuracy(method);
          break;
        case Kind::keep_energy:
          s = for_energy(method);
          break;
        case Kind::time:
          s = for_time(method, request_.wish.amount);
          break;
        case Kind::real_time:
          s = for_time(method, scene_.time.duration);
          break;
      }
      if (!s) continue;
      if (s->meets) least_ = std::min(least_, s->counted);
      advice_.suggestions.push_back(*std::move(s));
    }
    if (request_.wish.kind == Kind::accuracy || request_.wish.kind == Kind::keep_energy) confirm();
  } catch (const Interrupted&) {
    advice_.interrupted = true;
    advice_.notes.push_back("interrupted: only what was tried until then is in the table");
  }
  sort();
  if (advice_.suggestions.empty() && !advice_.interrupted) {
    std::vector<std::string> reasons;
    for (const Dropped& d : advice_.dropped) reasons.push_back(d.method + ": " + d.reason);
    throw StepFailure("no candidate moves this scene; " + join(reasons, "; "));
  }
  for (Suggestion& s : advice_.suggestions) s.reason = reason(s, advice_.suggestions[0], request_.wish);
  advice_.pilots = spent_.processor;
  return std::move(advice_);
}

void require_possible(const Scene& scene, const Model& model, const AdviceRequest& request) {
  const Wish& wish = request.wish;
  if (!(scene.time.duration > 0)) throw InputError("time.duration", "is 0; advice is about a motion that lasts");
  const double least = 1e-9 * model.system->length_scale();
  if (wish.kind == Kind::accuracy && !(wish.amount >= least))
    throw InputError("accuracy", fmt::format("{:.3g} m cannot be told from rounding in a scene of {:.3g} m; the least "
                                             "possible is {:.3g} m",
                                             wish.amount, model.system->length_scale(), least));
  if (wish.kind == Kind::keep_energy && !(wish.amount > 0 && wish.amount < 1))
    throw InputError("keep_energy", fmt::format("{:g} is outside (0, 1), or 0 % to 100 %", wish.amount));
  if (wish.kind == Kind::time && !(wish.amount > 0))
    throw InputError("time", fmt::format("{:g} s is not above 0", wish.amount));
  for (const std::string& name : request.methods) find_method(name);
}

}  // namespace

Advice advise(const Scene& scene, const Model& model, const AdviceRequest& request) {
  require_possible(scene, model, request);
  return Adviser(scene, model, request).advise();
}

}  // namespace limber
