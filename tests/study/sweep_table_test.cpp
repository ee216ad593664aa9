#include "limber/study/sweep/sweep_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/record/files.hpp"
#include "limber/record/temporary_directory.hpp"
#include "limber/study/sweep/definition.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_atomically(file.string(), text);
}

constexpr const char* energies =
    "time,kinetic,elastic,gravitational,damping_loss,total,newton_iterations,wall_ms,contact\n"
    "0,0,1,5,0,6,0,0,0\n"
    "0.5,3,0.5,2,0,5.5,2,1,0\n"
    "1,1,2,1,0,4,2,1,0.25\n";

/// Of four runs: done, failed, stopped, and one that crashed.
struct FourRuns {
  FourRuns() {
    const auto all = combinations_of(variations);
    put(folder.path() / all[0].folder / "scene.json", "{}");
    put(folder.path() / all[0].folder / "summary.json",
        R"({"end": "finished", "steps": 2, "energy": {"total": 4.0}, "energy_rise": null, "notes": ["a"]})");
    put(folder.path() / all[0].folder / "energy.csv", energies);
    put(folder.path() / all[1].folder / "scene.json", "{}");
    put(folder.path() / all[1].folder / "summary.json",
        R"({"end": "failed", "steps": 1, "reason": "the step from t = 0, \"too long\"", "modes": {"count": 3}})");
    put(folder.path() / all[2].folder / "scene.json", "{}");
    put(folder.path() / all[3].folder / "scene.json", "{}");
    put(folder.path() / all[3].folder / "summary.json", R"({"end": "interrupted", "steps": 1})");
    write_failure(folder.path(), all[3], "was ended by signal 9");
  }
  TemporaryDirectory folder;
  std::vector<Variation> variations = read_variations({"method.name=BE,SI", "time.step=0.01,0.02"});
};

TEST(SweepTable, HasARowForEachCombination) {
  const FourRuns runs;
  const SweepTable table = read_sweep_table(runs.folder.path(), runs.variations);
  EXPECT_EQ(sweep_csv(table),
            "number,folder,method.name,time.step,status,message,energy.contact.max,energy.contact.min,"
            "energy.elastic.max,energy.elastic.min,energy.gravitational.max,energy.gravitational.min,"
            "energy.kinetic.max,energy.kinetic.min,energy.total,energy.total.max,energy.total.min,energy.total.start,"
            "energy_rise,modes.count,steps\n"
            "1,0001-method=BE-step=0.01,BE,0.01,done,,0.25,0,2,0.5,5,1,3,0,4,6,4,6,nan,,2\n"
            "2,0002-method=BE-step=0.02,BE,0.02,failed,\"the step from t = 0, \"\"too long\"\"\",,,,,,,,,,,,,,3,1\n"
            "3,0003-method=SI-step=0.01,SI,0.01,stopped,,,,,,,,,,,,,,,,\n"
            "4,0004-method=SI-step=0.02,SI,0.02,failed,was ended by signal 9,,,,,,,,,,,,,,,1\n");
  EXPECT_EQ(table.count(RunStatus::failed), 2U);
}

TEST(SweepTable, AnEmptyFolderIsAMissingRun) {
  const TemporaryDirectory folder;
  const SweepTable table = read_sweep_table(folder.path(), read_variations({"gravity=[0,-1,0],[0,0,0]"}));
  EXPECT_EQ(sweep_csv(table),
            "number,folder,gravity,status,message\n"
            "1,0001-gravity=_0_-1_0_,\"[0,-1,0]\",missing,\n2,0002-gravity=_0_0_0_,\"[0,0,0]\",missing,\n");
}

TEST(SweepTable, AVariedKeyHasOneColumn) {
  SweepTable table{read_variations({"threads=1,2"}), {}};
  SweepRow row;
  row.combination = combinations_of(table.variations)[0];
  row.numbers = {{"threads", 1}, {"steps", 5}};
  table.rows = {row};
  EXPECT_EQ(table.columns(), (std::vector<std::string>{"steps"}));
}

