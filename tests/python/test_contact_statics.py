"""`limber statics` of bodies that nothing holds but what is below them."""

import numpy as np
import pytest

import limber

G = 9.81
YOUNG = 1e5


def cube(name, position, **keys):
    return {"name": name, "mesh": {"shape": "box", "size": [0.2] * 3, "cells": [2] * 3}, "position": position,
            "material": {"model": "neo_hookean", "young": YOUNG, "poisson": 0.3, "density": 1000}, **keys}


def make(bodies, normal=(0, 1, 0), obstacles=True, **keys):
    floor = [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": list(normal)}]
    return {"time": {"step": 0.01, "duration": 1}, "method": {"name": "BE", "newton_tolerance": 1e-8},
            "bodies": bodies, "contact": {"delta": 1e-3}, "obstacles": floor if obstacles else [], **keys}


WEIGHT = 0.2**3 * 1000 * G


@pytest.mark.parametrize("height", [0.0005, 0.02, 1.0])
def test_a_body_above_a_plane_comes_to_rest_on_it(limber_cli, write_scene, height):
    scene = make([cube("a", [0, height, 0])])
    found = limber_cli("statics", write_scene(scene), "--json").json
    x = np.array(found["positions"])
    assert found["residual"] < 1e-5 * WEIGHT
    assert 0 < x[:, 1].min() < 1e-3, "the gap is that of the barrier"
    # Compressed by its own weight: to first order ρ g H²/2E at the top, as in a column.
    sunk = height + 0.2 - x[:, 1].max() - (height - x[:, 1].min())
    assert sunk == pytest.approx(1000 * G * 0.2**2 / (2 * YOUNG), rel=0.25)
    # The same as after a long, damped motion.
    moving = {**scene, "bodies": [{**scene["bodies"][0], "position": [0, 0.0005, 0],
                                   "damping": {"stiffness": 0.01, "mass": 5}}]}
    sim = limber.Simulation(limber.Scene(moving))
    sim.run(3)
    assert np.abs(sim.velocities).max() < 1e-6
    np.testing.assert_allclose(x, sim.positions, atol=2e-6)
    assert sum(c["normal_force"] for c in sim.contacts()) == pytest.approx(WEIGHT, rel=1e-4)


def test_a_cube_finds_the_middle_of_a_groove():
    """Of two planes at right angles: its faces lie on them, and its middle is half its side from both."""
    scene = make([cube("a", [0.03, 0.3, 0], rotation=[0, 0, "45 deg"])])
    scene["obstacles"] = [{"name": f"side{k}", "shape": "plane", "point": [0, 0, 0], "normal": [k, 1, 0]}
                          for k in (-1, 1)]
    x = limber.statics(limber.Scene(scene)).mean(axis=0)
    assert x[0] == pytest.approx(0, abs=1e-3)  # its split into tetrahedra is not quite symmetric
    assert x[1] == pytest.approx(0.1 * 2**0.5, abs=3e-3)


@pytest.mark.parametrize("keys", [{"obstacles": False}, {"normal": (0.3, 1, 0)}], ids=["free fall", "slope"])
def test_what_nothing_holds_is_said(limber_cli, write_scene, keys):
    said = limber_cli("statics", write_scene(make([cube("a", [0, 0.5, 0])], **keys)), status=1).err
    assert "no equilibrium" in said and "nothing holds" in said


def test_a_block_is_pressed_onto_a_plane_by_prescribed_motion(limber_cli, write_scene):
    """By 9 mm at t = 0, nearly twice as much as its upper layer of elements is thick; the gap is 1 mm."""
    block = {"name": "block", "mesh": {"shape": "box", "size": [.02] * 3, "cells": [2, 4, 2], "origin": [-.01, .001, -.01]},
             "material": {"model": "neo_hookean", "young": YOUNG, "poisson": 0.3, "density": 1000},
             "script": [{"nodes": "top", "keys": [{"time": 0, "translation": [0, -.009, 0]}]}]}
    x = np.array(limber_cli("statics", write_scene(make([block], gravity=[0, 0, 0])), "--json").json["positions"])
    assert 0 < x[:, 1].min() < 1e-3 and x[:, 1].max() == pytest.approx(.012, abs=1e-12)
    held, bottom = x[x[:, 1] > .0119], x[x[:, 1] < 1e-3]
    assert len(held) == len(bottom) == 9
    assert np.ptp(held[:, 0]) == pytest.approx(.02) and np.ptp(bottom[:, 0]) > .021, "what nothing holds goes aside"
