/// Several processes that must not wait for each other in vain: decisions are those of all, and so are failures.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/model/gather_state.hpp"
#include "limber/record/temporary_directory.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/run.hpp"
#include "support/thread_processes.hpp"

namespace limber {
namespace {

using nlohmann::json;
using test::ThreadProcesses;

json two_blocks(const json& method) {
  json scene = json::parse(R"({"time": {"step": 0.005, "duration": 0.03}, "gravity": [0, 0, 0], "bodies": [
      {"name": "moves", "mesh": {"shape": "box", "size": [1, 0.2, 0.2], "cells": [3, 1, 1]}, "pin": "left",
       "velocity": [0, 1, 0], "material": {"young": 1e5, "poisson": 0.3}},
      {"name": "rests", "mesh": {"shape": "box", "size": [1, 0.2, 0.2], "cells": [3, 1, 1]}, "position": [0, 1, 0],
       "pin": "left", "material": {"young": 1e5, "poisson": 0.3}}]})");
  scene["method"] = method;
  return scene;
}

/// Whether the tangent is that of the last stage: on the process of the body that rests it always would be.
TEST(SharedRun, AFrozenTangentIsThatOfAllProcesses) {
  const Scene scene = read_scene(two_blocks({{"name", "SSDIRK"}, {"freeze", true}}), vocabulary(), "");
  const auto end = [&](const Communicator& all) {
    const Model model = build_model(scene, {}, all);
    Simulation simulation = build_simulation(scene, model);
    for (int k = 0; k < 5; ++k) simulation.step();
    return gather_state(*model.system, simulation.state()).q;
  };
  const Vector alone = end(one_process());
  ThreadProcesses(2).run(
      [&](const Communicator& all) { EXPECT_LE((end(all) - alone).lpNorm<Eigen::Infinity>(), 1e-9); });
}

/// A file whose temporary name leads to a device that is always full. Process 0 says why it fails, and none waits.
TEST(SharedRun, WhatProcess0CannotWriteEndsAllOfThem) {
  json text = two_blocks({{"name", "SIERE"}, {"modes", 4}});
  text["output"] = {{"checkpoint_every", 2}};
  const Scene scene = read_scene(text, vocabulary(), "");
  const TemporaryDirectory folder;
  std::filesystem::create_symlink("/dev/full", folder.path() / "checkpoint.bin.tmp");
  std::atomic<int> full = 0, elsewhere = 0;
  ThreadProcesses(2).run([&](const Communicator& all) {
    const Model model = build_model(scene, {}, all);
    try {
      run_scene(document_of(text), scene, model, {folder.path().string(), Existing::resume});
    } catch (const OutputError& e) {
      EXPECT_NE(std::string(e.what()).find("the disk is full"), std::string::npos) << e.what();
      full += all.rank() == 0 ? 1 : 10;
    } catch (const OtherProcessFailed&) {
      ++elsewhere;
    }
  });
  EXPECT_EQ(full, 1);
  EXPECT_EQ(elsewhere, 1);
  const auto summary = json::parse(read_file((folder.path() / "summary.json").string()));
  EXPECT_EQ(summary["end"], "failed");
  EXPECT_EQ(summary["steps"], 2);
}

/// Ends a run of two processes by what process 0 meets when it tells of the second step; the number of steps then.
template <class Trouble>
long steps_until(const Trouble& trouble, const std::string& reason) {
  const json text = two_blocks({{"name", "BE"}});
  const Scene scene = read_scene(text, vocabulary(), "");
  const TemporaryDirectory folder;
  std::atomic<int> here = 0, elsewhere = 0;
  ThreadProcesses(2).run([&](const Communicator& all) {
    const Model model = build_model(scene, {}, all);
    RunOptions options{folder.path().string(), Existing::resume};
    options.progress = [&](const Progress& p) {
      if (all.rank() == 0 && p.step == 2) trouble();
    };
    try {
      run_scene(document_of(text), scene, model, options);
    } catch (const OutputError& e) {
      EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
      here += all.rank() == 0 ? 1 : 10;
    } catch (const OtherProcessFailed&) {
      ++elsewhere;
    }
  });
  EXPECT_EQ(here, 1);
  EXPECT_EQ(elsewhere, 1);
  const auto file = folder.path() / "summary.json";
  return std::filesystem::exists(file) ? json::parse(read_file(file.string()))["steps"].get<long>() : -1;
}

TEST(SharedRun, WhatCannotBeToldEndsAllOfThem) {
  EXPECT_EQ(steps_until([] { throw OutputError("standard output: Broken pipe"); }, "Broken pipe"), 2);
}

/// From then on no file may grow: the next frame fails on process 0, and so does the summary.
TEST(SharedRun, AFrameThatCannotBeWrittenEndsAllOfThem) {
  rlimit former{};
  ::getrlimit(RLIMIT_FSIZE, &former);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const auto fill = [&] {
    const rlimit limit{16, former.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  EXPECT_EQ(steps_until(fill, "cannot be written"), -1);
  ::setrlimit(RLIMIT_FSIZE, &former);
  std::signal(SIGXFSZ, handler);
}

}  // namespace
}  // namespace limber
