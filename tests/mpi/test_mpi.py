"""`mpirun -n P limber run`: the same motion, files and messages as one process, whatever P is. Needs `make mpi`; run by
`make test-mpi`."""

import csv
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("LIMBER_BUILD_DIR", ROOT / "build-mpi")).resolve() / "bin" / "limber"
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
# Solved far below what is compared.
EXACT = {"newton_tolerance": 1e-13, "linear_tolerance": 1e-13}


def start(processes, *arguments, **options):
    command = [*(MPIRUN + ["-n", str(processes)] if processes > 1 else []), PROGRAM, *map(str, arguments)]
    return subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def limber(processes, *arguments, status=0):
    job = start(processes, *arguments)
    out, err = job.communicate(timeout=300)
    assert job.returncode == status, f"{processes} processes, {arguments}: {job.returncode}\n{out}{err}"
    return out + err


@pytest.fixture
def run(tmp_path):
    """Runs a scene on so many processes; the folder of the results."""
    count = 0

    def go(scene, processes, *arguments):
        nonlocal count
        count += 1
        file, directory = tmp_path / f"{count}.json", tmp_path / f"{count}"
        file.write_text(json.dumps(scene))
        limber(processes, "run", file, "-o", directory, "--quiet", *arguments)
        return directory

    return go


def read(name, **keys):
    """A scene of scenes/, with files by their whole paths and keys replaced."""
    scene = json.loads((ROOT / "scenes" / f"{name}.json").read_text())
    for body in scene["bodies"]:
        for key in ("file", "surface"):
            if key in body.get("mesh", {}):
                body["mesh"][key] = str(ROOT / "scenes" / body["mesh"][key])
    for obstacle in scene.get("obstacles", []):
        if "file" in obstacle:
            obstacle["file"] = str(ROOT / "scenes" / obstacle["file"])
    scene.update(keys)
    return scene


