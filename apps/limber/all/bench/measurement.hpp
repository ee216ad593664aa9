#pragma once
/// What `limber bench` can measure. A group is a table; a set is a few of its rows that are measured in turns with what
/// they are compared to.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/turns.hpp"

namespace limber::bench {

struct Settings {
  bool quick = false;
  int rounds = 5;
  int threads = 1;                   // of groups that do not say otherwise
  std::vector<std::string> methods;  // of the group "step"
};

struct Over {
  std::string reference;
  double seconds = 0;
  Ratio ratio;
};
using Counts = std::vector<std::pair<std::string, double>>;
struct Row {
  std::string name;
  double seconds = 0;  // median of the rounds
  std::vector<Over> over;
  Counts counts;
};

/// Whether a row is wanted, by its name.
using Wanted = std::function<bool(const std::string&)>;
using Done = std::function<void(double part)>;

struct Set {
  std::vector<std::string> rows;
  double cost = 1;  // roughly [s], for the time left
  std::function<std::vector<Row>(const Wanted&, const Done&)> measure;
};

struct Group {
  const char *name, *title;
  std::vector<Set> (*sets)(const Settings&);
};

/// Sets hold the settings by value.
const std::vector<Group>& groups();

std::vector<Set> element_sets(const Settings&);
std::vector<Set> step_sets(const Settings&);
std::vector<Set> thread_sets(const Settings&);
std::vector<Set> siere_sets(const Settings&);
std::vector<Set> mode_sets(const Settings&);
std::vector<Set> stiffness_sets(const Settings&);
std::vector<Set> friction_sets(const Settings&);
std::vector<Set> far_sets(const Settings&);
std::vector<Set> body_sets(const Settings&);
std::vector<Set> gradient_sets(const Settings&);

/// A row to be: what is timed, and what else to tell of it, given its seconds and how often it ran.
struct Entrant {
  Contestant contestant;
  std::function<Counts(double seconds, double runs)> counts = {};
};

/// The entrants over each of the references.
std::vector<Row> compare(const std::vector<Contestant>& references, const std::vector<Entrant>& entrants, int rounds,
                         Clock clock, const Done& done);

/// The clock that suits this many threads.
inline Clock clock_of(int threads) { return threads == 1 ? Clock::processor : Clock::wall; }

}  // namespace limber::bench
