#pragma once
/// energy.csv: one row a step, the first at t = 0. Energies [J], total = kinetic + elastic + gravitational + the other
/// stored energies that its writer counts; damping_loss is what damping has taken up so far. Numbers have the fewest
/// digits that give back the same double.

#include <string>
#include <string_view>
#include <vector>

#include "limber/record/step_table.hpp"

namespace limber {

struct EnergyRow {
  double time = 0;                                                                  // [s]
  double kinetic = 0, elastic = 0, gravitational = 0, damping_loss = 0, total = 0;  // [J]
  long newton_iterations = 0;
  double wall_ms = 0;        // time that the step took [ms]
  std::vector<double> more;  // one for each further column
};

class EnergyTable {
 public:
  /// Replaces the file. `more` names further columns, after the fixed ones.
  static EnergyTable create(const std::string& path, const std::vector<std::string>& more = {});
  /// Goes on after the first `rows_to_keep` rows and drops what follows, a torn last line too. Throws InputError(path,
  /// …) if there are fewer rows or other columns.
  static EnergyTable resume(const std::string& path, long rows_to_keep, const std::vector<std::string>& more = {});

  /// Writes the row at once. Throws OutputError; the rows before stay readable.
  void add(const EnergyRow& row);
  long rows() const { return table_.rows(); }
  void sync() { table_.sync(); }

 private:
  EnergyTable(StepTable table, std::size_t more) : table_(std::move(table)), more_(more) {}

  StepTable table_;
  std::size_t more_;  // number of further columns
};

/// What stands in an energy.csv. A last line without its end is left out: the run that wrote it was killed.
struct EnergyRecord {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> rows;  // #rows × #columns

  /// Of the named column. Throws InputError.
  std::vector<double> column(std::string_view name) const;
};

/// Throws InputError("path:line", …).
EnergyRecord read_energy_table(const std::string& path);

}  // namespace limber