def beam(method="TR-BDF2", cells=(16, 3, 3), steps=5, **keys):
    body = {"name": "beam", "mesh": {"shape": "box", "size": [4, 0.75, 0.75], "cells": list(cells), "split": "five"},
            "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000}, "pin": ["left"]}
    body.update(keys)
    return {"time": {"step": 0.01, "duration": 0.01 * steps}, "method": {"name": method, **EXACT},
            "gravity": [0, -9.81, 0], "bodies": [body], "output": {"velocities": True}}


def frames(directory):
    with h5py.File(directory / "trajectory.h5") as f:
        return {name: item[...] for name, item in f["frames"].items()}


def table(directory):
    with open(directory / "energy.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def assert_same_motion(one, other, steps, tolerance=1e-8, size=4.0):
    """Each step may add `tolerance` of the size of things, and a hundred times as much of the energy and the forces."""
    a, b = frames(one), frames(other)
    assert a.keys() == b.keys()
    assert np.abs(a["positions"] - b["positions"]).max() <= steps * tolerance * size
    if a["reactions"].size:
        most = np.abs(a["reactions"]).max()
        assert np.abs(a["reactions"] - b["reactions"]).max() <= steps * 100 * tolerance * max(most, 1e-9)
    rows, others = table(one), table(other)
    assert len(rows) == len(others)
    scale = max(abs(float(row[key])) for row in rows for key in ("kinetic", "elastic", "gravitational"))
    for row, its in zip(rows, others):
        for key in ("kinetic", "elastic", "gravitational", "total", "damping_loss", "external", "contact", "put_in"):
            assert abs(float(row[key]) - float(its[key])) <= steps * 100 * tolerance * max(scale, 1e-12), key


METHODS = ["BE", "SI", "BDF2", "SBDF2", "TR", "STR", "blend", "midpoint", "S-midpoint", "TR-BDF2", "STR-SBDF2", "SDIRK",
           "SSDIRK", "newmark", "S-newmark", "gen-alpha", "S-gen-alpha", "HHT", "S-HHT", "BEERE", "SIERE", "BDF2ERE",
           "SBDF2ERE", "TR-BDF2ERE", "STR-SBDF2ERE", "SDIRKERE", "SSDIRKERE", "BDF2ERE-printed", "SBDF2ERE-printed",
           "TR-BDF2ERE-printed", "STR-SBDF2ERE-printed", "A-1", "A-search"]
FINE = ["symplectic-euler", "verlet", "RK4", "ERE"]  # methods for short steps


def test_all_methods_are_here():
    assert sorted(METHODS + FINE) == sorted(limber(1, "methods", "--names").split())


@pytest.mark.parametrize("method", METHODS)
def test_every_implicit_method_moves_the_beam_as_one_process_does(run, method):
    scene = beam(method)
    alone = run(scene, 1)
    for processes in (2, 3):
        assert_same_motion(alone, run(scene, processes), 5)


@pytest.mark.parametrize("method", FINE)
@pytest.mark.parametrize("keys", [{}, {"damping": {"stiffness": 1e-4, "mass": 0.5}},
                                  {"damping": {"stiffness": 1e-4, "at": "current"}}], ids=["free", "rayleigh", "current"])
def test_explicit_and_exponential_methods(run, method, keys):
    scene = beam(method, **keys)
    scene["time"] = {"step": 0.0005, "duration": 0.005}
    assert_same_motion(run(scene, 1), run(scene, 3), 10)


@pytest.mark.parametrize("method", ["TR-BDF2", "gen-alpha", "SBDF2", "RK4", "SIERE"])
def test_steps_that_follow_their_error(run, method):
    """Lengths are those of one process to rounding, until rounding decides whether a step is taken again."""
    accuracy = 1e-3
    scene = beam(method)
    scene["time"] = {"step": {"accuracy": accuracy}, "duration": 0.2}
    alone = run(scene, 1)
    for processes in (2, 3):
        together = run(scene, processes)
        assert np.abs(frames(alone)["positions"] - frames(together)["positions"]).max() <= 0.2 * accuracy
        steps = [len(table(directory)) for directory in (alone, together)]
        assert abs(steps[0] - steps[1]) <= 0.05 * steps[0]


@pytest.mark.parametrize("keys", [
    {"mass": "consistent"},
    {"element": "P2", "mesh": {"shape": "box", "size": [4, 0.75, 0.75], "cells": [8, 2, 2], "split": "five"}},
    {"element": "hex"},
    {"damping": {"stiffness": 0.01, "mass": 0.1}},
    {"damping": {"stiffness": 0.01, "at": "current"}},
    {"pin": ["left", "right"], "velocity": [0, 1, 0]},
    {"pin": [], "angular_velocity": [0, 0, 3], "velocity": [1, 0, 0]},
    {"script": [{"nodes": "right", "keys": [{"time": 0}, {"time": 0.05, "translation": [0.1, 0, 0]}]}]},
    {"targets": [{"stiffness": 100, "keys": [{"time": 0, "translation": [0, 0.1, 0]}]}]},
    {"loads": [{"nodes": "right", "force": [0, 5, 0]}]},
    {"materials": {"default": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000},
                   "tip": {"model": "st_venant_kirchhoff", "young": 1e6, "poisson": 0.3, "density": 500}},
     "regions": {"tip": {"box": {"min": [3, -1, -1], "max": [5, 1, 1]}}}, "material": None},
], ids=lambda keys: "-".join(keys))
def test_what_bodies_can_be(run, keys):
    scene = beam("TR-BDF2", **keys)
    for body in scene["bodies"]:
        if body.get("material", 0) is None:
            del body["material"]
    alone = run(scene, 1)
    for processes in (2, 4):
        assert_same_motion(alone, run(scene, processes), 5)


@pytest.mark.parametrize("name, steps", [("attached", 5), ("rope", 5), ("wind", 3), ("targets", 5),
                                         ("twist", 3), ("bridge", 3)])
def test_scenes_of_every_kind(run, name, steps):
    scene = read(name)
    scene["time"] = {"step": 0.01, "duration": 0.01 * steps}
    scene["method"] = {"name": "BE", **EXACT}
    assert_same_motion(run(scene, 1), run(scene, 2), steps)


@pytest.mark.parametrize("solver", ["petsc", "mumps", "cholmod", "pcg", "multigrid", "lu"])
@pytest.mark.parametrize("processes", [1, 3])
def test_solvers_by_name(run, solver, processes):
    scene = beam("SI")
    other = beam("SI")
    other["method"]["solver"] = solver
    assert_same_motion(run(scene, 1), run(other, processes), 5)


def test_momentum_of_a_free_body_is_kept(run):
    scene = beam("TR-BDF2", pin=[], angular_velocity=[0, 0, 3], velocity=[1, 2, 3])
    scene["gravity"] = [0, 0, 0]
    directory = run(scene, 3)
    with h5py.File(directory / "trajectory.h5") as f:
        tets, rest = f["rest/tets"][...], f["rest/nodes"][...]
        x, v = f["frames/positions"][...], f["frames/velocities"][...]
    corners = rest[tets]
    volume = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
    mass = np.bincount(tets.ravel(), np.repeat(1000 * volume / 4, 4))
    momentum = np.einsum("i,tij->tj", mass, v)
    spin = np.einsum("i,tij->tj", mass, np.cross(x, v))
    assert np.allclose(momentum, mass.sum() * np.array([1, 2, 3]), rtol=1e-9)
    assert np.abs(spin - spin[0]).max() <= 2e-3 * np.abs(spin[0]).max()  # which TR-BDF2 keeps to its order only


def same_files(one, other):
    a, b = frames(one), frames(other)
    assert all(np.array_equal(a[key], b[key]) for key in a)
    assert [{k: v for k, v in row.items() if k != "wall_ms"} for row in table(one)] == \
        [{k: v for k, v in row.items() if k != "wall_ms"} for row in table(other)]


@pytest.mark.parametrize("processes", [2, 3])
def test_the_same_bits_with_the_same_number_of_processes(run, processes):
    scene = beam("TR-BDF2", damping={"stiffness": 0.01})
    same_files(run(scene, processes), run(scene, processes))


def test_killed_and_resumed(run, tmp_path):
    """One process is killed: all end within seconds, what is written can be read, and --resume goes on to the same bits."""
    scene = beam("BE", cells=(16, 4, 4), steps=60)
    scene["output"]["checkpoint_every"] = 5
    whole = run(scene, 2)
    file = tmp_path / "killed.json"
    file.write_text(json.dumps(scene))
    directory = tmp_path / "killed"
    job = start(2, "run", file, "-o", directory, "--quiet", start_new_session=True)
    for _ in range(3000):
        if any(directory.glob("checkpoint*")) or job.poll() is not None:
            break
        time.sleep(0.01)
    assert job.poll() is None, "the run was over before it could be killed"
    children = subprocess.run(["pgrep", "-f", str(directory)], capture_output=True, text=True).stdout.split()
    ours = [int(pid) for pid in children if int(pid) != job.pid]
    os.kill(ours[-1], signal.SIGKILL)
    begun = time.monotonic()
    out, err = job.communicate(timeout=60)
    assert time.monotonic() - begun < 20
    assert job.returncode != 0 and "killed" in (out + err).lower(), out + err
    assert len(frames(directory)["positions"]) > 1
    limber(2, "run", file, "-o", directory, "--quiet", "--resume")
    same_files(whole, directory)


def stopped_and_resumed(tmp_path, scene, first, then):
    """Half of a scene of ten steps on so many processes, and the rest on others."""
    scene["output"]["checkpoint_every"] = 5
    file, directory = tmp_path / "s.json", tmp_path / "d"
    half = json.loads(json.dumps(scene))
    half["time"]["duration"] = 0.05
    file.write_text(json.dumps(half))
    limber(first, "run", file, "-o", directory, "--quiet")
    file.write_text(json.dumps(scene))
    limber(then, "run", file, "-o", directory, "--quiet", "--resume")
    return directory


def test_resumed_with_another_number_of_processes(run, tmp_path):
    scene = beam("TR-BDF2", steps=10)
    directory = stopped_and_resumed(tmp_path, scene, 3, 2)
    assert_same_motion(run(scene, 1), directory, 10)


def test_a_hybrid_is_stopped_and_resumed(run, tmp_path):
    """Modes are in the checkpoint."""
    scene = beam("STR-SBDF2ERE", steps=10, angular_velocity=[0, 0, 2])
    same_files(stopped_and_resumed(tmp_path, scene, 2, 2), run(scene, 2))


def contact_stack():
    cube = {"mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [4, 4, 4], "split": "five"},
            "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}}
    return {"time": {"step": 0.01, "duration": 0.1}, "method": {"name": "TR-BDF2", **EXACT}, "gravity": [0, -9.81, 0],
            "bodies": [{"name": "low", "position": [0, 0.003, 0], **cube},
                       {"name": "high", "position": [0.05, 0.207, 0.03], "velocity": [0.5, -0.3, 0], **cube}],
            "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}],
            "contact": {"friction": 0.4}}


@pytest.mark.parametrize("processes", [2, 3])
def test_contact_and_friction_across_processes(run, processes):
    scene = contact_stack()
    alone = run(scene, 1)
    together = run(scene, processes)
    assert_same_motion(alone, together, 10, tolerance=1e-7, size=0.2)
    assert [row["collisions"] for row in table(alone)][-1] == [row["collisions"] for row in table(together)][-1]
    assert "no surfaces meet" in limber(1, "check", together)
    same_files(together, run(scene, processes))


@pytest.mark.parametrize("change, said", [
    ({"method": {"name": "BE", "solver": "petsc", "petsc": "-no_such_option 3"}}, "-no_such_option"),
    ({"method": {"name": "BE", "petsc": "-ksp_monitor"}}, "method.petsc"),
    ({"contact": {"formulation": "inequalities"}}, "contact.formulation"),
])
def test_what_several_processes_refuse(tmp_path, change, said):
    scene = {**beam(), **change}
    file = tmp_path / "s.json"
    file.write_text(json.dumps(scene))
    text = limber(2, "run", file, "-o", tmp_path / "d", status=2)
    assert said in text and text.count("limber:") == 1, text


def test_more_processes_than_elements(tmp_path):
    file = tmp_path / "s.json"
    file.write_text(json.dumps(beam(cells=(1, 1, 1))))
    assert "too many" in limber(3, "run", file, "-o", tmp_path / "d", status=2)


def test_other_commands_are_for_one_process(tmp_path):
    assert "one process" in limber(2, "methods", status=2)


def test_statics(tmp_path):
    file = tmp_path / "s.json"
    scene = beam()
    file.write_text(json.dumps(scene))
    found = [json.loads(limber(processes, "statics", file, "--json")) for processes in (1, 2, 3)]
    for other in found[1:]:
        assert np.abs(np.array(other["positions"]) - np.array(found[0]["positions"])).max() <= 1e-8


def test_modes(tmp_path):
    file = tmp_path / "s.json"
    for keys in ({}, {"pin": []}):
        file.write_text(json.dumps(beam(**keys)))
        found = [np.array(json.loads(limber(processes, "modes", file, "-n", 12, "--json"))["lambda"])
                 for processes in (1, 2, 3)]
        for other in found[1:]:
            assert np.abs(other - found[0]).max() <= 1e-9 * found[0].max()
    assert "one process" in limber(2, "modes", file, "-o", tmp_path / "d", status=2)


def modes_of(processes, file, count, squeeze=1.0, floor=0.0):
    """Modes that processes seek together, and what `modes_of_processes` finds about them."""
    command = [*(MPIRUN + ["-n", str(processes)] if processes > 1 else []), PROGRAM.parent / "modes_of_processes",
               str(file), str(count), str(squeeze), str(floor)]
    job = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
    assert job.returncode == 0, job.stdout + job.stderr
    return json.loads(job.stdout)


def assert_modes(found, tolerance=1e-9):
    these, alone = np.array(found["lambda"]), np.array(found["alone"])
    assert these.shape == alone.shape
    scale = np.maximum(np.abs(alone), 1e-3 * np.abs(alone).max())
    assert (np.abs(these - alone) / scale).max() <= tolerance
    assert found["orthonormal"] <= 1e-11
    assert found["residual"] <= max(10 * tolerance ** 0.5, 1e-7)
    assert found["angle"] <= max(10 * tolerance ** 0.5, 1e-7)
    assert found["consistent"]


@pytest.mark.parametrize("keys, count, squeeze", [
    ({}, 12, 1.0), ({"pin": []}, 10, 1.0), ({"mass": "consistent"}, 9, 1.0), ({}, 6, 0.8), ({"pin": []}, 8, 0.9),
    ({"element": "hex"}, 7, 1.0), ({"element": "hex", "pin": []}, 12, 1.0),
], ids=["held", "free", "consistent", "squeezed", "squeezed-free", "double", "double-free"])
@pytest.mark.parametrize("processes", [1, 2, 3, 4])
def test_modes_sought_together(tmp_path, keys, count, squeeze, processes):
    """Beside the modes that one process finds of the whole: free bodies have six that are 0 in all bits, bars of a square
    cross-section pairs of equal ones, squeezed bars negative ones."""
    file = tmp_path / "s.json"
    file.write_text(json.dumps(beam(cells=(12, 4, 4), **keys)))
    found = modes_of(processes, file, count, squeeze)
    assert_modes(found)
    alone = np.array(found["alone"])
    if keys.get("pin") == []:
        assert found["lambda"].count(0) == 6 or squeeze != 1
    if squeeze != 1:
        assert alone[0] < 0
    if "element" in keys:
        bending = alone[alone > 1e-6 * alone.max()]
        assert (np.diff(bending) <= 1e-6 * bending[1:]).any()
    if processes == 1:
        return
    assert found["tracked"] <= 1e-9 * np.abs(alone).max()
    assert_modes(found["refined"], 1e-4)
    assert found["refined"]["from_scratch"] <= 2 and found["refined"]["iterations"] > 0
    assert modes_of(processes, file, count, squeeze)["bits"] == found["bits"]


@pytest.mark.parametrize("processes", [2, 3])
def test_modes_below_the_floor_are_not_sought(tmp_path, processes):
    file = tmp_path / "s.json"
    file.write_text(json.dumps(beam(cells=(12, 4, 4))))
    assert modes_of(processes, file, 6, 0.8, floor=-0.5).get("below_floor")
    assert not modes_of(processes, file, 6, 0.8, floor=-2).get("below_floor")


@pytest.mark.parametrize("processes", [2, 3])
@pytest.mark.parametrize("keys", [{}, {"pin": [], "angular_velocity": [0, 0, 3]}], ids=["held", "free"])
def test_a_hybrid_with_modes_that_are_sought_together(run, keys, processes):
    scene = beam("SIERE", cells=(12, 4, 4), steps=2, **keys)
    scene["method"]["mode_search"] = "together"
    together = run(scene, processes)
    assert_same_motion(run(scene, 1), together, 2)
    same_files(together, run(scene, processes))


def test_such_a_hybrid_is_stopped_and_resumed(run, tmp_path):
    scene = beam("SIERE", cells=(12, 4, 4), steps=10, angular_velocity=[0, 0, 2])
    scene["method"]["mode_search"] = "together"
    scene["method"]["refresh"] = {"every": 2}
    same_files(stopped_and_resumed(tmp_path, scene, 2, 2), run(scene, 2))


def test_modes_of_one_body_by_all_processes(tmp_path):
    file = tmp_path / "s.json"
    for keys in ({}, {"pin": []}):
        scene = beam(cells=(12, 4, 4), **keys)
        scene["method"]["mode_search"] = "together"
        file.write_text(json.dumps(scene))
        found = [np.array(json.loads(limber(processes, "modes", file, "-n", 12, "--json"))["lambda"])
                 for processes in (1, 2, 3)]
        for other in found[1:]:
            assert np.abs(other - found[0]).max() <= 1e-9 * found[0].max()


@pytest.mark.parametrize("method", ["SIERE", "TR-BDF2ERE"])
def test_hybrids_where_things_collide(run, method):
    scene = contact_stack()
    scene["method"]["name"] = method
    alone = run(scene, 1)
    together = run(scene, 2)
    assert_same_motion(alone, together, 10, tolerance=1e-7, size=0.2)
    assert "no surfaces meet" in limber(1, "check", together)
    same_files(together, run(scene, 2))


@pytest.mark.parametrize("name, method, step, before, steps", [("gripper", "TR-BDF2", 0.01, 0.62, 5),
                                                               ("cloth_on_sphere", "BE", 0.005, 0.5, 5)])
def test_scenes_with_contact(run, name, method, step, before, steps):
    """From a moment at which things touch."""
    scene = read(name)
    scene["time"] = {"step": step, "duration": before}
    scene["output"] = {"velocities": True}
    first = run(scene, 1)
    scene["start"] = {"run": str(first)}
    scene["time"]["duration"] = steps * step
    scene["method"] = {"name": method, **EXACT}
    alone = run(scene, 1)
    assert int(table(alone)[-1]["collisions"]) > 0
    for processes in (2, 3):
        together = run(scene, processes)
        assert_same_motion(alone, together, steps, tolerance=1e-7, size=1.0)
        assert "no surfaces meet" in limber(1, "check", together)


def test_a_folder_with_results_is_refused_once(run, tmp_path):
    directory = run(beam(steps=1), 2)
    file = tmp_path / "again.json"
    file.write_text(json.dumps(beam(steps=1)))
    text = limber(2, "run", file, "-o", directory, status=2)
    assert "--resume" in text and text.count("limber:") == 1, text


def test_messages_come_from_one_process(tmp_path):
    file = tmp_path / "s.json"
    file.write_text(json.dumps(beam(steps=2)))
    text = limber(2, "run", file, "-o", tmp_path / "d")
    assert text.count("done: 2 steps") == 1, text
    assert json.loads((tmp_path / "d" / "summary.json").read_text())["processes"] == 2
