#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace limber::bench {
namespace {

using Cells = std::vector<std::string>;

Cells heading(const Row& row) {
  Cells cells{"case", "ms"};
  for (const Over& o : row.over) cells.insert(cells.end(), {o.reference + " [ms]", "ratio", "quartiles"});
  for (const auto& [name, value] : row.counts) cells.push_back(name);
  return cells;
}

Cells cells_of(const Row& row) {
  Cells cells{row.name, fmt::format("{:.3g}", 1000 * row.seconds)};
  for (const Over& o : row.over)
    cells.insert(cells.end(), {fmt::format("{:.3g}", 1000 * o.seconds), fmt::format("{:.3g}", o.ratio.median),
                               fmt::format("{:.3g} to {:.3g}", o.ratio.low, o.ratio.high)});
  for (const auto& [name, value] : row.counts) cells.push_back(fmt::format("{:.3g}", value));
  return cells;
}

/// Columns as wide as they must be, the first one to the left.
std::string aligned(const std::vector<Cells>& lines) {
  std::vector<std::size_t> width(lines[0].size());
  for (const Cells& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  std::string text;
  for (const Cells& line : lines) {
    text += fmt::format("{:<{}}", line[0], width[0]);
    for (std::size_t c = 1; c < line.size(); ++c) text += fmt::format("  {:>{}}", line[c], width[c]);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string table(const std::string& title, const std::vector<Row>& rows) {
  std::vector<Cells> lines{heading(rows[0])};
  for (const Row& row : rows) lines.push_back(cells_of(row));
  return title + "\n" + aligned(lines) + "\n";
}

nlohmann::json json_of(const std::vector<Row>& rows) {
  auto list = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json j{{"name", row.name}, {"ms", 1000 * row.seconds}, {"over", nlohmann::json::array()}};
    for (const Over& o : row.over)
      j["over"].push_back({{"reference", o.reference},
                           {"ms", 1000 * o.seconds},
                           {"ratio", o.ratio.median},
                           {"low", o.ratio.low},
                           {"high", o.ratio.high}});
    j["counts"] = nlohmann::json::object();
    for (const auto& [name, value] : row.counts) j["counts"][name] = value;
    list.push_back(j);
  }
  return list;
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string text = "name,ms,reference,reference_ms,ratio,low,high\n";
  for (const Row& row : rows)
    for (const Over& o : row.over)
      text += fmt::format("{},{:.6g},{},{:.6g},{:.6g},{:.6g},{:.6g}\n", row.name, 1000 * row.seconds, o.reference,
                          1000 * o.seconds, o.ratio.median, o.ratio.low, o.ratio.high);
  return text;
}

}  // namespace limber::bench
