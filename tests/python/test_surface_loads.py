"""Tractions and pressures on faces, masses that nodes bear, and probes: against closed forms."""

import csv
import json

import numpy as np
import pytest

import limber

YOUNG, POISSON = 1e5, 0.3
SIDES = {"left": [-1, 0, 0], "right": [1, 0, 0], "bottom": [0, -1, 0], "top": [0, 1, 0], "back": [0, 0, -1], "front": [0, 0, 1]}
LINEAR = {"model": "linear", "young": YOUNG, "poisson": POISSON, "density": 1000}
SOFT = {"model": "stable_neo_hookean", "young": YOUNG, "poisson": POISSON, "density": 1000}


def block(element="P1", material=LINEAR, **keys):
    return {"name": "block", "mesh": {"shape": "box", "size": [1, 2, 1], "cells": [2, 2, 1]}, "element": element,
            "material": material, **keys}


def scene(*bodies, **keys):
    return {"time": {"step": 0.01, "duration": 0.2}, "gravity": [0, 0, 0], "bodies": list(bodies), **keys}


@pytest.mark.parametrize("element", ["P1", "P2", "hex"])
@pytest.mark.parametrize("model", ["linear", "stable_neo_hookean"])
def test_a_block_under_uniform_tractions_is_uniformly_strained(element, model):
    F = np.eye(3) + [[.1, .05, -.02], [.03, -.08, .04], [.01, .02, .06]]
    P = limber.Material(model, young=YOUNG, poisson=POISSON).stress(F)
    loads = [{"faces": side, "traction": (P @ normal).tolist()} for side, normal in SIDES.items()]
    sim = limber.Simulation(scene(block(element, {**LINEAR, "model": model}, loads=loads)))
    sim.positions = sim.positions @ F.T
    assert np.abs(sim.force()).max() < 1e-12 * np.abs(P).max()
    bare = limber.Simulation(scene(block(element, {**LINEAR, "model": model})))
    bare.positions = bare.positions @ F.T
    assert np.abs(bare.force()).max() > 1e-2 * np.abs(P).max()


@pytest.mark.parametrize("element", ["P1", "P2", "hex"])
def test_a_bar_is_as_long_as_hooke_says(element):
    x = limber.statics(scene(block(element, {**LINEAR, "poisson": 0}, pin="left",
                                   loads=[{"faces": "right", "traction": ["5 kPa", 0, 0]}])))
    rest = limber.Simulation(scene(block(element))).positions
    np.testing.assert_allclose(x, rest * [1 + 5e3 / YOUNG, 1, 1], atol=1e-7)


@pytest.mark.parametrize("element", ["P1", "P2", "hex"])
def test_a_block_under_pressure_shrinks_evenly(element):
    s = .9
    P = limber.Material("stable_neo_hookean", young=YOUNG, poisson=POISSON).stress(s * np.eye(3))
    sim = limber.Simulation(scene(block(element, SOFT, loads=[{"faces": "all", "pressure": -P[0, 0] / s**2}])))
    assert P[0, 0] < 0
    sim.positions = s * sim.positions
    assert np.abs(sim.force()).max() < 1e-12 * abs(P[0, 0])


@pytest.mark.parametrize("method", ["TR-BDF2", "SDIRK", "SI", "SIERE", "ERE"])
@pytest.mark.parametrize("element", ["P1", "P2"])
def test_a_body_under_pressure_keeps_its_momenta_and_its_energy(method, element):
    body = block(element, SOFT, angular_velocity=[1, 2, .5], mass="lumped",
                 loads=[{"faces": "all", "pressure": "20 kPa", "time": {"keys": [[0, 0], [.1, 1]], "interpolation": "smooth"}}])
    sim = limber.Simulation(scene(body, method=method, time={"step": .005, "duration": .2}))
    mass = sim.mass().diagonal().reshape(-1, 3)

    def momenta():
        p = mass * sim.velocities
        return np.concatenate([p.sum(axis=0), np.cross(sim.positions, p).sum(axis=0)])

    before = momenta()
    force = sim.force().reshape(-1, 3)
    assert np.abs(force.sum(axis=0)).max() < 1e-9
    sim.run(.2)
    scale = np.abs(mass * sim.velocities).sum()
    after = momenta()
    assert np.abs(after[:3] - before[:3]).max() < 1e-8 * scale
    if method in ("TR-BDF2", "SDIRK"):
        assert np.abs(after[3:] - before[3:]).max() < 2e-2 * np.linalg.norm(before[3:])
    force = sim.force().reshape(-1, 3)
    assert np.abs(force.sum(axis=0)).max() < 1e-7
    assert np.abs(np.cross(sim.positions, force).sum(axis=0)).max() < 1e-7


