#include "limber/scene/gradient/observations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"

namespace limber {
namespace {

constexpr std::string_view axes = "xyz";

/// "tip.x"; the name of a probe may have dots too.
std::optional<ObservedColumn> observed_column(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 2 != name.size()) return std::nullopt;
  const std::size_t axis = axes.find(name.back());
  if (axis == std::string_view::npos) return std::nullopt;
  return ObservedColumn{name.substr(0, dot), static_cast<int>(axis)};
}

// What is wrong; empty if nothing is.

std::string fault_of_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!observed_column(name))
      return fmt::format("the column {} is not a probe and an axis, such as tip.x", in_quotes(name));
    if (std::count(names.begin(), names.end(), name) > 1)
      return fmt::format("there are two columns {}", in_quotes(name));
  }
  return "";
}

std::string fault_of_time(const std::vector<double>& times, std::size_t k) {
  if (!(times[k] >= 0 && std::isfinite(times[k]))) return fmt::format("the time {} s is not one from 0 s on", times[k]);
  if (k > 0 && !(times[k] > times[k - 1]))
    return fmt::format("the time {} s does not follow the one before, {} s", times[k], times[k - 1]);
  return "";
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  return text.substr(0, text.find_last_not_of(blank) + 1);
}

/// The cells of a line, without the blanks and quotes around them. Names have no commas in them, so that no cell has
/// one.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    std::string_view cell = trimmed(line.substr(from, comma - from));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = trimmed(cell.substr(1, cell.size() - 2));
    cells.push_back(cell);
    from = comma + 1;
  }
  return cells;
}

class Table {
 public:
  Table(const std::string& path, std::string_view text) : path_(path), text_(text), lines_(path, text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) lines_.bytes(byte_order_mark.size(), "");
  }

  Observations read() {
    read_header();
    while (next_line()) read_row();
    if (times_.empty()) throw InputError(path_, "there are no times below the names of the columns");
    using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Matrix values = Eigen::Map<const ByRows>(values_.data(), std::ssize(times_), std::ssize(names_));
    return {std::move(times_), names_, std::move(values), path_};
  }

 private:
  /// Goes to the next line that is neither empty nor a comment.
  bool next_line() {
    while (lines_.left() > 0) {
      line_ = lines_.rest_of_line();
      if (const std::string_view text = trimmed(line_); !text.empty() && text[0] != '#') return true;
    }
    return false;
  }

  void read_header() {
    constexpr const char* wanted = "a first line such as time,tip.x,tip.y,tip.z is needed";
    if (!next_line()) throw InputError(path_, fmt::format("the file is empty: {}", wanted));
    for (const std::string_view cell : cells_of(line_)) names_.emplace_back(cell);
    const auto time = std::find(names_.begin(), names_.end(), "time");
    if (time == names_.end()) lines_.fail(fmt::format("there is no column time: {}", wanted));
    time_ = static_cast<std::size_t>(time - names_.begin());
    names_.erase(time);
    if (names_.empty()) lines_.fail(fmt::format("there is no column beside time: {}", wanted));
    if (const std::string fault = fault_of_names(names_); !fault.empty()) lines_.fail(fault);
  }

  void read_row() {
    const std::vector<std::string_view> cells = cells_of(line_);
    if (cells.size() != names_.size() + 1)
      lines_.fail(fmt::format("there are {} values, but {} columns", cells.size(), names_.size() + 1));
    times_.push_back(number(cells[time_], fmt::format("a time in s in column {} (time)", time_ + 1)));
    if (const std::string fault = fault_of_time(times_, times_.size() - 1); !fault.empty()) lines_.fail(fault);
    for (std::size_t c = 0; c < names_.size(); ++c) {
      const std::size_t place = c < time_ ? c : c + 1;
      values_.push_back(cells[place].empty()
                            ? std::numeric_limits<double>::quiet_NaN()
                            : number(cells[place], fmt::format("a position in m, nothing or nan in column {} ({})",
                                                               place + 1, names_[c])));
    }
  }

  double number(std::string_view cell, const std::string& expected) const {
    const auto begin = static_cast<std::size_t>(cell.data() - text_.data());
    Cursor cursor(path_, text_, begin, begin + cell.size());
    const double x = cell.empty() ? HUGE_VAL : cursor.any_real(expected);
    if (!cursor.done() || std::isinf(x)) cursor.fail(fmt::format("found {}, expected {}", in_quotes(cell), expected));
    return x;
  }

  const std::string& path_;
  std::string_view text_, line_;
  Cursor lines_;
  std::vector<std::string> names_;  // without time
  std::size_t time_ = 0;            // the place of time among all columns
  std::vector<double> times_, values_;
};

}  // namespace

std::string ObservedColumn::name() const { return probe + '.' + axes[static_cast<std::size_t>(axis)]; }

Observations::Observations(std::vector<double> all_times, const std::vector<std::string>& names, Matrix all_values,
                           std::string from)
    : source(std::move(from)), times(std::move(all_times)), values(std::move(all_values)) {
  const auto require = [&](const std::string& fault) {
    if (!fault.empty()) throw InputError(source, fault);
  };
  if (values.rows() != std::ssize(times) || values.cols() != std::ssize(names))
    require(fmt::format("{} × {} values, but {} times and {} columns", values.rows(), values.cols(), times.size(),
                        names.size()));
  require(fault_of_names(names));
  for (std::size_t k = 0; k < times.size(); ++k) require(fault_of_time(times, k));
  if (values.array().isInf().any()) require("a position is infinite");
  if (count() == 0) require("nothing is observed: no column has a number");
  for (const std::string& name : names) columns.push_back(*observed_column(name));
}

void Observations::require_probes(const std::vector<std::string>& probes) const {
  for (const ObservedColumn& column : columns) {
    if (std::find(probes.begin(), probes.end(), column.probe) != probes.end()) continue;
    const std::string near = nearest_name(column.probe, probes);
    std::string hint =
        near.empty() ? "its probes are " + join(probes) : fmt::format("did you mean {}?", in_quotes(near));
    if (probes.empty()) hint = "output.probes names them";
    throw InputError(source, fmt::format("the column {} is of a probe that the scene does not have; {}",
                                         in_quotes(column.name()), hint));
  }
}

Index Observations::count() const { return values.size() - values.array().isNaN().count(); }

Observations read_observations(const std::string& path, const FileAccess& access) {
  return observations_in(access.load(path), path);
}

Observations observations_in(const std::string& text, const std::string& source) { return Table(source, text).read(); }

std::array<double, 4> hermite_weights(double t0, double t1, double t) {
  const double h = t1 - t0, s = (t - t0) / h, left = 1 - s;
  return {left * left * (1 + 2 * s), h * s * left * left, s * s * (3 - 2 * s), -h * s * s * left};
}

}  // namespace limber
