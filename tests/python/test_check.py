"""`limber check DIR`: the frames of a run, verified exactly."""

import json
import subprocess

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
    kept = (tmp_path / "out/scene.json").read_text()
    (tmp_path / "out/scene.json").write_text("{")
    assert "scene.json" in limber_cli("check", "out", status=2).err
    (tmp_path / "out/scene.json").write_text(kept)
    (tmp_path / "out/trajectory.h5").write_text("no trajectory")
    assert "trajectory.h5" in limber_cli("check", "out", status=2).err


BRICK = """v -0.3 -0.2 -0.3
v 0.3 -0.2 -0.3
v -0.3 0 -0.3
v 0.3 0 -0.3
v -0.3 -0.2 0.3
v 0.3 -0.2 0.3
v -0.3 0 0.3
v 0.3 0 0.3
""" + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in [
    (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6),
    (1, 3, 5), (3, 7, 5)])

# Each has its highest point at the height 0, below a cube of .2 m that falls from .05 m.
OBSTACLES = {
    "plane": {"shape": "plane", "point": [7, 0, 3], "normal": [0, 3, 0]},
    "sphere": {"shape": "sphere", "center": [0, -1, 0], "radius": 1},
    "capsule": {"shape": "capsule", "a": [-1, -0.2, 0], "b": [1, -0.2, 0], "radius": 0.2},
    "box": {"shape": "box", "center": [0, -0.2, 0], "size": [0.6, 0.4, 0.6], "rotation": [0, 0.4, 0]},
    "cylinder": {"shape": "cylinder", "a": [0, -1, 0], "b": [0, 0, 0], "radius": 0.5},
    "torus": {"shape": "torus", "center": [0, -0.1, 0], "axis": [0, 1, 0], "major": 0.14, "minor": 0.1},
    "triangles": {"shape": "mesh", "file": "brick.obj", "form": "triangles"},
    "distance": {"shape": "mesh", "file": "brick.obj", "form": "distance", "resolution": 20},
}


def on_obstacle(obstacle, **body):
    return {
        "time": {"step": 0.01, "duration": 0.2},
        "method": {"name": "BE"},
        "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [0.2] * 3, "cells": [2] * 3},
                    "position": [-0.1, 0.05, -0.1],
                    "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}, **body}],
        "obstacles": [{"name": "thing", **obstacle}],
        "contact": {"friction": 0.5},
    }


@pytest.mark.parametrize("kind", OBSTACLES)
def test_obstacles_are_looked_at(limber_cli, write_scene, tmp_path, kind):
    (tmp_path / "brick.obj").write_text(BRICK)
    limber_cli("run", write_scene(on_obstacle(OBSTACLES[kind])), "-o", "out", "--quiet")
    assert "thing" in (tmp_path / "out/contacts.csv").read_text(), "it never came down"
    found = limber_cli("check", "out", "--json").json
    assert found["clean"] and found["obstacles"] == 1 and found["obstacle_overlaps"] == 0
    assert "1 obstacles" in limber_cli("check", "out").out

    # The same motion .08 m deeper: through the surface of the obstacle in the frames in which it was near.
    with h5py.File(tmp_path / "out/trajectory.h5", "r+") as file:
        x = file["frames/positions"][:]
        x[..., 1] -= 0.08
        file["frames/positions"][:] = x
    found = limber_cli("check", "out", "--json", status=1).json
    assert found["obstacle_overlaps"] > 0 and found["crossings"] == found["enclosed"] == found["inverted"] == 0
    assert {f["kind"] for f in found["findings"]} == {"obstacle"}
    assert all(f["bodies"] == ["cube", "thing"] for f in found["findings"])
    assert found["findings"][0]["frame"] == int(np.argmax(x[:, :, 1].min(axis=1) < 0)) or kind in ("torus", "distance")
    text = limber_cli("check", "out", status=1).out
    assert "of 'cube'" in text and "'thing'" in text and "overlaps with obstacles" in text

    (tmp_path / "out/scene.json").unlink()
    blind = limber_cli("check", "out")
    assert "obstacles were not looked at" in blind.out
    assert limber_cli("check", "out", "--json").json["obstacles"] is None


def test_obstacles_that_move_are_checked_where_they_are(limber_cli, write_scene, tmp_path):
    keys = [{"time": 0}, {"time": 0.2, "translation": [0, 0.1, 0]}]
    scene = on_obstacle({**OBSTACLES["box"], "motion": {"keys": keys}})
    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    assert limber_cli("check", "out", "--json").json["clean"]
    # As if it had risen twice as far.
    kept = json.loads((tmp_path / "out/scene.json").read_text())
    kept["obstacles"][0]["motion"]["keys"][1]["translation"][1] = 0.2
    (tmp_path / "out/scene.json").write_text(json.dumps(kept))
    found = limber_cli("check", "out", "--json", status=1).json
    assert found["obstacle_overlaps"] > 0 and found["findings"][0]["frame"] > 0


