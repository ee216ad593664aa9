#include "limber/scene/run/other_method.hpp"

#include <gtest/gtest.h>

#include "limber/core/errors.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

nlohmann::json changed_to(const std::string& method, const nlohmann::json& scene) {
  return json_of(with_method(document_of(scene), method));
}

}  // namespace

TEST(WithMethod, KeepsWhatTheOtherMethodTakes) {
  const nlohmann::json scene = {{"time", {{"step", 0.1}}},
                                {"method",
                                 {{"name", "SIERE"},
                                  {"modes", 11},
                                  {"refresh", "once"},
                                  {"negative_modes", "clamp"},
                                  {"newton_tolerance", 1e-8}}}};
  EXPECT_EQ(changed_to("be", scene)["method"], (nlohmann::json{{"name", "BE"}, {"newton_tolerance", 1e-8}}));
  nlohmann::json expected = scene["method"];
  expected["name"] = "STR-SBDF2ERE";
  EXPECT_EQ(changed_to("STR-SBDF2ERE", scene)["method"], expected);
  EXPECT_EQ(changed_to("BE", scene)["time"], scene["time"]);
}

TEST(WithMethod, ParametersOfOtherSchemesGo) {
  const nlohmann::json scene = {{"method", {{"name", "gen-alpha"}, {"rho_inf", 0.5}, {"solver", "auto"}}}};
  EXPECT_EQ(changed_to("TR-BDF2", scene)["method"], (nlohmann::json{{"name", "TR-BDF2"}, {"solver", "auto"}}));
  EXPECT_EQ(changed_to("gen-alpha", scene), scene);
}

TEST(WithMethod, NamesAloneAndNone) {
  const nlohmann::json expected = {{"name", "BE"}};
  EXPECT_EQ(changed_to("BE", {{"method", "SIERE"}})["method"], expected);
  EXPECT_EQ(changed_to("BE", nlohmann::json::object())["method"], expected);
  EXPECT_THROW(changed_to("BEE", nlohmann::json::object()), InputError);
}

}  // namespace limber
