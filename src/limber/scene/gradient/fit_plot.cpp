#include "limber/scene/gradient/fit_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/record/gnuplot.hpp"

namespace limber {
namespace {

constexpr Index most_panels = 12;

/// Panels side by side and below each other.
struct PanelGrid {
  explicit PanelGrid(Index panels) : across(panels < 2 ? 1 : panels < 5 ? 2 : panels < 10 ? 3 : 4) {
    down = (panels + across - 1) / across;
  }
  Index across, down;
};

/// 1, 2 or 5 times a power of ten, so that there are five steps at most.
double tic_step(double length) {
  const double power = std::pow(10, std::floor(std::log10(length / 5)));
  for (const double digit : {1, 2, 5})
    if (5 * digit * power >= length) return digit * power;
  return 10 * power;
}

/// Rows `time value value …`, of the first `columns`.
std::string fit_data(const char* name, const std::vector<double>& times, const Matrix& values, Index columns) {
  std::string text = fmt::format("${} << END_OF_DATA\n", name);
  for (std::size_t k = 0; k < times.size(); ++k) {
    text += fmt::format("{}", times[k]);
    for (Index c = 0; c < columns; ++c) text += fmt::format(" {}", values(static_cast<Index>(k), c));
    text += '\n';
  }
  return text + "END_OF_DATA\n";
}

/// Margins in pixels: numbers on the left, the panel's name above, numbers (and in the last row the axis' name) below.
std::string fit_layout(const PanelGrid& grid, const std::string& title) {
  constexpr double left = 90, right = 25, above = 95, below = 70, between = 82;
  const double width = grid.across == 4 ? 1600 : 1200;
  const double height = above + below + static_cast<double>(grid.down) * (grid.down == 1 ? 450 : 290);
  return fmt::format(
      "set terminal pngcairo size {},{} font 'DejaVu Sans,13' background rgb 'white'\n"
      "set multiplot layout {},{} title {} noenhanced font ',18' margins {},{},{},{} spacing {},{}\n"
      "set key at screen {},{} right bottom horizontal maxrows 1 Left reverse samplen 2\n",
      width, height, grid.down, grid.across, gnuplot_quoted(title), left / width, 1 - right / width, below / height,
      1 - above / height, left / width, between / height, 1 - right / width, 1 - (above - 42) / height);
}

std::string fit_panel(const Observations& observations, const PanelGrid& grid, Index panel, Index panels) {
  const std::string name = observations.columns[static_cast<std::size_t>(panel)].name();
  const double size = observations.times.size() > 100 ? .5 : .9;
  std::string text = fmt::format("set title {} noenhanced offset 0,-0.6\n", gnuplot_quoted(name + " [m]"));
  text += panel + grid.across < panels ? "unset xlabel\n" : "set xlabel 'time [s]'\n";
  if (panel == 1) text += "unset key\n";  // the first panel's holds for all
  return text + fmt::format(
                    "plot $observed using 1:{0} with points pt 7 ps {1} lc rgb '#0072b2' title 'observed', "
                    "$fitted using 1:{0} with lines lw 2 lc rgb '#d55e00' title 'fitted'\n",
                    panel + 2, size);
}

std::string fit_script(const Observations& observations, const FittedMotion& fitted, std::string title) {
  const Index columns = std::ssize(observations.columns), panels = std::min(columns, most_panels);
  if (panels < columns) title += fmt::format(" (the first {} of {} columns)", panels, columns);
  const PanelGrid grid(panels);
  std::string text = fit_data("observed", observations.times, observations.values, panels) +
                     fit_data("fitted", fitted.times, fitted.values, panels);
  const double from = std::min(observations.times.front(), fitted.times.front());
  const double to = std::max(observations.times.back(), fitted.times.back());
  text += fmt::format(
      "set encoding utf8\nset datafile missing 'nan'\n"
      "set border 3 lc rgb '#666666'\nset tics nomirror out textcolor rgb '#333333' font ',11'\n"
      "set grid lc rgb '#dddddd' lt 1 lw 1\nset format '%g'\nset offsets 0, 0, graph 0.05, graph 0.05\n");
  if (from < to) text += fmt::format("set xrange [{}:{}]\nset xtics {}\n", from, to, tic_step(to - from));
  text += fit_layout(grid, title);
  for (Index panel = 0; panel < panels; ++panel) text += fit_panel(observations, grid, panel, panels);
  return text + "unset multiplot\n";
}

}  // namespace

std::optional<std::string> plot_fit(const std::string& path, const Observations& observations,
                                    const FittedMotion& fitted, const std::string& title) {
  return run_gnuplot(fit_script(observations, fitted, title), path);
}

}  // namespace limber
