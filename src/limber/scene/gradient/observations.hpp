#pragma once
/// Observed positions of probes: a table with columns of probes.csv (`time,tip.x,tip.y,…`), of which some may be
/// missing, as may single numbers (NaN).

#include <array>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/io/file_access.hpp"

namespace limber {

struct ObservedColumn {
  std::string probe;
  int axis = 0;  // 0, 1, 2: x, y, z
  /// "tip.x"
  std::string name() const;
};

struct Observations {
  /// From names such as "tip.x" and #times × #names values. `source` stands in messages. Throws InputError.
  Observations(std::vector<double> times, const std::vector<std::string>& names, Matrix values,
               std::string source = "observations");

  /// Throws InputError where a column is of none of these probes.
  void require_probes(const std::vector<std::string>& probes) const;
  /// How many numbers were observed.
  Index count() const;

  std::string source;
  std::vector<double> times;  // [s], rising, none before 0
  std::vector<ObservedColumn> columns;
  Matrix values;  // #times × #columns [m]; NaN: not observed
};

/// A CSV file: a line with the names of the columns, among them `time`, then a line for each time. Cells without a
/// number, or with nan, were not observed. Lines that start with # are comments. Throws InputError.
Observations read_observations(const std::string& path, const FileAccess& access = {});
/// The same of the text of such a file. `source` stands in messages.
Observations observations_in(const std::string& text, const std::string& source);

/// Weights of q(t₀), v(t₀), q(t₁), v(t₁) in the cubic through both positions with both velocities, at t₀ ≤ t ≤ t₁.
std::array<double, 4> hermite_weights(double t0, double t1, double t);

}  // namespace limber
