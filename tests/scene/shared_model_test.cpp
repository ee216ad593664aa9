/// A scene whose elements several processes share: everything that is said of it must be what one process says.

#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "limber/core/errors.hpp"
#include "limber/model/gather_state.hpp"
#include "limber/scene/construction/build.hpp"
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
  State all = model.system->full(model.start);
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
  const Energies e = energies(system, u);
  const auto p = system.potentials(u);
  const std::array<ActingState, 2> ends = {ActingState{&u, .3}, ActingState{&moved, .7}};
  const WorkPutIn put_in = work_put_in(system, u, moved, ends);
  std::vector<double> all = {e.kinetic,
                             e.elastic,
                             e.gravitational,
                             e.contact,
                             e.other,
                             damping_power(system, u),
                             friction_power(system, u),
                             put_in.work,
                             put_in.doubt,
                             total_mass(system),
                             system.max_step(u.q, 10 * u.v, 0, 0),
                             p ? p->stored : -1,
                             p ? p->dissipated : -1,
                             std::min(system.smallest_gap(u), 1e3),
                             space.norm(f),
                             space.norm(system.force(u)),
                             space.dot(f, u.v),
                             space.max_abs(f),
                             model.min_det_F(system.full(u).q),
                             static_cast<double>(space.global_size(system.size()))};
  const auto add = [&](const Vector& x) { all.insert(all.end(), x.begin(), x.end()); };
  add(space.allgather(f));
  add(space.allgather(system.apply_mass(u.v)));
  add(gather_state(system, u).q);
  if (mass == Mass::diagonal) add(reactions(system, u));
  const Matrix R = system.rigid_motions(u);
  all.push_back(static_cast<double>(R.cols()));
  for (Index j = 0; j < R.cols(); ++j) add(space.allgather(R.col(j)));
  // K x, as the system stores K.
  Vector y = system.symmetric() ? Vector(T.K.selfadjointView<Eigen::Lower>() * u.v) : Vector(T.K * u.v);
  space.add_up(y);
  add(space.allgather(y));
  return all;
}

void expect_as_alone(const Scene& scene, int processes, Mass mass = Mass::diagonal, Making making = Making::whole) {
  const std::vector<double> alone = answers(build_model(scene), mass);
  double size = 1;
  for (const double x : alone) size = std::max(size, std::abs(x));
  std::mutex one_by_one;
  ThreadProcesses(processes).run([&](const Communicator& all) {
    const Model model = build_model(scene, {}, all, making);
    EXPECT_EQ(model.system->holders().by_parts(), making == Making::by_parts);
    const std::vector<double> here = answers(model, mass);
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
    EXPECT_LE((gather_state(*part.system, together.state()).q - q).lpNorm<Eigen::Infinity>(), 1e-13);
    EXPECT_EQ(half.history[0].q.size(), all.rank() == 0 ? alone.state().q.size() : 0);
    const Vector end = together.state().q;
    together.restore(half);
    for (int k = 0; k < 10; ++k) together.step();
    EXPECT_EQ(together.state().q, end);
  });
}

std::string block_of(const std::string& name, const std::string& more) {
  return R"({"name": ")" + name + R"(", "mesh": {"shape": "box", "size": [1, 0.25, 0.5], "cells": [7, 3, 4]}, )" +
         material + (more.empty() ? "" : ", ") + more + "}";
}

TEST(ByParts, SaysWhatOneProcessSays) {
  for (const int processes : {2, 3, 4, 5})
    expect_as_alone(scene_of(block_of("held", R"("pin": ["left"], "rotation": [0.1, 0.2, 0.3], "scale": 2)")),
                    processes, Mass::diagonal, Making::by_parts);
}

TEST(ByParts, ElementsOfAllKinds) {
  for (const std::string kind : {"P2", "hex"})
    expect_as_alone(scene_of(block_of("b", R"("element": ")" + kind + R"(", "pin": ["bottom"])")), 4, Mass::diagonal,
                    Making::by_parts);
}

TEST(ByParts, ScriptsGuidesDampingAndLists) {
  const std::string damping = R"("damping": {"stiffness": 0.01, "mass": 0.5}, )",
                    guides = R"("pin": [{"nodes": "back", "axes": "z"}, {"nodes": "bottom", "axes": "y"}])",
                    script = R"("script": [{"nodes": "left", "keys": [{"time": 0},
      {"time": 0.1, "translation": [0.1, 0, 0], "rotation": [1, 0, 0]}]}])",
                    list = R"("pin": {"nodes": [0, 159, 77]}, "mass": "consistent")";
  expect_as_alone(scene_of(block_of("b", damping + guides)), 3, Mass::diagonal, Making::by_parts);
  expect_as_alone(scene_of(block_of("b", damping + script)), 4, Mass::diagonal, Making::by_parts);
  expect_as_alone(scene_of(block_of("b", list)), 4, Mass::coupled, Making::by_parts);
}

