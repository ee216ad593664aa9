/// Parameters that made a motion are found again from it.

#include "limber/scene/gradient/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/gradient/differentiable_run.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

using Json = nlohmann::json;

Json beam() {
  return {{"time", {{"step", .01}, {"duration", .4}}},
          {"method", {{"name", "TR-BDF2"}}},
          {"bodies",
           {{{"name", "beam"},
             {"mesh", {{"shape", "box"}, {"size", {.4, .1, .1}}, {"cells", {4, 1, 1}}}},
             {"material", {{"model", "stable_neo_hookean"}, {"young", 2e5}, {"poisson", .35}, {"density", 1000}}},
             {"damping", {{"stiffness", 4e-3}}},
             {"loads", {{{"nodes", "right"}, {"force", {0, 0, 1.5}}}}},
             {"pin", {"left"}}}}},
          {"output",
           {{"probes",
             {{{"name", "tip"}, {"body", "beam"}, {"point", {.4, .05, .05}}},
              {{"name", "side"}, {"body", "beam"}, {"point", {.2, .1, 0}}}}}}}};
}

/// What a scene does, at times that are not those of its steps.
Observations observed(const Json& scene, double noise = 0, unsigned seed = 1) {
  DifferentiableRun run(document_of(scene), "", {});
  std::vector<State> states;
  run.run([&](long, const State& u) { states.push_back(u); });
  std::mt19937 random(seed);
  std::normal_distribution<double> error(0, noise);
  std::vector<double> times;
  Matrix values(39, 4);
  for (std::size_t i = 0; i < 39; ++i) {
    const State &a = states[i], &b = states[i + 1];
    times.push_back(.5 * (a.t + b.t));
    const auto w = hermite_weights(a.t, b.t, times.back());
    const Vector q = w[0] * a.q + w[1] * a.v + w[2] * b.q + w[3] * b.v;
    const Vec3 tip = run.model().probes[0].at(q), side = run.model().probes[1].at(q);
    values.row(static_cast<Index>(i)) << tip[1], tip[2], side[0], side[1];
  }
  if (noise > 0)
    for (double& x : values.reshaped()) x += error(random);
  return {times, {"tip.y", "tip.z", "side.x", "side.y"}, values};
}

FitRequest request(const Json& scene, Observations observations, const std::vector<std::string>& variables) {
  FitRequest r{{.scene = document_of(scene), .base = ""}, std::move(observations)};
  for (const std::string& v : variables) r.varied.push_back(read_varied(v));
  return r;
}

TEST(Fit, FindsWhatMadeTheMotionFromTenTimesOff) {
  Json start = beam();
  start["bodies"][0]["material"]["young"] = 2e6;
  start["bodies"][0]["material"]["density"] = 300;
  start["bodies"][0]["damping"]["stiffness"] = 4e-4;
  const Fit found = fit(request(start, observed(beam()),
                                {"bodies[0].material.young=1e4..1e7", "bodies[0].material.density=50..5000",
                                 "bodies[0].damping.stiffness=1e-5..1e-1"}));
  EXPECT_TRUE(found.found.converged) << found.found.reason;
  EXPECT_NEAR(found.found.x[0], 2e5, 1e-4 * 2e5);
  EXPECT_NEAR(found.found.x[1], 1000, 1e-4 * 1000);
  EXPECT_NEAR(found.found.x[2], 4e-3, 1e-4 * 4e-3);
  EXPECT_LT(found.rms, 1e-8);
  EXPECT_NEAR(json_of(found.scene)["bodies"][0]["material"]["young"].get<double>(), found.found.x[0], 1e-9);
}

