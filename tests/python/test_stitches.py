"""Bodies stitched to each other: against one body of the same shape, closed forms and conservation laws."""

import csv

import numpy as np
import pytest

import limber
from test_resume import killed_and_resumed

RUBBER = {"model": "stable_neo_hookean", "young": 1e6, "poisson": 0.3, "density": 1000}


def bar(name, x, length, cells, **keys):
    return {"name": name, "mesh": {"shape": "box", "size": [length, .1, .1], "cells": cells, "origin": [x, 0, 0], "split": "six"},
            "material": RUBBER, **keys}


def scene(*bodies, **keys):
    return {"time": {"step": .005, "duration": .1}, "bodies": list(bodies), **keys}


def halves(left, right, **keys):
    """Two halves of a bar of 0.6 m; the nodes of the right one follow the left one."""
    return scene(bar("left", 0, .3, left, pin="left"), bar("right", .3, .3, right),
                 stitches=[{"body": "right", "nodes": "left", "to": "left"}], **keys)


def nodes_at(x, points):
    """For each point the number of the node there."""
    far = np.linalg.norm(x[:, None, :] - points[None, :, :], axis=2)
    assert far.min(axis=0).max() < 1e-9
    return far.argmin(axis=0)


@pytest.mark.parametrize("element", ["P1", "P2", "hex"])
@pytest.mark.parametrize("method", ["TR-BDF2", "SI", "SIERE"])
def test_halves_with_matching_nodes_are_one_bar(element, method):
    whole = limber.Simulation(scene(bar("bar", 0, .6, [6, 2, 2], pin="left", element=element, mass="consistent"), method=method))
    parts = halves([3, 2, 2], [3, 2, 2], method=method)
    for body in parts["bodies"]:
        body.update(element=element, mass="consistent")
    sewn = limber.Simulation(parts)
    same = nodes_at(whole.positions, sewn.positions)
    for sim in (whole, sewn):
        sim.run(.1)
    tip = np.abs(whole.positions - whole.bodies[0].rest).max()
    assert tip > 1e-3
    np.testing.assert_allclose(sewn.positions, whole.positions[same], atol=1e-8 * .6)
    np.testing.assert_allclose(limber.statics(parts), limber.statics(scene(bar("bar", 0, .6, [6, 2, 2], pin="left", element=element)))[same],
                               atol=1e-8 * .6)


def test_modes_of_matching_halves_are_those_of_one_bar():
    lam, _ = limber.modes(scene(bar("bar", 0, .6, [6, 2, 2], pin="left")), 8)
    sewn, X = limber.modes(halves([3, 2, 2], [3, 2, 2]), 8)
    np.testing.assert_allclose(sewn[:8], lam[:8], rtol=1e-8)


@pytest.mark.parametrize("element", ["P1", "P2"])
def test_uniform_strain_passes_through_a_seam_of_other_nodes(element):
    """The finer side follows the coarser one: a bar that is pulled evenly is stretched evenly, whatever the meshes are."""
    parts = halves([3, 2, 2], [5, 3, 5], gravity=[0, 0, 0])
    for body in parts["bodies"]:
        body.update(element=element, material={"model": "linear", "young": 1e6, "poisson": 0, "density": 1000})
    parts["bodies"][1]["loads"] = [{"faces": "right", "traction": [1e4, 0, 0]}]
    rest = limber.Simulation(parts).positions
    np.testing.assert_allclose(limber.statics(parts), rest * [1.01, 1, 1], atol=4e-4 * .6)


@pytest.mark.parametrize("right, most", [([3, 2, 2], 1e-6), ([5, 3, 3], .05), ([7, 4, 4], .08)])
def test_two_halves_bend_like_one_bar(right, most):
    """P2, so that meshes hardly matter: the tip sags as far as that of one bar."""
    parts = halves([3, 2, 2], right)
    for body in parts["bodies"]:
        body["element"] = "P2"
    whole = scene(bar("bar", 0, .6, [6, 2, 2], pin="left", element="P2"))

    def sag(built):
        sim = limber.Simulation(built)
        end = sim.positions[:, 0] > .6 - 1e-9
        return (limber.statics(built) - sim.positions)[end, 1].mean()

    assert sag(parts) == pytest.approx(sag(whole), rel=most)
    del parts["stitches"]
    parts["bodies"][1]["pin"] = "left"
    assert abs(sag(parts)) < .5 * abs(sag(whole)), "the seam matters"


@pytest.mark.parametrize("method", ["TR-BDF2", "SDIRK", "BDF2ERE"])
def test_momenta_are_kept(method):
    parts = halves([3, 2, 2], [4, 3, 3], gravity=[0, 0, 0], method=method)
    del parts["bodies"][0]["pin"]
    spin = np.array([.5, 3, 6])
    middle = np.array([.3, .05, .05])
    parts["bodies"][0].update(angular_velocity=spin.tolist(), velocity=np.cross(spin, [-.15, 0, 0]).tolist())
    parts["bodies"][1].update(angular_velocity=spin.tolist(), velocity=np.cross(spin, [.15, 0, 0]).tolist())
    sim = limber.Simulation(parts)
    free = np.setdiff1d(np.arange(len(sim.positions)), sim.pinned)
    right = np.isclose(sim.positions[:, 0], .3) & (np.arange(len(sim.positions)) >= len(sim.bodies[0].rest))
    unknown = free[~right[free]]
    M = sim.mass()

    def momenta():
        p = (M @ sim.velocities[unknown].ravel()).reshape(-1, 3)
        return np.concatenate([p.sum(axis=0), np.cross(sim.positions[unknown] - middle, p).sum(axis=0)])

    before = momenta()
    assert np.linalg.norm(before[3:]) > .1
    sim.run(.1)
    after = momenta()
    assert np.abs(after[:3] - before[:3]).max() < 1e-9
    assert np.abs(after[3:] - before[3:]).max() < 1e-2 * np.linalg.norm(before[3:])


