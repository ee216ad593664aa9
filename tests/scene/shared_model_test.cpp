/// A scene whose elements several processes share: everything that is said of it must be what one process says.

#include <gtest/gtest.h>

#include <mutex>

#include "limber/core/errors.hpp"
#include "limber/scene/build/build.hpp"
#include "support/thread_processes.hpp"

namespace limber {
namespace {

using test::ThreadProcesses;

Scene scene_of(const std::string& bodies, const std::string& more = "") {
  const std::string text = R"({"time": {"step": 1e-3, "duration": 0.02}, "method": {"name": "verlet"},
      "gravity": [0, -9.81, 0], "bodies": [)" +
                           bodies + "]" + more + "}";
  return read_scene(Document::parse(text, "test"), vocabulary(), ".");
}

const std::string material = R"("material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000})";

std::string bar(const std::string& name, const std::string& more) {
  return R"({"name": ")" + name + R"(", "mesh": {"shape": "box", "size": [1, 0.25, 0.25], "cells": [8, 2, 2]}, )" +
         material + (more.empty() ? "" : ", ") + more + "}";
}

/// A state that is nowhere at rest, from the nodes' places alone.
State stirred(const Model& model) {
  State all = model.system->everywhere(model.start);
  for (Index i = 0; i < all.q.size(); ++i) {
    all.v[i] += .3 * std::sin(7. * all.q[i] + static_cast<double>(i % 3));
    all.q[i] += .01 * std::sin(5. * all.q[i] + 1);
  }
  return model.system->state(all.q, all.v, 0);
}

/// What is asked of a system, all in numbers.
enum class Mass { diagonal, coupled };  // the latter is solved with by PETSc, which is not here
std::vector<double> answers(const Model& model, Mass mass) {
  MechanicalSystem& system = *model.system;
  const Space& space = system.space();
  const State u = stirred(model);
  State moved = u;
  moved.q += 1e-3 * u.v;
  moved.t += 1e-3;
  Tangent T;
  const Vector f = system.linearize(u, Definiteness::exact, T);
  const Energies e = system.energies(u);
  const auto p = system.potentials(u);
  std::vector<double> all = {e.kinetic,
                             e.elastic,
                             e.gravitational,
                             e.contact,
                             e.other,
                             system.damping_power(u),
                             system.friction_power(u),
                             system.work_put_in(u, moved),
                             system.total_mass(),
                             system.max_step(u.q, 10 * u.v, 0, 0),
                             p ? p->stored : -1,
                             p ? p->dissipated : -1,
                             std::min(system.smallest_gap(u), 1e3),
                             space.norm(f),
                             space.norm(system.force(u)),
                             space.dot(f, u.v),
                             space.max_abs(f),
                             model.min_det_F(system.full(u).q),
                             static_cast<double>(space.whole_size(system.size()))};
  const auto add = [&](const Vector& x) { all.insert(all.end(), x.begin(), x.end()); };
  add(space.whole(f));
  add(space.whole(system.apply_mass(u.v)));
  add(system.everywhere(u).q);
  if (mass == Mass::diagonal) add(system.reactions(u));
  const Matrix R = system.rigid_motions(u);
  all.push_back(static_cast<double>(R.cols()));
  for (Index j = 0; j < R.cols(); ++j) add(space.whole(R.col(j)));
  // K x, as the system stores K.
  Vector y = system.symmetric() ? Vector(T.K.selfadjointView<Eigen::Lower>() * u.v) : Vector(T.K * u.v);
  space.add_up(y);
  add(space.whole(y));
  return all;
}

void expect_as_alone(const Scene& scene, int processes, Mass mass = Mass::diagonal) {
  const std::vector<double> alone = answers(build_model(scene), mass);
  double size = 1;
  for (const double x : alone) size = std::max(size, std::abs(x));
  std::mutex one_by_one;
  ThreadProcesses(processes).run([&](const Communicator& all) {
    const std::vector<double> here = answers(build_model(scene, {}, all), mass);
    const std::lock_guard lock(one_by_one);
    ASSERT_EQ(here.size(), alone.size());
    for (std::size_t i = 0; i < here.size(); ++i)
      EXPECT_NEAR(here[i], alone[i], 1e-11 * size) << "answer " << i << ", process " << all.rank();
  });
}

