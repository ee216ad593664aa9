/// Refresh "auto": modes turn with their body and are kept as long as the coupling repairs them.

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "limber/model/turned.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

using nlohmann::json;

json elastic_bar(const std::string& method, const json& more) {
  json scene = json::parse(R"({
    "time": {"step": 0.01, "duration": 1}, "gravity": [0, 0, 0],
    "bodies": [{"name": "bar", "mesh": {"shape": "box", "size": [2, 0.5, 0.4], "cells": [8, 2, 2]},
                "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000}}]})");
  scene["method"] = {{"name", method}, {"modes", 12}, {"refresh", "auto"}};
  scene["bodies"][0].update(more);
  return scene;
}

const json spinning = {{"angular_velocity", {0.3, 0.5, 5}}};
/// Its right end makes a turn in the second.
const json twisting = {
    {"pin", {"left"}},
    {"script", {{{"nodes", "right"}, {"keys", {{{"time", 0}}, {{"time", 1}, {"rotation", {"360 deg", 0, 0}}}}}}}}};

struct Kept {
  long refreshes;
  double lost;  // [J]
  State last;
};

Kept keep(const json& given) {
  const Scene scene = read_scene(given, vocabulary(), "");
  const Model model = build_model(scene);
  Simulation s = build_simulation(scene, model);
  const double start = s.energies().total();
  for (int k = 0; k < 100; ++k) s.step();
  return {s.modes() ? s.modes()->refreshes() : 0, start - s.energies().total(), s.state()};
}

json each_step(json scene) {
  scene["method"]["refresh"] = {{"every", 1}};
  return scene;
}

TEST(KeptModes, VectorsTurnWithTheirBody) {
  const Scene scene = read_scene(elastic_bar("SIERE", json::object()), vocabulary(), "");
  const Model model = build_model(scene);
  const Mat3 R = Eigen::AngleAxisd(2, Vec3(1, 2, 3).normalized()).matrix();
  const Vector q0 = model.start.q;
  Vector q = q0;
  for (Index i = 0; i < q.size(); i += 3) q.segment<3>(i) = R * q0.segment<3>(i) + Vec3(1, 0, -1);
  const Matrix X = Matrix::Random(q.size(), 2), Y = turned(*model.system, q0, q, X);
  for (Index i = 0; i < q.size(); i += 3) ASSERT_LT((Y.middleRows<3>(i) - R * X.middleRows<3>(i)).norm(), 1e-6);
  EXPECT_EQ(turned(*model.system, q0, q0, X), X);
}

TEST(KeptModes, OfSmallVibrationsAreFoundOnce) {
  const json small = {{"pin", {"left"}}, {"velocity", {0, 0.01, 0}}};
  EXPECT_EQ(keep(elastic_bar("SIERE", small)).refreshes, 1);
}

TEST(KeptModes, OfABodyThatTwistsAreFoundAnew) {
  for (const char* method : {"SIERE", "STR-SBDF2ERE"}) {
    const Kept kept = keep(elastic_bar(method, twisting));
    EXPECT_GT(kept.refreshes, 2) << method;
    EXPECT_LT(kept.refreshes, 60) << method;
  }
}

TEST(KeptModes, OfABodyThatSpinsLoseNoMoreEnergyThanThoseOfEachStep) {
  const json scene = elastic_bar("SIERE", spinning);
  const Kept kept = keep(scene), each = keep(each_step(scene));
  EXPECT_LE(kept.refreshes, 3);
  EXPECT_EQ(each.refreshes, 100);
  EXPECT_LT(kept.lost, 1.1 * each.lost);
}

/// The beam of the survey falls from rest.
TEST(KeptModes, OfABeamLoseAFractionOfWhatTheBaseDoes) {
  json scene = elastic_bar(
      "SIERE", {{"mesh", {{"shape", "box"}, {"size", {8, 1, 1}}, {"cells", {16, 2, 2}}}}, {"pin", {"left", "right"}}});
  scene["gravity"] = {0, -9.81, 0};
  const Kept kept = keep(scene);
  scene["method"] = "SI";
  EXPECT_LE(kept.refreshes, 20);
  EXPECT_LT(kept.lost, .25 * keep(scene).lost);
}

/// Modes that are kept for too long couple to the rest so strongly that this bar runs away.
TEST(KeptModes, OfABarThatIsFlungAddNoEnergy) {
  json scene = elastic_bar("SIERE", {{"mesh", {{"shape", "box"}, {"size", {1, 0.2, 0.2}}, {"cells", {10, 2, 2}}}},
                                     {"pin", {"left"}},
                                     {"velocity", {0, 10, 0}}});
  const Kept kept = keep(scene), each = keep(each_step(scene));
  EXPECT_GT(kept.lost, .9 * each.lost);
  EXPECT_LT(kept.lost, 1.1 * each.lost);
  EXPECT_LT(kept.refreshes, each.refreshes);
}

TEST(KeptModes, AResumedMotionHasTheSameBits) {
  for (const json& motion : {spinning, twisting}) {
    const Scene scene = read_scene(elastic_bar("SIERE", motion), vocabulary(), "");
    const Model a = build_model(scene), b = build_model(scene);
    Simulation whole = build_simulation(scene, a), resumed = build_simulation(scene, b);
    for (int k = 0; k < 37; ++k) whole.step();
    resumed.restore(whole.snapshot());
    for (int k = 0; k < 20; ++k) {
      whole.step();
      resumed.step();
    }
    EXPECT_EQ(whole.state().q, resumed.state().q);
    EXPECT_EQ(whole.state().v, resumed.state().v);
  }
}

}  // namespace
}  // namespace limber