def test_the_balance_of_energies_closes(limber_cli, write_scene, tmp_path):
    path = write_scene(halves([3, 2, 2], [5, 3, 3], time={"step": .002, "duration": .3}))
    summary = limber_cli("run", path, "-o", "out", "--json").json
    assert summary["end"] == "finished" and summary["energy_gain"] <= 1e-9
    with open(tmp_path / "out/energy.csv") as file:
        rows = list(csv.DictReader(file))
    total = np.array([float(r["total"]) for r in rows])
    kinetic = np.array([float(r["kinetic"]) for r in rows])
    assert kinetic.max() > 1e-3 and np.abs(total - total[0]).max() < .02 * kinetic.max()


def test_seams_do_not_collide_and_other_things_do():
    parts = halves([3, 2, 2], [5, 3, 3], contact={"delta": .002}, time={"step": .005, "duration": .2},
                   obstacles=[{"shape": "plane", "point": [0, -.05, 0], "normal": [0, 1, 0]}])
    parts["bodies"][1]["material"] = {**RUBBER, "young": 1e5}
    sim = limber.Simulation(parts)
    assert sim.contacts() == []
    sim.run(.2)
    assert sim.positions[:, 1].min() > -.05
    met = {c["bodies"] for c in sim.contacts()}
    assert met and all("left" not in pair or "right" not in pair for pair in met)


def test_a_sheet_is_sewn_to_a_sheet_and_to_a_block():
    cloth = {"mesh": {"shape": "sheet", "size": [.3, .3], "cells": [4, 4], "origin": [0, 0, 0]}, "thickness": "1 mm",
             "material": {"young": 1e6, "poisson": .3, "density": 1000}}
    a = {**cloth, "name": "a", "pin": "left"}
    b = {**cloth, "name": "b", "mesh": {**cloth["mesh"], "origin": [.3, 0, 0], "cells": [4, 8]}}
    sim = limber.Simulation(scene(a, b, stitches=[{"body": "b", "nodes": "left", "to": "a"}]))
    rest = sim.positions
    sim.run(.1)
    first = len(sim.bodies[0].rest)
    seam = first + np.flatnonzero(np.isclose(rest[first:, 0], .3))
    edge = np.flatnonzero(np.isclose(rest[:first, 0], .3))
    assert len(seam) == 9 and len(edge) == 5
    order = edge[np.argsort(rest[edge, 2])]
    for axis in range(3):  # linear between the nodes of the coarser edge
        np.testing.assert_allclose(sim.positions[seam, axis], np.interp(rest[seam, 2], rest[order, 2], sim.positions[order, axis]), atol=1e-12)
    assert sim.positions[seam, 1].min() < -1e-3


@pytest.mark.parametrize("method", ["TR-BDF2", "SIERE"])
def test_resume_after_kill(limber_program, limber_cli, write_scene, tmp_path, method):
    steps = 80
    path = write_scene(halves([6, 4, 4], [8, 5, 5], method=method, time={"step": .005, "duration": .005 * steps},
                              output={"velocities": True, "checkpoint_every": 7}))
    limber_cli("run", path, "-o", "whole", "--quiet")
    killed_and_resumed(limber_program, limber_cli, path, tmp_path, (9, 24, 41), method)


def wrong(change):
    parts = halves([3, 2, 2], [3, 2, 2])
    change(parts)
    return parts


def third(parts, **stitch):
    parts["bodies"].append(bar("third", .6, .3, [3, 2, 2]))
    parts["stitches"].append(stitch)


@pytest.mark.parametrize("change, message", [
    (lambda s: s["bodies"][1].update(position=[.05, 0, 0]),
     "stitches[0].nodes: node 0 of 'right' at [0.35, 0, 0] m is 0.05 m from 'left', and 'distance' is 0.000331"),
    (lambda s: s["stitches"][0].update(to="lfet"), "stitches[0].to: unknown body 'lfet'; did you mean 'left'?"),
    (lambda s: s["stitches"][0].update(nodes={"box": {"min": [5, 5, 5], "max": [6, 6, 6]}}), "stitches[0].nodes: catches no node; the shape extends over"),
    (lambda s: s["bodies"][1].update(pin="left"), "stitches[0].nodes: node 0 of 'right' is pinned or scripted, and cannot follow"),
    (lambda s: s["bodies"][0].update(pin="right"),
     "stitches[0]: node 0 of 'right' would follow node 3 of 'left', which is pinned or scripted; pin or script the first one instead"),
    (lambda s: s["stitches"].append({"body": "left", "nodes": "right", "to": "right"}),
     "stitches[0]: node 0 of 'right' would follow node 3 of 'left', which follows others itself (stitches[1]); chains and circles"),
    (lambda s: s["stitches"].append(dict(s["stitches"][0])), "stitches[1].nodes: node 0 of 'right' belongs to stitches[0] already"),
    (lambda s: third(s, body="third", nodes="left", to="right", distance="1 mm") or s["stitches"].append(
        {"body": "right", "nodes": "right", "to": "left", "distance": 1}),
     "stitches[1]: node 0 of 'third' would follow node 3 of 'right', which follows others itself (stitches[2])"),
    (lambda s: s["bodies"][1].update(rigid=["all"]), "stitches[0].nodes: node "),
])
def test_bad_stitches(change, message):
    with pytest.raises(limber.InputError) as error:
        limber.Simulation(wrong(change))
    assert str(error.value).startswith(message), str(error.value)
