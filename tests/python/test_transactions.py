"""A step that does not end well has not happened: whatever a force throws, and wherever in the step it does."""

import numpy as np
import pytest

import limber

METHODS = ["BE", "SI", "BDF2", "TR-BDF2", "STR-SBDF2", "gen-alpha", "verlet", "SIERE", "SBDF2ERE", "TR-BDF2ERE"]


class Mine(Exception):
    pass


class Push:
    """A force that counts its calls and gives up at one of them."""

    def __init__(self):
        self.calls, self.fails_at = 0, None

    def __call__(self, q, v, t):
        self.calls += 1
        if self.calls == self.fails_at:
            raise Mine
        return 5 * np.cos(3 * t) * np.ones_like(q)


def started(method, contact):
    body = {"mesh": {"shape": "box", "size": [1, 1, 1], "cells": [2, 1, 1]}, "position": [0, 0.02, 0],
            "material": {"model": "neo_hookean", "young": 2e4, "poisson": 0.3, "density": 100},
            "velocity": [0.1, -2, 0], "damping": {"stiffness": 0.002}}
    scene = {"time": {"step": 0.01, "duration": 1}, "method": method, "bodies": [body]}
    if contact:
        scene["contact"] = {"delta": 0.02, "friction": 0.3}
        scene["obstacles"] = [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]
    push = Push()
    sim = limber.Simulation(scene)
    sim.add_force(push)
    return sim, push


def seen(sim):
    return sim.time, sim.positions.copy(), sim.velocities.copy(), dict(sim.energies())


def same(a, b):
    return a[0] == b[0] and np.array_equal(a[1], b[1]) and np.array_equal(a[2], b[2]) and a[3] == b[3]


@pytest.mark.parametrize("contact", [False, True], ids=["free", "contact"])
@pytest.mark.parametrize("method", METHODS)
def test_an_exception_in_a_step_leaves_all_as_it_was(method, contact):
    plain, counting = started(method, contact)
    calls = []
    for _ in range(8):
        before = counting.calls
        plain.step()
        calls.append(counting.calls - before)
    disturbed, push = started(method, contact)
    for step in range(8):
        before = seen(disturbed)
        for part in (0, 0.5, 1) if step > 1 else ():  # at the first call of the step, amid it, at its last one
            push.calls, push.fails_at = 0, 1 + round(part * (calls[step] - 1))
            with pytest.raises(Mine):
                disturbed.step()
            assert same(before, seen(disturbed)), (step, part)
        push.fails_at = None
        disturbed.step()
    assert disturbed.time == plain.time
    close = 1e-7 if method.endswith("ERE") else 1e-9  # modes are found anew, to a tolerance of their own
    for a, b in zip(seen(disturbed)[1:3], seen(plain)[1:3]):
        np.testing.assert_allclose(a, b, rtol=0, atol=close)
