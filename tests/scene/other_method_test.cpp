#include "limber/scene/run/other_method.hpp"

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"

namespace limber {

TEST(WithMethod, KeepsWhatTheOtherMethodTakes) {
  const nlohmann::json scene = {{"time", {{"step", 0.1}}},
                                {"method",
                                 {{"name", "SIERE"},
                                  {"modes", 11},
                                  {"refresh", "once"},
                                  {"negative_modes", "clamp"},
                                  {"newton_tolerance", 1e-8}}}};
  EXPECT_EQ(with_method(scene, "be")["method"], (nlohmann::json{{"name", "BE"}, {"newton_tolerance", 1e-8}}));
  nlohmann::json expected = scene["method"];
  expected["name"] = "STR-SBDF2ERE";
  EXPECT_EQ(with_method(scene, "STR-SBDF2ERE")["method"], expected);
  EXPECT_EQ(with_method(scene, "BE")["time"], scene["time"]);
}

TEST(WithMethod, ParametersOfOtherSchemesGo) {
  const nlohmann::json scene = {{"method", {{"name", "gen-alpha"}, {"rho_inf", 0.5}, {"solver", "auto"}}}};
  EXPECT_EQ(with_method(scene, "TR-BDF2")["method"], (nlohmann::json{{"name", "TR-BDF2"}, {"solver", "auto"}}));
  EXPECT_EQ(with_method(scene, "gen-alpha"), scene);
}

TEST(WithMethod, NamesAloneAndNone) {
  const nlohmann::json expected = {{"name", "BE"}};
  EXPECT_EQ(with_method({{"method", "SIERE"}}, "BE")["method"], expected);
  EXPECT_EQ(with_method(nlohmann::json::object(), "BE")["method"], expected);
  EXPECT_THROW(with_method(nlohmann::json::object(), "BEE"), InputError);
}

}  // namespace limber
