#pragma once
/// Times that can be compared: several pieces of work take turns in one run, so that whatever slows the machine down
/// meets all of them, and ratios are medians of those within single rounds.

#include <functional>
#include <string>
#include <vector>

namespace limber::bench {

struct Contestant {
  std::string name;
  std::function<void()> run;
  int times = 1;  // in a round
};

/// Processor time is all threads' together and hardly feels other programs; it serves where one thread works.
enum class Clock { wall, processor };

/// Of one run of each contestant in each round [s].
using Times = std::vector<std::vector<double>>;

/// `rounds` times all contestants, one after the other; `done` hears of the part of rounds that are over.
Times take_turns(const std::vector<Contestant>& contestants, int rounds, Clock clock,
                 const std::function<void(double part)>& done = {});

double median(std::vector<double> values);

struct Ratio {
  double median = 0, low = 0, high = 0;  // the last two: quartiles
};
Ratio ratio(const std::vector<double>& times, const std::vector<double>& reference);

}  // namespace limber::bench
