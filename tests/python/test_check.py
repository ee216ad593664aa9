"""`limber check DIR`: the frames of a run, verified exactly."""

import json

import h5py
import numpy as np
import pytest


@pytest.fixture
def two_cubes():
    """A cube that falls onto a pinned one, without contact; a fresh dict."""

    def make(material="stable_neo_hookean", duration=0.6):
        def body(name, height, **keys):
            return {
                "name": name,
                "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [2, 2, 2], "origin": [0.1 * height, height, 0.03]},
                "material": {"model": material, "young": 1e6, "poisson": 0.3, "density": 1000},
                **keys,
            }

        return {
            "time": {"step": 0.02, "duration": duration},
            "method": {"name": "BE"},
            "bodies": [body("low", 0, pin=["bottom"]), body("high", 1.5)],
        }

    return make


def test_bodies_that_fall_through_each_other_are_found(limber_cli, write_scene, two_cubes, tmp_path):
    limber_cli("run", write_scene(two_cubes()), "-o", "out", "--quiet")
    found = limber_cli("check", "out", "--json", status=1).json
    assert not found["clean"] and found["crossings"] > 0 and found["enclosed"] == found["inverted"] == 0
    first = found["findings"][0]
    assert first["kind"] == "crossing" and first["bodies"] == ["low", "high"]
    assert [len(cell) for cell in first["cells"]] == [3, 3]
    with h5py.File(tmp_path / "out/trajectory.h5") as file:
        x, t = file["frames/positions"][:], file["frames/times"][:]
    # It is found in the first frame in which the lower side of the upper cube is below the upper side of the lower one.
    lowest, highest = x[:, 27:, 1].min(axis=1), x[:, :27, 1].max(axis=1)
    expected = int(np.argmax(lowest <= highest))
    assert 0 < expected < len(t) and lowest[expected] <= highest[expected]
    assert first["frame"] == expected and first["time"] == pytest.approx(t[expected])
    assert 0.5 < first["position"][1] < 1.5

    text = limber_cli("check", "out", status=1).out
    assert f"frame {expected}, t = " in text and "'low' meets triangle" in text and "'high'" in text
    assert len([line for line in text.splitlines() if line.startswith("frame ")]) == 10
    assert "more" in text


def test_a_single_body_is_clean(limber_cli, write_scene, bar):
    limber_cli("run", write_scene(bar()), "-o", "out", "--quiet")
    done = limber_cli("check", "out", "--json")
    assert done.json["clean"] and done.json["findings"] == [] and done.json["materials_known"]
    assert "no surfaces meet" in limber_cli("check", "out").out


def test_a_frame_changed_by_hand_is_found(limber_cli, write_scene, two_cubes, tmp_path):
    limber_cli("run", write_scene(two_cubes("neo_hookean", 0.1)), "-o", "out", "--quiet")
    assert limber_cli("check", "out", "--json").json["clean"]
    with h5py.File(tmp_path / "out/trajectory.h5", "r+") as file:
        x = file["frames/positions"][3]
        x[27:] = [0.5, 0.4, 0.4] + 0.05 * (x[27:] - x[27:].mean(axis=0))
        file["frames/positions"][3] = x
    found = limber_cli("check", "out", "--json", status=1).json
    assert [(f["frame"], f["kind"], f["bodies"]) for f in found["findings"]] == [(3, "enclosed", ["high", "low"])]

    # Mirrored, all its tetrahedra are inverted, which the material forbids; a scene that allows it only counts them.
    with h5py.File(tmp_path / "out/trajectory.h5", "r+") as file:
        x = file["frames/positions"][2]
        x[27:, 0] = 20 - x[27:, 0]
        file["frames/positions"][3] = x
    tets = 8 * 5
    assert limber_cli("check", "out", "--json", status=1).json["inverted"] == tets
    scene = json.loads((tmp_path / "out/scene.json").read_text())
    scene["bodies"][1]["material"]["model"] = "stable_neo_hookean"
    (tmp_path / "out/scene.json").write_text(json.dumps(scene))
    found = limber_cli("check", "out", "--json").json
    assert found["inverted"] == 0 and found["tolerated_inversions"] == tets
    assert f"{tets} times a tetrahedron is inverted" in limber_cli("check", "out").out


def test_bad_input(limber_cli, write_scene, bar, tmp_path):
    limber_cli("run", write_scene(bar()), "-o", "out", "--quiet")
    assert "--set" in limber_cli("check", "out", "--set", "time.step=1", status=2).err
    (tmp_path / "out/scene.json").write_text("{")
    assert "scene.json" in limber_cli("check", "out", status=2).err
    (tmp_path / "out/trajectory.h5").write_text("no trajectory")
    assert "trajectory.h5" in limber_cli("check", "out", status=2).err
