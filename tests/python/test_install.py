"""`cmake --install` gives a package: another project finds it, compiles against it, links and runs; and the Python module,
which `pip install .` gives too."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIMBER_BUILD_DIR", ROOT / "build"))

CMAKE = """\
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES CXX)
find_package(limber 0.1 REQUIRED)
foreach(program consumer own_force)
  add_executable(${program} ${program}.cpp)
  target_link_libraries(${program} PRIVATE limber::limber)
endforeach()
"""

# Building a scene pulls in every room, and with them every library that Limber links.
MAIN = """\
#include <cstdio>
#include <nlohmann/json.hpp>

#include "limber/scene/build/build.hpp"

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


# Prints where the module is from and what it computes, in a folder where no other one is found.
USE = """\
import limber, pathlib
sim = limber.Simulation({"time": {"step": 0.01, "duration": 1}, "method": {"name": "SI"}, "bodies": [{
    "mesh": {"shape": "box", "size": [2, 1, 1], "cells": [2, 1, 1]},
    "material": {"young": 1e5, "poisson": 0.3, "density": 500}}]})
sim.run(0.1)
print(pathlib.Path(limber.__file__).parent, limber.__version__, sim.velocities[0, 1])
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_a_program_outside_finds_links_and_runs_limber(tmp_path):
    prefix, source, build = tmp_path / "prefix", tmp_path / "source", tmp_path / "build"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CMAKE)
    (source / "consumer.cpp").write_text(MAIN)
    shutil.copy(ROOT / "examples/own_force.cpp", source)
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)

    mass, velocity = map(float, run(build / "consumer").split())
    assert abs(mass - 1000) < 1e-9
    assert abs(velocity + 9.81 * 0.1) < 1e-9  # nothing is pinned: free fall for ten steps

    before, after = (float(line.split()[0]) for line in run(build / "own_force").splitlines())
    assert before == 12.75  # 3/4 (1 + 2⁴) J
    assert abs(after - before) < 1e-3 * before  # the trapezoidal rule

    assert (prefix / "share/bash-completion/completions/limber").is_file()
    assert "TR-BDF2" in run(prefix / "bin/limber", "methods")

    folder = prefix / f"lib/python{sysconfig.get_python_version()}" / Path(sysconfig.get_path("platlib")).name
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    where, version, velocity = run(sys.executable, "-c", USE, cwd=tmp_path, env=environment).split()
    assert Path(where) == folder / "limber" and abs(float(velocity) + 9.81 * 0.1) < 1e-9
    assert (folder / "limber/py.typed").is_file() and (folder / "limber/__init__.pyi").is_file()


def test_pip_installs_the_module_into_an_environment(tmp_path):
    """From a copy of the sources, with Debian's packages alone; the compiled module is that of the build."""
    source, environment = tmp_path / "source", tmp_path / "environment"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md", "LICENSE"):
        shutil.copy2(ROOT / name, source)
    shutil.copytree(ROOT / "python", source / "python", ignore=shutil.ignore_patterns("__pycache__"))
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", environment)
    python = environment / "bin/python"
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--disable-pip-version-check", source,
        env={**clean, "LIMBER_BUILD_DIR": str(BUILD)}, cwd=tmp_path)
    where, version, velocity = run(python, "-c", USE, env=clean, cwd=tmp_path).split()
    assert Path(where).is_relative_to(environment) and abs(float(velocity) + 9.81 * 0.1) < 1e-9
    assert run(python, "-m", "pip", "show", "limber", env=clean).splitlines()[1] == f"Version: {version}"
    assert (Path(where) / "py.typed").is_file() and not list(source.glob("*.egg-info"))
