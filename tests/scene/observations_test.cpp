#include "limber/scene/gradient/observations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "limber/core/errors.hpp"
#include "record/scratch.hpp"

namespace limber::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Observations read_text(const std::string& text) {
  const Scratch scratch;
  write_atomically(scratch.file("tip.csv"), text);
  return read_observations(scratch.file("tip.csv"));
}

/// Why the file is refused, without its folder.
std::string refusal(const std::string& text) {
  const std::string message = message_of([&] { read_text(text); });
  return message.substr(std::min(message.find("tip.csv"), message.size()));
}

TEST(Observations, ReadsAProbesTable) {
  const Observations o = read_text("time,tip.x,tip.y,mid.point.z\n0,1,2,3\n0.5,1.25,-2e-3,+4\n");
  EXPECT_EQ(o.times, (std::vector<double>{0, .5}));
  ASSERT_EQ(o.columns.size(), 3u);
  EXPECT_EQ(o.columns[1].probe, "tip");
  EXPECT_EQ(o.columns[1].axis, 1);
  EXPECT_EQ(o.columns[2].probe, "mid.point");
  EXPECT_EQ(o.columns[2].axis, 2);
  EXPECT_EQ(o.columns[2].name(), "mid.point.z");
  EXPECT_EQ(o.values, (Matrix(2, 3) << 1, 2, 3, 1.25, -2e-3, 4).finished());
  EXPECT_EQ(o.count(), 6);
}

