#include "limber/movie/compare_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/record/energy_plot.hpp"
#include "limber/record/files.hpp"
#include "limber/record/gnuplot.hpp"
#include "limber/record/temporary_directory.hpp"

namespace limber {
namespace {

// Pixels where pictures are 640 wide.
constexpr double gap = 16, name_height = 46, above_chart = 38, chart_height = 180, below_chart = 54;
constexpr double left_of_chart = 58, right_of_chart = 10;

constexpr unsigned char total_color[] = {0x22, 0x22, 0x22}, kinetic_color[] = {0x00, 0x72, 0xb2};
constexpr unsigned char now_color[] = {0xbb, 0xbb, 0xbb};

std::string hex(const unsigned char (&rgb)[3]) { return fmt::format("'#{:02x}{:02x}{:02x}'", rgb[0], rgb[1], rgb[2]); }

/// On the straight line between the neighbours; NaN outside.
double value_at(const std::vector<double>& time, const std::vector<double>& values, double t) {
  const auto after = std::lower_bound(time.begin(), time.end(), t);
  if (after == time.end() || (after == time.begin() && *after != t)) return std::nan("");
  const auto k = static_cast<std::size_t>(after - time.begin());
  if (time[k] == t) return values[k];
  const double part = (t - time[k - 1]) / (time[k] - time[k - 1]);
  return values[k - 1] + part * (values[k] - values[k - 1]);
}

std::uint8_t* pixel(Image& image, int x, int y) {
  return image.rgb.data() +
         3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x));
}

void blend(std::uint8_t* pixel, const unsigned char (&rgb)[3], double part) {
  for (int i = 0; i < 3; ++i) pixel[i] = static_cast<std::uint8_t>(std::lround(pixel[i] + part * (rgb[i] - pixel[i])));
}

Image cut(const Image& from, const PixelBox& box) {
  Image part{box.width, box.height, {}};
  for (int y = box.y; y < box.y + box.height; ++y) {
    const auto begin = from.rgb.begin() + 3 * (static_cast<long>(y) * from.width + box.x);
    part.rgb.insert(part.rgb.end(), begin, begin + 3L * box.width);
  }
  return part;
}

}  // namespace

PageLayout::PageLayout(std::size_t panels, PictureSize picture)
    : panels_(panels), picture_(picture), scale_(std::max(0.2, picture.width / 640.0)) {
  constexpr std::size_t most = 4;
  const std::size_t rows = (panels + most - 1) / most;
  columns_ = (panels + rows - 1) / rows;
  const PixelBox last = cell(panels - 1);
  const auto even = [](int x) { return x + x % 2; };
  size_ = {even(scaled(gap) + static_cast<int>(columns_) * (picture.width + scaled(gap))), even(last.y + last.height)};
}

int PageLayout::scaled(double length) const { return static_cast<int>(std::lround(scale_ * length)); }

PixelBox PageLayout::cell(std::size_t panel) const {
  const std::size_t row = panel / columns_, in_row = std::min(columns_, panels_ - row * columns_);
  const int height =
      scaled(name_height) + picture_.height + scaled(above_chart) + scaled(chart_height) + scaled(below_chart);
  const int step = picture_.width + scaled(gap), spare = static_cast<int>(columns_ - in_row) * step / 2;
  return {scaled(gap) + spare + static_cast<int>(panel % columns_) * step, static_cast<int>(row) * height,
          picture_.width, height};
}

PixelBox PageLayout::name(std::size_t panel) const {
  const PixelBox c = cell(panel);
  return {c.x, c.y, c.width, scaled(name_height)};
}

PixelBox PageLayout::picture(std::size_t panel) const {
  const PixelBox c = cell(panel);
  return {c.x, c.y + scaled(name_height), picture_.width, picture_.height};
}

PixelBox PageLayout::chart(std::size_t panel) const {
  const PixelBox p = picture(panel);
  return {p.x + scaled(left_of_chart), p.y + p.height + scaled(above_chart),
          p.width - scaled(left_of_chart) - scaled(right_of_chart), scaled(chart_height)};
}