SweepTable made_table(const std::vector<std::string>& vary, double (*value)(const Combination&)) {
  SweepTable table{read_variations(vary), {}};
  for (const Combination& c : combinations_of(table.variations)) {
    SweepRow row{c, RunStatus::done, "", {{"steps", value(c)}}};
    table.rows.push_back(row);
  }
  return table;
}

TEST(SweepFigure, HasACurveForEachCombinationOfTheOtherKeys) {
  SweepTable table = made_table({"method.name=BE,SI", "time.step=1e-1,1e-3,1e-2", "flag=true,false"},
                                [](const Combination& c) { return static_cast<double>(c.number); });
  table.rows[0].status = RunStatus::stopped;
  const Figure f = sweep_figure(table, "steps");
  EXPECT_EQ(f.name, "sweep-steps");
  ASSERT_EQ(f.curves.size(), 4U);
  EXPECT_EQ(f.curves[0].label, "method=BE, flag=true");
  EXPECT_EQ(f.curves[3].label, "method=SI, flag=false");
  EXPECT_EQ(f.curves[3].x, (std::vector<double>{1e-3, 1e-2, 1e-1}));
  EXPECT_EQ(f.curves[3].y, (std::vector<double>{10, 12, 8}));
  EXPECT_TRUE(std::isnan(f.curves[0].y[2])) << "a run that is not done has no point";
  EXPECT_EQ(f.x.scale, Scale::linear) << "these go up and down";
  EXPECT_EQ(f.x.label, "time.step");
}

TEST(SweepFigure, AxesAreLogarithmicWhereTheValuesAre) {
  const Figure f = sweep_figure(
      made_table({"young=1 kPa,10 kPa,100 kPa"}, [](const Combination& c) { return std::pow(20., c.number); }),
      "steps");
  EXPECT_EQ(f.x.scale, Scale::logarithmic);
  EXPECT_EQ(f.y.scale, Scale::logarithmic);
  EXPECT_EQ(f.x.label, "young [kPa]");
  ASSERT_EQ(f.curves.size(), 1U);
  EXPECT_EQ(f.curves[0].label, "steps");
  const Figure even = sweep_figure(
      made_table({"young=1..3:3"}, [](const Combination& c) { return static_cast<double>(c.number); }), "steps");
  EXPECT_EQ(even.x.scale, Scale::linear);
  EXPECT_EQ(even.y.scale, Scale::linear);
}

std::string plot_refusal(const std::vector<std::string>& vary, const std::string& column) {
  try {
    check_plot_column(read_variations(vary), column);
  } catch (const InputError& e) {
    EXPECT_EQ(e.where(), "--plot");
    return e.message();
  }
  return "";
}

TEST(SweepFigure, ColumnsThatNoRunHasAreRefused) {
  EXPECT_EQ(plot_refusal({"x=1,2"}, "energy.total.max"), "");
  EXPECT_EQ(plot_refusal({"x=1,2"}, "modes.count"), "");
  EXPECT_EQ(plot_refusal({"x=1,2"}, "enrgy.total"), "there is no column 'enrgy.total'; did you mean 'energy.total'?");
  EXPECT_NE(plot_refusal({"x=1,2"}, "temperature of it").find("columns are "), std::string::npos);
  EXPECT_NE(plot_refusal({"x=a,b"}, "steps").find("nothing to plot against"), std::string::npos);
  const SweepTable table = made_table({"x=1,2"}, [](const Combination&) { return 1.; });
  EXPECT_THROW(sweep_figure(table, "modes.count"), InputError);
}

SweepDefinition definition(const std::string& scene, const std::vector<std::string>& vary) {
  return {Document::parse(scene, "scene"), read_variations(vary), "0"};
}

TEST(SweepDefinition, IsReadAsItWasWritten) {
  const TemporaryDirectory folder;
  const auto sweep = definition(R"({"time": {"step": 0.1}, "bodies": [1, 2]})", {"a=1e5,\"x y\"", "b=1..8:4:log"});
  EXPECT_FALSE(load_definition(folder.path()));
  begin_sweep(folder.path() / "deep/down", sweep, Existing::resume);
  const auto read = load_definition(folder.path() / "deep/down");
  ASSERT_TRUE(read);
  EXPECT_EQ(difference(*read, sweep), "");
  EXPECT_EQ(read->variations[0].values, sweep.variations[0].values);
  EXPECT_EQ(read->variations[1].spacing, Variation::Spacing::logarithmic);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "deep/down"), {}), 1) << "nothing but sweep.json";
}