@pytest.mark.parametrize("loads", [
    [{"faces": "all", "pressure": "15 kPa"}],
    [{"faces": "all", "pressure": "15 kPa", "time": {"sine": {"frequency": 5}}}],
    [{"faces": "top", "pressure": "1 kPa", "time": {"keys": [[0, 0], [.1, 1]]}}],
    [{"faces": "right", "traction": [0, "-500 Pa", 0], "time": {"sine": {"frequency": 5}}}],
], ids=["closed", "closed in time", "open", "traction"])
@pytest.mark.parametrize("method", ["TR-BDF2", "SI", "gen-alpha"])
def test_no_energy_comes_from_nowhere(limber_cli, write_scene, tmp_path, loads, method):
    file = write_scene(scene(block("P1", SOFT, pin="left", loads=loads), method=method, time={"step": .005, "duration": .4}))
    limber_cli("run", file, "-o", "run", "--quiet")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    rows = list(csv.DictReader((tmp_path / "run" / "energy.csv").open()))
    most = max(float(row["elastic"]) for row in rows)
    assert summary["end"] == "finished" and summary["escalated_steps"] == 0 and most > 0
    assert summary["energy_gain"] < (1e-2 if method == "TR-BDF2" else .1) * most
    assert float(rows[0]["external"]) == 0
    assert (max(abs(float(row["external"])) for row in rows) > 0) == (loads[0]["faces"] != "top")


def test_a_pressure_without_a_potential_is_solved_in_a_few_iterations(limber_cli, write_scene, tmp_path):
    body = block("P1", SOFT, pin="bottom", loads=[{"faces": "top", "pressure": "20 kPa"}, {"faces": "right", "pressure": "5 kPa"}])
    report = limber_cli("statics", write_scene(scene(body)), "--json").json
    assert report["largest_displacement"] > .3 and report["load_steps"] == 1
    assert report["newton_iterations"] <= 7


def ball(n=4):
    """Triangles of a sphere of radius 1 that look outwards: an octahedron, cut again and again."""
    nodes = [np.array(v, float) for v in ([1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1])]
    triangles = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
    for _ in range(n):
        middles, cut = {}, []

        def middle(a, b):
            key = (min(a, b), max(a, b))
            if key not in middles:
                x = nodes[a] + nodes[b]
                middles[key] = len(nodes)
                nodes.append(x / np.linalg.norm(x))
            return middles[key]

        for a, b, c in triangles:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            cut += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = cut
    return np.array(nodes), triangles


def test_a_balloon_grows_as_thin_shells_do():
    """Small strains: u = p R² (1 − ν)/(2 E t)."""
    nodes, triangles = ball(3)
    thickness, p = .01, 10.
    sheet = {"name": "balloon", "mesh": {"nodes": nodes.tolist(), "triangles": [list(t) for t in triangles]}, "thickness": thickness,
             "material": {**SOFT, "model": "corotated"}, "bending": 0.01, "loads": [{"faces": "all", "pressure": -p}],
             "pin": {"nodes": [5]}}
    x = limber.statics(scene(sheet))

    def volume(x):
        a, b, c = (x[[t[i] for t in triangles]] for i in range(3))
        return np.einsum("ij,ij->", np.cross(a, b), c) / 6

    # Of the whole: at single nodes, where four triangles meet or six, a net of triangles is no sphere.
    growth = (volume(x) / volume(nodes)) ** (1 / 3) - 1
    assert growth == pytest.approx(p * (1 - POISSON) / (2 * YOUNG * thickness), rel=.05)


@pytest.mark.parametrize("change, error", [
    ({"faces": {"nodes": [0, 1]}, "pressure": 1}, "bodies[0].loads[0].faces: holds no face"),
    ({"faces": {"box": {"min": [5, 5, 5], "max": [6, 6, 6]}}, "pressure": 1}, "bodies[0].loads[0].faces: catches no node"),
    ({"faces": "top", "pressure": "3 N"}, 'bodies[0].loads[0].pressure: "3 N" is not a pressure; what fits: Pa'),
    ({"nodes": "top", "traction": [1, 0, 0]}, "bodies[0].loads[0].traction: does not go together with 'nodes'"),
])
def test_wrong_faces_are_named(change, error):
    with pytest.raises(limber.InputError) as raised:
        limber.Simulation(scene(block(loads=[change])))
    assert str(raised.value).startswith(error)


def test_edges_have_no_faces():
    rod = {"mesh": {"nodes": [[0, 0, 0], [1, 0, 0]], "edges": [[0, 1]]}, "material": {**SOFT, "model": "corotated"}, "thickness": .1,
           "loads": [{"faces": "all", "pressure": 1}]}
    with pytest.raises(limber.InputError, match="has no faces"):
        limber.Simulation(scene(rod))


# Masses

@pytest.mark.parametrize("element", ["P1", "P2", "hex"])
@pytest.mark.parametrize("mass", ["lumped", "consistent"])
def test_masses_are_added_to_nodes(element, mass):
    bare = limber.Simulation(scene(block(element, mass=mass), gravity=[0, -10, 0]))
    sim = limber.Simulation(scene(block(element, mass=mass, masses=[{"nodes": "right", "mass": "52 g"}, {"nodes": "all", "mass": 3}]),
                                  gravity=[0, -10, 0]))
    more = (sim.mass() - bare.mass()).toarray()
    assert np.count_nonzero(more - np.diag(np.diag(more))) == 0 and np.diag(more).min() >= 0
    assert np.diag(more).sum() == pytest.approx(3 * 3.052)
    assert sim.bodies[0].mass == pytest.approx(2003.052)
    weight = (sim.force() - bare.force()).reshape(-1, 3)
    np.testing.assert_allclose(weight.sum(axis=0), [0, -30.52, 0], atol=1e-8)
    right = sim.positions[:, 0] == 1
    own = bare.mass().diagonal()[::3]
    np.testing.assert_allclose(np.diag(more)[::3], 3 * own / own.sum() + .052 * own * right / own[right].sum(), atol=1e-12)


