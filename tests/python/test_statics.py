"""`limber statics` where the whole load is too much at once: against closed forms, with the path's limit and its words."""

import os
import pty
import re
import subprocess

import numpy as np
import pytest

import limber


def scene(*bodies, **keys):
    return {"time": {"step": 0.01, "duration": 1}, "gravity": [0, 0, 0], "bodies": list(bodies), **keys}


def neo_hookean(shear, poisson):
    return {"model": "neo_hookean", "young": 2 * shear * (1 + poisson), "poisson": poisson, "density": 1000}


# --- a sphere that is blown up: its pressure has a maximum ---------------------------------------------------------

SHEAR, INNER, OUTER = 1e5, .4, .5
SYMMETRY = [{"nodes": {"box": {"min": low, "max": high}}, "axes": axis}
            for axis, low, high in (("x", [0, -9, -9], [0, 9, 9]), ("y", [-9, 0, -9], [9, 0, 9]), ("z", [-9, -9, 0], [9, 9, 0]))]


def pressure(inner):
    """Of an incompressible neo-Hookean sphere with a thick wall, over the stretch of its inner surface: the integral of
    W'/(stretch^3 - 1), W = mu/2 (2 stretch^2 + stretch^-4 - 3), from the outer stretch to the inner one."""
    outer = (1 + (INNER / OUTER)**3 * (inner**3 - 1))**(1 / 3)
    of = lambda stretch: 1 / stretch + 1 / (4 * stretch**4)
    return 2 * SHEAR * (of(outer) - of(inner))


STRETCHES = np.linspace(1, 3, 20001)
LARGEST = pressure(STRETCHES).max()


def sphere(load, resolution):
    body = {"name": "sphere", "mesh": {"shape": "shell", "radius": OUTER, "thickness": OUTER - INNER, "resolution": resolution, "layers": 1},
            "element": "P2", "material": neo_hookean(SHEAR, .49), "pin": SYMMETRY}
    radii = np.linalg.norm(limber.Simulation(limber.Scene(scene(body))).positions, axis=1)
    body["loads"] = [{"faces": {"nodes": np.flatnonzero(radii < 1.02 * INNER).tolist()}, "pressure": load}]
    return scene(body), radii


def test_a_sphere_is_blown_up_towards_its_limit(limber_cli, write_scene):
    load = .8 * LARGEST
    made, radii = sphere(load, .2)
    x = np.array(limber_cli("statics", write_scene(made), "--json").json["positions"])
    rising = STRETCHES[:pressure(STRETCHES).argmax()]
    exact = np.interp(load, pressure(rising), rising)
    corners = np.abs(radii - INNER) < 1e-9
    assert np.linalg.norm(x[corners], axis=1).mean() / INNER == pytest.approx(exact, rel=.02)


