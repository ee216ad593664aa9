/// Gradients over kinds of bodies, forces and parameters, against differences of whole runs.

#include "limber/core/errors.hpp"
#include "motions.hpp"

namespace limber::test {
namespace {

TEST(GradientOfBodies, QuadraticTetrahedra) {
  Json scene = beam("TR-BDF2");
  scene["bodies"][0]["element"] = "P2";
  scene["bodies"][0]["mass"] = "consistent";
  expect_equal(scene, {young, poisson, density, gravity, velocity}, 1e-6);
}

TEST(GradientOfBodies, Hexahedra) {
  Json scene = beam("gen-alpha");
  scene["bodies"][0]["element"] = "hex";
  expect_equal(scene, {young, poisson, density, gravity, velocity}, 1e-6);
}

TEST(GradientOfBodies, NearlyIncompressible) {
  Json scene = beam("SDIRK");
  scene["bodies"][0]["material"]["poisson"] = .49;
  Entry nu = poisson;
  nu.step = 1e-4;
  expect_equal(scene, {young, nu, density, velocity}, 1e-6);
}

TEST(GradientOfBodies, MooneyRivlin) {
  Json scene = beam("BDF2");
  scene["bodies"][0]["material"] = {
      {"model", "mooney_rivlin"}, {"c10", 3e4}, {"c01", 1e4}, {"bulk", 5e5}, {"density", 1000}};
  expect_equal(scene,
               {{"bodies[0].material.c10", "/bodies/0/material/c10", 0, 50},
                {"bodies[0].material.c01", "/bodies/0/material/c01", 0, 50},
                {"bodies[0].material.bulk", "/bodies/0/material/bulk", 0, 500},
                density},
               1e-6);
}

TEST(GradientOfBodies, DampingAtRest) {
  Json scene = beam("TR-BDF2");
  scene["bodies"][0]["damping"] = {{"stiffness", 2e-3}, {"mass", .5}, {"at", "rest"}};
  const Entry stiffness{"bodies[0].damping.stiffness", "/bodies/0/damping/stiffness", 0, 1e-5},
      mass{"bodies[0].damping.mass", "/bodies/0/damping/mass", 0, 1e-2};
  expect_equal(scene, {stiffness, mass, young, density}, 1e-6);
  scene["method"]["name"] = "SI";
  expect_equal(scene, {stiffness, mass, young, density}, 1e-6);
}

TEST(GradientOfBodies, DampingThatTurnsWithTheBody) {
  for (const char* at : {"corotated", "frozen"}) {
    SCOPED_TRACE(at);
    Json scene = beam("TR-BDF2");
    scene["bodies"][0]["damping"] = {{"stiffness", 5e-3}, {"mass", .5}, {"at", at}};
    scene["bodies"][0]["velocity"] = {1, 2, -1};
    expect_equal(scene,
                 {{"bodies[0].damping.stiffness", "/bodies/0/damping/stiffness", 0, 1e-5},
                  {"bodies[0].damping.mass", "/bodies/0/damping/mass", 0, 1e-2},
                  young,
                  density,
                  velocity},
                 1e-6, true);
  }
}

/// Its K is projected, which no tangent follows.
TEST(GradientOfBodies, DampingAtTheCurrentState) {
  Json scene = beam("TR-BDF2");
  scene["bodies"][0]["velocity"] = {2, 5, -3};
  scene["bodies"][0]["damping"] = {{"stiffness", 5e-3}, {"at", "current"}};
  expect_equal(scene,
               {{"bodies[0].damping.stiffness", "/bodies/0/damping/stiffness", 0, 1e-6},
                {young.parameter, young.pointer, 0, 20},
                {density.parameter, density.pointer, 0, .1},
                velocity},
               1e-6);
}

TEST(GradientOfBodies, Viscous) {
  for (const char* method : {"TR-BDF2", "SI", "BDF2"}) {
    SCOPED_TRACE(method);
    Json scene = beam(method);
    scene["bodies"][0]["velocity"] = {1, 2, -1};
    scene["bodies"][0]["material"]["viscosity"] = {{{"share", .3}, {"time", .02}}};
    expect_equal(scene,
                 {young,
                  {poisson.parameter, poisson.pointer, 0, 1e-4},
                  density,
                  velocity,
                  {"bodies[0].material.viscosity[0].share", "/bodies/0/material/viscosity/0/share", 0, 1e-3},
                  {"bodies[0].material.viscosity[0].time", "/bodies/0/material/viscosity/0/time", 0, 1e-4}},
                 1e-6, true);
  }
}

TEST(GradientOfBodies, Sheet) {
  Json sheet = beam("TR-BDF2");
  sheet["bodies"][0]["mesh"] = {{"shape", "sheet"}, {"size", {.3, .3}}, {"cells", {3, 3}}};
  sheet["bodies"][0]["thickness"] = .002;
  sheet["bodies"][0]["material"] = {{"model", "stable_neo_hookean"}, {"young", 1e6}, {"poisson", .3}, {"density", 800}};
  Entry stiff = young;
  stiff.step = 1e3;
  expect_equal(sheet, {stiff, density, velocity, {"bodies[0].thickness", "/bodies/0/thickness", 0, 2e-6}}, 1e-6);
}

TEST(GradientOfBodies, LoadsAndScripts) {
  Json scene = beam("TR-BDF2");
  scene["bodies"][0]["loads"] = {{{"nodes", "right"}, {"force", {0, 2, 1}}},
                                 {{"faces", "top"}, {"pressure", 300}},
                                 {{"faces", "right"}, {"traction", {100, 50, 0}}}};
  scene["bodies"][0]["pin"] = Json::array();
  scene["bodies"][0]["script"] = {{{"nodes", "left"},
                                   {"interpolation", "smooth"},
                                   {"keys",
                                    {{{"time", 0}, {"translation", {0, 0, 0}}},
                                     {{"time", .03}, {"translation", {.01, .02, 0}}},
                                     {{"time", .1}, {"translation", {0, .05, 0}}}}}}};
  const std::vector<Entry> loads = {
      {"bodies[0].loads[0].force", "/bodies/0/loads/0/force/1", 1, 1e-2},
      {"bodies[0].loads[1].pressure", "/bodies/0/loads/1/pressure", 0, 1},
      {"bodies[0].loads[2].traction", "/bodies/0/loads/2/traction/0", 0, 1},
      {"bodies[0].script[0].keys[1].translation", "/bodies/0/script/0/keys/1/translation/1", 1, 1e-4},
      density};
  expect_equal(scene, loads, 1e-6);
}

/// Damped springs are not symmetric, nor is a pressure on an open face: modes are those of the symmetric part.
TEST(GradientOfBodies, AttachmentsTargetsAndPressure) {
  for (const char* method : {"TR-BDF2", "SI", "SIERE", "TR-BDF2ERE"}) {
    SCOPED_TRACE(method);
    Json scene = beam(method);
    Json other = scene["bodies"][0];
    other["name"] = "other";
    other["position"] = {0, .2, 0};
    other.erase("pin");
    scene["bodies"].push_back(other);
    scene["attachments"] = {{{"a", {{"body", "beam"}, {"nodes", "top"}}},
                             {"b", {{"body", "other"}, {"nodes", "bottom"}}},
                             {"stiffness", 500},
                             {"damping", 1},
                             {"rest_length", "initial"}}};
    scene["bodies"][0]["targets"] = {
        {{"nodes", "right"},
         {"keys", {{{"time", 0}, {"translation", {0, 0, 0}}}, {{"time", .1}, {"translation", {0, .05, 0}}}}},
         {"stiffness", 50},
         {"damping", .2}}};
    scene["bodies"][0]["loads"] = {{{"faces", "front"}, {"pressure", 300}}};
    expect_equal(scene,
                 {{"attachments[0].stiffness", "/attachments/0/stiffness", 0, 1},
                  {"attachments[0].damping", "/attachments/0/damping", 0, 1e-3},
                  {"bodies[0].targets[0].stiffness", "/bodies/0/targets/0/stiffness", 0, .1},
                  {"bodies[0].targets[0].damping", "/bodies/0/targets/0/damping", 0, 1e-3},
                  {"bodies[0].targets[0].keys[1].translation", "/bodies/0/targets/0/keys/1/translation/1", 1, 1e-4},
                  {"bodies[0].loads[0].pressure", "/bodies/0/loads/0/pressure", 0, 1},
                  young},
                 5e-6);
  }
}

TEST(GradientOfBodies, InitialStates) {
  const Json scene = beam("TR-BDF2");
  const Gradient g = gradient(scene, {"initial.velocities", "initial.positions", "bodies[0].velocity"});
  double along = 0;  // the sum over all free nodes is the derivative by a velocity of the body
  for (std::size_t i = 2; i < g.of[0].size(); i += 3) along += g.of[0][i];
  EXPECT_NEAR(along, g.of[2][2], 1e-9 * std::abs(along));
  EXPECT_EQ(g.of[1].size(), g.of[0].size());
}

TEST(GradientOfBodies, DampingThatIsZeroYet) {
  Json scene = beam("TR-BDF2");
  scene["bodies"][0]["damping"] = {{"stiffness", 0}, {"mass", 0}};
  for (const char* key : {"stiffness", "mass"}) {
    const Gradient g = gradient(scene, {std::string("bodies[0].damping.") + key});
    const double h = std::string(key) == "mass" ? 1e-2 : 1e-5;
    const auto at = [&](double x) {
      Json other = scene;
      other["bodies"][0]["damping"][key] = x;
      return value(other);
    };
    const double expected = (-3 * at(0) + 4 * at(h) - at(2 * h)) / (2 * h);
    EXPECT_NEAR(g.of[0][0], expected, 1e-4 * std::abs(expected)) << key;
  }
}

TEST(GradientOfBodies, ElementByElement) {
  for (const char* method : {"TR-BDF2", "SI", "RK4"})
    for (const char* element : {"P1", "P2", "hex"}) {
      Json scene = beam(method);
      if (std::string(method) == "RK4") scene["time"] = {{"step", .0005}, {"duration", .004}};
      scene["bodies"][0]["element"] = element;
      const Gradient g = gradient(scene, {"bodies[0].element.young", "bodies[0].material.young"});
      double sum = 0, most = 0;
      for (const double each : g.of[0]) {
        sum += each;
        most = std::max(most, std::abs(each));
      }
      EXPECT_NEAR(sum, g.of[1][0], 1e-8 * most) << method << " " << element;
      EXPECT_GT(g.of[0].size(), 2u);
    }
  Json scene = beam("TR-BDF2");
  scene["bodies"][0]["material"]["poisson"] = .49;
  EXPECT_THROW(gradient(scene, {"bodies[0].element.young"}), InputError);
}

TEST(GradientOfBodies, TaylorRemainderIsOfSecondOrder) {
  const Json scene = beam("SDIRK");
  const Gradient g = gradient(scene, {"bodies[0].material.young"});
  std::vector<double> remainders;
  for (const double h : {4e3, 2e3, 1e3}) {
    Json other = scene;
    other["bodies"][0]["material"]["young"] = 2e5 + h;
    remainders.push_back(std::abs(value(other) - g.value - g.of[0][0] * h));
  }
  EXPECT_NEAR(std::log2(remainders[0] / remainders[1]), 2, .05);
  EXPECT_NEAR(std::log2(remainders[1] / remainders[2]), 2, .05);
}

TEST(GradientOfBodies, TwoThousandSteps) {
  Json scene = beam("TR-BDF2");
  scene["time"] = {{"step", .002}, {"duration", 4}};
  scene["bodies"][0]["damping"] = {{"stiffness", 2e-3}, {"mass", .5}, {"at", "rest"}};
  const Gradient g = gradient(scene, {"bodies[0].material.young"});
  EXPECT_NEAR(g.of[0][0], difference(scene, "/bodies/0/material/young", 20), 1e-6 * std::abs(g.of[0][0]));
}

Json dropped() {
  return {{"time", {{"step", .005}, {"duration", .1}}},
          {"method", {{"name", "TR-BDF2"}}},
          {"gravity", {0, -9.81, 0}},
          {"contact", {{"delta", .004}, {"stiffness", 3e6}, {"friction", .4}, {"epsilon", .02}}},
          {"obstacles", {{{"name", "floor"}, {"shape", "plane"}, {"point", {0, 0, 0}}, {"normal", {0, 1, 0}}}}},
          {"bodies",
           {{{"name", "cube"},
             {"mesh", {{"shape", "box"}, {"size", {.1, .1, .1}}, {"cells", {2, 2, 2}}}},
             {"material", {{"model", "neo_hookean"}, {"young", 2e5}, {"poisson", .3}, {"density", 1000}}},
             {"position", {0, .006, 0}},
             {"velocity", {.8, -.5, 0}}}}}};
}

TEST(GradientOfContact, BarrierAndCoupledFriction) {
  for (const char* method : {"TR-BDF2", "BE", "gen-alpha", "SI"}) {
    SCOPED_TRACE(method);
    Json scene = dropped();
    scene["method"]["name"] = method;
    expect_equal(scene,
                 {young,
                  density,
                  {"bodies[0].velocity", "/bodies/0/velocity/0", 0, 1e-4},
                  {"contact.friction", "/contact/friction", 0, 1e-4}},
                 1e-4);
  }
}

/// μ of pairs, and where a floor goes.
TEST(GradientOfContact, FrictionOfPairsAndAMovingObstacle) {
  for (const char* method : {"TR-BDF2", "SI"}) {
    SCOPED_TRACE(method);
    Json scene = dropped();
    scene["method"]["name"] = method;
    scene["contact"]["friction"] = {
        {"default", .3},
        {"pairs",
         {{{"between", {"cube", "floor"}}, {"friction", .4}}, {{"between", {"cube", "second"}}, {"friction", .2}}}}};
    Json second = scene["bodies"][0];
    second["name"] = "second";
    second["position"] = {0, .112, 0};
    second["velocity"] = {0, -.3, 0};
    scene["bodies"].push_back(second);
    scene["obstacles"][0]["motion"] = {
        {"keys", {{{"time", 0}, {"translation", {0, 0, 0}}}, {{"time", .1}, {"translation", {.02, .01, 0}}}}}};
    expect_equal(scene,
                 {{"contact.friction.pairs[0].friction", "/contact/friction/pairs/0/friction", 0, 1e-5},
                  {"contact.friction.pairs[1].friction", "/contact/friction/pairs/1/friction", 0, 1e-5},
                  {"obstacles[0].motion.keys[1].translation", "/obstacles/0/motion/keys/1/translation/0", 0, 1e-6}},
                 1e-4);
  }
}

TEST(GradientOfContact, Hybrids) {
  for (const char* method : {"SIERE", "TR-BDF2ERE"}) {
    SCOPED_TRACE(method);
    Json scene = dropped();
    scene["time"]["duration"] = .06;
    scene["method"]["name"] = method;
    expect_equal(scene,
                 {young,
                  density,
                  {"bodies[0].velocity", "/bodies/0/velocity/0", 0, 1e-4},
                  {"contact.friction", "/contact/friction", 0, 1e-4}},
                 1e-4);
  }
}

/// With short steps, and narrow differences: contact is part of the linearised motion, which has kinks at impacts.
TEST(GradientOfContact, ExponentialMethod) {
  Json scene = dropped();
  scene["method"]["name"] = "ERE";
  scene["time"] = {{"step", .001}, {"duration", .02}};
  scene["bodies"][0]["position"] = {0, .0042, 0};
  expect_equal(scene,
               {{young.parameter, young.pointer, 0, 20},
                {density.parameter, density.pointer, 0, .1},
                {"bodies[0].velocity", "/bodies/0/velocity/0", 0, 2e-5},
                {"contact.friction", "/contact/friction", 0, 2e-5}},
               1e-4);
}

TEST(GradientOfContact, LaggedFriction) {
  for (const char* method : {"TR-BDF2", "SI"}) {
    SCOPED_TRACE(method);
    Json scene = dropped();
    scene["time"]["duration"] = .06;
    scene["method"]["name"] = method;
    scene["contact"]["friction_form"] = "lagged";
    expect_equal(scene,
                 {young,
                  density,
                  {"bodies[0].velocity", "/bodies/0/velocity/0", 0, 1e-4},
                  {"contact.friction", "/contact/friction", 0, 1e-4}},
                 1e-4);
  }
}

TEST(GradientOfBodies, HybridsWithForcesThatRemember) {
  Json scene = beam("SIERE");
  scene["bodies"][0]["velocity"] = {1, 2, -1};
  scene["bodies"][0]["damping"] = {{"stiffness", 5e-3}, {"mass", .5}};
  const Entry stiffness{"bodies[0].damping.stiffness", "/bodies/0/damping/stiffness", 0, 1e-5};
  expect_equal(scene, {stiffness, young, density, velocity}, 1e-6);
  scene["bodies"][0]["material"]["viscosity"] = {{{"share", .3}, {"time", .02}}};
  expect_equal(scene,
               {stiffness,
                young,
                velocity,
                {"bodies[0].material.viscosity[0].time", "/bodies/0/material/viscosity/0/time", 0, 1e-4}},
               1e-6);
}

struct Refused {
  std::string parameter, where, text;
};

TEST(GradientInput, WhatCannotBeIsSaid) {
  Json scene = beam("TR-BDF2");
  scene["contact"] = {{"friction", .3}};
  for (const Refused& r :
       {Refused{"bodies[0].material.yong", "bodies[0].material.yong", "bodies[0].material.young"},
        Refused{"time.step", "time.step", "time step"}, Refused{"method.name", "method.name", "method"},
        Refused{"bodies[0].mesh.cells", "bodies[0].mesh.cells", "mesh"},
        Refused{"bodies[0].name", "bodies[0].name", "choice"}}) {
    try {
      DifferentiableRun run(document(scene), "", {r.parameter});
      FAIL() << r.parameter;
    } catch (const InputError& e) {
      EXPECT_EQ(e.where(), r.where);
      EXPECT_NE(e.message().find(r.text), std::string::npos) << e.message();
    }
  }
}

}  // namespace
}  // namespace limber::test
