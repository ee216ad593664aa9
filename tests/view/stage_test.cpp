#include "limber/view/stage.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/record/energy_table.hpp"
#include "limber/record/temporary_directory.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/other_method.hpp"
#include "limber/scene/run/run.hpp"
#include "limber/view/folders.hpp"
#include "limber/view/messages.hpp"
#include "limber/view/recording.hpp"
#include "limber/view/session.hpp"

namespace limber {
namespace {

Document beam(const std::string& more = "") {
  return Document::parse(R"({
    "time": {"step": 0.01, "duration": 0.2}, "method": {"name": "TR-BDF2"},
    "bodies": [{"name": "beam", "mesh": {"shape": "box", "size": [4, 1, 1], "cells": [8, 2, 2]},
                "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000},
                "pin": ["left"]}],
    "output": {"velocities": true, "checkpoint_every": 4})" +
                             more + "}",
                         "beam.json");
}

/// Ten pieces, held at one end.
Document rope() {
  return Document::parse(R"({
    "time": {"step": 0.01, "duration": 0.2}, "method": "BE",
    "bodies": [{"name": "rope", "mesh": {"shape": "chain", "from": [0, 0, 0], "to": [1, 0, 0], "segments": 10},
                "thickness": 0.02, "pin": {"nodes": [0]},
                "material": {"model": "neo_hookean", "young": 1e6, "poisson": 0.3, "density": 900}}]})",
                         "rope.json");
}

bool same_bits(const Vector& x, const Vector& y) { return x.size() == y.size() && (x.array() == y.array()).all(); }

Frame last_frame_of_run(const Document& document, const std::string& directory) {
  const Scene scene = read_scene(document, vocabulary(), "");
  const Model model = build_model(scene);
  RunOptions options;
  options.directory = directory;
  run_scene(document, scene, model, options);
  const TrajectoryReader reader(directory + "/trajectory.h5");
  return reader.frame(reader.frames() - 1);
}

TEST(ViewStage, StepsAsARunDoes) {
  const TemporaryDirectory folder;
  for (const char* method : {"TR-BDF2", "SIERE", "BDF2", "gen-alpha"}) {
    const Document scene = with_method(beam(), method);
    const Frame end = last_frame_of_run(scene, folder.path() / method);
    ViewStage stage({"beam", "", {scene}, ""});
    for (int i = 0; i < 20; ++i) stage.step();
    EXPECT_TRUE(same_bits(stage.panes()[0]->full().q, end.q)) << method;
    EXPECT_TRUE(same_bits(stage.panes()[0]->full().v, end.v)) << method;
  }
}

TEST(ViewStage, AForkHasTheBitsOfARunFromThatState) {
  const TemporaryDirectory folder;
  const std::string first = folder.path() / "first";
  last_frame_of_run(beam(), first);
  for (const char* method : {"TR-BDF2", "BE", "SIERE", "BDF2"}) {
    Document scene = with_method(beam(), method);
    scene.set("start={\"run\": \"" + first + "\", \"frame\": 7}");
    scene.set("bodies[0].material.young=2e5");
    const Frame end = last_frame_of_run(scene, folder.path() / method);
    EXPECT_NEAR(end.t, .27, 1e-12);

    ViewStage stage({"beam", "", {beam()}, ""});
    for (int i = 0; i < 12; ++i) stage.step();
    stage.fork(7, {std::string("method.name=\"") + method + "\"", "bodies[0].material.young=2e5"}, std::nullopt);
    EXPECT_EQ(stage.frames(), 8u);
    EXPECT_EQ(stage.rows(0).size(), 8u);
    for (int i = 0; i < 20; ++i) stage.step();
    EXPECT_TRUE(same_bits(stage.panes()[0]->full().q, end.q)) << method;
    EXPECT_TRUE(same_bits(stage.panes()[0]->full().v, end.v)) << method;

    // The same from the recorded run.
    StageSource source = source_of(first, {}, {});
    ViewStage replay(source);
    EXPECT_TRUE(replay.replays());
    EXPECT_EQ(replay.frames(), 21u);
    EXPECT_EQ(replay.rows(0).size(), 21u);
    replay.fork(7, {std::string("method.name=\"") + method + "\"", "bodies[0].material.young=2e5"}, std::nullopt);
    EXPECT_FALSE(replay.replays());
    for (int i = 0; i < 20; ++i) replay.step();
    EXPECT_TRUE(same_bits(replay.panes()[0]->full().q, end.q)) << method;
  }
}

