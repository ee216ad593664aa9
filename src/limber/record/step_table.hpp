#pragma once
/// A table with one line for each step, the first at t = 0: a first line that names the columns, and rows that are
/// written at once. A resumed run drops those after its checkpoint.

#include <string>
#include <string_view>
#include <vector>

#include "limber/record/files.hpp"

namespace limber {

class StepTable {
 public:
  /// Replaces the file. The names of columns are plain words.
  static StepTable create(const std::string& path, const std::vector<std::string>& columns);
  /// Goes on after the first `rows_to_keep` rows and drops what follows, a torn last line too. Throws InputError(path,
  /// …) if there are fewer rows or other columns.
  static StepTable resume(const std::string& path, long rows_to_keep, const std::vector<std::string>& columns);

  /// Numbers with the fewest digits that give back the same double. Throws OutputError; the rows before stay readable.
  void add(const std::vector<double>& row);
  /// A row as text, without its end.
  void add_line(const std::string& line);
  long rows() const { return rows_; }
  void sync() { file_.sync(); }

 private:
  StepTable(File file, long rows) : file_(std::move(file)), rows_(rows) {}

  File file_;
  long rows_;
};

/// With the fewest digits that give back the same double.
void append_number(std::string& line, double x);

}  // namespace limber
