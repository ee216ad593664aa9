#include "limber/sim/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

void require_length(const std::string& entry, Index length, Index expected) {
  if (length != expected) throw InputError(entry, fmt::format("has {} numbers, expected {}", length, expected));
}

void require_finite(const std::string& entry, double x) {
  if (!std::isfinite(x)) throw InputError(entry, fmt::format("is {}, not a finite number", x));
}

template <class Numbers>
void require_all_finite(const std::string& entry, const Numbers& x) {
  const auto *begin = x.data(), *end = begin + x.size();
  const auto wrong = std::find_if(begin, end, [](double number) { return !std::isfinite(number); });
  if (wrong != end) require_finite(fmt::format("{}[{}]", entry, wrong - begin), *wrong);
}

void require_sound(const std::vector<State>& history, std::optional<double> now, const SnapshotFit& fit) {
  if (history.empty()) throw InputError("history", "has no state");
  if (history.size() > fit.most_states)
    throw InputError("history", fmt::format("has {} states, the method keeps {}", history.size(), fit.most_states));
  const Index n = history[0].q.size();
  for (std::size_t i = 0; i < history.size(); ++i) {
    const State& u = history[i];
    const auto entry = [i](const char* part) { return fmt::format("history[{}].{}", i, part); };
    require_length(entry("q"), u.q.size(), n);
    require_length(entry("v"), u.v.size(), n);
    if (u.a.size() > 0) require_length(entry("a"), u.a.size(), n);
    require_all_finite(entry("q"), u.q);
    require_all_finite(entry("v"), u.v);
    require_all_finite(entry("a"), u.a);
    require_finite(entry("t"), u.t);
    if (i > 0 && !(u.t < history[i - 1].t))
      throw InputError(entry("t"),
                       fmt::format("is {} s, not before that of the later state, {} s", u.t, history[i - 1].t));
  }
  if (now && !(std::abs(history[0].t - *now) <= 1e-6 * *fit.step))
    throw InputError("history[0].t", fmt::format("is {} s, but the last step ended at {} s", history[0].t, *now));
}

void require_sound(const ModalMemory& modes, Index n) {
  const Index count = modes.lambda.size();
  if (count > n) throw InputError("modes.lambda", fmt::format("has {} modes of {} unknowns", count, n));
  require_length("modes.X", modes.X.rows(), n);
  if (modes.X.cols() != count)
    throw InputError("modes.X", fmt::format("has {} columns, expected {}", modes.X.cols(), count));
  require_length("modes.at", modes.at.size(), n);
  require_all_finite("modes.lambda", modes.lambda);
  require_all_finite("modes.X", modes.X);
  require_all_finite("modes.at", modes.at);
  if (modes.steps_since_refresh < 0)
    throw InputError("modes.age", fmt::format("is {}, must be at least 0", modes.steps_since_refresh));
}

void require_sound_error(const std::string& name, const State& error, const State& now) {
  if (error.q.size() == 0 && error.v.size() == 0) return;
  require_length(name + ".q", error.q.size(), now.q.size());
  require_length(name + ".v", error.v.size(), now.q.size());
  require_all_finite(name + ".q", error.q);
  require_all_finite(name + ".v", error.v);
  require_finite(name + ".t", error.t);
  if (error.t > now.t) throw InputError(name + ".t", fmt::format("is {} s, after the last step", error.t));
}

}  // namespace

void require_sound(const Snapshot& s, const SnapshotFit& fit) {
  if (s.step < 0) throw InputError("step", fmt::format("is {}, must be at least 0", s.step));
  if (s.releases < 0) throw InputError("releases", fmt::format("is {}, must be at least 0", s.releases));
  require_finite("start_time", s.start_time);
  require_finite("damping_loss", s.damping_loss);
  require_finite("damping_power", s.damping_power);
  require_finite("friction_loss", s.friction_loss);
  require_finite("friction_power", s.friction_power);
  require_finite("supply", s.supply);
  require_all_finite("forces", s.forces);
  require_all_finite("account", s.account);
  for (const Parameter& p : s.parameters) {
    if (p.values.empty()) throw InputError("parameters." + p.name, "has no value");
    require_all_finite("parameters." + p.name, p.values);
  }
  const auto now = fit.step ? std::optional(s.start_time + static_cast<double>(s.step) * *fit.step) : std::nullopt;
  require_sound(s.history, now, fit);
  require_sound_error("error", s.error, s.history[0]);
  require_sound_error("error_of_contact", s.error_of_contact, s.history[0]);
  if (!s.modes) return;
  if (!fit.modes) throw InputError("modes", "are there, but the method splits off none");
  require_sound(*s.modes, s.history[0].q.size());
}

}  // namespace limber