TEST(SweepDefinition, AnotherSweepIsToldByWhatDiffers) {
  const std::string scene = R"({"time": {"step": 0.1}, "bodies": [{"young": 5}], "output": {"directory": "x"}})";
  const auto sweep = definition(scene, {"a=1,2", "b=3"});
  const auto told = [&](const std::string& other, const std::vector<std::string>& vary) {
    return difference(sweep, definition(other, vary));
  };
  EXPECT_EQ(told(scene, {"a=1,2"}), "it varies a, b, not a");
  EXPECT_EQ(told(scene, {"a=1,3", "b=3"}), "it varies a over 1,2, not over 1,3");
  EXPECT_EQ(told(R"({"time": {"step": 0.1}, "bodies": [{"young": 6}]})", {"a=1,2", "b=3"}),
            "the scene's bodies[0].young is 5 there, 6 here");
  EXPECT_EQ(told(R"({"time": {"step": 0.1}, "bodies": [{"young": 5}], "gravity": 1})", {"a=1,2", "b=3"}),
            "the scene's gravity is not given there, 1 here");
  EXPECT_EQ(
      told(R"({"time": {"step": 0.1}, "bodies": [{"young": 5.0}], "threads": 3, "camera": {}})", {"a=1,2", "b=3"}), "");
}

TEST(SweepDefinition, ADirectoryHoldsOneSweep) {
  const TemporaryDirectory folder;
  const fs::path directory = folder.path() / "d";
  const auto sweep = definition("{}", {"a=1,2"}), other = definition("{}", {"a=1,2,3"});
  begin_sweep(directory, sweep, Existing::resume);
  EXPECT_NO_THROW(begin_sweep(directory, sweep, Existing::resume));
  EXPECT_THROW(begin_sweep(directory, other, Existing::resume), InputError);
  for (const Combination& c : combinations_of(sweep.variations)) put(directory / c.folder / "summary.json", "{}");
  put(directory / "0002-a=2/mine.txt", "kept");
  put(directory / "sweep.csv", "x");
  put(directory / "sweep-steps.png", "x");
  begin_sweep(directory, other, Existing::overwrite);
  EXPECT_FALSE(fs::exists(directory / "0001-a=1"));
  EXPECT_FALSE(fs::exists(directory / "0002-a=2/summary.json"));
  EXPECT_TRUE(fs::exists(directory / "0002-a=2/mine.txt")) << "only what Limber writes is removed";
  EXPECT_FALSE(fs::exists(directory / "sweep.csv") || fs::exists(directory / "sweep-steps.png"));
  EXPECT_EQ(load_definition(directory)->variations[0].values.size(), 3U);
}

TEST(SweepDefinition, AKillBeforeItWasThereDoesNoHarm) {
  const TemporaryDirectory folder;
  put(folder.path() / "d/sweep.json.123", "{");
  EXPECT_NO_THROW(begin_sweep(folder.path() / "d", definition("{}", {"a=1,2"}), Existing::resume));
  EXPECT_TRUE(load_definition(folder.path() / "d"));
}

TEST(SweepDefinition, OtherDirectoriesAreRefused) {
  const TemporaryDirectory folder;
  const auto sweep = definition("{}", {"a=1,2"});
  put(folder.path() / "full/x", "y");
  put(folder.path() / "damaged/sweep.json", R"({"format": 1})");
  EXPECT_THROW(begin_sweep(folder.path() / "full", sweep, Existing::resume), InputError);
  EXPECT_THROW(begin_sweep(folder.path() / "full/x", sweep, Existing::resume), InputError);
  EXPECT_THROW(begin_sweep(folder.path() / "damaged", sweep, Existing::resume), InputError);
  EXPECT_THROW(load_definition(folder.path() / "damaged"), InputError);
  EXPECT_NO_THROW(begin_sweep(folder.path() / "damaged", sweep, Existing::overwrite));
}

}  // namespace
}  // namespace limber
