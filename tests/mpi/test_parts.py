"""Bodies that no process, or only process 0, makes as a whole: files, probes, and what is asked of each process."""

import json

import h5py
import numpy as np
import pytest

from test_mpi import ROOT, assert_same_motion, beam, limber, run  # noqa: F401: run is a fixture

EXACT = {"newton_tolerance": 1e-13, "linear_tolerance": 1e-13}


def rest(directory):
    """All that the trajectory says beside its frames."""
    arrays = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset) and not name.startswith("frames"):
            arrays[name] = item[...]

    with h5py.File(directory / "trajectory.h5") as f:
        f.visititems(take)
    return arrays


def assert_same_rest(one, other):
    a, b = rest(one), rest(other)
    assert a.keys() == b.keys() and len(a) > 10
    for name, array in a.items():
        assert np.array_equal(array, b[name]), name


@pytest.mark.parametrize("element", ["P1", "P2", "hex"])
@pytest.mark.parametrize("split", ["five", "six"])
def test_files_are_those_of_one_process(run, element, split):  # noqa: F811
    mesh = {"shape": "box", "size": [4, 0.75, 1], "cells": [9, 3, 3], "split": split}
    scene = beam("BE", steps=3, element=element, mesh=mesh, rotation=[0.1, 0.2, 0.3])
    scene["output"]["probes"] = [{"name": "in", "body": "beam", "point": [1.1, 0.9, 0.4]},
                                 {"name": "cut", "body": "beam", "point": [2.0, 0.75, 0.5]}]
    alone = run(scene, 1)
    for processes in (2, 4):
        shared = run(scene, processes)
        assert_same_rest(alone, shared)
        assert_same_motion(alone, shared, 3)
        here, there = (np.loadtxt(d / "probes.csv", delimiter=",", skiprows=1) for d in (alone, shared))
        assert np.abs(here - there).max() < 1e-8


def test_a_filled_surface_beside_boxes(run):  # noqa: F811
    """A surface is filled by process 0, which writes it too; a sheet is whole, boxes are made by parts."""
    scene = beam("SI", steps=3)
    material = scene["bodies"][0]["material"]
    scene["bodies"] += [
        {"name": "pear", "mesh": {"surface": str(ROOT / "scenes" / "meshes" / "pear.obj"), "tets": 600}, "scale": 0.2,
         "position": [0, 3, 0], "material": material, "angular_velocity": [1, 0, 0]},
        {"name": "cloth", "mesh": {"nodes": [[0, 6, 0], [1, 6, 0], [1, 6, 1], [0, 6, 1]], "triangles": [[0, 1, 2], [0, 2, 3]]},
         "thickness": 0.001, "material": material, "pin": ["left"]},
        {"name": "block", "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [4, 4, 4]}, "position": [0, 9, 0],
         "material": material}]
    alone, shared = run(scene, 1), run(scene, 3)
    assert_same_rest(alone, shared)
    assert_same_motion(alone, shared, 3)
    surfaces = sorted(p.name for p in alone.glob("*.obj"))
    assert surfaces and surfaces == sorted(p.name for p in shared.glob("*.obj"))
    for name in surfaces:
        assert (alone / name).read_bytes() == (shared / name).read_bytes()


def test_a_run_goes_on_with_any_number_of_processes(run, tmp_path):  # noqa: F811
    scene = beam("BDF2", steps=6)
    scene["output"]["checkpoint_every"] = 3
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(scene))
    alone = run(scene, 1)
    for before, after in ((3, 2), (1, 3), (4, 1)):
        directory = tmp_path / f"from-{before}-to-{after}"
        limber(before, "run", file, "-o", directory, "--quiet", "--set", "time.duration=0.03")
        limber(after, "run", file, "-o", directory, "--quiet", "--resume")
        assert_same_rest(alone, directory)
        assert_same_motion(alone, directory, 6)


@pytest.mark.parametrize("change, said", [
    ({"pin": {"box": {"min": [9, 9, 9], "max": [10, 10, 10]}}}, "bodies[0].pin: catches no node"),
    ({"pin": {"nodes": [5000]}}, "the body has 272 nodes, 0 to 271"),
    ({"pin": "all"}, "all 272 nodes of 'beam' are prescribed"),
    ({"mesh": {"file": "nowhere.msh"}}, "nowhere.msh"),
])
def test_bad_input_is_said_once(tmp_path, change, said):
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(beam(**change)))
    message = limber(3, "run", file, "-o", tmp_path / "out", "--quiet", status=2)
    assert message.count(said) == 1, message
