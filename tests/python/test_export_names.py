"""Names and widths in exports: what stands below which name in .obj, and how thick rods are in .usda."""

import re

import numpy as np
import pytest

RUBBER = {"young": "500 kPa", "poisson": 0.4, "density": 1000}
CUBE = {"name": "cube", "mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}, "material": RUBBER}
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"


def rod(name, x, thickness, **keys):
    return {"name": name, "mesh": {"shape": "chain", "from": [x, 0.1, 0], "to": [x, 0.1, -0.2], "segments": 4},
            "thickness": thickness, "material": RUBBER, **keys}


def sheet(name, file):
    return {"name": name, "mesh": {"file": file}, "thickness": "1 mm", "material": RUBBER}


@pytest.fixture
def export(limber_cli, write_scene, tmp_path):
    """The text of an export of two frames of these bodies; `names`: of the files to read."""

    def run(bodies, output, *names, damage=lambda directory: None):
        scene = {"time": {"step": 0.01, "duration": 0.01}, "gravity": [0, 0, 0], "bodies": bodies}
        limber_cli("run", write_scene(scene), "-o", "out", "--quiet", "--overwrite")
        damage(tmp_path / "out")
        run.said = limber_cli("export", "out", "-o", output)
        return [(tmp_path / name).read_text() for name in names or (output,)]

    return run


def below_names(text):
    """The state in which each face and line of an OBJ stands: {o, g, usemtl, s}; every name must be there."""
    state, rows = {}, []
    for line in text.splitlines():
        what, _, rest = line.partition(" ")
        if what in ("o", "g", "usemtl", "s"):
            assert rest.strip(), f"'{line}' has no name"
            state[what] = rest
        elif what in ("f", "l"):
            rows.append((what, dict(state)))
    return rows


@pytest.mark.parametrize("order", [1, -1])
def test_a_rod_is_an_object_of_its_own(export, order):
    bodies = [CUBE, rod("tail", 0.1, "8 mm"), rod("whisker", 0.3, "2 mm")][::order]
    for text in export(bodies, "a.obj", "a_0000.obj", "a_0001.obj"):
        rows = below_names(text)
        objects = {name: [what for what, state in rows if state["o"] == name] for name in ("cube", "tail", "whisker")}
        assert set(objects["cube"]) == {"f"} and objects["tail"] == objects["whisker"] == ["l"] * 4
        assert sum(map(len, objects.values())) == len(rows)
        assert [line for line in text.splitlines() if line.startswith("o ")].count("o tail") == 1


def test_a_rod_is_a_group_beside_a_point_cache(export):
    text, = export([CUBE, rod("tail", 0.1, "8 mm")], "a.pc2", "a.obj")
    assert {(what, state["o"], state["g"]) for what, state in below_names(text)} == {
        ("f", "a", "cube"), ("l", "a", "tail")}


def test_no_statement_lacks_its_name(export, tmp_path):
    (tmp_path / "dressed.obj").write_text("o shirt\ng sleeve\nusemtl wool\ns 1\n" + SQUARE)
    (tmp_path / "plain.obj").write_text(SQUARE)
    text, = export([sheet("first", "dressed.obj"), sheet("second", "plain.obj"), sheet("third", "dressed.obj")],
                   "a.obj", "a_0000.obj")
    states = [state for _, state in below_names(text)]
    assert states[0] == {"o": "shirt", "g": "sleeve", "usemtl": "wool", "s": "1"}
    assert states[1] == {"o": "second", "g": "default", "usemtl": "None", "s": "off"}
    # Made from the same file, and yet another object.
    assert states[2] == {"o": "shirt of third", "g": "sleeve", "usemtl": "wool", "s": "1"}


def test_lines_keep_the_names_of_their_file(export, tmp_path):
    """Faces and lines of one object stay together, whatever the order of the file."""
    (tmp_path / "kite.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\no frame\nf 1 2 3\no tail\nf 1 3 4\nusemtl red\n"
                                       "l 1 2 3\no frame\nusemtl blue\nl 3 4\n")
    text, = export([sheet("kite", "kite.obj")], "a.obj", "a_0000.obj")
    rows = [(what, state["o"], state.get("usemtl")) for what, state in below_names(text)]
    assert rows == [("f", "frame", None), ("l", "frame", "blue"), ("f", "tail", "None"), ("l", "tail", "red"),
                    ("l", "tail", "red")]
    assert [line for line in text.splitlines() if line.startswith("o ")] == ["o frame", "o tail"]


def width_of(text, name):
    prim = re.search(rf'def BasisCurves "{name}".*?\n    }}\n', text, re.S)[0]
    width, = map(float, re.search(r"float\[\] widths = \[(.*)\] \(\n\s*interpolation = \"constant\"", prim)[1].split(","))
    return width, prim


def numbers(text):
    return np.array(re.findall(r"[-+]?[\d.]+(?:e[-+]?\d+)?", text), dtype=float).reshape(-1, 3)


def test_a_rod_is_as_wide_as_it_is_thick(export):
    text, = export([rod("tail", 0.1, "8 mm"), CUBE, rod("whisker", 0.3, "500 um", scale=2)], "a.usda")
    assert "metersPerUnit = 1" in text
    for name, thickness in (("tail", 8e-3), ("whisker", 5e-4)):
        width, prim = width_of(text, name)
        assert width == pytest.approx(thickness, rel=1e-6)
        points, extents = (re.search(what + r"\.timeSamples = \{(.*?)\n        \}", prim, re.S)[1].strip().splitlines()
                           for what in ("points", "extent"))
        assert len(points) == len(extents) == 2
        for p, e in zip(points, extents):  # the extent of curves has half of their width around the points
            x = numbers(p.split(":")[1])
            assert np.allclose(numbers(e.split(":")[1]), [x.min(axis=0) - width / 2, x.max(axis=0) + width / 2],
                               rtol=0, atol=1e-7)


def test_lines_without_a_thickness_are_wide_enough_to_be_seen(export):
    springs = {"name": "net", "mesh": {"nodes": [[0, 0, 0], [1, 0, 0]], "edges": [[0, 1]]},
               "springs": {"edges": "mesh", "stiffness": 100}, "point_mass": 0.1}
    text, = export([springs], "a.usda")
    assert width_of(text, "net")[0] == pytest.approx(0.01)


@pytest.mark.parametrize("damage", [lambda run: (run / "scene.json").unlink(),
                                    lambda run: (run / "scene.json").write_text('{"bodies": 7}')])
def test_without_its_scene_a_rod_is_exported_and_that_is_said(export, damage):
    text, = export([rod("tail", 0.1, "8 mm")], "a.usda", damage=damage)
    assert width_of(text, "tail")[0] == pytest.approx(0.002)
    assert "how thick rods are is not known" in export.said.out + export.said.err
    assert "scene.json" in export.said.out + export.said.err
