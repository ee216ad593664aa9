#include "limber/study/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/record/files.hpp"
#include "limber/record/gnuplot.hpp"

namespace limber {

namespace {

// Told apart by readers who do not see all colours (Okabe and Ito's palette, its yellow darkened).
constexpr std::array colors = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#222222", "#56b4e9", "#b8860b", "#888888"};

bool drawn(double x, const Axis& axis) { return std::isfinite(x) && (axis.scale == Scale::linear || x > 0); }

std::string data_block(const Figure& figure, const Curve& curve, std::size_t number) {
  std::string text = fmt::format("$curve{} << END_OF_DATA\n", number);
  bool gap = true;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (drawn(curve.x[i], figure.x) && drawn(curve.y[i], figure.y)) {
      text += fmt::format("{} {}\n", curve.x[i], curve.y[i]);
      gap = false;
    } else if (!gap) {
      text += "\n";  // lines break at an empty line
      gap = true;
    }
  }
  return text + "END_OF_DATA\n";
}

std::string style(const Curve& curve, std::size_t color, std::size_t number) {
  std::string ink = fmt::format("lc rgb '{}'", colors[color % colors.size()]);
  const std::size_t mark = std::array<std::size_t, 7>{7, 5, 9, 11, 13, 6, 4}[number % 7];
  switch (curve.stroke) {
    case Stroke::line:
      return "with lines lw 2 " + ink;
    case Stroke::dashes:
      return "with lines lw 2 dt (12,6) " + ink;
    case Stroke::dots:
      return "with lines lw 2 dt (3,4) " + ink;
    case Stroke::points:
      return fmt::format("with points pt {} ps 0.9 {}", mark, ink);
    case Stroke::line_and_points:
      return fmt::format("with linespoints lw 1.5 pt {} ps 0.8 {}", mark, ink);
    case Stroke::dashes_and_points:
      return fmt::format("with linespoints lw 1.5 dt (12,6) pt {} ps 0.8 {}", mark, ink);
  }
  return ink;
}

const char* key_place(Legend legend) {
  switch (legend) {
    case Legend::top_right:
      return "top right";
    case Legend::top_left:
      return "top left";
    case Legend::bottom_right:
      return "bottom right";
    case Legend::bottom_left:
      return "bottom left";
    case Legend::below:
      return "bmargin center horizontal maxcols 4";
  }
  return "";
}

struct Range {
  double from, to;
};

/// Of a logarithmic axis: as far as the curves go, and a little further, so that no mark lies on the frame.
Range logarithmic_range(const Figure& figure, const Axis& axis, std::vector<double> Curve::*values) {
  double least = HUGE_VAL, most = 0;
  for (const Curve& curve : figure.curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      if (!drawn(curve.x[i], figure.x) || !drawn(curve.y[i], figure.y)) continue;
      least = std::min(least, (curve.*values)[i]);
      most = std::max(most, (curve.*values)[i]);
    }
  const double beyond = most > least ? std::pow(most / least, 0.03) : 2;
  return {axis.from.value_or(least / beyond), axis.to.value_or(most * beyond)};
}

/// Some multiples of powers of ten, where powers of ten alone would be too few.
std::string fine_tics(const Range& range, char letter) {
  const bool narrow = range.to < 8 * range.from;
  const std::vector<double> digits =
      narrow ? std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8} : std::vector<double>{1, 2, 5};
  std::vector<std::string> tics;
  for (double power = std::pow(10, std::floor(std::log10(range.from))); power < range.to; power *= 10)
    for (const double digit : digits)
      if (digit * power >= range.from && digit * power <= range.to)
        tics.push_back(fmt::format("'{0:.6g}' {0:.6g}", digit * power));
  return fmt::format("set {}tics ({})\n", letter, join(tics));
}

std::string logarithmic_commands(const Range& range, char letter) {
  std::string text = fmt::format("set logscale {0}\nset {0}range [{1}:{2}]\n", letter, range.from, range.to);
  if (range.to < 200 * range.from) return text + fine_tics(range, letter);
  return text + fmt::format("set format {} '10^{{%T}}'\n", letter);
}

