#include <gtest/gtest.h>

#include <map>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/scene/json.hpp"
#include "limber/study/sweep/combination.hpp"
#include "limber/study/sweep/shard.hpp"

namespace limber {
namespace {

std::vector<std::string> folders(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const Combination& c : combinations_of(read_variations(texts))) names.push_back(c.folder);
  return names;
}

TEST(Combination, TheLastKeyChangesFastest) {
  EXPECT_EQ(
      folders({"method.name=BE,SI", "time.step=0.01..0.03:3"}),
      (std::vector<std::string>{"0001-method=BE-step=0.01", "0002-method=BE-step=0.02", "0003-method=BE-step=0.03",
                                "0004-method=SI-step=0.01", "0005-method=SI-step=0.02", "0006-method=SI-step=0.03"}));
  const auto all = combinations_of(read_variations({"a=1,2", "b=3,4", "c=5,6"}));
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all[3].number, 4U);
  EXPECT_EQ(all[3].values, (std::vector<std::string>{"1", "4", "6"}));
  EXPECT_EQ(all[4].values, (std::vector<std::string>{"2", "3", "5"}));
}

TEST(Combination, NamesOfKeysAreAsShortAsTellsThemApart) {
  const auto names = [](const std::vector<std::string>& texts) { return short_names(read_variations(texts)); };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({"bodies[0].material.young=1", "bodies[0].material.density=1"}), (Names{"young", "density"}));
  EXPECT_EQ(names({"bodies[0].material.young=1", "bodies[1].material.young=1", "time.step=1"}),
            (Names{"bodies.0.material.young", "bodies.1.material.young", "step"}));
  EXPECT_EQ(names({"gravity[1]=1", "method.name=BE"}), (Names{"gravity.1", "method"}));
}

TEST(Combination, FoldersAreSafeForFileSystems) {
  const std::string name =
      folders({"bodies[0].mesh.file=\"../a folder/ü*?.msh\"", "gravity=[0,-9.81,0]", "description=a,<b>|c\\d"})[0];
  EXPECT_EQ(name, "0001-file=.._a_folder_.msh-gravity=_0_-9.81_0_-description=a");
  EXPECT_EQ(name.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._+-="),
            std::string::npos);
}

TEST(Combination, NumbersInFoldersAreShort) {
  const auto all = combinations_of(read_variations({"time.step=0.005..0.04:6:log"}));
  EXPECT_EQ(all[1].folder, "0002-step=0.00757858");
  EXPECT_EQ(all[1].values[0], "0.00757858283255199") << "the value itself is whole";
  EXPECT_EQ(folders({"x=12345678901234"})[0], "0001-x=12345678901234");
}

TEST(Combination, LongAndEqualNamesAreKeptApartByTheNumber) {
  const std::string common(300, 'x');
  const auto names = folders(
      {"a=" + common + "1," + common + "2", "b=a/b,a:b", "c=" + common, "d=" + common, "e=" + common, "f=" + common});
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 4U);
  for (const std::string& name : names) EXPECT_LE(name.size(), 100U);
}

TEST(Combination, NumbersHaveRoomForTheLast) {
  const auto names = folders({"x=0..1:200", "y=0..1:100"});
  EXPECT_EQ(names.front().substr(0, 6), "00001-");
  EXPECT_EQ(names.back().substr(0, 6), "20000-");
}

TEST(Combination, ValuesAreSetAsByTheCommandLine) {
  const auto variations = read_variations({"method=BE,SI", "method.max_iterations=3,4", "gravity=[0,-1,0]"});
  const auto all = combinations_of(variations);
  const Document scene = Document::parse(R"({"time": {"step": 0.01}})", "x");
  const auto json = json_of(with_values(scene, variations, all[3]));
  EXPECT_EQ(json, nlohmann::json::parse(R"({"time": {"step": 0.01}, "method": {"name": "SI", "max_iterations": 4},
                                            "gravity": [0, -1, 0]})"));
  EXPECT_EQ(describe(all[3], variations), "method=SI, method.max_iterations=4, gravity=[0,-1,0]");
}

