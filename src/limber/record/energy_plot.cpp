#include "limber/record/energy_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "limber/record/directory.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/gnuplot.hpp"

namespace limber {

namespace {

struct Curve {
  const char* column;
  const char* label;
  const char* style;
};

constexpr std::array curves = {
    Curve{"kinetic", "kinetic", "lw 2 lc rgb '#0072b2'"},
    Curve{"elastic", "elastic", "lw 2 lc rgb '#d55e00'"},
    Curve{"gravitational", "gravitational", "lw 2 lc rgb '#009e73'"},
    Curve{"damping_loss", "damping loss", "lw 2 dt 2 lc rgb '#cc79a7'"},
    Curve{"total", "total", "lw 3 lc rgb '#222222'"},
};

constexpr std::size_t bins = 2000;  // more than the picture has columns of pixels

/// Lines `time value value …`. Long runs are drawn by the smallest and the largest value of each bin, so that no
/// oscillation is lost.
std::string data_block(const EnergyRecord& record) {
  std::vector<std::vector<double>> values = {record.column("time")};
  for (const Curve& curve : curves) values.push_back(record.column(curve.column));
  const std::size_t rows = record.rows.size(), stride = std::max<std::size_t>(1, rows / bins);
  std::string text;
  const auto line = [&](std::size_t time_row, auto value) {
    text += fmt::format("{}", values[0][time_row]);
    for (std::size_t c = 1; c < values.size(); ++c) text += fmt::format(" {}", value(values[c]));
    text += '\n';
  };
  for (std::size_t begin = 0; begin < rows; begin += stride) {
    const std::size_t end = std::min(rows, begin + stride);
    const auto at = [](const std::vector<double>& x, std::size_t i) { return x.begin() + static_cast<long>(i); };
    line(begin, [&](const auto& x) { return *std::min_element(at(x, begin), at(x, end)); });
    if (stride > 1) line(end - 1, [&](const auto& x) { return *std::max_element(at(x, begin), at(x, end)); });
  }
  return text;
}

EnergyUnit unit_for(const EnergyRecord& record) {
  double largest = 0;
  for (const Curve& curve : curves)
    for (const double x : record.column(curve.column))
      if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  return energy_unit(largest);
}

std::string script(const EnergyRecord& record, const std::string& title) {
  const auto [unit, unit_name] = unit_for(record);
  std::string text = "$energy << END_OF_DATA\n" + data_block(record) + "END_OF_DATA\n";
  text +=
      "set terminal pngcairo size 1200,800 font 'DejaVu Sans,15' background rgb 'white'\n"
      "set encoding utf8\n"
      "set border 3 lc rgb '#666666'\n"
      "set tics nomirror out textcolor rgb '#333333'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 1\n"
      "set format y '%g'\n"
      "set key bmargin center horizontal maxrows 1 Left reverse samplen 2 width -3\n"
      "set lmargin 11\nset rmargin 4\nset tmargin 4\nset bmargin 6\n"
      "set xlabel 'time [s]'\n"
      "set autoscale xfix\nset offsets graph 0, graph 0, graph 0.03, graph 0.03\n";
  text += fmt::format("set ylabel 'energy [{}]' offset -1,0\n", unit_name);
  text += fmt::format("set title {} noenhanced font ',20' offset 0,0.3\n", gnuplot_quoted(title));
  text += "plot ";
  for (std::size_t c = 0; c < curves.size(); ++c)
    text += fmt::format("{}$energy using 1:(${}/{}) with lines {} title '{}'", c ? ", " : "", c + 2, unit,
                        curves[c].style, curves[c].label);
  return text + "\n";
}

}  // namespace

EnergyUnit energy_unit(double largest) {
  constexpr std::array<EnergyUnit, 6> units = {
      {{1e9, "GJ"}, {1e6, "MJ"}, {1e3, "kJ"}, {1, "J"}, {1e-3, "mJ"}, {1e-6, "µJ"}}};
  for (const EnergyUnit& unit : units)
    if (largest >= unit.joules) return unit;
  return {1, "J"};
}

std::optional<std::string> plot_energy(const std::string& directory, const std::string& title) {
  const std::filesystem::path base(directory);
  const EnergyRecord record = read_energy_table((base / run_file::energy).string());
  if (record.rows.size() < 2) return "there are fewer than two rows of energies to plot";
  return run_gnuplot(script(record, title), (base / run_file::energy_plot).string());
}

}  // namespace limber
