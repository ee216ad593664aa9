"""`cmake --install` gives a package: another project finds it, wherever it lies, compiles against it with flags of its own,
links and runs; and the Python module, which `pip install .` gives too."""

import csv
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIMBER_BUILD_DIR", ROOT / "build"))

# Programs outside are compiled with other instructions than the library, which has all of this machine's.
OTHER_FLAGS = {"x86_64": "-march=x86-64", "aarch64": "-march=armv8-a"}.get(platform.machine(), "")

CMAKE = f"""\
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES CXX)
find_package(limber 0.1 REQUIRED)
add_compile_options(-O1 {OTHER_FLAGS})
foreach(program consumer own_force)
  add_executable(${{program}} ${{program}}.cpp)
  target_link_libraries(${{program}} PRIVATE limber::simulation)
endforeach()
add_executable(headers headers.cpp)
target_link_libraries(headers PRIVATE limber::limber)

add_library(mismatch OBJECT EXCLUDE_FROM_ALL mismatch.cpp)
get_target_property(folder limber::core INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(mismatch PRIVATE ${{folder}})
target_link_libraries(mismatch PRIVATE Eigen3::Eigen)
"""

# A scene from its file, as the program runs it; and the material of docs/tutorials.md.
MAIN = """\
#include <cstdio>

#include "limber/limber.hpp"
#include "stiffening.hpp"

int main(int, char** argv) {
  using namespace limber;
  Document document = Document::load(argv[1]);
  document.set("method.name=SIERE");
  const Scene scene = read_scene(document, vocabulary(), ".");
  const Model model = build_model(scene);
  const RunResult result = run_scene(document, scene, model, {.directory = argv[2]});
  const Stiffening rubber({.young = 3, .poisson = 0.5 / 2, .own = {{"stiffening", 2}}});
  std::printf("%ld %.17g %.17g\\n", result.steps, model.bodies[0].mass, rubber.energy(diagonal(2.0, 1.0, 1.0)));
}
"""

SCENE = {
    "time": {"step": 0.01, "duration": 0.2}, "method": {"name": "SIERE", "modes": 6},
    "bodies": [{"mesh": {"shape": "box", "size": [2, 1, 1], "cells": [3, 2, 1]}, "pin": ["left"],
                "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 500}},
               {"mesh": {"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}, "position": [1, 1.001, 0],
                "material": {"model": "corotated", "young": 1e5, "poisson": 0.3, "density": 500}}],
    "contact": {"friction": 0.3}}


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


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """Limber installed, and the folder moved elsewhere."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    return (folder / "first").rename(folder / "second")


def installed_headers(prefix):
    return sorted((prefix / "include").rglob("*.hpp"))


def energies(directory):
    """energy.csv without the times on the clock."""
    with open(directory / "energy.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{key: float(value) for key, value in row.items() if key != "wall_ms"} for row in rows]


def test_the_package_names_no_place_of_the_machine_it_is_from(prefix):
    files = list(prefix.glob("lib*/**/cmake/limber/*.cmake"))
    assert {"limberConfig.cmake", "limberTargets.cmake", "LimberLibraries.cmake"} <= {file.name for file in files}
    for file in files:
        text = file.read_text(encoding="utf-8")
        for place in (ROOT, BUILD.resolve(), prefix.parent, "/usr/lib", "/usr/include", "nlohmann"):
            assert str(place) not in text, f"{file.name}: {place}"


def test_installed_headers_ask_for_eigen_alone(prefix):
    names = {str(header.relative_to(prefix / "include")) for header in installed_headers(prefix)}
    assert {"limber/limber.hpp", "limber/version.hpp", "limber/scene/construction/build.hpp"} <= names
    assert "limber/core/lanes.hpp" not in names and "limber/scene/json.hpp" not in names
    for header in installed_headers(prefix):
        text = header.read_text(encoding="utf-8")
        for name in re.findall(r"#\s*include\s*<(\w+)[/.]", text):
            assert name in ("Eigen", "sys"), f"{header}: <{name}…>"
        for name in re.findall(r'#\s*include\s*"([^"]+)"', text):
            assert name in names, f"{header}: {name} is not installed"
        # What a header means must not depend on the instructions it is compiled for.
        assert not re.search(r"__AVX|__SSE|__ARM|__FMA|lane_count", text), header


def test_rooms_compiled_with_other_options_share_no_arithmetic():
    """An inline function that a room compiled for speed and one compiled in a hurry both hold has two sets of bits, and
    which one a program gets would depend on the order of its libraries."""

    def shared_functions(rooms):
        names = set()
        for room in rooms:
            lines = run("nm", "--defined-only", "--demangle", BUILD / f"src/limber/liblimber_{room}.a").splitlines()
            names |= {line.split(maxsplit=2)[2] for line in lines if re.match(r"[0-9a-f]+ [WV] ", line)}
        return {name for name in names if re.match(r"(?:\S+ )?limber::", name)}

    fast = shared_functions(["core", "linalg", "material", "model", "force", "contact", "solve", "time", "sim"])
    quick = shared_functions(["record", "exchange", "scene", "movie", "study", "view"])
    assert fast and quick
    constructor = re.compile(r"limber::(\w+)::~?\1\(")
    assert not [name for name in fast & quick if not constructor.match(name)]


def test_a_program_outside_finds_links_and_runs_limber(prefix, tmp_path):
    source, build = tmp_path / "source", tmp_path / "build"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CMAKE)
    (source / "consumer.cpp").write_text(MAIN)
    tutorial = (ROOT / "docs/tutorials.md").read_text(encoding="utf-8")
    (source / "stiffening.hpp").write_text(re.search(r"```cpp\n(#pragma once.*?)```", tutorial, re.DOTALL)[1])
    shutil.copy(ROOT / "examples/own_force.cpp", source)
    # Every header, the highest rooms first, so that none lives on what another one has included.
    includes = [f'#include "{header.relative_to(prefix / "include")}"\n' for header in reversed(installed_headers(prefix))]
    (source / "headers.cpp").write_text("".join(includes) + "#include <cstdio>\nint main() { std::puts(LIMBER_VERSION); }\n")
    (source / "mismatch.cpp").write_text('#include "limber/core/types.hpp"\n')
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)

    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(SCENE))
    steps, mass, energy = map(float, run(build / "consumer", scene, tmp_path / "outside").split())
    assert steps == 20 and abs(mass - 1000) < 1e-9
    mu, lam, ln2 = 1.2, 1.2, math.log(2)  # F = diag(2, 1, 1): I − 3 = 3, J = 2
    y = 3 - 2 * ln2
    assert abs(energy - (mu / 2 * y + lam / 2 * ln2**2 + 2 * mu / 4 * y**2)) < 1e-12
    run(prefix / "bin/limber", "run", scene, "-o", tmp_path / "program", "--quiet")
    outside, program = energies(tmp_path / "outside"), energies(tmp_path / "program")
    assert len(outside) == len(program) == 21
    assert outside == program

    before, after = (float(line.split()[0]) for line in run(build / "own_force").splitlines())
    assert before == 12.75  # 3/4 (1 + 2⁴) J
    assert abs(after - before) < 1e-3 * before  # the trapezoidal rule

    version = re.search(r"project\(limber VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    assert run(build / "headers").strip() == version

    wrong = subprocess.run(["cmake", "--build", build, "--target", "mismatch"], capture_output=True, text=True)
    assert wrong.returncode != 0 and "EIGEN_MAX_ALIGN_BYTES=64" in wrong.stdout


def test_what_else_is_installed(prefix, tmp_path):
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
