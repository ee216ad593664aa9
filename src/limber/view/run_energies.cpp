#include "limber/view/run_energies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

namespace limber {
namespace {

constexpr std::size_t longest_line = 1u << 16;  // [bytes]
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// The lines of a file that have an end. One that is too long ends the file.
class Lines {
 public:
  explicit Lines(const std::string& file) : in_(file, std::ios::binary) {}

  bool next(std::string_view& line) {
    for (;;) {
      const std::size_t end = text_.find('\n', at_);
      if (end != std::string::npos) {
        line = std::string_view(text_).substr(at_, end - at_);
        if (line.ends_with('\r')) line.remove_suffix(1);
        at_ = end + 1;
        return true;
      }
      text_.erase(0, at_);
      at_ = 0;
      if (text_.size() > longest_line || !in_) return false;
      const std::size_t before = text_.size();
      text_.resize(before + longest_line);
      in_.read(text_.data() + before, longest_line);
      text_.resize(before + static_cast<std::size_t>(in_.gcount()));
    }
  }
  bool line_is_too_long() const { return text_.size() > longest_line; }

 private:
  std::ifstream in_;
  std::string text_;
  std::size_t at_ = 0;  // where the next line begins
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t comma; (comma = line.find(',')) != std::string_view::npos; line.remove_prefix(comma + 1))
    words.push_back(line.substr(0, comma));
  words.push_back(line);
  return words;
}

double number(std::string_view word) {
  double x = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  return error == std::errc() && end == word.data() + word.size() ? x : unknown;
}

/// Where the columns of energy.csv are that a row of energies is made from.
class Columns {
 public:
  explicit Columns(std::string_view header) {
    const std::vector<std::string_view> names = words_of(header);
    count_ = names.size();
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (const auto found = std::find(names.begin(), names.end(), names_[k]); found != names.end())
        place_[k] = static_cast<std::size_t>(found - names.begin());
  }

  bool have_time() const { return place_[0].has_value(); }

  /// None for a line that is no row with a time.
  std::optional<EnergySample> row(std::string_view line) const {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != count_) return {};
    std::array<double, names_.size()> values;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = place_[k] ? number(words[*place_[k]]) : unknown;
    const auto [t, kinetic, elastic, gravitational, contact, external, total, wall_ms, damping, friction] = values;
    if (!std::isfinite(t)) return {};
    const double lost = damping + (place_.back() ? friction : 0);
    return EnergySample{t, kinetic, elastic, gravitational, contact, external, total, lost, wall_ms};
  }

 private:
  static constexpr std::array<std::string_view, 10> names_ = {
      "time",     "kinetic", "elastic", "gravitational", "contact",
      "external", "total",   "wall_ms", "damping_loss",  "friction_loss"};
  std::array<std::optional<std::size_t>, names_.size()> place_;
  std::size_t count_ = 0;
};

/// Every row, or every second one, or every fourth, …: as many as there is room for; and the last.
class ThinnedRows {
 public:
  explicit ThinnedRows(std::size_t most) : most_(std::max<std::size_t>(most, 2)) {}

  bool comes_later(double t) const { return !last_ || t > (*last_)[0]; }
  void add(const EnergySample& row) {
    last_ = row;
    if (count_++ % stride_ != 0) return;
    if (rows_.size() + 1 == most_) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < rows_.size(); i += 2) rows_[kept++] = rows_[i];
      rows_.resize(kept);
      stride_ *= 2;
      if ((count_ - 1) % stride_ != 0) return;
    }
    rows_.push_back(row);
  }
  std::vector<EnergySample> take() {
    if (last_ && rows_.back()[0] < (*last_)[0]) rows_.push_back(*last_);
    return std::move(rows_);
  }

 private:
  std::size_t most_, stride_ = 1, count_ = 0;
  std::vector<EnergySample> rows_;
  std::optional<EnergySample> last_;
};

}  // namespace

RunEnergies read_run_energies(const std::string& file, std::size_t most) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return {{}, "the run has no energy.csv"};
  Lines lines(file);
  std::string_view line;
  if (!lines.next(line)) return {{}, "energy.csv cannot be read, or is empty"};
  const Columns columns(line);
  if (!columns.have_time()) return {{}, "energy.csv has no column 'time'"};
  ThinnedRows rows(most);
  std::size_t left_out = 0;
  while (lines.next(line)) {
    const auto row = columns.row(line);
    if (row && rows.comes_later((*row)[0]))
      rows.add(*row);
    else
      ++left_out;
  }
  RunEnergies energies{rows.take(), ""};
  if (left_out > 0)
    energies.note = fmt::format("energy.csv: {} lines are no rows, or not in the order of time", left_out);
  if (lines.line_is_too_long()) energies.note = "energy.csv: a line is too long; what follows is left out";
  return energies;
}

}  // namespace limber
