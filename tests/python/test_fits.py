"""Fits of whole scenes: friction."""

import limber
import numpy as np
import pytest

FRICTION = "contact.friction"


def sliding(friction, slope=0, **keys):
    """A soft block that slides to rest on a plane, or down a slope [degrees] on which it can stay where friction is high."""
    slope = np.radians(slope)
    return {"time": {"step": .01, "duration": .4}, "method": {"name": "BE", "newton_tolerance": 1e-10},
            "gravity": [9.81 * np.sin(slope), -9.81 * np.cos(slope), 0],
            "contact": {"delta": .002, "stiffness": 1e5, "friction": friction, "epsilon": .01},
            "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}],
            "bodies": [{"name": "block", "mesh": {"shape": "box", "size": [.2, .05, .1], "cells": [2, 1, 1]},
                        "position": [0, .0015, 0], "velocity": [.7, 0, 0],
                        "material": {"young": 1e5, "poisson": .3, "density": 1000}, **keys}],
            "output": {"probes": [{"name": "top", "body": "block", "point": [.1, .05, .05]}]}}


def probed(scene, folder):
    limber.run(scene, str(folder / "run"))
    return folder / "run" / "probes.csv"


@pytest.mark.parametrize("slope, start", [(0, .02), (0, 3.1), (20, .02), (20, 3.1)])
def test_friction_is_found_from_ten_times_off(tmp_path, slope, start):
    truth = sliding(.25, slope)
    table = probed(truth, tmp_path)
    x = np.genfromtxt(table, delimiter=",", skip_header=1)[:, 1]
    assert x[-1] - x[0] > .05
    assert (abs(x[-1] - x[-2]) < 1e-4) == (slope == 0)  # it has come to rest, or slides on
    r = limber.fit(sliding(start, slope), table, {FRICTION: (1e-3, 10)})
    assert r.converged and r.values[FRICTION] == pytest.approx(.25, rel=1e-3) and r.rms < 1e-6
    assert r.evaluations < 20


def test_friction_is_found_where_a_block_may_tip(tmp_path):
    """Above mu = 1/2, half its width over half its height, it tips instead of sliding: a plateau with hollows, to which a step from
    .1 would lead."""
    tall = {"mesh": {"shape": "box", "size": [.06, .12, .06], "cells": [1, 2, 1]}, "velocity": [1, 0, 0]}
    scenes = {friction: sliding(friction, **tall) for friction in (.1, .3)}
    for scene in scenes.values():
        scene["output"]["probes"][0]["point"] = [.03, .12, .03]
    r = limber.fit(scenes[.1], probed(scenes[.3], tmp_path), {FRICTION: (1e-3, 10)})
    assert r.converged and r.values[FRICTION] == pytest.approx(.3, rel=1e-3)
