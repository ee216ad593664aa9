"""`limber coarsen` and `limber.coarsen`: what a user sees of coarse bodies."""

import copy
import json

import limber
import numpy as np
import pytest

POINTS = [{"name": "middle", "body": "bar", "point": [.3, .05, .05]}, {"name": "tip", "body": "bar", "point": [.6, .05, .05]}]
SCENE = {
    "time": {"step": .01, "duration": 1},
    "bodies": [{
        "name": "bar",
        "mesh": {"shape": "box", "size": [.6, .1, .1], "cells": [24, 4, 4]},
        "material": {"young": 4e5, "poisson": .4, "density": 1000},
        "pin": "left",
    }],
    "output": {"probes": POINTS},
}


def with_mesh(**keys):
    scene = copy.deepcopy(SCENE)
    scene["bodies"][0]["mesh"].update(keys)
    return scene


def probes(scene, directory):
    limber.run(scene, directory)
    table = np.genfromtxt(directory / "probes.csv", delimiter=",", names=True)
    return {p["name"]: np.stack([table[p["name"] + axis] for axis in "xyz"], axis=1) for p in POINTS}


def deviation(a, b):
    """Of two motions, in parts of the amplitude of the second."""
    return np.linalg.norm(a - b, axis=1).max() / np.linalg.norm(b - b[0], axis=1).max()


@pytest.fixture(scope="module")
def coarse():
    return limber.coarsen(SCENE, resolution=2, n=6)


def test_frequencies_mass_and_counts(coarse):
    assert coarse.elements["bar"] == {"fine": 1920, "coarse": 240}
    assert coarse.mass["bar"]["fine"] == pytest.approx(6) and coarse.mass["bar"]["coarse"] == pytest.approx(6)
    f = {key: np.array(values) for key, values in coarse.frequencies["bar"].items()}
    assert len(f["fine"]) == 6
    assert np.allclose(f["after"], f["fine"], rtol=.01)
    assert (f["before"] > 1.05 * f["fine"])[:2].all()
    # What limber finds of the scenes themselves.
    for scene, key in ((SCENE, "fine"), (coarse.scene, "after"), (with_mesh(cells=[12, 2, 2]), "before")):
        found = np.sqrt(limber.modes(scene, 3)[0]) / (2 * np.pi)
        assert np.allclose(found, f[key][:3], rtol=1e-4), key
    assert "CoarsenResult" in repr(coarse) and "nodes" not in repr(coarse)
    assert coarse.moduli["bar"]["least"] < 1 < coarse.moduli["bar"]["most"]


def test_the_motion_is_that_of_the_fine_body(coarse, tmp_path):
    fine, now = probes(SCENE, tmp_path / "fine"), probes(coarse.scene, tmp_path / "coarse")
    plain = probes(with_mesh(cells=[12, 2, 2]), tmp_path / "plain")
    for name in fine:
        assert deviation(now[name], fine[name]) < .05, name
        assert deviation(plain[name], fine[name]) > .1, name  # there was something to do


def test_the_scene_is_plain_json_and_is_not_changed(coarse, tmp_path):
    before = copy.deepcopy(SCENE)
    again = limber.coarsen(SCENE)
    assert SCENE == before
    assert json.loads(json.dumps(again.scene)) == coarse.scene  # equal bits too
    mesh = coarse.scene["bodies"][0]["mesh"]
    assert len(mesh["fields"]["young"]) == len(mesh["tets"]) == 240


def test_command(limber_cli, write_scene):
    path = write_scene(SCENE)
    done = limber_cli("coarsen", path, "--resolution", 2, "-n", 3, "-o", "coarse.json")
    assert "240 elements" in done.out and "coarse.bar.msh" in done.out
    refused = limber_cli("coarsen", path, "-n", 3, "-o", "coarse.json", status=2)
    assert "is there already" in refused.err
    report = limber_cli("coarsen", path, "-n", 3, "-o", "coarse.json", "--overwrite", "--json", "--set",
                        "bodies[0].material.young=800 kPa").json
    (body,) = report["bodies"]
    assert body["name"] == "bar" and len(body["frequencies"]["after"]) == 3
    listed = limber_cli("modes", "coarse.json", "-n", 3, "--json").json["frequency"]
    assert np.allclose(listed, body["frequencies"]["after"], rtol=1e-4)


def test_the_file_is_written_by_python_too(tmp_path):
    made = limber.coarsen(with_mesh(cells=[8, 2, 2]), n=2, output=tmp_path / "c.json")
    assert (tmp_path / "c.bar.msh").exists()
    found = np.sqrt(limber.modes(tmp_path / "c.json", 2)[0]) / (2 * np.pi)
    assert np.allclose(found, made.frequencies["bar"]["after"], rtol=1e-4)
    with pytest.raises(limber.InputError, match="is there already"):
        limber.coarsen(with_mesh(cells=[8, 2, 2]), n=2, output=tmp_path / "c.json")


@pytest.mark.parametrize("change, words", [
    ({"resolution": 1}, "--resolution: 1 is not above 1"),
    ({"resolution": -1}, "--resolution: -1 is not above 1"),
    ({"n": 0}, "-n: 0 is not from 1 to 100"),
    ({"resolution": 24, "n": 50}, "-n: 50: the coarse body 'bar' has 12 degrees of freedom"),
    ({"body": "beam"}, '--body: "beam" is no body; there is "bar"'),
])
def test_wrong_requests(change, words):
    with pytest.raises(limber.InputError) as caught:
        limber.coarsen(SCENE, **change)
    assert words in str(caught.value)
