#include "bench/turns.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace limber::bench {
namespace {

double seconds_of(Clock clock) {
  timespec t;
  clock_gettime(clock == Clock::wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_a_run(const Contestant& c, Clock clock) {
  const double start = seconds_of(clock);
  for (int i = 0; i < c.times; ++i) c.run();
  return (seconds_of(clock) - start) / c.times;
}

/// Between the values next to it, as `part` of them lie below; they ascend.
double quantile(const std::vector<double>& values, double part) {
  const double at = part * static_cast<double>(values.size() - 1), below = std::floor(at);
  const auto i = static_cast<std::size_t>(below), j = std::min(i + 1, values.size() - 1);
  return values[i] + (at - below) * (values[j] - values[i]);
}

}  // namespace

Times take_turns(const std::vector<Contestant>& contestants, int rounds, Clock clock,
                 const std::function<void(double)>& done) {
  Times times(contestants.size());
  for (int round = 1; round <= rounds; ++round) {
    for (std::size_t k = 0; k < contestants.size(); ++k) times[k].push_back(seconds_a_run(contestants[k], clock));
    if (done) done(static_cast<double>(round) / rounds);
  }
  return times;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

Ratio ratio(const std::vector<double>& times, const std::vector<double>& reference) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.size(); ++i) ratios.push_back(times[i] / reference[i]);
  std::sort(ratios.begin(), ratios.end());
  return {quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75)};
}

}  // namespace limber::bench