ValueRange energy_range(const std::vector<PagePanel>& panels) {
  ValueRange all{0, 0}, calmest{0, std::numeric_limits<double>::max() / 8};
  for (const PagePanel& panel : panels) {
    ValueRange own{0, 0};
    for (const auto* values : {&panel.total, &panel.kinetic})
      for (const double x : *values)
        if (std::isfinite(x)) own = {std::min(own.low, x), std::max(own.high, x)};
    all = {std::min(all.low, own.low), std::max(all.high, own.high)};
    const double extent = own.high - own.low;
    if (!panel.stopped && extent > 0 && extent < calmest.high - calmest.low) calmest = own;
  }
  const double room = 3 * (calmest.high - calmest.low);
  all = {std::max(all.low, calmest.low - room), std::min(all.high, calmest.high + room)};
  if (!(all.high > all.low)) return {all.low, all.low + 1};
  const double margin = 0.06 * (all.high - all.low);
  return {all.low < 0 ? all.low - margin : 0, all.high + margin};
}

ComparePage::ComparePage(std::vector<PagePanel> panels, PictureSize picture)
    : panels_(std::move(panels)), layout_(panels_.size(), picture), energy_(energy_range(panels_)) {
  time_ = {panels_[0].time.front(), panels_[0].time.front()};
  for (const PagePanel& p : panels_) time_.high = std::max(time_.high, p.time.back());
  if (time_.high == time_.low) time_.high += 1;
  without_ = drawn(Curves::without);
  with_ = drawn(Curves::with);
}

std::string ComparePage::panel_script(std::size_t k, Curves curves) const {
  const PagePanel& panel = panels_[k];
  const PixelBox name = layout_.name(k), chart = layout_.chart(k);
  const double width = layout_.size().width, height = layout_.size().height, s = layout_.scale();
  const EnergyUnit unit = energy_unit(std::max(std::abs(energy_.low), std::abs(energy_.high)));
  const auto x = [&](double pixels) { return pixels / width; };
  const auto y = [&](double pixels) { return 1 - pixels / height; };
  std::string text = "unset label\n";
  text += fmt::format("set label {} at screen {}, {} left noenhanced font 'DejaVu Sans:Bold,{}' tc rgb '#222222'\n",
                      gnuplot_quoted(panel.name), x(name.x), y(name.y + 0.58 * name.height), 17 * s);
  const bool stopped = panel.stopped && curves == Curves::with;
  text += fmt::format("set label {} at screen {}, {} right noenhanced tc rgb '{}'\n",
                      gnuplot_quoted(stopped ? fmt::format("stopped at t = {:.4g} s", *panel.stopped) : panel.note),
                      x(name.x + name.width), y(name.y + 0.62 * name.height), stopped ? "#c0392b" : "#777777");
  text += fmt::format("set label 'energy [{}]' at screen {}, {} left tc rgb '#444444'\n", unit.name, x(name.x),
                      y(chart.y - 16 * s));
  text += fmt::format("set lmargin at screen {}\nset rmargin at screen {}\n", x(chart.x), x(chart.x + chart.width));
  text += fmt::format("set tmargin at screen {}\nset bmargin at screen {}\n", y(chart.y), y(chart.y + chart.height));
  text +=
      fmt::format("set key at screen {}, {} right center horizontal\n", x(chart.x + chart.width), y(chart.y - 16 * s));
  text += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", time_.low, time_.high, energy_.low / unit.joules,
                      energy_.high / unit.joules);
  const std::string kinetic = "with lines lw 2 lc rgb " + hex(kinetic_color),
                    total = "with lines lw 2.5 lc rgb " + hex(total_color);
  if (curves == Curves::without)
    return text + "plot NaN notitle, keyentry " + total + " title 'total', keyentry " + kinetic + " title 'kinetic'\n";
  std::string data = fmt::format("$energy{} << END_OF_DATA\n", k);
  for (std::size_t i = 0; i < panel.time.size(); ++i)
    data += fmt::format("{} {} {}\n", panel.time[i], panel.total[i] / unit.joules, panel.kinetic[i] / unit.joules);
  return data + "END_OF_DATA\n" + text +
         fmt::format(
             "plot $energy{0} using 1:3 {1} notitle, '' using 1:2 {2} title 'total', keyentry {1} title "
             "'kinetic'\n",
             k, kinetic, total);
}

