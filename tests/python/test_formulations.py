"""Contact by inequalities, (cona) and (conb), beside the barrier: the same at rest, different on a convex obstacle."""

import math

import numpy as np
import pytest

import limber

FORMULATIONS = ["barrier", "nonpenetration", "velocity"]
DELTA = 2e-3
THICKNESS = 1e-3


def simulate(scene):
    return limber.Simulation(limber.Scene(scene))


def scene(formulation, method, step, body, obstacle, **contact):
    return {
        "time": {"step": step, "duration": 10},
        "method": {"name": method, "newton_tolerance": 1e-8},
        "bodies": [body],
        "obstacles": [obstacle],
        "contact": {"formulation": formulation, "delta": DELTA, **contact},
    }


def block(height):
    return {
        "name": "block",
        "mesh": {"shape": "box", "size": [0.2, 0.1, 0.2], "cells": [2, 1, 2]},
        "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000},
        "damping": {"stiffness": 0.02, "mass": 5},
        "position": [0, height, 0],
    }


def rod(height, velocity):
    """A rod along z whose surface is `height` above y = 0."""
    return {
        "name": "rod",
        "mesh": {"nodes": [[0, 0, -0.05], [0, 0, 0.05]], "edges": [[0, 1]]},
        "springs": {"edges": "mesh", "stiffness": 100},
        "point_mass": 0.1,
        "thickness": THICKNESS,
        "position": [0, height + THICKNESS / 2, 0],
        "velocity": velocity,
    }