TEST(ViewStage, PanesGoOnTogether) {
  ViewStage stage({"beam", "", {with_method(beam(), "BE"), with_method(beam(), "SIERE")}, ""});
  stage.go_on_with({"time.step=0.02"}, 1);
  for (int i = 0; i < 9; ++i) stage.step();
  EXPECT_NEAR(stage.panes()[0]->time(), stage.panes()[1]->time(), .02 + 1e-12);
  EXPECT_EQ(stage.panes()[0]->scene().time.step, .01);
  EXPECT_EQ(stage.panes()[1]->scene().time.step, .02);
}

TEST(ViewStage, ARefusedChangeChangesNothing) {
  ViewStage stage({"beam", "", {beam()}, ""});
  stage.step();
  const Pane* pane = stage.panes()[0].get();
  EXPECT_THROW(stage.go_on_with({"bodies[0].material.poisson=0.7"}, std::nullopt), InputError);
  EXPECT_THROW(stage.go_on_with({"bodies[0].mesh.cells=[9,2,2]"}, std::nullopt), InputError);
  EXPECT_THROW(stage.go_on_with({}, 3), InputError);
  EXPECT_THROW(stage.fork(2, {}, std::nullopt), InputError);
  EXPECT_EQ(stage.panes()[0].get(), pane);
}

TEST(ViewStage, ThePulledPointGoesWhereItIsPulled) {
  ViewStage stage({"beam", "", {beam(), with_method(beam(), "BE")}, ""});
  const ViewShape shape(stage.panes()[0]->scene(), stage.panes()[0]->model());
  std::size_t triangle = 0;
  for (std::size_t t = 0; t < shape.triangles().size(); ++t)
    if (shape.rest()[static_cast<std::size_t>(shape.triangles()[t][0])][0] > 3.9) triangle = t;
  const BodyPoint point = shape.on_triangle(triangle, {.5, .25, .25});
  const Vec3 before = point.at(stage.panes()[0]->full().q);
  const Vec3 to = before + Vec3(0, 0, 2);
  for (const auto& pane : stage.panes()) pane->pull(point, to);
  for (int i = 0; i < 8; ++i) stage.step();
  for (const auto& pane : stage.panes()) {
    EXPECT_GT((point.at(pane->full().q) - before)[2], .1);
    EXPECT_GT(pane->hand().force(pane->full().q)[2], 0);
  }
}

TEST(ViewShape, KnowsThePointsOfTrianglesAndLines) {
  const auto refused = [](const auto& point) {
    try {
      point();
    } catch (const InputError& e) {
      return e.where() + ": " + e.message();
    }
    return std::string();
  };
  const Pane solid(beam());
  const ViewShape box(solid.scene(), solid.model());
  EXPECT_EQ(refused([&] { box.on_triangle(0, {1, 1, 0}); }), "weights: their sum is 2, not 1");
  EXPECT_EQ(refused([&] { box.on_triangle(0, {2, -1, 0}); }), "weights: each is from 0 to 1");
  EXPECT_EQ(refused([&] { box.on_triangle(0, {.5, .5}); }), "weights: are 2; there is one for each of the 3 corners");
  const std::size_t count = box.triangles().size();
  EXPECT_EQ(refused([&] {
              box.on_triangle(count, {1, 0, 0});
            }),
            "triangle: " + std::to_string(count) + ": the bodies have triangles 0 to " + std::to_string(count - 1));
  EXPECT_EQ(refused([&] { box.on_line(0, {1, 0}); }), "line: 0: the bodies of this scene have no lines");

  const Pane chain(rope());
  const ViewShape lines(chain.scene(), chain.model());
  ASSERT_EQ(lines.lines().size(), 10u);
  EXPECT_EQ(refused([&] { lines.on_line(10, {1, 0}); }), "line: 10: the bodies have lines 0 to 9");
  EXPECT_EQ(refused([&] { lines.on_line(0, {1, 0, 0}); }), "weights: are 3; there is one for each of the 2 corners");
  EXPECT_EQ(refused([&] {
              lines.on_triangle(0, {1, 0, 0});
            }),
            "triangle: 0: the bodies of this scene have no triangles");
  const Vec3 point = lines.on_line(4, {.25, .75}).at(chain.full().q);
  const auto [a, b] = lines.lines()[4];
  EXPECT_LE((point - .25 * lines.rest()[static_cast<std::size_t>(a)] - .75 * lines.rest()[static_cast<std::size_t>(b)])
                .norm(),
            1e-15);
}