TEST(Fit, FindsPoissonsRatioAndAVelocity) {
  Json truth = beam(), start = beam();
  truth["bodies"][0]["velocity"] = {0, .5, 0};
  start["bodies"][0]["velocity"] = {0, .01, 0};
  start["bodies"][0]["material"]["poisson"] = .2;
  const Fit found =
      fit(request(start, observed(truth), {"bodies[0].material.poisson=0..0.49", "bodies[0].velocity[1]=-2..2"}));
  EXPECT_NEAR(found.found.x[0], .35, 1e-3 * .35);
  EXPECT_NEAR(found.found.x[1], .5, 1e-3 * .5);
}

TEST(Fit, ProductsAloneAreSaidToBeUndetermined) {
  // Without loads and gravity a motion depends on E/ρ only.
  Json scene = beam();
  scene["gravity"] = {0, 0, 0};
  scene["bodies"][0].erase("loads");
  scene["bodies"][0]["damping"]["stiffness"] = 0;
  scene["bodies"][0]["velocity"] = {0, 1, 0};
  Json start = scene;
  start["bodies"][0]["material"]["young"] = 3e5;
  const Fit found = fit(
      request(start, observed(scene), {"bodies[0].material.young=1e4..1e7", "bodies[0].material.density=50..5000"}));
  EXPECT_NEAR(found.found.x[0] / found.found.x[1], 200, .1);
  EXPECT_FALSE(found.notes.empty());
}

TEST(Fit, TheIntervalsHoldTheTruth) {
  Json scene = beam();
  scene["time"]["duration"] = .4;
  int held = 0;
  constexpr int trials = 20;
  for (unsigned seed = 1; seed <= trials; ++seed) {
    const Fit found = fit(request(scene, observed(scene, 5e-4, seed), {"bodies[0].material.young=1e4..1e7"}));
    if (found.found.low95[0] <= 2e5 && 2e5 <= found.found.high95[0]) ++held;
    EXPECT_NEAR(found.rms, 5e-4, 1.5e-4);
  }
  EXPECT_GE(held, 17);
}

TEST(Fit, AnInterruptedFitKeepsItsBest) {
  Json start = beam();
  start["bodies"][0]["material"]["young"] = 6e5;
  FitRequest r = request(start, observed(beam()), {"bodies[0].material.young=1e4..1e7"});
  r.go_on = [](const SearchProgress& p) { return p.evaluation < 2; };
  const Fit found = fit(r);
  EXPECT_EQ(found.found.evaluations, 2);
  EXPECT_FALSE(found.found.converged);
}

struct Wrong {
  std::string vary, where, text;
};

TEST(Fit, InputIsChecked) {
  for (const Wrong& w : {Wrong{"bodies[0].material.yong=1..2", "bodies[0].material.yong", "bodies[0].material.young"},
                         Wrong{"initial.velocities=-1..1", "initial.velocities", "objective"},
                         Wrong{"time.step=1e-3..1e-2", "time.step", "time step"}})
    try {
      fit(request(beam(), observed(beam()), {w.vary}));
      FAIL() << w.vary;
    } catch (const InputError& e) {
      EXPECT_EQ(e.where(), w.where);
      EXPECT_NE(e.message().find(w.text), std::string::npos) << e.message();
    }
  for (const char* vary : {"young", "young=3", "=1..2", "bodies[0].material.young=a..2"})
    EXPECT_THROW(read_varied(vary), InputError) << vary;
  const VariedParameter v = read_varied("bodies[0].material.young=10 kPa..1 MPa");
  EXPECT_DOUBLE_EQ(v.low[0], 1e4);
  EXPECT_DOUBLE_EQ(v.high[0], 1e6);

  Json no_probes = beam();
  no_probes.erase("output");
  EXPECT_THROW(fit(request(no_probes, observed(beam()), {"bodies[0].material.young=1e4..1e7"})), InputError);
  Json shorter = beam();
  shorter["time"]["duration"] = .2;
  EXPECT_THROW(fit(request(shorter, observed(beam()), {"bodies[0].material.young=1e4..1e7"})), InputError);
}

}  // namespace
}  // namespace limber