def floor(**keys):
    return {"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0], **keys}


def impulse(sim, step):
    """What contact gave the body in one step [N s]: its change of momentum and what gravity took."""
    m = sim.mass().diagonal()[::3]
    before = m @ sim.velocities
    sim.step()
    return m @ sim.velocities - before - m.sum() * step * np.array([0, -9.81, 0])


@pytest.fixture(scope="module")
def rest():
    """The state at rest for a method and formulation: lowest point, largest speed, contact force over weight."""
    known = {}

    def settle(method, formulation):
        if (method, formulation) not in known:
            h = 0.01
            sim = simulate(scene(formulation, method, h, block(0.02), floor()))
            sim.run(1.5)
            speed = np.abs(sim.velocities).max()
            weight = 9.81 * sim.mass().diagonal()[::3].sum()
            force = impulse(sim, h) / (h * weight)
            reported = sum(c["normal_force"] for c in sim.contacts()) / weight
            known[method, formulation] = sim.positions.copy(), speed, force, reported
        return known[method, formulation]

    return settle


@pytest.mark.parametrize("method", ["BE", "SI", "TR-BDF2"])
@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_a_body_at_rest_has_no_velocity_and_bears_its_weight(rest, method, formulation):
    _, speed, force, reported = rest(method, formulation)
    assert speed < 1e-5
    np.testing.assert_allclose(force, [0, 1, 0], atol=1e-3)
    assert reported == pytest.approx(1, abs=2e-3)


@pytest.mark.parametrize("method", ["BE", "SI", "TR-BDF2"])
def test_formulations_agree_on_a_body_at_rest(rest, method):
    """The barrier holds each node a part of delta higher, the more the less it bears; inequalities let it touch, but
    (conb) holds a node where it first comes below delta."""
    at = {f: rest(method, f)[0] for f in FORMULATIONS}
    assert 0 < at["barrier"][:, 1].min() < DELTA
    assert abs(at["nonpenetration"][:, 1].min()) < 1e-7
    assert -1e-7 < at["velocity"][:, 1].min() < DELTA
    for f in FORMULATIONS[1:]:
        assert np.abs(at[f] - at["barrier"]).max() < DELTA


def round_obstacle(shape):
    if shape == "sphere":
        return {"name": "hill", "shape": "sphere", "center": [0, -1, 0], "radius": 1}
    return {"name": "hill", "shape": "cylinder", "a": [0, -1, -1], "b": [0, -1, 1], "radius": 1}


def gap(sim):
    """Of the rod over the hill of radius 1 m about (0, -1): it stays parallel to z."""
    x = sim.positions
    np.testing.assert_allclose(x[0, :2], x[1, :2], atol=1e-9)
    return math.hypot(x[0, 0], x[0, 1] + 1) - 1 - THICKNESS / 2


@pytest.mark.parametrize("shape", ["sphere", "cylinder"])
@pytest.mark.parametrize("method", ["BE", "SI", "TR-BDF2"])
def test_velocity_rejects_what_nonpenetration_allows_on_a_hill(method, shape):
    """A rod glides above the top, and gravity pulls: it may come down to the surface, but (conb) keeps it above the
    tangent plane through where it is (figure contact, right)."""
    h, start = 0.02, 0.8 * DELTA
    gaps, heights = {}, {}
    for formulation in ["nonpenetration", "velocity"]:
        sim = simulate(scene(formulation, method, h, rod(start, [0.5, 0, 0]), round_obstacle(shape)))
        gaps[formulation] = []
        for _ in range(6):
            sim.step()
            gaps[formulation].append(gap(sim))
            heights.setdefault(formulation, sim.positions[0, 1] - THICKNESS / 2)  # after the first step
    opened = (0.5 * h) ** 2 / 2  # moving by s along a tangent opens a gap of s²/2 at radius 1
    assert heights["velocity"] >= start - opened  # a tangent turns with the stages of a step
    assert heights["nonpenetration"] == pytest.approx(0, abs=opened)
    # A trapezoidal stage that is stopped at a surface leaves it again (its rate at the start has no contact force).
    compared = 1 if method == "TR-BDF2" else 6
    for low, high in list(zip(gaps["nonpenetration"], gaps["velocity"]))[:compared]:
        assert high > low + 0.7 * DELTA
    assert min(gaps["nonpenetration"] + gaps["velocity"]) > -1e-7
    # With (cona) that is all there is, in the last stage.
    assert gaps["nonpenetration"][0] == pytest.approx(opened / 4 if method == "TR-BDF2" else opened, rel=0.02)


def test_the_barrier_allows_it_too():
    h, start = 0.02, 0.8 * DELTA
    sim = simulate(scene("barrier", "BE", h, rod(start, [0.5, 0, 0]), round_obstacle("sphere")))
    sim.step()
    assert 0 < gap(sim) < start - 0.15 * DELTA


@pytest.mark.parametrize("formulation", ["nonpenetration", "velocity"])
def test_a_floor_that_rises_lifts_the_body(formulation):
    lift = {"keys": [{"time": 0, "translation": [0, 0, 0]}, {"time": 0.5, "translation": [0, 0.1, 0]}]}
    sim = simulate(scene(formulation, "BE", 0.01, block(0.001), floor(motion=lift)))
    sim.run(0.5)
    low = sim.positions[:, 1].min()
    assert 0.1 - 1e-6 < low < 0.1 + DELTA


@pytest.mark.parametrize("formulation", ["nonpenetration", "velocity"])
def test_two_bodies(formulation):
    """Surfaces meet: the upper block rests on the lower one, which rests on the floor."""
    lower, upper = block(0.001), block(0.103)
    upper["name"] = "upper"
    upper["position"] = [0.03, 0.103, 0.02]
    s = scene(formulation, "BE", 0.01, lower, floor())
    s["bodies"].append(upper)
    sim = simulate(s)
    sim.run(0.5)
    n = len(sim.positions) // 2
    lower, upper = sim.positions[:n].mean(axis=0), sim.positions[n:].mean(axis=0)
    assert 0.095 < upper[1] - lower[1] < 0.1 + DELTA
    assert np.abs(sim.velocities[:, 1]).max() < 5e-3  # it slides off slowly: nothing rubs
    assert min(p["distance"] for p in sim.contacts()) > -1e-6
    assert {p["bodies"] for p in sim.contacts()} >= {("block", "floor")}


@pytest.mark.parametrize("method, why", [("SIERE", "modes"), ("TR-BDF2ERE", "modes"), ("midpoint", "beyond"),
                                         ("verlet", "no stage"), ("ERE", "no stage")])
def test_methods_without_a_stage_to_constrain_are_refused(method, why):
    with pytest.raises(limber.InputError, match=why) as e:
        simulate(scene("nonpenetration", method, 0.01, block(0.01), floor()))
    assert "method.name" in str(e.value)


@pytest.mark.parametrize("keys, where", [({"friction": 0.3}, "contact.friction"),
                                         ({"surface": "smooth"}, "contact.surface")])
def test_what_only_the_barrier_has_is_refused(keys, where):
    with pytest.raises(limber.InputError, match=where):
        simulate(scene("velocity", "BE", 0.01, block(0.01), floor(), **keys))


def test_the_same_bits_again():
    def run():
        sim = simulate(scene("nonpenetration", "TR-BDF2", 0.01, block(0.002), floor()))
        sim.run(0.1)
        return sim.positions.copy()

    assert (run() == run()).all()
