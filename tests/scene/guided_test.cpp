/// Nodes that are held in some directions only: rollers, planes of symmetry, scripts of one component.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/model/gather_state.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/run/facts.hpp"
#include "support/thread_processes.hpp"

namespace limber {
namespace {

Scene guided_scene(const std::string& bodies, const std::string& method = "BE",
                   const std::string& gravity = "[0, 0, 0]") {
  return read_scene(Document::parse(R"({"time": {"step": 0.005, "duration": 1}, "method": {"name": ")" + method +
                                        R"(", "newton_tolerance": 1e-13, "linear_tolerance": 1e-13}, "gravity": )" +
                                        gravity + R"(, "bodies": [)" + bodies + "]}",
                                    "test"),
                    vocabulary(), ".");
}

std::string block_of(const std::string& mesh, const std::string& more, const std::string& model = "neo_hookean") {
  return R"({"name": "b", "element": "hex", "mesh": {"shape": "box", )" + mesh + R"(}, "material": {"model": ")" +
         model + R"(", "young": 1e5, "poisson": 0.3, "density": 1000}, )" + more + "}";
}

/// The half from x = 0 to 1 of a bar from −1 to 1 that is drawn at both ends.
const std::string half_mesh = R"("size": [1, 0.5, 0.5], "cells": [4, 2, 2])",
                  whole_mesh = R"("size": [2, 0.5, 0.5], "cells": [8, 2, 2], "origin": [-1, 0, 0])";
std::string drawn(const std::string& side, const std::string& by) {
  return R"({"nodes": ")" + side + R"(", "keys": [{"time": 0}, {"time": 0.05, "translation": [)" + by +
         R"(, 0.02, 0]}]})";
}

State moved(const Scene& scene, int steps, const Communicator& all = one_process()) {
  const Model model = build_model(scene, {}, all);
  Simulation simulation = build_simulation(scene, model);
  for (int k = 0; k < steps; ++k) simulation.step();
  return gather_state(*model.system, simulation.state());
}

/// Nodes of the half are those of the whole with x ≥ 0, in the same order.
Vector half_of(const Vector& q, const std::vector<Vec3>& rest) {
  std::vector<double> kept;
  for (int i = 0; i < static_cast<int>(rest.size()); ++i)
    if (rest[ix(i)][0] > -1e-9)
      for (int c = 0; c < 3; ++c) kept.push_back(q[3 * i + c]);
  return Eigen::Map<Vector>(kept.data(), static_cast<Index>(kept.size()));
}

TEST(Guided, APlaneOfSymmetryGivesTheHalfOfTheWhole) {
  for (const std::string method : {"BE", "SI", "TR-BDF2", "SIERE", "BDF2ERE", "ERE", "verlet", "newmark"}) {
    Scene whole = guided_scene(
        block_of(whole_mesh, R"("script": [)" + drawn("left", "-0.1") + "," + drawn("right", "0.1") + "]"), method);
    Scene half = guided_scene(
        block_of(half_mesh, R"("pin": [{"nodes": "left", "axes": "x"}], "script": [)" + drawn("right", "0.1") + "]"),
        method);
    if (method == "verlet" || method == "ERE") whole.time.step = half.time.step = 1e-3;
    const bool hybrid = method == "SIERE" || method == "BDF2ERE";
    if (hybrid) whole.method.modes = half.method.modes = 1;
    const Model of_whole = build_model(whole), of_half = build_model(half);
    const Vector a = half_of(moved(whole, 6).q, of_whole.bodies[0].rest.nodes), b = moved(half, 6).q;
    ASSERT_EQ(a.size(), b.size());
    if (hybrid)  // other modes: the same to their order only
      EXPECT_LE((a - b).lpNorm<Eigen::Infinity>(), 1e-3) << method;
    else
      EXPECT_LE((a - b).lpNorm<Eigen::Infinity>(), 1e-8) << method;
    for (int i = 0; i < static_cast<int>(b.size() / 3); ++i)
      if (of_half.bodies[0].rest.nodes[ix(i)][0] < 1e-9) {
        EXPECT_EQ(b[3 * i], 0) << method;
      }
  }
}

