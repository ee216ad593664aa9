#pragma once
/// A figure: curves over one pair of axes, drawn by gnuplot, with its numbers beside it: name.svg, name.png, name.csv.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace limber {

enum class Scale { linear, logarithmic };

struct Axis {
  std::string label;  // with the unit, as in "time [s]"
  Scale scale = Scale::linear;
  std::optional<double> from = {}, to = {};  // else as far as the curves go
};

enum class Stroke { line, dashes, dots, points, line_and_points, dashes_and_points };

struct Curve {
  std::string label;
  std::vector<double> x, y;  // of one length; what is not finite, or not positive on a logarithmic axis, is left out
  Stroke stroke = Stroke::line;
  int color = -1;  // of the eight colours of figures; −1: the next one
  bool in_all_panels = false;
};

enum class Legend { top_right, top_left, bottom_right, bottom_left, below };

struct Figure {
  std::string name;   // of its files, such as "damping"
  std::string title;  // what is drawn
  Axis x, y;
  std::vector<Curve> curves;
  Legend legend = Legend::top_right;
  int panels_across = 0;  // small multiples: a panel for each curve that is not in all of them; 0: one pair of axes
};

/// Writes the three files. Throws OutputError, also where gnuplot is missing, and InputError if no point can be drawn.
void write_figure(const Figure& figure, const std::filesystem::path& directory);

/// The numbers of a figure: one column for each curve if all have the same x, else rows `curve,x,y`.
std::string figure_csv(const Figure& figure);

/// A cell of a CSV file: in double quotes where the text has a comma or a quote.
std::string csv_cell(const std::string& text);

}  // namespace limber
