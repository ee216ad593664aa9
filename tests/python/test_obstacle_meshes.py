"""Obstacles that are open, that are lines or points, and that pass through a sequence of meshes."""

import json
import math

import h5py
import numpy as np
import pytest

CLOSED = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def sheet_obj(half, height=0.0, cells=4, middle=0.0, lift=lambda x, z: 0.0):
    """A square about x = middle in the plane y = height (and its lift)."""
    line = np.linspace(-half, half, cells + 1)
    text = "".join(f"v {x + middle!r} {height + lift(x, z)!r} {z!r}\n" for x in line.tolist() for z in line.tolist())
    for i in range(cells):
        for k in range(cells):
            a = i * (cells + 1) + k + 1
            text += f"f {a} {a + 1} {a + cells + 2} {a + cells + 1}\n"
    return text


def cube_on(obstacle, duration=0.2, friction=0.0, method="BE", **body):
    return {
        "time": {"step": 0.01, "duration": duration},
        "method": method,
        "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [0.2] * 3, "cells": [2] * 3},
                    "position": [-0.1, 0.02, -0.1],
                    "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}, **body}],
        "obstacles": [{"name": "thing", "shape": "mesh", **obstacle}],
        "contact": {"friction": friction, "delta": 0.002},
    }


def lowest(path):
    with h5py.File(path / "trajectory.h5") as file:
        return file["frames/positions"][:][..., 1].min(axis=1)


def test_a_body_falls_into_an_open_vessel(limber_cli, write_scene, tmp_path):
    """A box without a lid: by its distance it would have one."""
    box = "".join(f"v {x} {y} {z}\n" for x in (-0.3, 0.3) for y in (-0.4, 0.01) for z in (-0.3, 0.3))
    box += "f 1 2 6 5\nf 1 3 4 2\nf 5 6 8 7\nf 1 5 7 3\nf 2 4 8 6\n"
    (tmp_path / "vessel.obj").write_text(box)
    scene = cube_on({"file": "vessel.obj"}, duration=0.5)
    done = limber_cli("run", write_scene(scene), "-o", "out")
    assert "is open, with 4 open edges" in done.out + done.err
    low = lowest(tmp_path / "out")
    assert -0.4 < low[-1] < -0.37, "it lies on the bottom"
    assert limber_cli("check", "out", "--json").json["clean"]
    scene["obstacles"][0]["form"] = "distance"
    error = limber_cli("check", write_scene(scene), status=2).err
    assert "obstacles[0].form" in error and "4 open edges" in error and '"triangles"' in error


@pytest.mark.parametrize("obj, thickness", [
    ("".join(f"v {0.06 * i} -0.01 {0.06 * k}\n" for i in range(-2, 3) for k in range(-2, 3)), 0.02),
    ("".join(f"v {0.06 * i} 0 {0.06 * k}\n" for i in range(-2, 3) for k in range(-2, 3)), 0),
    ("".join(f"v -1 -0.01 {z}\nv 1 -0.01 {z}\nl -2 -1\n" for z in (-0.05, 0.06)), 0.02),
    ("".join(f"v -1 0 {z}\nv 1 0 {z}\nl -2 -1\n" for z in (-0.05, 0.06)), 0),
    ("v -1 0 -0.05\nv 1 0 -0.05\nl 1 2\nv 0 0 0.06\nv 0.05 0 0.07\np 3 4\nv -9 -9 -9\nv 9 -9 -9\nv 0 -9 9\nf 5 6 7\n", 0),
], ids=["nails", "needles", "bars", "wires", "mixture"])
def test_points_and_lines_carry_a_body(limber_cli, write_scene, tmp_path, obj, thickness):
    (tmp_path / "thing.obj").write_text(obj)
    scene = cube_on({"file": "thing.obj", "thickness": thickness}, duration=0.3)
    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    assert lowest(tmp_path / "out")[-1] > -0.02, "it fell through"
    found = limber_cli("check", "out", "--json").json
    assert found["clean"] and found["obstacles"] == 1

    with h5py.File(tmp_path / "out/trajectory.h5", "r+") as file:
        file["frames/positions"][:] = file["frames/positions"][:] - [0, 0.025, 0]
    found = limber_cli("check", "out", "--json", status=1).json
    assert found["obstacle_overlaps"] > 0
    assert {f["kind"] for f in found["findings"]} == {"obstacle"}


def test_obstacles_without_anything_to_collide_with(limber_cli, write_scene, tmp_path):
    (tmp_path / "thing.obj").write_text("# empty\n")
    error = limber_cli("check", write_scene(cube_on({"file": "thing.obj"})), status=2).err
    assert "obstacles[0].file" in error and "no triangle, no line and no point" in error