/// A cube on three planes of symmetry, drawn in x: lateral strain −ν ε, force E ε A.
TEST(Guided, UniaxialStretchIsExact) {
  Scene scene = guided_scene(block_of(R"("size": [1, 1, 1], "cells": [2, 2, 2])",
                                      R"("pin": [{"nodes": "left", "axes": "x"}, {"nodes": "bottom", "axes": "y"},
          {"nodes": "back", "axes": "z"}], "script": [{"nodes": "right", "axes": "x", "keys": [{"time": 0,
          "translation": [0.01, 0, 0]}]}])",
                                      "linear"));
  const Model model = build_model(scene);
  StaticsReport report;
  const Vector q = statics(scene, model, report);
  for (int i = 0; i < 27; ++i) {
    const Vec3& rest = model.bodies[0].rest.nodes[ix(i)];
    const Vec3 expected(1.01 * rest[0], (1 - .003) * rest[1], (1 - .003) * rest[2]);
    EXPECT_LE((block(q, i) - expected).norm(), 1e-10) << i;
  }
  const Vector r = reactions(*model.system, model.system->state(q, Vector::Zero(q.size()), 0));
  double right = 0, left = 0;
  const auto& held = model.system->prescribed_nodes();
  for (int k = 0; k < static_cast<int>(held.size()); ++k) {
    const Vec3& rest = model.bodies[0].rest.nodes[ix(held[ix(k)])];
    const Vec3 force = block(r, k);
    (rest[0] > .5 ? right : left) += force[0];
    if (rest[1] > 1e-9) {
      EXPECT_EQ(force[1], 0);
    }
    if (rest[2] > 1e-9) {
      EXPECT_EQ(force[2], 0);
    }
    EXPECT_NEAR(force[1], 0, 1e-6);
    EXPECT_NEAR(force[2], 0, 1e-6);
  }
  EXPECT_NEAR(right, 1e5 * .01, 1e-6);
  EXPECT_NEAR(left, -1e5 * .01, 1e-6);
}

TEST(Guided, ASlantedPlaneIsATurnedOne) {
  const std::string turn = "[0, 0, 0.6]";
  const Eigen::AngleAxisd R(.6, Vec3::UnitZ());
  const Vec3 n = R * Vec3::UnitX(), down = R * Vec3(0, -9.81, 0);
  const auto text = [](const Vec3& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); };
  const Scene straight =
      guided_scene(block_of(half_mesh, R"("pin": [{"nodes": "left", "axes": "x"}], "velocity": [3, 1, 0])"), "TR-BDF2",
                   "[0, -9.81, 0]");
  const Scene slanted =
      guided_scene(block_of(half_mesh, R"("rotation": )" + turn + R"(, "pin": [{"nodes": "left", "normal": )" +
                                           text(n) + R"(}], "velocity": )" + text(R * Vec3(3, 1, 0))),
                   "TR-BDF2", text(down));
  const Vector a = moved(straight, 8).q, b = moved(slanted, 8).q;
  for (int i = 0; i < static_cast<int>(a.size() / 3); ++i)
    EXPECT_LE((R * Vec3(block(a, i)) - block(b, i)).norm(), 1e-10) << i;
}

TEST(Guided, OnlyTheHeldComponentIsPrescribed) {
  const Scene scene =
      guided_scene(block_of(half_mesh, R"("script": [{"nodes": "left", "axes": "x", "keys": [{"time": 0},
      {"time": 1, "translation": [1, 7, 0]}]}])"),
                   "BE", "[0, -10, 0]");
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  for (int k = 0; k < 10; ++k) simulation.step();
  const State all = gather_state(*model.system, simulation.state());
  for (const int i : model.system->prescribed_nodes()) {
    EXPECT_NEAR(all.q[3 * i], model.bodies[0].rest.nodes[ix(i)][0] + .05, 1e-14);
    EXPECT_NEAR(all.v[3 * i], 1, 1e-14);
    EXPECT_LT(all.v[3 * i + 1], -.2);  // falls, and the script's y does not count
  }
}