TEST(ByParts, FreeBodiesBesideOthers) {
  const std::string rod = R"({"name": "rope", "mesh": {"nodes": [[0, 2, 0], [0.5, 2, 0], [1, 2, 0]], "edges": [[0, 1],
      [1, 2]]}, "thickness": 0.02, "material": {"young": 1e6, "poisson": 0.3, "density": 1000}})";
  expect_as_alone(scene_of(block_of("one", R"("angular_velocity": [1, 2, 3])") + "," + rod + "," +
                           block_of("other", R"("position": [0, 1, 0])")),
                  3, Mass::diagonal, Making::by_parts);
}

TEST(ByParts, ShapesThatOneProcessMakesAreHandedOut) {
  for (const std::string kind : {"P1", "P2"}) {
    const std::string ball = R"({"name": "ball", "mesh": {"shape": "sphere", "radius": 0.5, "resolution": 0.25},
        "element": ")" + kind +
                             R"(", "position": [0, 3, 0], "rotation": [0.1, 0.2, 0.3], )" + material;
    expect_as_alone(scene_of(ball + R"(, "pin": ["top"]}, )" + block_of("b", "")), 3, Mass::diagonal, Making::by_parts);
    expect_as_alone(scene_of(ball + R"(, "angular_velocity": [1, 2, 3]})"), 4, Mass::diagonal, Making::by_parts);
    const Scene scene = scene_of(ball + "}");
    const TetMesh rest = build_model(scene).bodies[0].rest;
    ThreadProcesses(2).run([&](const Communicator& all) {
      const Model part = build_model(scene, {}, all, Making::by_parts);
      int shown = 0;
      part.bodies[0].show_rest([&](const RestPiece& piece) {
        EXPECT_EQ(piece.nodes, rest.nodes);
        EXPECT_EQ(piece.tets, rest.tets);
        ++shown;
      });
      EXPECT_EQ(shown, all.rank() == 0 ? 1 : 0);
    });
  }
}

TEST(ByParts, WhatAsksForWholeBodiesHasThem) {
  const Scene touching = scene_of(block_of("b", ""), R"(, "contact": {}, "obstacles": [{"name": "floor",
      "shape": "plane", "point": [0, -0.1, 0], "normal": [0, 1, 0]}])");
  const Scene loaded = scene_of(block_of("b", R"("loads": [{"nodes": "right", "force": [1, 2, 3]}])"));
  ThreadProcesses(2).run([&](const Communicator& all) {
    for (const Scene& scene : {touching, loaded})
      EXPECT_FALSE(build_model(scene, {}, all, Making::by_parts).system->holders().by_parts());
  });
}

TEST(ByParts, OneProcessSpeaksForAProbe) {
  const auto probed = [](const std::string& point) {
    return scene_of(block_of("b", R"("pin": ["left"])"),
                    R"(, "output": {"probes": [{"name": "p", "body": "b", "point": )" + point + "}]}");
  };
  for (const std::string point : {"[0.77, 0.1, 0.3]", "[0.5, 0.125, 0.25]", "[1.05, 0.1, 0.2]"}) {
    const Scene scene = probed(point);
    const Model model = build_model(scene);
    const Vec3 alone = model.probes[0].at(model.system->full(stirred(model)).q);
    for (const Making making : {Making::whole, Making::by_parts})
      ThreadProcesses(4).run([&](const Communicator& all) {
        const Model part = build_model(scene, {}, all, making);
        const Vector q = part.system->full(stirred(part)).q;
        Vec3 x = part.probes[0].speaks ? part.probes[0].at(q) : Vec3(Vec3::Zero());
        all.sum({x.data(), 3});
        EXPECT_LE((x - alone).norm(), 1e-14) << point;
      });
  }
  ThreadProcesses(3).run([&](const Communicator& all) {
    EXPECT_THROW(build_model(probed("[3, 0, 0]"), {}, all, Making::by_parts), InputError);
  });
}

TEST(ByParts, BadSelectionsAreErrorsOfAll) {
  const Scene outside = scene_of(block_of("b", R"("pin": {"box": {"min": [2, 2, 2], "max": [3, 3, 3]}})"));
  const Scene beyond = scene_of(block_of("b", R"("pin": {"nodes": [160]})"));
  const Scene held = scene_of(block_of("b", R"("pin": "all")"));
  ThreadProcesses(3).run([&](const Communicator& all) {
    for (const auto& [scene, message] :
         {std::pair{outside, "catches no node"}, {beyond, "the body has 160 nodes"}, {held, "all 160 nodes"}})
      try {
        build_model(scene, {}, all, Making::by_parts);
        ADD_FAILURE() << message;
      } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
      }
  });
}