def test_thickness_counts(limber_cli, write_scene, tmp_path):
    limber_cli("run", write_scene(on_obstacle(OBSTACLES["sphere"], thickness=0.02)), "-o", "out", "--quiet")
    assert limber_cli("check", "out", "--json").json["clean"]
    kept = json.loads((tmp_path / "out/scene.json").read_text())
    kept["bodies"][0]["thickness"] = "3 cm"
    (tmp_path / "out/scene.json").write_text(json.dumps(kept))
    assert limber_cli("check", "out", "--json", status=1).json["obstacle_overlaps"] > 0


def test_a_missing_surface_is_named(limber_cli, write_scene, tmp_path):
    (tmp_path / "brick.obj").write_text(BRICK)
    limber_cli("run", write_scene(on_obstacle(OBSTACLES["triangles"])), "-o", "out", "--quiet")
    (tmp_path / "brick.obj").unlink()
    assert "brick.obj" in limber_cli("check", "out", status=2).err


@pytest.mark.parametrize("method, obstacle", [
    ("BE", {"shape": "sphere", "center": [0, 0.4, 0], "radius": 0.1}),
    ("TR-BDF2", {"shape": "plane", "point": [0, 0.35, 0], "normal": [0, -1, 0]}),
    ("BE", {"shape": "box", "center": [0, 0.35, 0], "size": [0.3, 0.1, 0.3]}),
    ("SI", {"shape": "capsule", "a": [-0.3, 0.4, 0], "b": [0.3, 0.4, 0.1], "radius": 0.1}),
], ids=["sphere", "plane", "box", "capsule"])
def test_an_obstacle_driven_through_a_pinned_body(limber_cli, write_scene, tmp_path, method, obstacle):
    """The run stops with the reason, and what it has written is right."""
    motion = {"keys": [{"time": 0}, {"time": 0.5, "translation": [0, -0.5, 0]}]}
    scene = on_obstacle({**obstacle, "motion": motion}, pin=["bottom", "top"])
    scene["method"]["name"] = method
    said = limber_cli("run", write_scene(scene), "-o", "out", "--quiet", status=1).err
    assert "an obstacle cannot move on: something that cannot yield is in the way" in said
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert summary["end"] == "failed" and "cannot yield" in summary["reason"] and 0 < summary["steps"] < 20
    found = limber_cli("check", "out", "--json").json
    assert found["clean"] and found["frames"] == summary["frames"] > 1 and found["obstacles"] == 1


@pytest.mark.parametrize("element", ["P2", "hex"])
def test_elements_of_several_points_are_held_to_the_rule_of_the_simulation(limber_program, limber_cli, write_scene, tmp_path, element):
    # Squeezed hard, corners of elements fold over between the points of integration, where nothing forbids it.
    bar = {"mesh": {"shape": "box", "size": [1, 0.25, 0.25], "cells": [4, 1, 1]}, "pin": ["left"], "element": element,
           "material": {"model": "neo_hookean", "young": 500, "poisson": 0.3, "density": 1000}}
    scene = write_scene({"time": {"step": 0.05, "duration": 0.6}, "method": "BE", "gravity": [-40, 3, 0], "bodies": [bar],
                         "output": {"fps": 100}})
    limber_cli("run", scene, "-o", "out", "--quiet")
    path = tmp_path / "out/trajectory.h5"
    with h5py.File(path) as file:
        pieces, tets, x = file["bodies/pieces"][0], file["rest/tets"][:], file["frames/positions"][:]
    assert pieces == {"P2": 8, "hex": 6}[element]
    edges = x[:, tets[:, 1:]] - x[:, tets[:, :1]]
    assert (np.linalg.det(edges) < 0).any(), "no piece was turned over: nothing is tested"

    def checked():  # whether its triangles meet is not the question
        return json.loads(subprocess.run([limber_program, "check", "out", "--json"], cwd=tmp_path, capture_output=True).stdout)

    found = checked()
    assert found["inverted"] == found["tolerated_inversions"] == 0 and found["min_det_F"] > 0
    # Mirrored, all elements are inverted, each counted once.
    with h5py.File(path, "r+") as file:
        file["frames/positions"][:] = file["rest/nodes"][:]
        file["frames/positions"][-1, :, 2] *= -1
    found = checked()
    assert found["inverted"] == len(tets) // pieces
    what = next(f["what"] for f in found["findings"] if f["kind"] == "inverted")
    assert ("hexahedron" if element == "hex" else "quadratic tetrahedron") in what and "point of integration" in what