std::string ComparePage::script(Curves curves) const {
  const auto [width, height] = layout_.size();
  const double s = layout_.scale();
  std::string text = fmt::format(
      "set encoding utf8\n"
      "set terminal pngcairo size {},{} font 'DejaVu Sans,{}' linewidth {} background rgb 'white'\n"
      "set border 3 lc rgb '#999999'\n"
      "set tics nomirror out scale {} textcolor rgb '#444444'\n"
      "set grid lc rgb '#e4e4e4' lt 1 lw 1\n"
      "set xzeroaxis lc rgb '#999999' lt 1 lw 1\n"
      "set format '%g'\nset xtics autofreq\nset ytics autofreq\n"
      "set key samplen 1.6 textcolor rgb '#444444'\n"
      "set xlabel 'time [s]' offset 0,0.4 textcolor rgb '#444444'\n"
      "set multiplot\n",
      width, height, 11.5 * s, s, 0.5 * s);
  for (std::size_t k = 0; k < panels_.size(); ++k) text += panel_script(k, curves);
  return text + "unset multiplot\n";
}

Image ComparePage::drawn(Curves curves) const {
  const TemporaryDirectory folder;
  const std::string file = (folder.path() / "page.png").string();
  if (const auto failed = run_gnuplot(script(curves), file)) throw OutputError(*failed);
  Image image = decode_png(read_file(file), file);
  if (image.width != layout_.size().width || image.height != layout_.size().height)
    throw OutputError(fmt::format("gnuplot drew {}x{} pixels, not {}x{}", image.width, image.height,
                                  layout_.size().width, layout_.size().height));
  return image;
}

/// A dot on a curve.
void ComparePage::mark(const PixelBox& chart, double t, double value, const unsigned char (&rgb)[3],
                       Image& page) const {
  const double x = chart.x + chart.width * (t - time_.low) / (time_.high - time_.low);
  const double y = chart.y + chart.height * (energy_.high - value) / (energy_.high - energy_.low);
  if (!(y >= chart.y && y <= chart.y + chart.height)) return;
  const double radius = 4.5 * layout_.scale();
  const int reach = static_cast<int>(std::ceil(radius + 1));
  for (int j = static_cast<int>(y) - reach; j <= static_cast<int>(y) + reach; ++j)
    for (int i = static_cast<int>(x) - reach; i <= static_cast<int>(x) + reach; ++i) {
      if (i < 0 || j < 0 || i >= page.width || j >= page.height) continue;
      blend(pixel(page, i, j), rgb, std::clamp(radius + 0.5 - std::hypot(i + 0.5 - x, j + 0.5 - y), 0.0, 1.0));
    }
}

Image ComparePage::at(double t, const std::vector<Image>& pictures) const {
  Image page = without_;
  for (std::size_t k = 0; k < panels_.size(); ++k) {
    const PagePanel& panel = panels_[k];
    const PixelBox name = layout_.name(k), picture = layout_.picture(k), chart = layout_.chart(k);
    if (panel.stopped && t >= *panel.stopped) paste(cut(with_, name), name.x, name.y, page);
    const double part = std::clamp((t - time_.low) / (time_.high - time_.low), 0.0, 1.0);
    const int now = std::min(chart.width - 1, static_cast<int>(std::lround(part * chart.width)));
    paste(cut(with_, {chart.x, chart.y, now + 1, chart.height}), chart.x, chart.y, page);
    for (int y = chart.y; y < chart.y + chart.height; ++y) blend(pixel(page, chart.x + now, y), now_color, 1);
    mark(chart, t, value_at(panel.time, panel.kinetic, t), kinetic_color, page);
    mark(chart, t, value_at(panel.time, panel.total, t), total_color, page);
    paste(pictures[k], picture.x, picture.y, page);
  }
  return page;
}

}  // namespace limber