TEST(Observations, LeavesOutWhatWasNotObserved) {
  const Observations o = read_text("a.z,time,b.x\n,1,\n nan , 2 , 3\nNaN,4,\n");
  EXPECT_EQ(o.times, (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(o.count(), 1);
  EXPECT_EQ(o.values(1, 1), 3);
  EXPECT_TRUE(std::isnan(o.values(1, 0)) && std::isnan(o.values(0, 1)));
}

TEST(Observations, ReadsWhatOtherProgramsWrite) {
  const Observations o =
      read_text("\xEF\xBB\xBF# from the camera\r\n\r\n\"time\",\"tip.x\"\r\n  # the first\r\n\"0.5\",\"7\"\r\n1,8");
  EXPECT_EQ(o.times, (std::vector<double>{.5, 1}));
  EXPECT_EQ(o.values, (Matrix(2, 1) << 7, 8).finished());
}

TEST(Observations, SaysWhereAFileIsWrongAndWhatIsAllowed) {
  const std::string needed = ": a first line such as time,tip.x,tip.y,tip.z is needed";
  const std::string position = ", expected a position in m, nothing or nan in column 2 (tip.x)";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "tip.csv: the file is empty" + needed},
      {"# nothing\n", "tip.csv: the file is empty" + needed},
      {"0,1\n1,2\n", "tip.csv:1: there is no column time" + needed},
      {"time;tip.x\n0;1\n", "tip.csv:1: there is no column time" + needed},
      {"# a\ntime\n0\n", "tip.csv:2: there is no column beside time" + needed},
      {"time,tip\n", "tip.csv:1: the column \"tip\" is not a probe and an axis, such as tip.x"},
      {"time,tip.w\n", "tip.csv:1: the column \"tip.w\" is not a probe and an axis, such as tip.x"},
      {"time,.x\n", "tip.csv:1: the column \".x\" is not a probe and an axis, such as tip.x"},
      {"time,tip.xy\n", "tip.csv:1: the column \"tip.xy\" is not a probe and an axis, such as tip.x"},
      {"time,\n", "tip.csv:1: the column \"\" is not a probe and an axis, such as tip.x"},
      {"time,tip.x,time\n", "tip.csv:1: the column \"time\" is not a probe and an axis, such as tip.x"},
      {"time,tip.x,tip.x\n", "tip.csv:1: there are two columns \"tip.x\""},
      {"time,tip.x\n", "tip.csv: there are no times below the names of the columns"},
      {"time,tip.x\n0,\n1,nan\n", "tip.csv: nothing is observed: no column has a number"},
      {"time,tip.x\n0,1,2\n", "tip.csv:2: there are 3 values, but 2 columns"},
      {"time,tip.x\n0,1\n\n1\n", "tip.csv:4: there are 1 values, but 2 columns"},
      {"time,tip.x\n0,1\n1,x2\n", "tip.csv:3: found \"x2\"" + position + " (a number)"},
      {"time,tip.x\n0,1 2\n", "tip.csv:2: found \"1 2\"" + position},
      {"time,tip.x\n0,inf\n", "tip.csv:2: found \"inf\"" + position},
      {"time,tip.x\n0,1e999\n", "tip.csv:2: found \"1e999\"" + position},
      {"time,tip.x\n,1\n", "tip.csv:2: found \"\", expected a time in s in column 1 (time)"},
      {"tip.x,time\n1,inf\n", "tip.csv:2: found \"inf\", expected a time in s in column 2 (time)"},
      {"time,tip.x\nnan,1\n", "tip.csv:2: the time nan s is not one from 0 s on"},
      {"time,tip.x\n-1,1\n", "tip.csv:2: the time -1 s is not one from 0 s on"},
      {"time,tip.x\n0,1\n0,1\n", "tip.csv:3: the time 0 s does not follow the one before, 0 s"},
      {"time,tip.x\n2,1\n1.5,1\n", "tip.csv:3: the time 1.5 s does not follow the one before, 2 s"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(text), message) << text;
}

TEST(Observations, OpensOnlyWhatItMay) {
  const Scratch scratch, other;
  write_atomically(scratch.file("tip.csv"), "time,tip.x\n0,1\n");
  const FileAccess access({other.path()}, {});
  EXPECT_NE(message_of([&] { read_observations(scratch.file("tip.csv"), access); }).find("outside the folders"),
            std::string::npos);
  EXPECT_NE(message_of([&] { read_observations(scratch.file("none.csv")); }).find("there is no such file"),
            std::string::npos);
}

TEST(Observations, ChecksWhatComesFromMemory) {
  const auto fault = [](std::vector<double> times, const std::vector<std::string>& names, const Matrix& values) {
    return message_of([&] { Observations(std::move(times), names, values); });
  };
  EXPECT_EQ(fault({0, 1}, {"a.x"}, Matrix::Ones(2, 1)), "");
  EXPECT_EQ(fault({0, 1}, {"a.x"}, Matrix::Ones(1, 2)), "observations: 1 × 2 values, but 2 times and 1 columns");
  EXPECT_EQ(fault({0, 1}, {"a"}, Matrix::Ones(2, 1)),
            "observations: the column \"a\" is not a probe and an axis, such as tip.x");
  EXPECT_EQ(fault({1, 0}, {"a.x"}, Matrix::Ones(2, 1)),
            "observations: the time 0 s does not follow the one before, 1 s");
  EXPECT_EQ(fault({0, 1}, {"a.x"}, Matrix::Constant(2, 1, nan)),
            "observations: nothing is observed: no column has a number");
  EXPECT_EQ(fault({0, 1}, {"a.x"}, Matrix::Constant(2, 1, HUGE_VAL)), "observations: a position is infinite");
  EXPECT_EQ(fault({}, {}, Matrix(0, 0)), "observations: nothing is observed: no column has a number");
}

TEST(Observations, KnowTheScenesProbes) {
  const Observations o({0}, {"tip.x", "middle.y"}, Matrix::Ones(1, 2), "tip.csv");
  const std::string start = "tip.csv: the column \"middle.y\" is of a probe that the scene does not have; ";
  EXPECT_EQ(message_of([&] { o.require_probes({"middle", "tip", "end"}); }), "");
  EXPECT_EQ(message_of([&] { o.require_probes({"tip", "midle"}); }), start + "did you mean \"midle\"?");
  EXPECT_EQ(message_of([&] { o.require_probes({"tip", "end"}); }), start + "its probes are tip, end");
  EXPECT_EQ(message_of([&] { o.require_probes({}); }),
            "tip.csv: the column \"tip.x\" is of a probe that the scene does not have; output.probes names them");
}

TEST(HermiteWeights, ReproduceCubics) {
  const auto q = [](double t) { return 2 - 3 * t + .5 * t * t + 4 * t * t * t; };
  const auto v = [](double t) { return -3 + t + 12 * t * t; };
  for (const double t : {.2, .25, .31, .45, .5}) {
    const std::array<double, 4> w = hermite_weights(.2, .5, t);
    EXPECT_NEAR(w[0] * q(.2) + w[1] * v(.2) + w[2] * q(.5) + w[3] * v(.5), q(t), 1e-14) << t;
  }
  EXPECT_EQ(hermite_weights(1, 3, 1), (std::array<double, 4>{1, 0, 0, -0.}));
  EXPECT_EQ(hermite_weights(1, 3, 3), (std::array<double, 4>{0, 0, 1, -0.}));
  EXPECT_EQ(hermite_weights(1, 3, 2), (std::array<double, 4>{.5, .25, .5, -.25}));
}

}  // namespace
}  // namespace limber::test
