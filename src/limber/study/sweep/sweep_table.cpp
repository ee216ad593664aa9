#include "limber/study/sweep/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/json.hpp"
#include "limber/study/sweep/definition.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;

/// "energy.total" for {"energy": {"total": …}}; null stands for a number that is not finite. Texts and lists are no
/// numbers.
void add_numbers(const nlohmann::json& json, const std::string& path, std::map<std::string, double>& numbers) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = path.empty() ? key : fmt::format("{}.{}", path, key);
    if (value.is_object()) add_numbers(value, name, numbers);
    if (value.is_number()) numbers[name] = value.get<double>();
    if (value.is_null()) numbers[name] = std::nan("");
  }
}

constexpr std::array extreme_energies = {"kinetic", "elastic", "gravitational", "contact", "total"};

void add_extremes(const fs::path& file, std::map<std::string, double>& numbers) {
  const EnergyRecord record = read_energy_table(file.string());
  if (record.rows.empty()) return;
  for (const char* name : extreme_energies) {
    const std::vector<double> column = record.column(name);
    const auto [least, most] = std::minmax_element(column.begin(), column.end());
    numbers[fmt::format("energy.{}.min", name)] = *least;
    numbers[fmt::format("energy.{}.max", name)] = *most;
  }
  numbers["energy.total.start"] = record.column("total").front();
}

/// All that a run can have, so that a wrong name is found before the first one.
std::vector<std::string> possible_columns() {
  std::vector<std::string> names = {"checkpoint_step",
                                    "energy.damping_loss",
                                    "energy.elastic",
                                    "energy.external",
                                    "energy.gravitational",
                                    "energy.kinetic",
                                    "energy.total",
                                    "energy.total.start",
                                    "energy_gain",
                                    "energy_in_play",
                                    "energy_put_in",
                                    "energy_rise",
                                    "escalated_steps",
                                    "exponential.products",
                                    "exponential.substeps",
                                    "frames",
                                    "friction_held_stages",
                                    "halved_steps",
                                    "linear_solver.factorizations",
                                    "linear_solver.iterations",
                                    "linear_solver.solves",
                                    "modes.count",
                                    "modes.from_scratch",
                                    "modes.iterations",
                                    "modes.left_out_bodies",
                                    "modes.left_out_steps",
                                    "modes.refreshes",
                                    "newton_iterations",
                                    "resumed_from_step",
                                    "retaken_steps.TR-BDF2",
                                    "retaken_steps.backward_euler",
                                    "retaken_steps.new_modes",
                                    "retaken_steps.split_impulse",
                                    "retaken_steps.without_modes",
                                    "step",
                                    "steps",
                                    "steps_planned",
                                    "threads",
                                    "time",
                                    "wall_seconds"};
  for (const char* name : extreme_energies)
    for (const char* end : {"min", "max"}) names.push_back(fmt::format("energy.{}.{}", name, end));
  return names;
}

std::string axis_label(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

std::string column_unit(const std::string& column) {
  if (column.starts_with("energy")) return "J";
  if (column == "time" || column == "step" || column == "wall_seconds") return "s";
  return "";
}

/// Which variation the horizontal axis shows.
std::size_t plotted_variation(const std::vector<Variation>& variations) {
  for (std::size_t k = 0; k < variations.size(); ++k)
    if (numbers_of(variations[k])) return k;
  throw InputError("--plot", "no varied key has numbers, so there is nothing to plot against");
}

/// Over two orders of magnitude or more.
bool spans_decades(const std::vector<Curve>& curves) {
  double least = HUGE_VAL, most = 0;
  for (const Curve& curve : curves)
    for (const double y : curve.y) {
      if (!std::isfinite(y)) continue;
      least = std::min(least, y);
      most = std::max(most, y);
    }
  return least > 0 && most >= 100 * least;
}

void sort_points(Curve& curve) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < curve.x.size(); ++i) points.emplace_back(curve.x[i], curve.y[i]);
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < points.size(); ++i) std::tie(curve.x[i], curve.y[i]) = points[i];
}

}  // namespace

const char* to_string(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::failed:
      return "failed";
    case RunStatus::stopped:
      return "stopped";
    case RunStatus::missing:
      return "missing";
  }
  return "";
}

