"""No frame of a run may hold an intersection or a forbidden inversion: scenes that are hard for contact, with four
methods each, checked by `limber check` with exact predicates."""

import itertools
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import limber

h5py = pytest.importorskip("h5py")

METHODS = ["BE", "TR-BDF2", "SDIRK", "SIERE"]
SOFT = {"model": "neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000}


def warped_box(cells, place):
    """Kuhn tetrahedra of a box of cells, its nodes put where place(u, v, w) says, u, v, w in [0, 1]."""
    nx, ny, nz = cells

    def number(i, j, k):
        return i + (nx + 1) * (j + (ny + 1) * k)

    nodes = [[float(x) for x in place(i / nx, j / ny, k / nz)]
             for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
    tets = []
    for cell in itertools.product(range(nx), range(ny), range(nz)):
        for order in itertools.permutations(range(3)):
            corner = list(cell)
            tet = [number(*corner)]
            for axis in order:
                corner[axis] += 1
                tet.append(number(*corner))
            tets.append(tet)
    return {"nodes": nodes, "tets": tets}


def ball(radius, cells, centre):
    def place(u, v, w):
        p = 2 * np.array([u, v, w]) - 1
        length = np.linalg.norm(p)
        return np.array(centre) + radius * p * (np.abs(p).max() / length if length > 0 else 1)
    return warped_box((cells, cells, cells), place)


def knot(duration=0.5, n=100, thickness=0.09):
    """A rope along a trefoil that is cut open, its ends pulled apart."""
    t = np.linspace(0.25, 2 * np.pi - 0.25, n + 1)
    curve = 0.2 * np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)], 1)
    along = np.gradient(curve, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    across = [np.cross(along[0], [0, 0, 1])]
    for tangent in along[1:]:
        across.append(across[-1] - tangent * np.dot(across[-1], tangent))
    across = np.array([a / np.linalg.norm(a) for a in across])
    beside = np.cross(along, across)

    def place(u, v, w):
        i = round(u * n)
        return curve[i] + thickness * ((v - 0.5) * across[i] + (w - 0.5) * beside[i])

    pull = curve[0] - curve[-1]
    pull = 0.4 * pull / np.linalg.norm(pull)
    mesh = warped_box((n, 2, 2), place)
    script = [{"nodes": {"nodes": [k for k in range(len(mesh["nodes"])) if k % (n + 1) == end]},
               "keys": [{"time": 0}, {"time": duration, "translation": [float(sign * x) for x in pull]}]}
              for end, sign in ((0, 1), (n, -1))]
    return {"time": {"step": 0.01, "duration": duration}, "gravity": [0, 0, 0],
            "bodies": [{"name": "rope", "mesh": mesh, "material": SOFT, "damping": {"mass": 2}, "script": script}],
            "contact": {"delta": 2e-3, "friction": 0.1}}


def funnel(duration=0.35):
    """A ball pressed by a sphere through a ring of capsules that narrows into a pipe."""
    obstacles = [{"name": "piston", "shape": "sphere", "center": [0, 0.3, 0], "radius": 0.06,
                  "motion": {"keys": [{"time": 0}, {"time": duration, "translation": [0, -0.3, 0]}]}}]
    for k in range(8):
        c, s = np.cos(k * np.pi / 4), np.sin(k * np.pi / 4)
        obstacles.append({"name": f"wall{k}", "shape": "capsule", "radius": 0.03,
                          "a": [0.2 * c, 0.2, 0.2 * s], "b": [0.105 * c, -0.1, 0.105 * s]})
        c, s = np.cos(k * np.pi / 4 + 0.39), np.sin(k * np.pi / 4 + 0.39)
        obstacles.append({"name": f"pipe{k}", "shape": "capsule", "radius": 0.03,
                          "a": [0.11 * c, -0.1, 0.11 * s], "b": [0.11 * c, -0.4, 0.11 * s]})
    return {"time": {"step": 0.01, "duration": duration},
            "bodies": [{"name": "ball", "mesh": ball(0.1, 4, (0, 0.12, 0)), "material": {**SOFT, "young": 2e4}}],
            "contact": {"delta": 1e-3, "friction": 0.1}, "obstacles": obstacles}


def spikes(duration=0.1, delta=1e-3):
    """Point to point, edge to edge (parallel and crossed), face to face, all at a distance of 1e-3 delta."""
    gap = 1e-3 * delta

    def tet(name, nodes, position):
        return {"name": name, "mesh": {"nodes": nodes, "tets": [[0, 1, 2, 3]]}, "position": position, "material": SOFT}

    def spike(name, position, up):
        return tet(name, [[0, 0, 0], [0.05, up, 0], [-0.03, up, 0.04], [-0.03, up, -0.04]], position)

    def wedge(name, position, edge, up):
        other = [-edge[2], 0, edge[0]]
        return tet(name, [[-x for x in edge], edge, [other[0], up, other[2]], [-other[0], up, -other[2]]], position)

    def cube(name, position):
        return {"name": name, "mesh": {"shape": "box", "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2]},
                "position": position, "material": SOFT}

    x, z = [0.05, 0, 0], [0, 0, 0.05]
    return {"time": {"step": 0.01, "duration": duration}, "gravity": [0, 0, 0], "contact": {"delta": delta},
            "bodies": [spike("p0", [0, 0, 0], -0.1), spike("p1", [0, gap, 0], 0.1),
                       wedge("e0", [0.5, 0, 0], x, -0.1), wedge("e1", [0.5, gap, 0], x, 0.1),
                       wedge("x0", [1, 0, 0], x, -0.1), wedge("x1", [1, gap, 0], z, 0.1),
                       cube("f0", [1.5, 0, 0]), cube("f1", [1.513, 0.1 + gap, 0.021]),
                       cube("g0", [2, 0, 0]), cube("g1", [2, 0.1 + gap, 0])]}


def mat(duration=0.8):
    """A small mat twisted by more than a turn."""
    turn = [{"nodes": side, "pivot": [0, 0, 0],
             "keys": [{"time": 0}, {"time": duration, "rotation": [sign * 4, 0, 0]}]}
            for side, sign in (("left", 1), ("right", -1))]
    return {"time": {"step": 0.02, "duration": duration}, "gravity": [0, 0, 0],
            "bodies": [{"name": "mat", "mesh": {"shape": "box", "size": [1, 1, 0.04], "cells": [16, 16, 1],
                                                "split": "six", "origin": [-0.5, -0.5, -0.02]},
                        "material": {**SOFT, "young": 2e4}, "script": turn}],
            "contact": {"delta": 2e-3}}


def pile(duration=0.45):
    """Six soft cubes that fall onto each other."""
    bodies = [{"name": f"cube{k}", "mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3],
                                            "origin": [-0.1, -0.1, -0.1]},
               "position": [0.06 * (k % 3 - 1), 0.2 + 0.3 * k, 0.05 * (k % 2)], "rotation": [0.3 * k, 0.5, 0.2 * k],
               "velocity": [0, -2, 0], "material": {**SOFT, "young": 3e4}} for k in range(6)]
    return {"time": {"step": 0.01, "duration": duration}, "bodies": bodies,
            "contact": {"delta": 1e-3, "friction": 0.3},
            "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scene", [knot, funnel, spikes, mat, pile], ids=lambda f: f.__name__)
def test_no_frame_holds_an_intersection(limber_program, tmp_path, scene, method):
    made = scene()
    made["method"] = {"name": method}
    (tmp_path / "scene.json").write_text(json.dumps(made), encoding="utf-8")
    out = tmp_path / "out"
    run = subprocess.run([limber_program, "run", tmp_path / "scene.json", "-o", out, "--quiet"], capture_output=True,
                         text=True)
    assert run.returncode == 0, run.stderr
    check = subprocess.run([limber_program, "check", out, "--json"], capture_output=True, text=True)
    found = json.loads(check.stdout)
    assert check.returncode == 0 and found["clean"], found
    assert found["crossings"] == found["enclosed"] == found["inverted"] == 0


def test_rollers_carry_a_ball_through_their_gap(limber_cli, tmp_path):
    """Friction on what moves: every step at its full length, and Newton starts with everything in place."""
    scene = Path(__file__).parents[2] / "scenes/rollers.json"
    summary = limber_cli("run", scene, "-o", "out", "--json", "--set", "bodies[0].mesh.resolution=0.08", "--set",
                         "time.duration=0.64").json
    assert summary["halved_steps"] == 0 and summary["escalated_steps"] == 0 and not summary["notes"]
    assert summary["newton_iterations"] <= 20 * summary["steps"]
    with h5py.File(tmp_path / "out/trajectory.h5") as file:
        assert file["frames/positions"][-1][:, 1].mean() < -0.05, "it was not pulled in"
    assert limber_cli("check", "out", "--json").json["clean"]


def test_a_plate_does_not_turn_through_a_body_within_one_step():
    """Half a turn in a step: its corners would meet in the middle if they went straight."""
    plate = {"name": "plate", "shape": "box", "center": [0, 0, 0], "size": [0.02, 1, 1],
             "motion": {"keys": [{"time": 0}, {"time": 0.04, "rotation": [0, 0, np.pi]}]}}
    cube = {"name": "cube", "mesh": {"shape": "box", "size": [0.1] * 3, "cells": [2, 1, 1]}, "material": SOFT,
            "position": [0.3, -0.05, -0.05], "pin": ["left", "right"]}
    sim = limber.Simulation(limber.Scene({"time": {"step": 0.04, "duration": 0.04}, "method": {"name": "BE"},
                                          "bodies": [cube], "obstacles": [plate], "contact": {}}))
    with pytest.raises(limber.StepFailure, match="in the way"):
        sim.step()
