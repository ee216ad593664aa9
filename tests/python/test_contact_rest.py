"""What stands on the floor stands still, and the floor carries its weight, with every method that takes contact."""

import numpy as np
import pytest

import limber

METHODS = [m["name"] for m in limber.methods() if "printed" not in m["name"]]


@pytest.mark.parametrize("method", METHODS)
def test_at_rest_the_contact_force_is_the_weight(method):
    step = 0.002 if method in ("symplectic-euler", "verlet", "RK4") else 0.01
    body = {"mesh": {"shape": "box", "size": [1, 1, 1], "cells": [2, 1, 1]}, "position": [0, 0.004, 0],
            "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 100},
            "damping": {"mass": 50, "stiffness": 0.003}}
    sim = limber.Simulation({
        "time": {"step": step, "duration": 1.5}, "method": method, "bodies": [body], "contact": {"delta": 0.01},
        "obstacles": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})
    for _ in range(round(1.5 / step)):
        sim.step()
    carried = sum(c["normal_force"] * np.array(c["normal"]) for c in sim.contacts())
    assert carried == pytest.approx([0, 100 * 9.81, 0], rel=1e-6, abs=1e-6 * 981)
    assert np.abs(sim.velocities).max() < 1e-6
    assert sim.positions[:, 1].min() > 0
