#pragma once  // internal
/// A page of pictures side by side: above each the name of its run, below it the total and the kinetic energy over
/// time, on the same axes for all. gnuplot draws the page twice, without curves and with them. Since the curves go from
/// left to right, the page at time t is the second one up to the column of t, and the first one beyond.

#include <optional>
#include <string>
#include <vector>

#include "limber/render/camera.hpp"
#include "limber/render/image.hpp"

namespace limber {

struct PixelBox {
  int x = 0, y = 0, width = 0, height = 0;  // of the left upper corner; pixels
};

/// Where things stand: at most four in a row, rows as equal as they can be.
class PageLayout {
 public:
  PageLayout(std::size_t panels, PictureSize picture);

  PictureSize size() const { return size_; }  // even, as videos need
  /// Of lengths and letters: 1 for pictures that are 640 pixels wide.
  double scale() const { return scale_; }
  PixelBox name(std::size_t panel) const;
  PixelBox picture(std::size_t panel) const;
  /// What the axes enclose.
  PixelBox chart(std::size_t panel) const;

 private:
  PixelBox cell(std::size_t panel) const;
  int scaled(double length) const;

  std::size_t panels_, columns_;
  PictureSize picture_, size_;
  double scale_;
};

struct PagePanel {
  std::string name, note;
  std::vector<double> time, total, kinetic;  // [s], [J], [J]
  std::optional<double> stopped;             // [s] where the run could not go on
};

struct ValueRange {
  double low = 0, high = 1;
};
/// [J] of the axes: from 0 or below to the top of what all runs reach; but a run that explodes leaves the chart rather
/// than making the others flat, where it goes beyond four times the calmest run that came to its end.
ValueRange energy_range(const std::vector<PagePanel>& panels);

class ComparePage {
 public:
  /// Throws OutputError if gnuplot cannot draw it.
  ComparePage(std::vector<PagePanel> panels, PictureSize picture);

  const PageLayout& layout() const { return layout_; }
  /// With one picture for each panel.
  Image at(double t, const std::vector<Image>& pictures) const;

 private:
  enum class Curves { without, with };
  std::string script(Curves curves) const;
  std::string panel_script(std::size_t panel, Curves curves) const;
  Image drawn(Curves curves) const;
  void mark(const PixelBox& chart, double t, double value, const unsigned char (&rgb)[3], Image& page) const;

  std::vector<PagePanel> panels_;
  PageLayout layout_;
  ValueRange time_, energy_;
  Image without_, with_;
};

}  // namespace limber
