#pragma once
/// Running a row of the catalog, and a GoogleTest parameter for each row.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "limber/time/stepper.hpp"

namespace limber::test {

/// A row with parameters that matter; the defaults of each row come first.
struct Row {
  std::string method;
  MethodParameters parameters;
};

inline std::string label(const Row& row) {
  std::string s = row.method;
  for (const auto& [name, value] : row.parameters) s += "_" + name + std::to_string(value);
  std::replace_if(
      s.begin(), s.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return s;
}
inline void PrintTo(const Row& row, std::ostream* os) { *os << label(row); }
inline std::string row_name(const ::testing::TestParamInfo<Row>& info) { return label(info.param); }

/// Every row with its defaults, and with each parameter at the bottom, a third and the top of its range.
inline std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const auto& m : method_catalog()) {
    rows.push_back({m.name, {}});
    for (const auto& p : m.parameters)
      for (const double value : {p.least, p.least + (p.most - p.least) / 3, p.most})
        if (value != p.standard) rows.push_back({m.name, {{p.name, value}}});
  }
  return rows;
}
inline std::vector<Row> default_rows() {
  std::vector<Row> rows;
  for (const auto& m : method_catalog()) rows.push_back({m.name, {}});
  return rows;
}

/// Hybrids split off two modes, refreshed each step.
inline MethodOptions two_modes() {
  MethodOptions options;
  options.modes.count = 2;
  options.modes.refresh = {Refresh::Rule::every};
  return options;
}

/// A method on a system, taking steps of given lengths.
class Runner {
 public:
  Runner(System& system, const Row& row, State start, const MethodOptions& options = two_modes())
      : system_(system),
        stepper_(find_method(row.method), row.parameters, system, options),
        history_(std::move(start)) {}

  const State& step(double h) {
    stepper_.accept(history_, stepper_.step(system_, history_, h));
    return history_[0];
  }
  const State& run(const std::vector<double>& steps) {
    for (const double h : steps) step(h);
    return history_[0];
  }
  const History& history() const { return history_; }
  StageSolver& stages() { return stepper_.stages(); }
  const MethodInfo& info() const { return stepper_.info(); }
  const ModalSubspace* modes() const { return stepper_.modes(); }
  /// Has new solvers, and forgets K as it was last reduced to the modes.
  void reset() { stepper_.reset(system_); }

 private:
  System& system_;
  Stepper stepper_;
  History history_;
};

}  // namespace limber::test
