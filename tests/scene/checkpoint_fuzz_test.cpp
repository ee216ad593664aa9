/// Damaged checkpoints with a checksum that fits, as someone who wants to do harm would make them: a simulation may
/// take one up, or refuses it with InputError and stays as it was, and nothing else. As a part of the tests a fixed
/// number of files; with LIMBER_FUZZ_SECONDS=60 in the environment, for so long a scene.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/build/build.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/run_checkpoint.hpp"

namespace limber {
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

class Damage {
 public:
  explicit Damage(std::uint64_t number) : random_(number) {}

  /// Of a file's payload; its size and checksum are made to fit.
  std::string operator()(const std::string& file) {
    std::string payload = file.substr(before_payload, file.size() - before_payload - 8);
    for (std::size_t k = 1 + below(2); k > 0; --k) once(payload);
    std::string damaged = file.substr(0, 16);
    append(damaged, payload.size());
    damaged += payload;
    append(damaged, checksum(payload, 0, payload.size()));
    if (below(20) == 0) damaged[below(damaged.size())] ^= static_cast<char>(1 << below(8));
    return damaged;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  static void append(std::string& s, std::uint64_t x) { s.append(reinterpret_cast<const char*>(&x), sizeof x); }

  void once(std::string& s) {
    const std::size_t at = below(s.size()), length = std::min(below(40), s.size() - at);
    switch (below(7)) {
      case 0:
        s.resize(at);
        return;
      case 1:
        s.erase(at, length);
        return;
      case 2:
        s.insert(below(s.size() + 1), s.substr(at, length));
        return;
      case 3:
        if (!s.empty()) s[at] = static_cast<char>(s[at] ^ 1 << below(8));
        return;
      case 4:
        overwrite(s, at, whole_number());
        return;
      default:
        overwrite(s, at, number());
    }
  }
  std::int64_t whole_number() {
    const std::int64_t numbers[] = {0,     -1,         1,          2,         3,         255,
                                    65536, 2147483647, 2147483648, 1ll << 53, INT64_MAX, INT64_MIN};
    return numbers[below(std::size(numbers))];
  }
  double number() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double numbers[] = {0,   -1,    1,    .5,     7,        -1e-300,   1e300,        -1e300,
                              1e9, 4.3e9, 1e18, 1.9e19, infinity, -infinity, std::nan(""), 1e-9};
    return numbers[below(std::size(numbers))];
  }
  template <class T>
  void overwrite(std::string& s, std::size_t at, T x) {
    if (s.size() < sizeof x) return;
    std::memcpy(s.data() + std::min(at, s.size() - sizeof x), &x, sizeof x);
  }

  std::mt19937_64 random_;
};

std::string snapshot_bytes(Simulation& s) { return checkpoint_bytes(to_checkpoint(s.snapshot(), {}, {})); }

class CheckpointFuzz : public ::testing::TestWithParam<Subject> {};

TEST_P(CheckpointFuzz, EndsInARestoreOrAnInputError) {
  const Scene scene = read_scene(nlohmann::json::parse(GetParam().scene), vocabulary(), "");
  const Model model = build_model(scene);
  Simulation simulation = build_simulation(scene, model);
  for (int k = 0; k < GetParam().steps; ++k) simulation.step();
  const std::string whole = snapshot_bytes(simulation);
  const Snapshot here = simulation.snapshot();
  const char* asked = std::getenv("LIMBER_FUZZ_SECONDS");
  const auto begun = Clock::now();
  const auto go_on = [&](long file) {
    return asked ? std::chrono::duration<double>(Clock::now() - begun).count() < std::atof(asked) : file < 800;
  };
  long files = 0, taken = 0;
  for (; go_on(files); ++files) {
    const std::string damaged = Damage(static_cast<std::uint64_t>(files))(whole);
    try {
      simulation.restore(to_snapshot(parse_checkpoint(damaged, "checkpoint.bin")));
    } catch (const InputError&) {
      if (files % 8 == 0) {
        ASSERT_EQ(snapshot_bytes(simulation), whole) << "file " << files << " left something behind";
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
  if (asked) std::printf("%s: %ld files, %ld of them taken up\n", GetParam().name, files, taken);
}

INSTANTIATE_TEST_SUITE_P(Scenes, CheckpointFuzz, ::testing::ValuesIn(subjects),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace limber
