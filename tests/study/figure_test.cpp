#include "limber/study/figure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/record/files.hpp"
#include "limber/record/temporary_directory.hpp"
#include "support/programs.hpp"

namespace limber {
namespace {

Figure two_curves() {
  Figure f{"two", "Two 'curves'", {"time [s]"}, {"energy, total [J]"}, {}};
  f.curves = {{"a", {0, 1, 2}, {1, 2, 4}}, {"b, dashed", {0, 1, 2}, {3, 2, 1}, Stroke::dashes}};
  return f;
}

TEST(Figure, SharedAbscissaeGiveOneColumnACurve) {
  EXPECT_EQ(figure_csv(two_curves()), "time [s],a,\"b, dashed\"\n0,1,3\n1,2,2\n2,4,1\n");
}

TEST(Figure, OtherwiseOneRowAPoint) {
  Figure f = two_curves();
  f.curves[1].x[2] = 2.5;
  EXPECT_EQ(figure_csv(f),
            "curve,time [s],\"energy, total [J]\"\na,0,1\na,1,2\na,2,4\n\"b, dashed\",0,3\n\"b, dashed\",1,2\n\"b, "
            "dashed\",2.5,1\n");
}

TEST(Figure, DrawsLabelsAndLegend) {
  if (!test::has_gnuplot()) GTEST_SKIP() << "needs gnuplot";
  const TemporaryDirectory folder;
  write_figure(two_curves(), folder.path());
  const std::string svg = read_file((folder.path() / "two.svg").string());
  for (const char* text : {"time [s]", "energy, total [J]", "b, dashed", "Two ’curves’"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(read_file((folder.path() / "two.png").string()).substr(1, 3), "PNG");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "two.csv"));
}

TEST(Figure, PanelsHaveTheirOwnTitles) {
  if (!test::has_gnuplot()) GTEST_SKIP() << "needs gnuplot";
  const TemporaryDirectory folder;
  Figure f = two_curves();
  f.curves.push_back({"in both", {0, 1, 2}, {0, 0, 0}});
  f.curves.back().in_all_panels = true;
  f.panels_across = 2;
  write_figure(f, folder.path());
  const std::string svg = read_file((folder.path() / "two.svg").string());
  for (const char* text : {">a<", "b, dashed", "Two ’curves’", "time [s]"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(figure_csv(f), "time [s],a,\"b, dashed\",in both\n0,1,3,0\n1,2,2,0\n2,4,1,0\n");
}

TEST(Figure, LeavesOutWhatALogarithmHasNot) {
  if (!test::has_gnuplot()) GTEST_SKIP() << "needs gnuplot";
  const TemporaryDirectory folder;
  Figure f = two_curves();
  f.y.scale = Scale::logarithmic;
  f.curves[0].y = {1, -1, NAN};
  EXPECT_NO_THROW(write_figure(f, folder.path()));
}

TEST(Figure, ANarrowLogarithmicAxisHasNumbers) {
  if (!test::has_gnuplot()) GTEST_SKIP() << "needs gnuplot";
  const TemporaryDirectory folder;
  Figure f = two_curves();
  f.y.scale = Scale::logarithmic;
  write_figure(f, folder.path());
  const std::string svg = read_file((folder.path() / "two.svg").string());
  for (const char* number : {">1.5<", ">2<", ">3<", ">4<"}) EXPECT_NE(svg.find(number), std::string::npos) << number;
}

TEST(Figure, NothingToDrawIsSaid) {
  const TemporaryDirectory folder;
  Figure f = two_curves();
  for (auto& c : f.curves) c.y = {NAN, NAN, NAN};
  EXPECT_THROW(write_figure(f, folder.path()), InputError);
  f.curves[0].y = {1, 2};
  EXPECT_THROW(write_figure(f, folder.path()), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Figure, AFolderThatIsMissingIsNamed) {
  try {
    write_figure(two_curves(), "/nonexistent/folder");
    FAIL();
  } catch (const OutputError& e) {
    EXPECT_NE(std::string(e.what()).find("/nonexistent/folder/two"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace limber
