#include "limber/study/report.hpp"

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"
#include "limber/record/files.hpp"
#include "limber/record/temporary_directory.hpp"
#include "limber/study/claims.hpp"
#include "limber/study/work_precision.hpp"
#include "support/programs.hpp"

namespace limber {
namespace {

FinishedStudy small_study(const StudyInfo& info) {
  FinishedStudy s{&info, {}, 1.5};
  s.result.text = "First, `a < b`.\n\nSecond.";
  s.result.figures = {{"line", "A line", {"x [m]"}, {"y [m]"}, {{"only", {0, 1}, {0, 1}}}}};
  s.result.tables = {{"numbers", "Numbers", {"name", "value"}, {{"one", "1"}, {"two", "2"}}}};
  s.result.claims = {judged("It grows.", true, "By 1.", "unused"), judged("It falls.", false, "By 0.", "it grows.")};
  return s;
}

TEST(Report, AStudyLeavesFiguresTablesAndAPage) {
  if (!test::has_gnuplot()) GTEST_SKIP() << "needs gnuplot";
  const TemporaryDirectory folder;
  const StudyInfo info{"small", "A small study", "Fig. 1", nullptr, 1};
  write_study(small_study(info), {"limber study small", StudySize::full}, folder.path());
  EXPECT_EQ(read_file((folder.path() / "numbers.csv").string()), "name,value\none,1\ntwo,2\n");
  const std::string page = read_file((folder.path() / "study.md").string());
  for (const char* text :
       {"# A small study", "![A line](line.png)", "| two | 2 |", "| It grows. | **agrees** | By 1. |",
        "| It falls. | **differs** | By 0. Because it grows. |", "Made by `limber study small`."})
    EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST(Report, FiguresAndTablesDoNotShareFiles) {
  const TemporaryDirectory folder;
  const StudyInfo info{"small", "A small study", "Fig. 1", nullptr, 1};
  FinishedStudy study = small_study(info);
  study.result.tables[0].name = "line";
  EXPECT_THROW(write_study(study, {"limber study small", StudySize::full}, folder.path()), InputError);
}

TEST(Report, ThePageOfAllHoldsEverythingItself) {
  if (!test::has_gnuplot()) GTEST_SKIP() << "needs gnuplot";
  const TemporaryDirectory folder;
  const StudyInfo info{"small", "A small study", "Fig. 1", nullptr, 1};
  FinishedStudy study = small_study(info);
  const auto own = folder.path() / "small";
  std::filesystem::create_directories(own);
  study.result.movies = {{"m.mp4", "m.png", "Moves"}};
  write_atomically((own / "m.mp4").string(), "Man");
  write_atomically((own / "m.png").string(), "Ma");
  write_study(study, {"limber study all --quick", StudySize::quick}, own);
  write_report({study}, {"limber study all --quick", StudySize::quick}, folder.path());
  const std::string page = read_file((folder.path() / "index.html").string());
  for (const char* text :
       {"<code>a &lt; b</code>", "data:image/svg+xml;base64,PD94bWwg", "<td class=\"differs\">differs</td>",
        "smaller bodies", "data:video/mp4;base64,TWFu\"", "data:image/png;base64,TWE=\""})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  for (const char* text : {"src=\"small", "href=\"small"}) EXPECT_EQ(page.find(text), std::string::npos) << text;
  EXPECT_NE(read_file((folder.path() / "README.md").string()).find("![A line](small/line.png)"), std::string::npos);
}

TEST(Catalog, EachStudyHasItsNameOnce) {
  for (const auto& s : study_catalog()) EXPECT_EQ(&find_study(s.name), &s);
  try {
    find_study("dampin");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean damping?"), std::string::npos) << e.what();
  }
}

TEST(WorkPrecision, InterpolatesInLogarithms) {
  const std::vector<WorkPoint> points = {{0.1, 1e-1, 1}, {0.05, 1e-3, 4}};
  EXPECT_NEAR(seconds_for(points, 1e-2).value(), 2, 1e-12);
  EXPECT_DOUBLE_EQ(seconds_for(points, 1e-3).value(), 4);
  EXPECT_DOUBLE_EQ(seconds_for(points, 0.5).value(), 1);
  EXPECT_FALSE(seconds_for(points, 1e-4).has_value());
  EXPECT_FALSE(seconds_for({}, 1).has_value());
}

}  // namespace
}  // namespace limber
