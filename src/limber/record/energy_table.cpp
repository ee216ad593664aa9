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

std::string header_line(const std::vector<std::string>& more) {
  std::vector<std::string> columns = fixed_columns;
  columns.insert(columns.end(), more.begin(), more.end());
  std::string line = join(columns, ",") + "\n";
  assert(line.find_first_of("\"\r") == std::string_view::npos && "column names are plain words");
  return line;
}

void append_number(std::string& line, double x) {
  char digits[32];
  line.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
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
  EnergyTable table(File::create(path), more.size(), 0);
  table.file_.append(header_line(more));
  return table;
}

EnergyTable EnergyTable::resume(const std::string& path, long rows_to_keep, const std::vector<std::string>& more) {
  const std::string content = read_file(path);
  const std::string header = header_line(more);
  if (!content.starts_with(header))
    throw InputError(path + ":1", "the columns are not those of this run; start it again with --overwrite");
  std::string_view rest = content, line;
  next_line(rest, line);
  for (long row = 0; row < rows_to_keep; ++row)
    if (!next_line(rest, line))
      throw InputError(path, fmt::format("has {} rows, but the checkpoint was taken after {}; start the run again with "
                                         "--overwrite",
                                         row, rows_to_keep));
  EnergyTable table(File::open(path), more.size(), rows_to_keep);
  table.file_.truncate(static_cast<off_t>(content.size() - rest.size()));
  return table;
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
  line += '\n';
  file_.append(line);
  ++rows_;
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