SweepRow read_sweep_row(const fs::path& directory, const Combination& combination) {
  SweepRow row;
  row.combination = combination;
  const fs::path folder = directory / combination.folder;
  if (fs::exists(folder / run_file::scene)) row.status = RunStatus::stopped;
  if (fs::exists(folder / run_file::summary)) {
    const auto summary = parse_or_discard(read_file((folder / run_file::summary).string()));
    if (summary.is_object()) {
      const auto end = summary.value("end", nlohmann::json());
      if (end == "finished") row.status = RunStatus::done;
      if (end == "failed") row.status = RunStatus::failed;
      if (const auto reason = summary.find("reason"); reason != summary.end() && reason->is_string())
        row.message = reason->get<std::string>();
      add_numbers(summary, "", row.numbers);
    }
  }
  if (const fs::path failure = failure_file(directory, combination); fs::exists(failure)) {
    row.status = RunStatus::failed;
    row.message = read_file(failure.string());
    while (row.message.ends_with('\n')) row.message.pop_back();
  }
  if (!row.numbers.empty() && fs::exists(folder / run_file::energy)) {
    try {
      add_extremes(folder / run_file::energy, row.numbers);
    } catch (const InputError&) {  // a table that something else has damaged takes no row with it
    }
  }
  return row;
}

std::size_t SweepTable::count(RunStatus status) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const SweepRow& row) { return row.status == status; }));
}

std::vector<std::string> SweepTable::columns() const {
  std::set<std::string> names;
  for (const SweepRow& row : rows)
    for (const auto& [name, number] : row.numbers) names.insert(name);
  for (const Variation& v : variations) names.erase(v.key);
  return {names.begin(), names.end()};
}

SweepTable read_sweep_table(const fs::path& directory, const std::vector<Variation>& variations) {
  SweepTable table{variations, {}};
  for (const Combination& c : combinations_of(variations)) table.rows.push_back(read_sweep_row(directory, c));
  return table;
}

std::string sweep_csv(const SweepTable& table) {
  const std::vector<std::string> columns = table.columns();
  std::string text = "number,folder";
  for (const Variation& v : table.variations) text += "," + csv_cell(v.key);
  text += ",status,message";
  for (const std::string& name : columns) text += "," + csv_cell(name);
  text += "\n";
  for (const SweepRow& row : table.rows) {
    text += fmt::format("{},{}", row.combination.number, csv_cell(row.combination.folder));
    for (const std::string& value : row.combination.values) text += "," + csv_cell(plain_value(value));
    text += fmt::format(",{},{}", to_string(row.status), csv_cell(row.message));
    for (const std::string& name : columns) {
      const auto number = row.numbers.find(name);
      text += number == row.numbers.end() ? "," : fmt::format(",{}", number->second);
    }
    text += "\n";
  }
  return text;
}

void check_plot_column(const std::vector<Variation>& variations, const std::string& column) {
  plotted_variation(variations);
  const std::vector<std::string> names = possible_columns();
  if (std::find(names.begin(), names.end(), column) != names.end()) return;
  const std::string near = nearest_name(column, names);
  throw InputError("--plot", fmt::format("there is no column '{}'; {}", column,
                                         near.empty() ? "columns are " + join(names) : "did you mean '" + near + "'?"));
}

Figure sweep_figure(const SweepTable& table, const std::string& column) {
  const std::size_t across = plotted_variation(table.variations);
  const Variation& varied = table.variations[across];
  const VariedNumbers numbers = numbers_of(varied).value();
  const std::vector<std::string> names = short_names(table.variations);
  std::vector<Curve> curves;
  bool any = false;
  for (const SweepRow& row : table.rows) {
    std::vector<std::string> others;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (k != across) others.push_back(names[k] + "=" + plain_value(row.combination.values[k]));
    const std::string label = others.empty() ? column : join(others);
    auto curve = std::find_if(curves.begin(), curves.end(), [&](const Curve& c) { return c.label == label; });
    if (curve == curves.end()) {
      // Eight colours: after them the same ones with dashes.
      const Stroke stroke = curves.size() / 8 % 2 == 0 ? Stroke::line_and_points : Stroke::dashes_and_points;
      curve = curves.insert(curves.end(), Curve{label, {}, {}, stroke, static_cast<int>(curves.size() % 8)});
    }
    const auto place = std::find(varied.values.begin(), varied.values.end(), row.combination.values[across]);
    const auto number = row.numbers.find(column);
    const bool has = row.status == RunStatus::done && number != row.numbers.end();
    curve->x.push_back(numbers.values[static_cast<std::size_t>(place - varied.values.begin())]);
    curve->y.push_back(has ? number->second : std::nan(""));
    any = any || has;
  }
  if (!any) throw InputError("--plot", fmt::format("no run that is done has the column '{}'", column));
  for (Curve& curve : curves) sort_points(curve);
  Figure figure{sweep_file::figure_prefix + column,
                fmt::format("{} against {}", column, varied.key),
                {axis_label(varied.key, numbers.unit), is_logarithmic(varied) ? Scale::logarithmic : Scale::linear},
                {axis_label(column, column_unit(column)), spans_decades(curves) ? Scale::logarithmic : Scale::linear},
                std::move(curves),
                Legend::below};
  return figure;
}

}  // namespace limber
