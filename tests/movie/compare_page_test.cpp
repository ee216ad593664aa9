#include "limber/movie/compare_page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "limber/movie/movie.hpp"
#include "limber/record/resample.hpp"
#include "support/programs.hpp"

namespace limber {
namespace {

bool overlap(const PixelBox& a, const PixelBox& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/// Energies of 100 J in all and 25 J in motion, for a second.
PagePanel steady(const std::string& name) { return {name, "a note", {0, 0.5, 1}, {100, 100, 100}, {25, 25, 25}, {}}; }

int brightness(const Image& image, int x, int y) {
  const auto i =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x));
  return image.rgb[i] + image.rgb[i + 1] + image.rgb[i + 2];
}

int darkest_in_column(const Image& image, const PixelBox& box, int x, int from, int to) {
  int darkest = 1000;
  for (int y = box.y + from; y < box.y + to; ++y) darkest = std::min(darkest, brightness(image, x, y));
  return darkest;
}

}  // namespace

TEST(PageLayout, NothingOverlapsAndAllIsOnThePage) {
  for (std::size_t n = 1; n <= 9; ++n)
    for (const PictureSize picture : {PictureSize{640, 400}, PictureSize{333, 251}, PictureSize{64, 48}}) {
      const PageLayout layout(n, picture);
      EXPECT_EQ(layout.size().width % 2, 0);
      EXPECT_EQ(layout.size().height % 2, 0);
      std::vector<PixelBox> boxes;
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_EQ(layout.picture(k).width, picture.width);
        EXPECT_EQ(layout.picture(k).height, picture.height);
        for (const PixelBox& box : {layout.name(k), layout.picture(k), layout.chart(k)}) {
          EXPECT_GT(box.width * box.height, 0);
          EXPECT_GE(std::min(box.x, box.y), 0);
          EXPECT_LE(box.x + box.width, layout.size().width);
          EXPECT_LE(box.y + box.height, layout.size().height);
          for (const PixelBox& other : boxes) EXPECT_FALSE(overlap(box, other)) << n << " " << k;
          boxes.push_back(box);
        }
      }
    }
}

TEST(PageLayout, RowsOfAtMostFour) {
  const auto columns = [](std::size_t n) {
    const PageLayout layout(n, {640, 400});
    std::size_t count = 0;
    while (count < n && layout.picture(count).y == layout.picture(0).y) ++count;
    return count;
  };
  EXPECT_EQ(columns(1), 1u);
  EXPECT_EQ(columns(4), 4u);
  EXPECT_EQ(columns(5), 3u);
  EXPECT_EQ(columns(6), 3u);
  EXPECT_EQ(columns(8), 4u);
  EXPECT_EQ(columns(9), 3u);
  const PageLayout five(5, {640, 400});  // the second row stands in the middle
  EXPECT_EQ(five.picture(3).x + five.picture(4).x + 640, five.size().width);
}

TEST(EnergyRange, HoldsAllRunsUnlessOneExplodes) {
  std::vector<PagePanel> panels = {steady("a"), steady("b")};
  EXPECT_EQ(energy_range(panels).low, 0);
  EXPECT_DOUBLE_EQ(energy_range(panels).high, 106);
  panels[1].total[2] = 300;
  EXPECT_DOUBLE_EQ(energy_range(panels).high, 318);
  panels[1].total[2] = 1e30;
  EXPECT_DOUBLE_EQ(energy_range(panels).high, 424);  // four times the calmest
  panels[1].total[2] = std::nan("");
  EXPECT_DOUBLE_EQ(energy_range(panels).high, 106);
  PagePanel early{"c", "", {0}, {1}, {0}, 0.};  // stopped at once: not a measure for the others
  EXPECT_DOUBLE_EQ(energy_range({panels[0], early}).high, 106);
  panels[0].total[1] = -100;
  EXPECT_LT(energy_range(panels).low, -100);
  for (PagePanel& p : panels) p.total = p.kinetic = {0, 0, 0};
  EXPECT_GT(energy_range(panels).high, energy_range(panels).low);
}

class ComparePageDrawn : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_gnuplot()) GTEST_SKIP() << "needs gnuplot";
  }
  const PictureSize size_{640, 40};
  const Image picture_{640, 40, std::vector<std::uint8_t>(640 * 40 * 3, 77)};
};

TEST_F(ComparePageDrawn, CurvesEndAtThePresent) {
  const ComparePage page({steady("BE"), steady("TR-BDF2")}, size_);
  const Image half = page.at(0.5, {picture_, picture_}), all = page.at(1, {picture_, picture_});
  for (std::size_t k = 0; k < 2; ++k) {
    const PixelBox chart = page.layout().chart(k), picture = page.layout().picture(k);
    // 100 J lies 6 of 106 parts below the top; gridlines are far brighter than the curve.
    const int row = chart.height * 6 / 106;
    const auto curve_at = [&](const Image& image, double part) {
      return darkest_in_column(image, chart, chart.x + static_cast<int>(part * chart.width), row - 2, row + 3) < 300;
    };
    EXPECT_TRUE(curve_at(half, 0.25));
    EXPECT_FALSE(curve_at(half, 0.75));
    EXPECT_TRUE(curve_at(all, 0.75));
    EXPECT_EQ(brightness(half, picture.x, picture.y), 3 * 77);
    EXPECT_EQ(brightness(half, picture.x + 639, picture.y + 39), 3 * 77);
  }
}

TEST_F(ComparePageDrawn, ARunThatStoppedSaysSoFromThenOn) {
  PagePanel broken = steady("SI");
  broken.time = {0, 0.2};
  broken.total.resize(2);
  broken.kinetic.resize(2);
  broken.stopped = 0.2;
  const ComparePage page({steady("BE"), broken}, size_);
  const PixelBox name = page.layout().name(1);
  const auto words = [&](double t) {
    const Image image = page.at(t, {picture_, picture_});
    std::vector<int> found;
    for (int y = name.y; y < name.y + name.height; ++y)
      for (int x = name.x; x < name.x + name.width; ++x) found.push_back(brightness(image, x, y));
    return found;
  };
  EXPECT_EQ(words(0), words(0.1));
  EXPECT_NE(words(0.1), words(0.2));
  EXPECT_EQ(words(0.2), words(1));
}

TEST(MovieTimes, OnePictureEachFrame) {
  EXPECT_EQ(times_at_rate(0, 1, 2), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(times_at_rate(0, 0.3, 10).size(), 4u);
  EXPECT_EQ(times_at_rate(0, 0.39, 10).size(), 4u);
  EXPECT_EQ(times_at_rate(2, 2, 30), (std::vector<double>{2}));
}

}  // namespace limber