TEST(SharedModel, SaysWhatOneProcessSays) {
  for (const int processes : {2, 3, 4}) expect_as_alone(scene_of(bar("held", R"("pin": ["left"])")), processes);
}

TEST(SharedModel, FreeBodiesHaveTheirRigidMotions) {
  expect_as_alone(scene_of(bar("one", "") + "," + bar("other", R"("position": [0, 1, 0])")), 3);
}

TEST(SharedModel, DampingAndScripts) {
  expect_as_alone(scene_of(bar("b", R"("damping": {"stiffness": 0.01, "mass": 0.5}, "script": [{"nodes": "left",
      "keys": [{"time": 0}, {"time": 0.1, "translation": [0.1, 0, 0]}]}])")),
                  3);
}

TEST(SharedModel, LoadsTargetsAndAttachments) {
  expect_as_alone(
      scene_of(bar("a", R"("pin": ["left"], "loads": [{"nodes": "right", "force": [1, 2, 3]}],
      "targets": [{"stiffness": 50, "keys": [{"time": 0, "translation": [0, 0.1, 0]}]}])") +
                   "," + bar("b", R"("position": [0, 0.5, 0])"),
               R"(, "attachments": [{"a": {"body": "a", "nodes": "top"}, "b": {"body": "b", "nodes": "bottom"},
      "stiffness": 100}], "wind": {"velocity": [3, 0, 0]})"),
      3);
}

TEST(SharedModel, LoadsOnFacesAndMasses) {
  const std::string
      closed = R"("loads": [{"faces": "right", "traction": [100, 200, 0]}, {"faces": "all", "pressure": 3000}])",
      masses = R"(, "masses": [{"nodes": "right", "mass": "300 g"}], "damping": {"mass": 0.5})";
  expect_as_alone(scene_of(bar("a", closed + masses)), 3);
  expect_as_alone(scene_of(bar("a", R"("pin": ["left"], "loads": [{"faces": "top", "pressure": 3000}])" + masses)), 3);
  expect_as_alone(scene_of(bar("a", R"("mass": "consistent", "element": "P2", )" + closed)), 3, Mass::coupled);
  const std::string rigid = R"("rigid": [{"box": {"min": [0.5, -1, -1], "max": [2, 1, 1]}}], )";
  expect_as_alone(scene_of(bar("soft", "") + "," + bar("tipped", rigid + R"("position": [0, 1, 0], )" + closed)), 2,
                  Mass::coupled);
}

TEST(SharedModel, ProbesAreTheSame) {
  const Scene scene = scene_of(bar("b", R"("pin": ["left"])"),
                               R"(, "output": {"probes": [{"name": "p", "body": "b", "point": [0.77, 0.1, 0.3]}]})");
  const Probe alone = build_model(scene).probes.at(0);
  ThreadProcesses(3).run([&](const Communicator& all) {
    const Probe here = build_model(scene, {}, all).probes.at(0);
    EXPECT_EQ(here.nodes, alone.nodes);
    EXPECT_EQ(here.weights, alone.weights);
  });
}

TEST(SharedModel, ContactAndFriction) {
  expect_as_alone(scene_of(bar("low", R"("position": [0, 0.012, 0])") + "," +
                               bar("high", R"("position": [0.1, 0.285, 0.05], "velocity": [1, 0, 0])"),
                           R"(, "obstacles": [{"name": "floor", "shape": "plane", "point": [0, -0.01, 0],
      "normal": [0, 1, 0]}], "contact": {"friction": 0.3, "delta": 0.03})"),
                  3);
}

