/// Damaged checkpoints with a checksum that fits, as someone who wants to do harm would make them: a simulation may
/// take one up, or refuses it with InputError and stays as it was, and nothing else. As a part of the tests a fixed
/// number of files; as many as LIMBER_FUZZ_CHECKPOINTS in the environment says.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/run_checkpoint.hpp"
#include "support/damage.hpp"

namespace limber::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Subject {
  const char* name;
  const char* scene;
  int steps;
};
void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

const Subject subjects[] = {
    {"contact", R"({"time": {"step": 0.01, "duration": 1}, "method": "BDF2", "bodies": [
      {"mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}, "position": [0, 0.002, 0],
       "velocity": [0, -9, 0], "material": {"young": 1e5, "poisson": 0.3}},
      {"mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [1, 1, 1]}, "position": [0.01, 0.21, 0],
       "velocity": [0, -9, 0], "material": {"young": 1e5, "poisson": 0.3}}],
      "contact": {"friction": 0.4}, "obstacles": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})",
     4},
    {"hybrid", R"({"time": {"step": 0.01, "duration": 1}, "method": {"name": "SBDF2ERE", "modes": 5}, "bodies": [
      {"pin": "left", "mesh": {"shape": "box", "size": [0.4, 0.1, 0.1], "cells": [2, 1, 1]},
       "material": {"young": 1e5, "poisson": 0.3}}]})",
     3},
    {"viscous_with_releases", R"({"time": {"step": 0.01, "duration": 1}, "method": "gen-alpha", "bodies": [
      {"pin": ["left", {"nodes": "right", "until": 0.02}], "mesh": {"shape": "box", "size": [0.4, 0.1, 0.1],
       "cells": [2, 1, 1]}, "material": {"young": 1e5, "poisson": 0.3, "viscosity": [{"share": 0.3, "time": 0.05}]}}]})",
     3}};

constexpr std::size_t before_payload = 24;  // magic, version, size

std::uint64_t checksum(const std::string& bytes, std::size_t first, std::size_t end) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (std::size_t i = first; i < end; ++i) sum = (sum ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3u;
  return sum;
}

void append(std::string& s, std::uint64_t x) { s.append(reinterpret_cast<const char*>(&x), sizeof x); }

/// A file whose payload is damaged, with the size and checksum that fit it.
std::string damaged(const std::string& file, std::uint64_t number) {
  Damage damage(number);
  std::string payload = file.substr(before_payload, file.size() - before_payload - 8);
  damage(payload);
  std::string made = file.substr(0, 16);
  append(made, payload.size());
  made += payload;
  append(made, checksum(payload, 0, payload.size()));
  if (damage.below(20) == 0) damage.once(made);
  return made;
}

std::string snapshot_bytes(Simulation& s) { return checkpoint_bytes(to_checkpoint(s.snapshot(), {}, {})); }

class CheckpointFuzz : public ::testing::TestWithParam<Subject> {};

TEST_P(CheckpointFuzz, EndsInARestoreOrAnInputError) {
  const Scene scene = read_scene(nlohmann::json::parse(GetParam().scene), vocabulary(), "");
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  for (int k = 0; k < GetParam().steps; ++k) simulation.step();
  const std::string whole = snapshot_bytes(simulation);
  const Snapshot here = simulation.snapshot();
  const int files = fuzz_cases("LIMBER_FUZZ_CHECKPOINTS", 200);
  int taken = 0;
  for (int k = 0; k < files; ++k) {
    const std::string bytes = damaged(whole, static_cast<std::uint64_t>(k));
    try {
      simulation.restore(to_snapshot(parse_checkpoint(bytes, "checkpoint.bin")));
    } catch (const InputError&) {
      if (k % 8 == 0) {
        ASSERT_EQ(snapshot_bytes(simulation), whole) << "file " << k << " left something behind";
      }
      continue;
    }
    ++taken;
    const auto start = Clock::now();
    const Interruptible not_for_long([&] { return Clock::now() - start < std::chrono::milliseconds(5); });
    try {
      simulation.step();
    } catch (const StepFailure&) {
    } catch (const Interrupted&) {
    }
    simulation.restore(here);
  }
  EXPECT_EQ(snapshot_bytes(simulation), whole);
  EXPECT_GT(taken, files / 50);
  EXPECT_LT(taken, files);
}

INSTANTIATE_TEST_SUITE_P(Scenes, CheckpointFuzz, ::testing::ValuesIn(subjects),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace limber::test