TEST(ViewShape, HasTheStressOfAllElementsAtItsSurface) {
  for (const char* element : {"P1", "P2"}) {
    Document document = beam();
    document.set("bodies[0].mesh.cells=[4, 4, 4]");
    document.set(std::string("bodies[0].element=\"") + element + "\"");
    ViewStage stage({"beam", "", {document}, ""});
    for (int i = 0; i < 4; ++i) stage.step();
    const Pane& pane = *stage.panes()[0];
    const Vector q = pane.full().q;
    const ViewShape shape(pane.scene(), pane.model());
    const std::vector<double> shown = shape.values(Field::stress, q, {});

    const TrajectoryHeader header = trajectory_header(pane.model(), Velocities::store, 0);
    const Vector all =
        ElementFields(pane.scene(), header).at_nodes(ElementFields(pane.scene(), header).at(q).von_mises);
    EXPECT_GT(all.minCoeff(), 0);
    for (std::size_t v = 0; v < shape.vertices(); ++v) {
      const auto node = std::find(header.nodes.begin(), header.nodes.end(), shape.rest()[v]) - header.nodes.begin();
      EXPECT_EQ(shown[v], all[node]) << element;
    }
  }
}

TEST(ElementFields, LeavesOutWhatIsNotAskedFor) {
  ViewStage stage({"beam", "", {beam()}, ""});
  for (int i = 0; i < 4; ++i) stage.step();
  const Pane& pane = *stage.panes()[0];
  const TrajectoryHeader header = trajectory_header(pane.model(), Velocities::store, 0);
  ElementFields fields(pane.scene(), header);
  const std::vector<double> all = fields.at(pane.full().q).von_mises;
  std::vector<bool> first(header.nodes.size(), false);
  first[0] = true;
  fields.only_at(first);
  const std::vector<double> some = fields.at(pane.full().q).von_mises;
  for (std::size_t t = 0; t < header.tets.size(); ++t) {
    const auto& nodes = header.tets[t];
    const bool asked = std::find(nodes.begin(), nodes.end(), 0) != nodes.end();
    EXPECT_EQ(some[t], asked ? all[t] : 0);
    EXPECT_GT(all[t], 0);
  }
}

TEST(ViewShape, HasPlanesThatMove) {
  const Pane still(beam(R"(, "obstacles": [{"shape": "plane", "point": [0, -2, 0], "normal": [0, 1, 0]}])"));
  EXPECT_FALSE(ViewShape(still.scene(), still.model()).planes_move());
  const Pane pane(beam(R"(, "obstacles": [
    {"shape": "plane", "point": [0, -2, 0], "normal": [0, 2, 0]},
    {"shape": "sphere", "center": [0, -9, 0], "radius": 1},
    {"shape": "plane", "point": [0, -3, 0], "normal": [0, 1, 0],
     "motion": {"keys": [{"time": 0}, {"time": 1, "translation": [0, 0.5, 0], "rotation": [0, 0, 1]}]}}])"));
  const ViewShape shape(pane.scene(), pane.model());
  EXPECT_TRUE(shape.planes_move());
  for (const double t : {0., 1.}) {
    const auto planes = shape.planes(t);
    ASSERT_EQ(planes.size(), 2u);
    EXPECT_EQ(planes[0].point, Vec3(0, -2, 0));
    EXPECT_EQ(planes[0].normal, Vec3(0, 1, 0));
    EXPECT_LE((planes[1].point - Vec3(0, -3 + .5 * t, 0)).norm(), 1e-14);
    EXPECT_LE((planes[1].normal - Vec3(-std::sin(t), std::cos(t), 0)).norm(), 1e-14);
  }
}

TEST(ViewStage, ARopeGoesWhereItIsPulled) {
  ViewStage stage({"rope", "", {rope()}, ""});
  Pane& pane = *stage.panes()[0];
  const ViewShape shape(pane.scene(), pane.model());
  const BodyPoint point = shape.on_line(9, {.5, .5});
  const Vec3 before = point.at(pane.full().q);
  pane.pull(point, before + Vec3(0, 0, .5));
  for (int i = 0; i < 8; ++i) stage.step();
  EXPECT_GT((point.at(pane.full().q) - before)[2], .01);
}

Document damped() {
  Document scene = beam();
  scene.set("bodies[0].damping={\"stiffness\": 0.01}");
  return scene;
}