TEST(SharedModel, RigidParts) {
  expect_as_alone(
      scene_of(bar("soft", R"("pin": ["left"])") + "," + bar("tipped", R"("position": [0, 1, 0], "pin": ["left"],
      "rigid": [{"box": {"min": [0.5, -1, -1], "max": [2, 1, 1]}}])")),
      2, Mass::coupled);
}

TEST(SharedModel, Stitches) {
  expect_as_alone(scene_of(bar("one", R"("pin": ["left"])") + "," +
                               bar("other", R"("position": [1, 0.03, 0], "rotation": [0.2, 0, 0])"),
                           R"(, "stitches": [{"body": "other", "nodes": "left", "to": "one", "distance": 0.1}])"),
                  3, Mass::coupled);
}

TEST(SharedModel, CavitiesAreRefused) {
  const Scene scene = scene_of(
      R"({"name": "b", "mesh": {"shape": "shell", "resolution": 0.3}, "cavities": [{"gas": {}}], )" + material + "}");
  EXPECT_EQ(build_model(scene).cavities.size(), 1u);
  ThreadProcesses(2).run([&](const Communicator& all) {
    try {
      build_model(scene, {}, all);
      FAIL() << "is not refused";
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()),
                "bodies[0].cavities[0]: cavities are not possible on several processes; run it on one");
    }
  });
}

TEST(SharedModel, ConsistentMass) {
  expect_as_alone(scene_of(bar("b", R"("pin": ["left"], "mass": "consistent")")), 3, Mass::coupled);
}

TEST(SharedModel, MovesAsOnOneProcess) {
  const Scene scene = scene_of(bar("b", R"("pin": ["left"], "velocity": [0, 1, 0])"));
  const Model model = build_model(scene);
  Simulation alone = build_simulation(scene, model);
  for (int k = 0; k < 20; ++k) alone.step();
  const Vector q = model.system->full(alone.state()).q;
  ThreadProcesses(3).run([&](const Communicator& all) {
    const Model part = build_model(scene, {}, all);
    Simulation together = build_simulation(scene, part);
    for (int k = 0; k < 10; ++k) together.step();
    // What a checkpoint holds is the whole state, for any number of processes.
    const Snapshot half = together.snapshot();
    for (int k = 0; k < 10; ++k) together.step();
    EXPECT_LE((part.system->everywhere(together.state()).q - q).lpNorm<Eigen::Infinity>(), 1e-13);
    EXPECT_EQ(half.history[0].q.size(), alone.state().q.size());
    const Vector end = together.state().q;
    together.restore(half);
    for (int k = 0; k < 10; ++k) together.step();
    EXPECT_EQ(together.state().q, end);
  });
}

TEST(SharedModel, IsRefusedWhereAProcessWouldHaveNothingToDo) {
  const Scene scene =
      scene_of(R"({"name": "b", "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}, )" + material + "}");
  ThreadProcesses(2).run([&](const Communicator& all) {
    try {
      build_model(scene, {}, all);
      FAIL() << "is not refused";
    } catch (const InputError& e) {
      EXPECT_NE(e.message().find("too many"), std::string::npos) << e.what();
    }
  });
}

TEST(SharedModel, RefusesViscosityByName) {
  const Scene scene = scene_of(R"({"name": "b", "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [3, 2, 2]},
      "material": {"young": 1e5, "poisson": 0.3, "viscosity": [{"share": 0.3, "time": 1}]}})");
  ThreadProcesses(2).run([&](const Communicator& all) {
    try {
      build_model(scene, {}, all);
      FAIL() << "is not refused";
    } catch (const InputError& e) {
      EXPECT_STREQ(e.what(),
                   "bodies[0].material.viscosity: viscosity is not possible on several processes; run it on one");
    }
  });
}

TEST(OnFirstProcess, AllFailIfTheFirstOneDoes) {
  ThreadProcesses(3).run([&](const Communicator& all) {
    int done = 0;
    on_first_process(all, [&] { ++done; });
    EXPECT_EQ(done, all.rank() == 0 ? 1 : 0);
    const auto fails = [&] { on_first_process(all, [] { throw InputError("here", "is wrong"); }); };
    if (all.rank() == 0)
      EXPECT_THROW(fails(), InputError);
    else
      EXPECT_THROW(fails(), FailedElsewhere);
  });
}

}  // namespace
}  // namespace limber
