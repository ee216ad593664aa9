/// Linear solvers and modes of a system whose elements several processes share: the answers of one process.

#include <gtest/gtest.h>

#include <mutex>

#include "limber/linalg/solvers/linear_solver.hpp"
#include "limber/model/gather_state.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/run/facts.hpp"
#include "support/thread_processes.hpp"

namespace limber {
namespace {

using test::ThreadProcesses;

std::string bar_with(const std::string& cells, const std::string& more) {
  return R"({"name": "b)" + std::to_string(more.size()) +
         R"(", "mesh": {"shape": "box", "size": [1, 0.25, 0.2], "cells": )" + cells +
         R"(}, "material": {"model": "neo_hookean", "young": 1e6, "poisson": 0.3, "density": 1000})" + more + "}";
}

Scene bars_of(const std::string& bodies, const std::string& more = "") {
  return read_scene(Document::parse(R"({"time": {"step": 0.01, "duration": 0.05}, "method": {"name": "BE"},
      "gravity": [0, -9.81, 0], "bodies": [)" +
                                        bodies + "]" + more + "}",
                                    "test"),
                    vocabulary(), ".");
}

Scene held_bar() { return bars_of(bar_with("[16, 6, 6]", R"(, "pin": ["left"])")); }

/// (M + h²K) x = b for a b that depends on places alone, and the whole x.
struct Solved {
  Vector x;
  int iterations = 0;
};

Solved solve_stage(const Scene& scene, const std::string& solver, const Communicator& all = one_process()) {
  const Model model = build_model(scene, {}, all);
  MechanicalSystem& system = *model.system;
  const Space& space = system.space();
  Tangent T;
  system.tangent(model.start, Definiteness::exact, T);
  SparseMatrix A = system.mass();
  A += 1e-4 * T.K;
  Vector b = model.start.q;
  for (double& value : b) value = std::sin(9 * value) + value;
  auto linear = make_linear_solver(solver, Symmetry::symmetric, system.traits().nodes);
  linear->set_matrix(A);
  Vector x;
  const SolveReport report = linear->solve(b, x, 1e-11);
  EXPECT_EQ(report.status, SolveReport::Status::ok) << solver;
  Vector Ax;
  linear->multiply(x, Ax);
  EXPECT_LE(space.norm(Ax - b), 1e-10 * space.norm(b)) << solver;
  return {space.allgather(x), report.iterations};
}

void expect_same_solution(const Scene& scene, const std::string& solver, int processes, double more_iterations) {
  const Solved alone = solve_stage(scene, solver);
  std::mutex one_by_one;
  std::vector<Vector> found;
  ThreadProcesses(processes).run([&](const Communicator& all) {
    const Solved here = solve_stage(scene, solver, all);
    const std::lock_guard lock(one_by_one);
    EXPECT_LE((here.x - alone.x).norm(), 1e-8 * alone.x.norm()) << solver << " on " << processes;
    EXPECT_LE(here.iterations, more_iterations * alone.iterations + 2) << solver << " on " << processes;
    found.push_back(here.x);
  });
  for (const Vector& x : found) EXPECT_EQ(x, found.front()) << "processes differ";
}

TEST(SharedSolver, EachNameSolvesAsOnOneProcess) {
  const Scene scene = held_bar();
  for (const std::string solver : {"pcg", "ldlt", "lu", "multigrid"}) expect_same_solution(scene, solver, 3, 1.1);
  expect_same_solution(scene, "gmres", 3, 4);  // incomplete factors on one process, the diagonal on several
  expect_same_solution(scene, "auto", 3, 2);   // may choose another way, whose cost is shared
}

TEST(SharedSolver, MultigridOfThreeLevelsKeepsItsIterations) {
  const Scene scene = bars_of(bar_with("[40, 10, 10]", R"(, "pin": ["left"])"));
  for (const int processes : {2, 3, 4}) expect_same_solution(scene, "multigrid", processes, 1.3);
}

/// All nodes of the surface are held by all processes there, and most of them have no element at them.
TEST(SharedSolver, MultigridWithNodesHeldEverywhere) {
  const Scene scene =
      bars_of(bar_with("[16, 6, 6]", R"(, "position": [0, 0.02, 0])") + "," +
                  bar_with("[16, 6, 6]", R"(, "position": [0, 1, 0])"),
              R"(, "obstacles": [{"name": "floor", "shape": "plane", "point": [0, -0.12, 0], "normal": [0, 1, 0]}],
                "contact": {"delta": 0.03})");
  for (const int processes : {2, 3}) expect_same_solution(scene, "multigrid", processes, 1.3);
}

TEST(SharedSolver, ModesAreThoseOfOneProcess) {
  const Scene scene = bars_of(bar_with("[8, 2, 2]", R"(, "pin": ["left"])") + "," +
                              bar_with("[8, 3, 2]", R"(, "position": [0, 1, 0])"));
  const Model one = build_model(scene);
  const Modes alone = scene_modes(one, 12);
  const Matrix shapes = on_all_nodes(*one.system, alone.X);
  ThreadProcesses(3).run([&](const Communicator& all) {
    const Model model = build_model(scene, {}, all);
    const Modes here = scene_modes(model, 12);
    const Matrix X = on_all_nodes(*model.system, here.X);
    ASSERT_EQ(here.lambda.size(), alone.lambda.size());
    EXPECT_LE((here.lambda - alone.lambda).cwiseAbs().maxCoeff(), 1e-9 * alone.lambda.maxCoeff());
    for (Index i = 6; i < X.cols(); ++i)  // the rigid ones may be turned
      EXPECT_NEAR(std::abs(X.col(i).normalized().dot(shapes.col(i).normalized())), 1, 1e-6) << "mode " << i;
  });
}

/// The positions after ten steps; the last five are taken twice.
Vector after_ten_steps(const Scene& scene, const Communicator& all) {
  const Model model = build_model(scene, {}, all);
  Simulation simulation = build_simulation(scene, model);
  for (int k = 0; k < 5; ++k) simulation.step();
  const Snapshot half = simulation.snapshot();
  for (int k = 0; k < 5; ++k) simulation.step();
  const Vector q = simulation.state().q;
  simulation.restore(half);
  for (int k = 0; k < 5; ++k) simulation.step();
  EXPECT_EQ(simulation.state().q, q) << scene.method.name;
  return gather_state(*model.system, simulation.state()).q;
}

void expect_same_after_ten_steps(const Scene& scene, int processes) {
  const Vector alone = after_ten_steps(scene, one_process());
  ThreadProcesses(processes).run([&](const Communicator& all) {
    EXPECT_LE((after_ten_steps(scene, all) - alone).lpNorm<Eigen::Infinity>(), 1e-8) << scene.method.name;
  });
}

/// Hybrids, the exponential method and statics, on processes that are threads.
TEST(SharedSolver, MethodsMoveAsOnOneProcess) {
  for (const std::string method : {"SIERE", "STR-SBDF2ERE", "BDF2ERE", "ERE"}) {
    Scene scene = bars_of(bar_with("[8, 2, 2]", R"(, "pin": ["left"])"));
    scene.method.name = method;
    scene.time.step = method == "ERE" ? 1e-3 : 5e-3;
    expect_same_after_ten_steps(scene, 3);
  }
}

TEST(SharedSolver, FewUnknownsMoveAsOnOneProcess) {
  Scene scene = bars_of(bar_with("[1, 1, 1]", R"(, "pin": ["left"])") + "," +
                        bar_with("[1, 1, 1]", R"(, "pin": ["right"], "damping": {"mass": 3, "at": "rest"})"));
  scene.method.name = "ERE";
  scene.time.step = 1e-3;
  expect_same_after_ten_steps(scene, 2);
}

TEST(SharedSolver, StaticsAreThoseOfOneProcess) {
  const Scene scene = held_bar();
  StaticsReport report;
  const Vector alone = statics(scene, build_model(scene), report);
  ThreadProcesses(3).run([&](const Communicator& all) {
    StaticsReport here;
    EXPECT_LE((statics(scene, build_model(scene, {}, all), here) - alone).lpNorm<Eigen::Infinity>(), 1e-7);
  });
}

}  // namespace
}  // namespace limber
