"""`cmake --install` gives a package: another project finds it, compiles against it, links and runs."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIMBER_BUILD_DIR", ROOT / "build"))

CMAKE = """\
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES CXX)
find_package(limber 0.1 REQUIRED)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE limber::limber)
"""

# Building a scene pulls in every room, and with them every library that Limber links.
MAIN = """\
#include <cstdio>
#include <nlohmann/json.hpp>

#include "limber/scene/build.hpp"

int main() {
  const auto json = limber::parse_json(R"({
    "time": {"step": 0.01, "duration": 1}, "method": {"name": "SI"},
    "bodies": [{"mesh": {"shape": "box", "size": [2, 1, 1], "cells": [2, 1, 1]},
                "material": {"model": "linear", "young": 1e5, "poisson": 0.3, "density": 500}}]})", "consumer");
  const auto scene = limber::read_scene(json, limber::vocabulary(), ".");
  const auto model = limber::build_model(scene);
  auto simulation = limber::build_simulation(scene, model);
  for (int i = 0; i < 10; ++i) simulation.step();
  std::printf("%.17g %.17g\\n", model.bodies[0].mass, simulation.state().v(1));
}
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_a_program_outside_finds_links_and_runs_limber(tmp_path):
    prefix, source, build = tmp_path / "prefix", tmp_path / "source", tmp_path / "build"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CMAKE)
    (source / "main.cpp").write_text(MAIN)
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)

    mass, velocity = map(float, run(build / "consumer").split())
    assert abs(mass - 1000) < 1e-9
    assert abs(velocity + 9.81 * 0.1) < 1e-9  # nothing is pinned: free fall for ten steps

    assert (prefix / "share/bash-completion/completions/limber").is_file()
    assert "TR-BDF2" in run(prefix / "bin/limber", "methods")