TEST(ByParts, BoxesThatCannotBeNumberedAreErrors) {
  const Scene scene = scene_of(R"({"name": "b", "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [800, 800, 800]},
      "element": "P2", )" + material +
                               "}");
  ThreadProcesses(2).run([&](const Communicator& all) {
    try {
      build_model(scene, {}, all, Making::by_parts);
      ADD_FAILURE() << "is made";
    } catch (const InputError& e) {
      EXPECT_STREQ(e.what(),
                   "bodies[0].mesh.cells: [800, 800, 800] makes more tetrahedra or nodes than can be numbered");
    }
  });
}

TEST(ByParts, FramesAndCheckpointsAreThoseOfTheWhole) {
  const Scene scene = scene_of(block_of("b", R"("pin": ["left"], "velocity": [0, 1, 0])"));
  const Model model = build_model(scene);
  Simulation alone = build_simulation(scene, model);
  for (int k = 0; k < 20; ++k) alone.step();
  const State end = model.system->full(alone.state());
  ThreadProcesses(4).run([&](const Communicator& all) {
    const Model part = build_model(scene, {}, all, Making::by_parts);
    Simulation together = build_simulation(scene, part);
    for (int k = 0; k < 10; ++k) together.step();
    const Snapshot half = together.snapshot();
    for (int k = 0; k < 10; ++k) together.step();
    int shown = 0;
    gather_state(*part.system, together.state(), [&](int first, const Vector& q, const Vector& v) {
      EXPECT_EQ(all.rank(), 0);
      EXPECT_LE((q - end.q.segment(3 * first, q.size())).lpNorm<Eigen::Infinity>(), 1e-13);
      EXPECT_LE((v - end.v.segment(3 * first, v.size())).lpNorm<Eigen::Infinity>(), 1e-11);
      shown += static_cast<int>(q.size()) / 3;
    });
    EXPECT_EQ(shown, all.rank() == 0 ? 160 : 0);
    const Vector q = together.state().q;
    together.restore(half);
    for (int k = 0; k < 10; ++k) together.step();
    EXPECT_EQ(together.state().q, q);
  });
}

TEST(ByParts, TheRestShapeIsShownWhole) {
  for (const std::string kind : {"P1", "P2", "hex"})
    for (const std::string split : {"five", "six"}) {
      const Scene scene = scene_of(R"({"name": "b", "mesh": {"shape": "box", "size": [1, 0.25, 0.5], "cells": [4, 3, 5],
          "split": ")" + split + R"("}, "element": ")" +
                                   kind + R"(", "rotation": [0.1, 0.2, 0.3], )" + material + "}");
      const Model whole = build_model(scene);
      const TetMesh& rest = whole.bodies[0].rest;
      ThreadProcesses(2).run([&](const Communicator& all) {
        const Model part = build_model(scene, {}, all, Making::by_parts);
        EXPECT_TRUE(part.bodies[0].rest.nodes.empty());
        if (all.rank() > 0) return;
        TetMesh seen;
        seen.nodes.resize(rest.nodes.size(), Vec3::Constant(-1));
        part.bodies[0].show_rest([&](const RestPiece& piece) {
          ASSERT_LE(piece.first_node + piece.nodes.size(), rest.nodes.size());
          std::copy(piece.nodes.begin(), piece.nodes.end(),
                    seen.nodes.begin() + static_cast<std::ptrdiff_t>(piece.first_node));
          EXPECT_TRUE(piece.tets.empty() || piece.first_tet == seen.tets.size());
          seen.tets.insert(seen.tets.end(), piece.tets.begin(), piece.tets.end());
        });
        EXPECT_EQ(seen.nodes, rest.nodes) << kind << split;
        EXPECT_EQ(seen.tets, rest.tets) << kind << split;
        EXPECT_EQ(part.bodies[0].nodes, static_cast<int>(rest.nodes.size()));
        EXPECT_EQ(part.bodies[0].tets, static_cast<int>(rest.tets.size()));
      });
    }
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
    on_root(all, [&] { ++done; });
    EXPECT_EQ(done, all.rank() == 0 ? 1 : 0);
    const auto fails = [&] { on_root(all, [] { throw InputError("here", "is wrong"); }); };
    if (all.rank() == 0)
      EXPECT_THROW(fails(), InputError);
    else
      EXPECT_THROW(fails(), OtherProcessFailed);
  });
}

}  // namespace
}  // namespace limber
