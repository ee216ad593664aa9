#pragma once
/// What has become of the runs of a sweep: a row for each combination, from what is in the directories of the runs now.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "limber/study/figure.hpp"
#include "limber/study/sweep/combination.hpp"

namespace limber {

enum class RunStatus {
  done,
  failed,   // it could not go on
  stopped,  // begun and not at its end: interrupted, killed, or still at work
  missing,  // not begun
};
const char* to_string(RunStatus status);

struct SweepRow {
  Combination combination;
  RunStatus status = RunStatus::missing;
  std::string message;                    // why it failed
  std::map<std::string, double> numbers;  // of summary.json, "energy.total" say, and extremes of energy.csv
};

/// Of one run. What cannot be read counts as not there.
SweepRow read_sweep_row(const std::filesystem::path& directory, const Combination& combination);

struct SweepTable {
  std::vector<Variation> variations;
  std::vector<SweepRow> rows;

  std::size_t count(RunStatus status) const;
  /// The names of all numbers that some row has, in alphabetical order; without those that are varied keys.
  std::vector<std::string> columns() const;
};
SweepTable read_sweep_table(const std::filesystem::path& directory, const std::vector<Variation>& variations);

/// number, folder, one column for each varied key, status, message, then the numbers; empty cells where a run has none.
std::string sweep_csv(const SweepTable& table);

/// Throws InputError("--plot", …) with the nearest name if no run can have this column, or no varied key has numbers.
void check_plot_column(const std::vector<Variation>& variations, const std::string& column);

/// The column of all runs that are done against the first varied key with numbers, a curve for each combination of the
/// others. Throws InputError("--plot", …) if no such run has it.
Figure sweep_figure(const SweepTable& table, const std::string& column);

}  // namespace limber