std::string linear_commands(const Axis& axis, char letter) {
  const auto bound = [](const std::optional<double>& x) { return x ? fmt::format("{}", *x) : std::string("*"); };
  return fmt::format("set {0}range [{1}:{2}]\nset format {0} '%g'\n", letter, bound(axis.from), bound(axis.to));
}

/// Curves keep off the frame where the axis has no end of its own.
std::string offset_commands(const Axis& up) {
  const auto room = [](const std::optional<double>& end) { return end ? "0" : "graph 0.02"; };
  return fmt::format("set offsets 0, 0, {}, {}\n", room(up.to), room(up.from));
}

std::string axes_commands(const Figure& figure) {
  // A legend below starts where the label ends: an empty line keeps them apart.
  std::string text =
      fmt::format("set xlabel {}{} noenhanced\nset ylabel {} noenhanced\n", gnuplot_quoted(figure.x.label),
                  figure.legend == Legend::below ? ".\"\\n\"" : "", gnuplot_quoted(figure.y.label));
  text += figure.x.scale == Scale::linear ? linear_commands(figure.x, 'x')
                                          : logarithmic_commands(logarithmic_range(figure, figure.x, &Curve::x), 'x');
  text += figure.y.scale == Scale::linear ? linear_commands(figure.y, 'y') + offset_commands(figure.y)
                                          : logarithmic_commands(logarithmic_range(figure, figure.y, &Curve::y), 'y');
  return text;
}

/// The data, and what all figures look like.
std::string opening_commands(const Figure& figure, const std::string& terminal) {
  std::string text;
  for (std::size_t i = 0; i < figure.curves.size(); ++i) text += data_block(figure, figure.curves[i], i);
  text += "set encoding utf8\nset terminal " + terminal + "\n";
  return text +
         "set border 3 lc rgb '#666666'\nset tics nomirror out textcolor rgb '#333333'\n"
         "set grid lc rgb '#dddddd' lt 1 lw 1\nset autoscale xfix\n";
}

std::string plot_command(const Curve& curve, std::size_t color, std::size_t number) {
  return fmt::format("$curve{} using 1:2 {} title {}", number, style(curve, color, number),
                     gnuplot_quoted(curve.label));
}

/// Numbers of the curves that have a panel of their own.
std::vector<std::size_t> panels(const Figure& figure) {
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < figure.curves.size(); ++i)
    if (!figure.curves[i].in_all_panels) own.push_back(i);
  return own;
}

std::size_t panel_rows(const Figure& figure) {
  const auto across = static_cast<std::size_t>(figure.panels_across);
  return (panels(figure).size() + across - 1) / across;
}

/// Five numbers at most on an axis of a panel, where its ends are given.
std::string panel_tics(const Axis& axis, char letter) {
  if (!axis.from || !axis.to) return "";
  const double least = (*axis.to - *axis.from) / 5, power = std::pow(10, std::floor(std::log10(least)));
  double step = 10 * power;
  for (const double digit : {5, 2})
    if (digit * power >= least) step = digit * power;
  return fmt::format("set {}tics {}\n", letter, step);
}

/// What is in all panels is grey and stands behind. Axes have numbers at the left and at the lower end only.
std::string panels_script(const Figure& figure, const std::string& terminal) {
  const auto across = static_cast<std::size_t>(figure.panels_across);
  const std::vector<std::size_t> own = panels(figure);
  constexpr std::size_t grey = colors.size() - 1;
  std::string behind;
  for (std::size_t i = 0; i < figure.curves.size(); ++i)
    if (figure.curves[i].in_all_panels) behind += plot_command(figure.curves[i], grey, i) + ", ";
  std::string text = opening_commands(figure, terminal) + axes_commands(figure) + panel_tics(figure.x, 'x') +
                     panel_tics(figure.y, 'y');
  text += fmt::format(
      "unset key\nset multiplot layout {},{} title {} noenhanced font ',18' margins char 8, char 2, char 4, char 4 "
      "spacing char 3.5, char 2.5\n",
      panel_rows(figure), across, gnuplot_quoted(figure.title));
  for (std::size_t k = 0; k < own.size(); ++k) {
    const bool left = k % across == 0, lowest = k + across >= own.size();
    text += fmt::format("set title {} noenhanced offset 0,-0.7\n", gnuplot_quoted(figure.curves[own[k]].label));
    text += fmt::format("set format y '{}'\nset format x '{}'\n", left ? "%g" : "", lowest ? "%g" : "");
    text += fmt::format("set ylabel {} noenhanced\nset xlabel {} noenhanced\n",
                        gnuplot_quoted(left ? figure.y.label : ""), gnuplot_quoted(lowest ? figure.x.label : ""));
    text += "plot " + behind + plot_command(figure.curves[own[k]], 0, own[k]) + "\n";
  }
  return text + "unset multiplot\n";
}