TEST(Recording, HasTheEnergiesOfARun) {
  const TemporaryDirectory folder;
  last_frame_of_run(damped(), folder.path() / "run");
  const EnergyRecord run = read_energy_table(folder.path() / "run" / "energy.csv");

  ViewStage stage({"beam", "", {damped()}, ""});
  for (int i = 0; i < 20; ++i) stage.step();
  Recording(stage, folder.path() / "recorded").write();
  const EnergyRecord recorded = read_energy_table(folder.path() / "recorded" / "energy.csv");
  ASSERT_EQ(recorded.rows.size(), 21u);
  for (const std::string& name : recorded.columns) {
    if (name == "wall_ms") continue;
    EXPECT_EQ(recorded.column(name), run.column(name)) << name;
  }
  std::vector<std::string> left_out;
  for (const std::string& name : run.columns)
    if (std::find(recorded.columns.begin(), recorded.columns.end(), name) == recorded.columns.end())
      left_out.push_back(name);
  EXPECT_EQ(left_out, (std::vector<std::string>{"collisions", "smallest_gap"}));

  const ViewStage replay(source_of(folder.path() / "recorded", {}, {}));
  ASSERT_EQ(replay.rows(0).size(), 21u);
  for (std::size_t k = 0; k < 21; ++k)
    for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(replay.rows(0)[k][c], stage.rows(0)[k][c]);
}

TEST(ViewStage, ChangedParametersLeaveAPaneAsItIs) {
  ViewStage stage({"beam", "", {damped()}, "", {}, {}});
  stage.step();
  const Pane& pane = *stage.panes()[0];
  stage.go_on_with({"bodies[0].material.young=2e5", "gravity=[0,-1,0]"}, std::nullopt);
  EXPECT_EQ(stage.panes()[0].get(), &pane);
  EXPECT_EQ(pane.scene().gravity, Vec3(0, -1, 0));
  EXPECT_EQ(pane.steps(), 1);
  EXPECT_EQ(json_of(pane.document())["bodies"][0]["material"]["young"], 2e5);
  stage.step();
  stage.go_on_with({"bodies[0].material.young=3e5", "time.step=0.02"}, std::nullopt);  // not all are such numbers
  EXPECT_NE(stage.panes()[0].get(), &pane);
  EXPECT_EQ(stage.panes()[0]->scene().gravity, Vec3(0, -1, 0));
}

TEST(ViewStage, WhatALaterPaneRefusesLeavesTheFirstOneAsItIs) {
  const auto viscous = [](const std::string& branches) {
    Document scene = beam();
    scene.set("bodies[0].material.viscosity=" + branches);
    return scene;
  };
  ViewStage stage({"beam",
                   "",
                   {viscous(R"([{"share": 0.2, "time": 0.1}])"),
                    viscous(R"([{"share": 0.2, "time": 0.1}, {"share": 0.6, "time": 0.5}])")},
                   "",
                   {},
                   {}});
  stage.step();
  const std::vector<Document> before = {stage.panes()[0]->document(), stage.panes()[1]->document()};
  // 0.5 + 0.6 would leave nothing for long times, in the second pane only.
  EXPECT_THROW(stage.go_on_with({"bodies[0].material.viscosity[0].share=0.5"}, std::nullopt), InputError);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(json_of(stage.panes()[i]->document()), json_of(before[i]));
  stage.go_on_with({"bodies[0].material.viscosity[0].share=0.3"}, std::nullopt);
  for (const auto& pane : stage.panes())
    EXPECT_EQ(json_of(pane->document())["bodies"][0]["material"]["viscosity"][0]["share"], .3);
}

TEST(Recording, CountsOnAfterAChange) {
  const TemporaryDirectory folder;
  ViewStage stage({"beam", "", {damped()}, ""});
  for (int i = 0; i < 10; ++i) stage.step();
  stage.go_on_with({"bodies[0].material.young=2e5"}, std::nullopt);
  for (int i = 0; i < 10; ++i) stage.step();
  Recording(stage, folder.path() / "recorded").write();
  const EnergyRecord recorded = read_energy_table(folder.path() / "recorded" / "energy.csv");
  const auto elastic = recorded.column("elastic"), loss = recorded.column("damping_loss"),
             put_in = recorded.column("put_in");
  EXPECT_GT(loss[10], 0);
  EXPECT_TRUE(std::is_sorted(loss.begin(), loss.end()));
  // The body as it is bent then stores twice the energy in a material twice as stiff.
  EXPECT_NEAR(put_in[11] - put_in[10], elastic[10], 1e-9 * elastic[10]);

  stage.fork(5, {}, std::nullopt);
  EXPECT_EQ(stage.panes()[0]->row().damping_loss, loss[5]);
}

TEST(ViewSession, MoreThanItCanKeepWaitingIsRefused) {
  ViewSession session({}, [] {});
  session.ask(3, std::string((64u << 20) + 1, ' '));
  const auto answers = session.take_answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].client, 3u);
  EXPECT_NE(answers[0].text.find("left out"), std::string::npos) << answers[0].text;
}

}  // namespace
}  // namespace limber