# Probes

def table(directory):
    rows = list(csv.reader((directory / "probes.csv").open()))
    return rows[0], np.array(rows[1:], float)


@pytest.mark.parametrize("element", ["P1", "P2", "hex"])
def test_probes_move_as_their_body_does(limber_cli, write_scene, tmp_path, element):
    """A body that spins freely about its middle, which stays."""
    body = block(element, {**SOFT, "young": 1e8}, position=[3, 0, 0], rotation=[0, 0, "90 deg"], angular_velocity=[0, 0, 2])
    middle = np.array([3 - 1, .5, .5])
    points = {"in": [2.1, .3, .4], "out": [1.7, 1.2, .6]}
    probes = [{"name": name, "body": "block", "point": point} for name, point in points.items()]
    file = write_scene(scene(body, output={"probes": probes}, time={"step": .002, "duration": .1}))
    limber_cli("run", file, "-o", "run", "--quiet")
    names, rows = table(tmp_path / "run")
    assert names == ["time", "in.x", "in.y", "in.z", "out.x", "out.y", "out.z"]
    assert len(rows) == 51 and rows[0, 0] == 0
    for k, point in enumerate(points.values()):
        np.testing.assert_allclose(rows[0, 1 + 3 * k:4 + 3 * k], point, atol=1e-12)
        a = 2 * rows[:, 0]
        r = np.array(point) - middle
        turned = middle + np.stack([np.cos(a) * r[0] - np.sin(a) * r[1], np.sin(a) * r[0] + np.cos(a) * r[1], r[2] + 0 * a], axis=1)
        np.testing.assert_allclose(rows[:, 1 + 3 * k:4 + 3 * k], turned, atol=2e-4)


def test_probes_of_quadratic_elements_use_their_own_functions(limber_cli, write_scene, tmp_path):
    """At rest on curved data: a probe at a node's place is that node, on every kind of body."""
    body = block("P2", SOFT, pin="left", loads=[{"nodes": "right", "total_force": [0, -3000, 0]}])
    nodes = limber.Simulation(scene(body)).positions
    at = len(nodes) - 1  # the middle of an edge
    file = write_scene(scene(body, output={"probes": [{"name": "node", "body": "block", "point": nodes[at].tolist()}]}))
    limber_cli("run", file, "-o", "run", "--quiet")
    rows = table(tmp_path / "run")[1]
    sim = limber.Simulation(scene(body))
    sim.run(.2)
    np.testing.assert_allclose(rows[-1, 1:], sim.positions[at], atol=1e-10)
    assert abs(rows[-1, 2] - rows[0, 2]) > 1e-3


def test_probes_of_sheets_and_rods(limber_cli, write_scene, tmp_path):
    thin = {**SOFT, "model": "corotated"}
    sheet = {"name": "sheet", "mesh": {"nodes": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], "triangles": [[0, 1, 2], [0, 2, 3]]},
             "material": thin, "thickness": .01, "velocity": [1, 0, 0]}
    rod = {"name": "rod", "mesh": {"nodes": [[0, 0, 5], [2, 0, 5], [2, 3, 5]], "edges": [[0, 1], [1, 2]]}, "material": thin,
           "thickness": .1, "velocity": [0, 1, 0]}
    probes = [{"name": "a", "body": "sheet", "point": [.7, .2, .3]}, {"name": "b", "body": "rod", "point": [1, -.2, 5.1]}]
    limber_cli("run", write_scene(scene(sheet, rod, output={"probes": probes})), "-o", "run", "--quiet")
    rows = table(tmp_path / "run")[1]
    np.testing.assert_allclose(rows[0, 1:], [.7, .2, .3, 1, -.2, 5.1], atol=1e-12)
    np.testing.assert_allclose(rows[-1, 1:], [.9, .2, .3, 1, 0, 5.1], atol=1e-9)


def test_a_probe_too_far_away_says_how_far(limber_cli, write_scene, tmp_path):
    def probe(point, body="block"):
        return write_scene(scene(block(), output={"probes": [{"name": "p", "body": body, "point": point}]}))

    error = limber_cli("run", probe([4, 1, .5]), "-o", "run", status=2).err
    assert "output.probes[0].point: [4, 1, 0.5] m is 3 m outside of 'block'" in error
    assert not (tmp_path / "run").exists()
    assert "did you mean 'block'?" in limber_cli("run", probe([0, 0, 0], "blok"), "-o", "run", status=2).err
    limber_cli("run", probe([2, 1, .5]), "-o", "run", "--quiet")
