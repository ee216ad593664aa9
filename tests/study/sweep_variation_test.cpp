#include <gtest/gtest.h>

#include <cmath>

#include "limber/core/errors.hpp"
#include "limber/study/sweep/variation.hpp"

namespace limber {
namespace {

using Texts = std::vector<std::string>;

std::string refusal(const std::vector<std::string>& texts) {
  try {
    read_variations(texts);
  } catch (const InputError& e) {
    EXPECT_EQ(e.where(), "--vary");
    return e.message();
  }
  return "";
}

TEST(Variation, ListsOfNumbersAndWords) {
  const Variation v = read_variation("method.name=BE, TR-BDF2,gen-alpha");
  EXPECT_EQ(v.key, "method.name");
  EXPECT_EQ(v.values, (Texts{"BE", "TR-BDF2", "gen-alpha"}));
  EXPECT_EQ(v.spacing, Variation::Spacing::listed);
  EXPECT_EQ(read_variation("output.velocities=true,false").values, (Texts{"true", "false"}));
}

TEST(Variation, CommasWithinJsonDivideNothing) {
  EXPECT_EQ(read_variation("gravity=[0,-9.81,0],[0,0,0]").values, (Texts{"[0,-9.81,0]", "[0,0,0]"}));
  EXPECT_EQ(read_variation(R"(bodies[0].name="a,b","say \"c,d\"")").values, (Texts{R"("a,b")", R"("say \"c,d\"")"}));
  EXPECT_EQ(read_variation(R"(method={"name":"BE","max_iterations":3},SI)").values,
            (Texts{R"({"name":"BE","max_iterations":3})", "SI"}));
}

TEST(Variation, TheValueMayHaveEqualsSigns) {
  const Variation v = read_variation("description=a=b,c");
  EXPECT_EQ(v.key, "description");
  EXPECT_EQ(v.values, (Texts{"a=b", "c"}));
}

TEST(Variation, EvenRangesHaveTheNumbersThatOneWouldWrite) {
  EXPECT_EQ(read_variation("time.step=0.01..0.05:5").values, (Texts{"0.01", "0.02", "0.03", "0.04", "0.05"}));
  EXPECT_EQ(read_variation("x=0..1:11").values,
            (Texts{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"}));
  EXPECT_EQ(read_variation("method.modes=1..11:6").values, (Texts{"1", "3", "5", "7", "9", "11"}));
  EXPECT_EQ(read_variation("x=3..-3:3").values, (Texts{"3", "0", "-3"}));
  EXPECT_EQ(read_variation("x=2..5:1").values, (Texts{"2"}));
  EXPECT_EQ(read_variation("x=1e3..1e3:1").values, (Texts{"1000"}));
}

TEST(Variation, LogarithmicRangesHaveOneFactor) {
  const Variation v = read_variation("bodies[0].material.young=1e3..1e7:5:log");
  EXPECT_EQ(v.values, (Texts{"1000", "10000", "100000", "1000000", "10000000"}));
  EXPECT_EQ(v.spacing, Variation::Spacing::logarithmic);
  const auto numbers = numbers_of(read_variation("x=0.003..0.7:4:log"));
  ASSERT_TRUE(numbers);
  const auto& x = numbers->values;
  EXPECT_EQ(x.front(), 0.003);
  EXPECT_EQ(x.back(), 0.7);
  EXPECT_NEAR(x[1], 0.003 * std::cbrt(0.7 / 0.003), 1e-15);
  EXPECT_NEAR(x[2] / x[1], x[3] / x[2], 1e-13);
}

TEST(Variation, NumbersOfRangesGiveBackTheSameDouble) {
  for (const std::string& text : read_variation("x=0.1..0.7:8").values) {
    const double value = std::stod(text);
    EXPECT_LE(text.size(), 19U);
    EXPECT_GE(value, 0.1);
    EXPECT_LE(value, 0.7);
  }
  EXPECT_EQ(read_variation("x=0.1..0.7:8").values[1], "0.18571428571428572");  // 1.3/7
}

TEST(Variation, PathsAndQuotedTextsAreNoRanges) {
  EXPECT_EQ(read_variation("bodies[0].mesh.file=../a.msh,../b.msh").values, (Texts{"../a.msh", "../b.msh"}));
  EXPECT_EQ(read_variation(R"(description="1..3:4")").values, (Texts{R"("1..3:4")"}));
}

TEST(Variation, WhatIsWrongIsSaid) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"time.step", "expected key=a,b,c"},
      {"=1,2", "expected key=a,b,c"},
      {"time.step=", "has no value"},
      {"time.step=1,,2", "a value is missing"},
      {"time.step=1,2,", "a value is missing"},
      {"gravity=[0,1", "not balanced"},
      {"gravity=0,1]", "not balanced"},
      {"x=\"a,b", "not balanced"},
      {"x=1..2", "how many values? Expected 1..2:n"},
      {"x=1..2:0", "'0' is not a number of values"},
      {"x=1..2:-3", "'-3' is not a number of values"},
      {"x=1..2:2.5", "'2.5' is not a number of values"},
      {"x=1..2:", "'' is not a number of values"},
      {"x=1..2:1000000000000", "is not a number of values"},
      {"x=a..2:3", "'a' is not a number"},
      {"x=1..:3", "'' is not a number"},
      {"x=1...3:3", "'.3' is not a number"},
      {"x=1 kPa..3 kPa:3", "'1 kPa' is not a number"},
      {"x=nan..3:3", "'nan' is not a number"},
      {"x=1..2:3:cubic", "'cubic' is not a spacing"},
      {"x=0..2:3:log", "above 0"},
      {"x=1..-2:3:log", "above 0"},
      {"x=1..2:3,7", "a range stands alone"},
      {"x=1,2,1", "the value 1 is there twice"},
      {"x=1e5,100000", "the value 100000 is there twice"},
      {"x=BE,\"BE\"", "is there twice"},
      {"x=2..2:3", "the value 2 is there twice"},
  };
  for (const auto& [text, words] : cases) {
    const std::string said = refusal({text});
    EXPECT_NE(said.find(words), std::string::npos) << text << " → " << said;
    EXPECT_NE(said.find(text), std::string::npos) << text << " → " << said;
  }
  EXPECT_NE(refusal({"x=1,2", "y=1", "x=3"}).find("the key x is there twice"), std::string::npos);
  EXPECT_NE(refusal({"x=0..1:1000", "y=0..1:1000"}).find("more than 100000"), std::string::npos);
}

TEST(Variation, NumbersWithOneUnitAreNumbers) {
  const auto numbers = numbers_of(read_variation("young=3 kPa,\"5 kPa\""));
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->values, (std::vector<double>{3, 5}));
  EXPECT_EQ(numbers->unit, "kPa");
  EXPECT_FALSE(numbers_of(read_variation("young=3 kPa,5 MPa")));
  EXPECT_FALSE(numbers_of(read_variation("young=3 kPa,5")));
  EXPECT_FALSE(numbers_of(read_variation("name=BE,SI")));
  EXPECT_FALSE(numbers_of(read_variation("flag=true,false")));
}

TEST(Variation, ListsOfOneFactorAreLogarithmicToo) {
  EXPECT_TRUE(is_logarithmic(read_variation("x=1e3,1e4,1e5")));
  EXPECT_TRUE(is_logarithmic(read_variation("x=1..8:4:log")));
  EXPECT_FALSE(is_logarithmic(read_variation("x=1..8:4")));
  EXPECT_FALSE(is_logarithmic(read_variation("x=1,2,3")));
  EXPECT_FALSE(is_logarithmic(read_variation("x=-1,-2,-4")));
  EXPECT_FALSE(is_logarithmic(read_variation("x=1,2")));
}

}  // namespace
}  // namespace limber
