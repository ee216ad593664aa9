#pragma once  // internal
/// What a run will cost and lose, from what pilots did on parts of it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "limber/scene/advice/advise.hpp"
#include "limber/scene/advice/pilot.hpp"

namespace limber {

/// What pilots say of a candidate at some accuracy.
struct Prediction {
  double accuracy = 0;      // [m]
  Effort following, equal;  // of the run, with steps that follow their error, and with equal ones
  double mean_step = 0, equal_step = 0, steps = 0;    // [s]
  double energy_lost = 0;                             // share
  std::optional<std::string> unfit = {};              // why it cannot serve
  std::vector<std::pair<double, double>> until = {};  // times [s], and the counted work of `following` until then
};

/// The method with the scene's own settings, as far as they are its own too.
Candidate candidate_of(const Scene& scene, const std::string& method, double accuracy);

/// Why a method that did this cannot serve; nothing if it can.
std::optional<std::string> why_unfit(const Leg& leg);

/// The run of this duration [s], if each leg, from the first point of the route on, is typical of what comes until the
/// next point.
Prediction forecast(const Candidate& candidate, const Route& route, const std::vector<Leg>& legs, double duration);

/// Counted work [s] until the time t: on straight lines between the times of Prediction::until.
double work_until(const std::vector<std::pair<double, double>>& until, double t);

Suggestion with_followed_steps(const std::string& method, const Prediction& p);
Suggestion with_equal_steps(const std::string& method, const Prediction& p, double duration);

}  // namespace limber
