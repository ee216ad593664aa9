#include "limber/record/energy_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>

#include "limber/core/errors.hpp"

namespace limber {

namespace {

const std::vector<std::string> fixed_columns = {"time",         "kinetic", "elastic",           "gravitational",
                                                "damping_loss", "total",   "newton_iterations", "wall_ms"};

std::vector<std::string> all_columns(const std::vector<std::string>& more) {
  std::vector<std::string> columns = fixed_columns;
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t comma; (comma = line.find(',')) != std::string_view::npos; line.remove_prefix(comma + 1))
    words.push_back(line.substr(0, comma));
  words.push_back(line);
  return words;
}

/// The next line without its end; false where no complete line is left.
bool next_line(std::string_view& text, std::string_view& line) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

std::vector<double> parse_row(std::string_view line, std::size_t columns, const std::string& where) {
  const auto words = split(line);
  if (words.size() != columns)
    throw InputError(where, fmt::format("{} values, where the first line names {} columns", words.size(), columns));
  std::vector<double> row;
  for (const std::string_view word : words) {
    double x = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
    if (error != std::errc() || end != word.data() + word.size())
      throw InputError(where, fmt::format("'{}' is not a number", word));
    row.push_back(x);
  }
  return row;
}

}  // namespace

EnergyTable EnergyTable::create(const std::string& path, const std::vector<std::string>& more) {
  return {StepTable::create(path, all_columns(more)), more.size()};
}

EnergyTable EnergyTable::resume(const std::string& path, long rows_to_keep, const std::vector<std::string>& more) {
  return {StepTable::resume(path, rows_to_keep, all_columns(more)), more.size()};
}

void EnergyTable::add(const EnergyRow& row) {
  assert(row.more.size() == more_);
  std::string line;
  for (const double x : {row.time, row.kinetic, row.elastic, row.gravitational, row.damping_loss, row.total}) {
    append_number(line, x);
    line += ',';
  }
  line += std::to_string(row.newton_iterations) + ',';
  append_number(line, row.wall_ms);
  for (const double x : row.more) {
    line += ',';
    append_number(line, x);
  }
  table_.add_line(line);
}

std::vector<double> EnergyRecord::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end())
    throw InputError(std::string(name), "there is no such column; there are " + join(columns));
  std::vector<double> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(row[static_cast<std::size_t>(found - columns.begin())]);
  return values;
}

EnergyRecord read_energy_table(const std::string& path) {
  const std::string content = read_file(path);
  std::string_view rest = content, line;
  EnergyRecord record;
  if (!next_line(rest, line)) return record;
  for (const std::string_view name : split(line)) record.columns.emplace_back(name);
  for (std::size_t number = 2; next_line(rest, line); ++number)
    record.rows.push_back(parse_row(line, record.columns.size(), fmt::format("{}:{}", path, number)));
  return record;
}

}  // namespace limber
