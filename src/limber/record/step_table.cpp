#include "limber/record/step_table.hpp"

#include <fmt/format.h>

#include <cassert>
#include <charconv>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

std::string column_line(const std::vector<std::string>& columns) {
  std::string line = join(columns, ",") + "\n";
  assert(line.find_first_of("\"\r") == std::string_view::npos && "column names are plain words");
  return line;
}

}  // namespace

void append_number(std::string& line, double x) {
  char digits[32];
  line.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
}

StepTable StepTable::create(const std::string& path, const std::vector<std::string>& columns) {
  StepTable table(File::create(path), 0);
  table.file_.append(column_line(columns));
  return table;
}

StepTable StepTable::resume(const std::string& path, long rows_to_keep, const std::vector<std::string>& columns) {
  const std::string content = read_file(path), header = column_line(columns);
  if (!content.starts_with(header))
    throw InputError(path + ":1", "the columns are not those of this run; start it again with --overwrite");
  std::size_t keep = header.size();
  for (long row = 0; row < rows_to_keep; ++row) {
    const std::size_t end = content.find('\n', keep);
    if (end == std::string::npos)
      throw InputError(path, fmt::format("has {} rows, but the checkpoint was taken after {}; start the run again with "
                                         "--overwrite",
                                         row, rows_to_keep));
    keep = end + 1;
  }
  StepTable table(File::open(path), rows_to_keep);
  table.file_.truncate(static_cast<off_t>(keep));
  return table;
}

void StepTable::add(const std::vector<double>& row) {
  std::string line;
  for (const double x : row) {
    if (!line.empty()) line += ',';
    append_number(line, x);
  }
  add_line(line);
}

void StepTable::add_line(const std::string& line) {
  file_.append(line + "\n");
  ++rows_;
}

}  // namespace limber