def test_a_rising_sequence_lifts_a_body(limber_cli, write_scene, tmp_path):
    """A plate that rises by 5 cm in .2 s, in meshes whose numbers are not in the order of letters."""
    for k in range(12):
        (tmp_path / f"plate_{k}.obj").write_text(sheet_obj(0.3, 0.05 * min(k, 10) / 10))
    sequence = {"files": "plate_*.obj", "fps": 50}
    limber_cli("run", write_scene(cube_on({"sequence": sequence}, duration=0.3)), "-o", "out", "--quiet")
    assert 0.05 < lowest(tmp_path / "out")[-1] < 0.06
    kept = json.loads((tmp_path / "out/scene.json").read_text())["obstacles"][0]["sequence"]["files"]
    assert kept == [str(tmp_path / f"plate_{k}.obj") for k in range(12)]
    assert limber_cli("check", "out", "--json").json["clean"]
    # As if it had risen earlier.
    scene = json.loads((tmp_path / "out/scene.json").read_text())
    scene["obstacles"][0]["sequence"]["fps"] = 100
    (tmp_path / "out/scene.json").write_text(json.dumps(scene))
    found = limber_cli("check", "out", "--json", status=1).json
    assert found["obstacle_overlaps"] > 0 and 0 < found["findings"][0]["time"] < 0.2


@pytest.mark.parametrize("method", ["BE", "TR-BDF2"])
def test_friction_drags_along_what_lies_on_a_sequence(limber_cli, write_scene, tmp_path, method):
    """A plate that slides at .5 m/s takes a cube along; whether its meshes or its motion say so makes no difference."""
    for k in range(3):
        (tmp_path / f"plate{k}.obj").write_text(sheet_obj(0.5, middle=0.25 * k))
    slides = {"keys": [{"time": 0}, {"time": 1, "translation": [0.5, 0, 0]}]}
    plates = {"meshes": {"sequence": {"files": [f"plate{k}.obj" for k in range(3)], "times": [0, 0.5, 1]}},
              "motion": {"file": "plate0.obj", "motion": slides}}
    x = {}
    for how, plate in plates.items():
        scene = cube_on(plate, duration=0.4, friction=1, method=method)
        scene["bodies"][0]["position"][1] = 0.001
        limber_cli("run", write_scene(scene), "-o", how, "--quiet")
        with h5py.File(tmp_path / how / "trajectory.h5") as file:
            x[how] = file["frames/positions"][:]
    way = x["meshes"][-1, :, 0].mean() - x["meshes"][0, :, 0].mean()
    assert 0.17 < way < 0.2, "it is dragged along, and never overtakes the plate"
    assert np.abs(x["meshes"] - x["motion"]).max() < 1e-6


def test_meshes_of_a_sequence_that_differ(limber_cli, write_scene, tmp_path):
    (tmp_path / "a1.obj").write_text(CLOSED)
    (tmp_path / "a2.obj").write_text(CLOSED.replace("f 2 3 4", "f 2 4 3"))
    scene = cube_on({"sequence": {"files": "a?.obj", "fps": 24}})
    error = limber_cli("check", write_scene(scene), status=2).err
    assert "obstacles[0].sequence.files" in error and "a2.obj" in error and "face 3" in error and "2 4 3" in error


def test_threads_do_not_change_what_a_sequence_does(limber_cli, write_scene, tmp_path):
    for k in range(8):
        wave = lambda x, z, k=k: 0.02 * math.sin(8 * x + k)  # noqa: E731
        (tmp_path / f"wave{k}.obj").write_text(sheet_obj(0.3, -0.02, 6, lift=wave))
    scene = cube_on({"sequence": {"files": "wave*.obj", "fps": 20, "interpolation": "smooth"}}, friction=0.3)
    for threads in (1, 2):
        limber_cli("run", write_scene(scene), "-o", f"out{threads}", "--quiet", "--threads", threads)
    with h5py.File(tmp_path / "out1/trajectory.h5") as a, h5py.File(tmp_path / "out2/trajectory.h5") as b:
        assert (a["frames/positions"][:] == b["frames/positions"][:]).all()
    assert limber_cli("check", "out1", "--json").json["clean"]


def rod(name, start, end, **more):
    return {"name": name, "mesh": {"shape": "chain", "from": start, "to": end, "segments": 8}, "thickness": 0.01,
            "material": {"young": 1e6, "poisson": 0.3, "density": 1000}, **more}


def test_rods_are_checked_against_rods(limber_cli, write_scene, tmp_path):
    scene = {"time": {"step": 0.01, "duration": 0.3}, "method": "BE", "contact": {"delta": 0.002},
             "bodies": [rod("low", [-0.2, 0, 0], [0.2, 0, 0], pin=["left", "right"]),
                        rod("high", [0, 0.03, -0.2], [0, 0.03, 0.2])]}
    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    assert "high" in (tmp_path / "out/contacts.csv").read_text(), "they never met"
    assert limber_cli("check", "out", "--json").json["clean"]
    kept = json.loads((tmp_path / "out/scene.json").read_text())
    kept["bodies"][1]["thickness"] = 0.015
    (tmp_path / "out/scene.json").write_text(json.dumps(kept))
    found = limber_cli("check", "out", "--json", status=1).json
    assert found["crossings"] > 0 and found["findings"][0]["bodies"] == ["low", "high"]
    assert "than their thickness allows" in limber_cli("check", "out", status=1).out
    del kept["contact"]  # without contact nothing keeps them apart, and thicknesses do not count
    (tmp_path / "out/scene.json").write_text(json.dumps(kept))
    assert limber_cli("check", "out", "--json").json["clean"]