std::string script(const Figure& figure, const std::string& terminal) {
  if (figure.panels_across > 0) return panels_script(figure, terminal);
  std::string text = opening_commands(figure, terminal);
  text += fmt::format("set key {} noenhanced Left reverse samplen 2.5 spacing 1.15 {}\n", key_place(figure.legend),
                      figure.legend == Legend::below ? "" : "box lc rgb '#dddddd' opaque");
  text += fmt::format("set title {} noenhanced font ',18'\n", gnuplot_quoted(figure.title));
  text += axes_commands(figure) + "plot ";
  std::size_t next = 0;
  for (std::size_t i = 0; i < figure.curves.size(); ++i) {
    const Curve& curve = figure.curves[i];
    const std::size_t color = curve.color >= 0 ? static_cast<std::size_t>(curve.color) : next++;
    text += (i ? ", \\\n  " : "") + plot_command(curve, color, i);
  }
  return text + "\n";
}

void check(const Figure& figure) {
  bool any = false;
  for (const Curve& curve : figure.curves) {
    if (curve.x.size() != curve.y.size())
      throw InputError(figure.name, fmt::format("'{}' has {} x but {} y", curve.label, curve.x.size(), curve.y.size()));
    for (std::size_t i = 0; i < curve.x.size(); ++i)
      any = any || (drawn(curve.x[i], figure.x) && drawn(curve.y[i], figure.y));
  }
  if (!any) throw InputError(figure.name, "there is nothing to draw");
}

void draw(const Figure& figure, const std::string& terminal, const std::string& path) {
  if (const auto why = run_gnuplot(script(figure, terminal), path)) throw OutputError(path + ": " + *why);
}

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string figure_csv(const Figure& figure) {
  const auto& curves = figure.curves;
  const bool shared =
      std::all_of(curves.begin(), curves.end(), [&](const Curve& c) { return c.x == curves.front().x; });
  std::string text;
  if (!shared) {
    text = fmt::format("curve,{},{}\n", csv_cell(figure.x.label), csv_cell(figure.y.label));
    for (const Curve& c : curves)
      for (std::size_t i = 0; i < c.x.size(); ++i) text += fmt::format("{},{},{}\n", csv_cell(c.label), c.x[i], c.y[i]);
    return text;
  }
  text = csv_cell(figure.x.label);
  for (const Curve& c : curves) text += fmt::format(",{}", csv_cell(c.label));
  text += "\n";
  for (std::size_t i = 0; !curves.empty() && i < curves.front().x.size(); ++i) {
    text += fmt::format("{}", curves.front().x[i]);
    for (const Curve& c : curves) text += fmt::format(",{}", c.y[i]);
    text += "\n";
  }
  return text;
}

void write_figure(const Figure& figure, const std::filesystem::path& directory) {
  check(figure);
  const std::string stem = (directory / figure.name).string();
  write_atomically(stem + ".csv", figure_csv(figure));
  const std::size_t height = figure.panels_across > 0 ? 120 + 108 * panel_rows(figure) : 560;
  const int font = figure.panels_across > 0 ? 12 : 15;
  draw(figure, fmt::format("svg size 900,{} font 'DejaVu Sans,{}' background rgb 'white'", height, font),
       stem + ".svg");
  draw(figure, fmt::format("pngcairo size 1200,{} font 'DejaVu Sans,{}' background rgb 'white'", height * 4 / 3, font),
       stem + ".png");
}

}  // namespace limber