Environment environment(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

std::string shard_text(const std::string& text, const std::map<std::string, std::string>& variables = {}) {
  try {
    const Shard shard = read_shard(text, environment(variables)).shard;
    return std::to_string(shard.index) + "/" + std::to_string(shard.count);
  } catch (const InputError& e) {
    EXPECT_EQ(e.where(), "--shard");
    return e.message();
  }
}

TEST(Shard, EveryRunIsPartOfOne) {
  for (std::size_t number = 1; number <= 20; ++number) {
    int owners = 0;
    for (std::size_t i = 1; i <= 3; ++i) owners += Shard{i, 3}.has(number) ? 1 : 0;
    EXPECT_EQ(owners, 1);
  }
  EXPECT_TRUE((Shard{2, 3}.has(2) && Shard{2, 3}.has(5)));
  EXPECT_TRUE(Shard{}.has(1) && Shard{}.has(2));
}

TEST(Shard, ByHand) {
  EXPECT_EQ(shard_text("2/3"), "2/3");
  for (const char* wrong : {"0/3", "4/3", "3", "a/b", "1/0", "-1/2", "1/2/3", "", "1/"})
    EXPECT_NE(shard_text(wrong).find("expected i/n"), std::string::npos) << wrong;
}

TEST(Shard, OfArrayJobs) {
  EXPECT_EQ(shard_text("auto", {{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}), "3/8");
  EXPECT_EQ(shard_text("auto",
                       {{"SLURM_ARRAY_TASK_ID", "0"}, {"SLURM_ARRAY_TASK_COUNT", "8"}, {"SLURM_ARRAY_TASK_MIN", "0"}}),
            "1/8");
  EXPECT_EQ(shard_text("auto", {{"SLURM_ARRAY_TASK_ID", "14"},
                                {"SLURM_ARRAY_TASK_COUNT", "3"},
                                {"SLURM_ARRAY_TASK_MIN", "10"},
                                {"SLURM_ARRAY_TASK_STEP", "2"}}),
            "3/3");
  EXPECT_NE(shard_text("auto", {{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "3"}}).find("without gaps"),
            std::string::npos);
  EXPECT_EQ(shard_text("auto/5", {{"PBS_ARRAY_INDEX", "4"}}), "4/5");
  EXPECT_NE(shard_text("auto/5", {{"PBS_ARRAY_INDEX", "6"}}).find("part 6 of 5"), std::string::npos);
  EXPECT_NE(shard_text("auto", {{"PBS_ARRAY_INDEX", "4"}}).find("auto/n"), std::string::npos);
  EXPECT_NE(shard_text("auto/5").find("PBS_ARRAY_INDEX is not set"), std::string::npos);
}

TEST(Shard, OfLaunchers) {
  EXPECT_EQ(shard_text("auto", {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), "1/4");
  EXPECT_EQ(shard_text("auto", {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}), "4/4");
  EXPECT_EQ(shard_text("auto", {{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}),
            "2/2");
  EXPECT_EQ(shard_text("auto", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}), "1/1");
  EXPECT_NE(shard_text("auto").find("not set"), std::string::npos);
  EXPECT_NE(shard_text("auto", {{"PMI_RANK", "x"}, {"PMI_SIZE", "1"}}).find("PMI_RANK is 'x'"), std::string::npos);
}

TEST(Shard, RanksOfEachTaskOfAnArray) {
  std::set<std::string> parts;
  for (const char* task : {"1", "2", "3"})
    for (const char* rank : {"0", "1"})
      parts.insert(shard_text("auto", {{"SLURM_ARRAY_TASK_ID", task},
                                       {"SLURM_ARRAY_TASK_COUNT", "3"},
                                       {"SLURM_PROCID", rank},
                                       {"SLURM_NTASKS", "2"}}));
  EXPECT_EQ(parts, (std::set<std::string>{"1/6", "2/6", "3/6", "4/6", "5/6", "6/6"}));
}

}  // namespace
}  // namespace limber