def test_beyond_the_limit_the_largest_pressure_is_said_and_progress_is_shown(limber_program, write_scene, tmp_path):
    made, _ = sphere(1.2 * LARGEST, .3)
    ours, theirs = pty.openpty()
    process = subprocess.Popen([limber_program, "statics", write_scene(made)], cwd=tmp_path, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    said = b""
    try:
        while more := os.read(ours, 4096):
            said += more
    except OSError:  # the other end is closed
        pass
    assert process.wait() == 1
    said = said.decode()
    assert re.search(r"% of the load carried, .* Newton iterations, \d+\.\d s", said), said
    largest = float(re.search(r"turns back at ([\d.]+) % of the load, the most", said)[1])
    assert largest / 100 * 1.2 == pytest.approx(1, rel=.02)


# --- prescribed motion ---------------------------------------------------------------------------------------------


def test_a_block_is_compressed_by_prescribed_motion(limber_cli, write_scene):
    """By 60 % at t = 0, three times as much as its upper layer of elements is thick."""
    material, stretch = neo_hookean(3e5, .45), .4
    body = {"name": "block", "mesh": {"shape": "box", "size": [.04, .02, .03], "cells": [4, 5, 3]}, "element": "hex", "material": material,
            "pin": [{"nodes": "bottom", "axes": "y"}, {"nodes": "left", "axes": "x"}, {"nodes": "back", "axes": "z"}],
            "script": [{"nodes": "top", "axes": "y", "keys": [{"time": 0, "translation": [0, .02 * (stretch - 1), 0]}]}]}
    found = limber_cli("statics", write_scene(scene(body)), "--json").json
    rest = limber.Simulation(limber.Scene(scene({k: v for k, v in body.items() if k != "script"}))).positions
    # Across it is free: the stretch that leaves no stress there.
    law = limber.Material("neo_hookean", young=material["young"], poisson=.45)
    low, high = 1., 3.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if law.stress(np.diag([middle, stretch, middle]))[0, 0] > 0 else (middle, high)
    lowest = rest.min(axis=0)
    np.testing.assert_allclose(found["positions"], lowest + (rest - lowest) * [low, stretch, low], atol=1e-8)


def test_a_finger_is_bent_by_pressure_on_one_side(limber_cli, write_scene):
    """The elastica under a load that follows its normal, integrated from the free end: EI k' = -Q, Q' = -w - k N, N' = k Q."""
    length, height, width, young, load = .1, .006, .01, 1e6, 400.
    body = {"name": "finger", "mesh": {"shape": "box", "size": [length, height, width], "cells": [16, 1, 1], "split": "five"}, "element": "P2",
            "material": {"model": "neo_hookean", "young": young, "poisson": .3, "density": 1000},
            "pin": {"box": {"min": [-1, -1, -1], "max": [1e-9, 1, 1]}}, "loads": [{"faces": "bottom", "pressure": load}]}
    x = np.array(limber_cli("statics", write_scene(scene(body)), "--json").json["positions"])
    rest = limber.Simulation(limber.Scene(scene({k: v for k, v in body.items() if k != "loads"}))).positions
    end = np.abs(rest[:, 0] - rest[:, 0].max()) < 1e-9
    up = x[end][rest[end, 1] > rest[end, 1].mean()].mean(axis=0) - x[end][rest[end, 1] < rest[end, 1].mean()].mean(axis=0)
    angle = np.arctan2(-up[0], up[1])
    EI, w, n = young * width * height**3 / 12, load * width, 20000
    k = Q = N = turned = 0.
    for _ in range(n):  # backwards along the finger; short steps by the midpoint rule
        h = length / n
        mid = (k + h / 2 * Q / EI, Q + h / 2 * (w + k * N), N - h / 2 * k * Q)
        k, Q, N = k + h * mid[1] / EI, Q + h * (w + mid[0] * mid[2]), N - h * mid[0] * mid[1]
        turned += h * mid[0]
    assert turned > 1, "it is hardly bent"
    assert angle == pytest.approx(turned, rel=.03)


# --- what is free to move ------------------------------------------------------------------------------------------


def block(name, **keys):
    return {"name": name, "mesh": {"shape": "box", "size": [.2, .05, .05], "cells": [4, 1, 1]},
            "material": {"model": "neo_hookean", "young": 1e6, "poisson": .3, "density": 1000}, **keys}


def edge(body):
    """Held along the edge x = y = 0, about which it can turn."""
    return {**body, "pin": {"box": {"min": [-1, -1e-9, -1], "max": [1e-9, 1e-9, 1]}}}


def test_a_body_that_can_turn_is_named_and_comes_to_hang(limber_cli, write_scene):
    made = scene(edge(block("flap")), gravity=[0, -9.81, 0])
    done = limber_cli("statics", write_scene(made), "--json")
    assert 'note: "flap" can turn about the axis through (0, 0, ' in done.err and "along (0, 0, 1)" in done.err
    centre = np.array(done.json["positions"]).mean(axis=0)
    assert centre[1] == pytest.approx(-(.1**2 + .025**2)**.5, rel=.02) and abs(centre[0]) < 1e-3


@pytest.mark.parametrize("pin, said", [
    ([{"nodes": "bottom", "axes": "y"}], "can slide in all directions across (0, 1, 0) and turn about the axis"),
    ([{"nodes": "bottom", "axes": "yz"}], "can slide along (1, 0, 0): nothing"),
    ([], "can move in all directions and turn about all axes"),
], ids=["on a table", "on a rail", "free"])
def test_a_body_that_can_slide_is_named(limber_cli, write_scene, pin, said):
    made = scene(block("puck", pin=pin), block("wall", position=[0, 1, 0], pin="left"))
    push = {"faces": "right", "traction": [1e3, 0, 0]}
    made["bodies"][0]["loads"] = [push]
    err = limber_cli("statics", write_scene(made), status=1).err
    assert err.count("note: ") == 1 and f'note: "puck" {said}' in err
    assert err.count(said) == 2, "the failure names it too"
    with pytest.raises(limber.StepFailure, match=re.escape(said)):
        limber.statics(limber.Scene(made))


def test_bodies_that_are_held_are_not_named(limber_cli, write_scene):
    assert "note" not in limber_cli("statics", write_scene(scene(block("arm", pin="left"), gravity=[0, -9.81, 0]))).err