TEST(Guided, TangentIsTheDerivativeOfTheForce) {
  const Scene scene = guided_scene(block_of(
      half_mesh,
      R"("mass": "consistent", "damping": {"stiffness": 0.01}, "pin": [{"nodes": "left", "normal": [1, 2, 0.5]},
      {"nodes": "bottom", "axes": "y"}])"));
  const Model model = build_model(scene);
  MechanicalSystem& system = *model.system;
  State u = model.start;
  for (Index i = 0; i < u.q.size(); ++i) u.q[i] += .01 * std::sin(static_cast<double>(3 * i));
  for (Index i = 0; i < u.v.size(); ++i) u.v[i] = .1 * std::cos(static_cast<double>(5 * i));
  system.begin_step(u);  // from here on damping knows what it turns with
  Tangent T;
  system.linearize(u, Definiteness::exact, T);
  Vector d(u.q.size());
  for (Index i = 0; i < d.size(); ++i) d[i] = std::sin(static_cast<double>(7 * i + 1));
  d = system.state(system.spread(d), system.spread(d), 0).v;  // along what is free
  const double h = 1e-6;
  State more = u, less = u;
  more.q += h * d;
  less.q -= h * d;
  const Vector df = (system.force(more) - system.force(less)) / (2 * h), Kd = T.K.selfadjointView<Eigen::Lower>() * d;
  EXPECT_LE((df + Kd).norm(), 1e-6 * Kd.norm());
  more = less = u;
  more.v += h * d;
  less.v -= h * d;
  const Vector dv = (system.force(more) - system.force(less)) / (2 * h), Dd = T.D.selfadjointView<Eigen::Lower>() * d;
  EXPECT_LE((dv + Dd).norm(), 1e-6 * Dd.norm());
  const Modes modes = scene_modes(model, 6);
  const Matrix X = on_all_nodes(system, modes.X);
  for (const int i : system.prescribed_nodes())
    if (model.bodies[0].rest.nodes[ix(i)][0] > 1e-9) {
      EXPECT_EQ(X(3 * i + 1, 5), 0);
    }
  EXPECT_GT(modes.lambda[5], 1);
}

TEST(Guided, SeveralProcessesDoTheSame) {
  const Scene scene = guided_scene(
      block_of(R"("size": [1, 0.5, 0.5], "cells": [8, 3, 3])",
               R"("pin": [{"nodes": "left", "axes": "x"}, {"nodes": "bottom", "normal": [0, 1, 1]}])") +
          "," +
          R"({"name": "small", "mesh": {"shape": "box", "size": [0.1, 0.1, 0.1], "cells": [1, 1, 1]}, "position": [5, 0, 0],
              "angular_velocity": [0, 0, 3],
              "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}})",
      "STR-SBDF2ERE", "[3, -9.81, 1]");
  const Vector alone = moved(scene, 8).q;
  test::ThreadProcesses(3).run(
      [&](const Communicator& all) { EXPECT_LE((moved(scene, 8, all).q - alone).lpNorm<Eigen::Infinity>(), 1e-8); });
}

TEST(Guided, TwoWaysToHoldOneDirection) {
  // Pins add up, a script does not go with a pin along the same direction.
  EXPECT_NO_THROW(build_model(guided_scene(block_of(half_mesh, R"("pin": [{"nodes": "left", "axes": "x"},
      {"nodes": "left", "axes": "xy"}, {"nodes": "left", "normal": [1, 1, 1]}])"))));
  EXPECT_NO_THROW(
      build_model(guided_scene(block_of(half_mesh, R"("pin": [{"nodes": "left", "axes": "yz"}], "script": [{"nodes":
      "left", "axes": "x", "keys": [{"time": 0}]}])"))));
  EXPECT_THROW(
      build_model(guided_scene(block_of(half_mesh, R"("pin": [{"nodes": "left", "axes": "xy"}], "script": [{"nodes":
      "left", "axes": "x", "keys": [{"time": 0}]}])"))),
      InputError);
}

}  // namespace
}  // namespace limber
