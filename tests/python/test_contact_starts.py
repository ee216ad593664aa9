"""Scenes that start with something inside something, or touching: what is said, and what push_apart makes of it."""

import numpy as np
import pytest

import limber

BRICK = "".join(f"v {x} {y} {z}\n" for z in (-0.1, 0.1) for y in (-0.1, 0.1) for x in (-0.1, 0.1)) + "".join(
    f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in [
        (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6),
        (1, 3, 5), (3, 7, 5)])


def cube(name, position, cells=1, **keys):
    return {"name": name, "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [cells] * 3}, "position": position,
            "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}, **keys}


def make(bodies, obstacles, **contact):
    return {"time": {"step": 0.01, "duration": 1}, "method": {"name": "BE"}, "bodies": bodies, "obstacles": obstacles,
            "contact": contact, "threads": 1}


def floor(**keys):
    return {"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0], **keys}


def refusal(scene):
    with pytest.raises(limber.InputError) as e:
        limber.Simulation(limber.Scene(scene))
    return str(e.value)


@pytest.mark.parametrize("center", [[0.5, 0.5, 0.5], [1.5, 0.5, 0.5]], ids=["around", "beside"])
def test_a_body_inside_a_large_sphere_is_the_one_inside(center):
    said = refusal(make([cube("a", [0, 0, 0])], [{"name": "ball", "shape": "sphere", "center": center, "radius": 5}]))
    assert said.startswith("bodies[0]: 'a' is inside 'ball' at the start: node ") and "4.13 m deep" in said


def test_a_small_sphere_inside_a_body_is_the_one_inside():
    said = refusal(make([cube("a", [0, 0, 0])],
                        [{"name": "pea", "shape": "sphere", "center": [0.5, 0.5, 0.6], "radius": 0.1}]))
    assert said.startswith("obstacles[0]: 'pea' is inside 'a' at the start") and "0.4 m deep" in said


@pytest.mark.parametrize("height, word", [(0, "touch"), (-1e-16, "touch")])
def test_a_node_on_the_plane_touches(height, word):
    said = refusal(make([cube("a", [0, 0, 0])], [floor(point=[0, -height, 0])]))
    assert f"'a' and 'floor' {word} at the start" in said and "cross" not in said


def test_a_thick_body_overlaps():
    rod = {"name": "rod", "mesh": {"nodes": [[0, 0.03, 0], [1, 0.03, 0]], "edges": [[0, 1]]}, "thickness": 0.1,
           "springs": {"stiffness": 100}, "point_mass": 0.1}
    block = {"name": "block", "shape": "box", "center": [0.5, -0.5, 0], "size": [0.2, 1, 1]}
    assert "'rod' and 'block' overlap at the start (gap -0.02 m)" in refusal(make([rod], [block]))


@pytest.mark.parametrize("obstacle", [
    {"shape": "torus", "center": [0.5, 0.5, 0.5], "axis": [0, 1, 1], "major": 0.25, "minor": 0.05},
    {"shape": "cylinder", "a": [0.5, 0.3, 0.5], "b": [0.5, 0.7, 0.5], "radius": 0.2},
    {"shape": "mesh", "file": "brick.obj", "position": [0.5, 0.5, 0.5], "form": "distance", "resolution": 12},
], ids=["torus", "cylinder", "mesh"])
def test_obstacles_that_act_on_vertices_are_found_inside_a_coarse_body(tmp_path, monkeypatch, obstacle):
    (tmp_path / "brick.obj").write_text(BRICK)
    monkeypatch.chdir(tmp_path)
    said = refusal(make([cube("a", [0, 0, 0])], [{"name": "thing", **obstacle}]))
    assert said.startswith("obstacles[0]: 'thing' is inside 'a' at the start") and "m deep" in said


@pytest.mark.parametrize("corners, obstacles", [
    ([[0, 0, 0], [0.3, 0.1, 0.2], [0.1, 0.4, 0.3]], []),
    ([[0, 0, 0], [0, 0, 0], [0, 0, 0]], []),
    ([[0, 0, 0], [0.3, 0.1, 0.2], [0.1, 0.4, 0.3], [0.2, 0.2, 0.2], [-0.1, 0.3, -0.2]], []),
    ([[0, -0.2, 0], [0.3, -0.4, 0.2], [0.1, -0.1, 0.3]], [floor()]),
], ids=["three", "three at one place", "five", "three in a plane"])
def test_push_apart_frees_many(corners, obstacles):
    scene = make([cube(f"c{i}", c, 2) for i, c in enumerate(corners)], obstacles, start="push_apart", delta=0.01)
    sim = limber.Simulation(limber.Scene(scene))
    x = sim.positions.reshape(len(corners), 27, 3)
    low, high = x.min(axis=1), x.max(axis=1)
    np.testing.assert_allclose(high - low, 1, atol=1e-12)
    for i in range(len(corners)):
        for j in range(i):
            assert np.maximum(low[i] - high[j], low[j] - high[i]).max() > 0.0099
    if obstacles:
        assert low[:, 1].min() > 0.0099
    sim.step()


def test_push_apart_leaves_pinned_bodies():
    scene = make([cube("a", [0, 0, 0], pin=["bottom"]), cube("b", [0.3, 0.1, 0.2]), cube("c", [0.1, 0.4, 0.3])],
                 [], start="push_apart")
    sim = limber.Simulation(limber.Scene(scene))
    np.testing.assert_allclose(sim.positions[:8].mean(axis=0), [0.5, 0.5, 0.5], atol=1e-12)
    both = make([cube("a", [0, 0, 0], pin=["bottom"]), cube("b", [0.3, 0.1, 0.2], pin=["top"])], [], start="push_apart")
    assert "'b' is inside 'a'" in refusal(both) or "'a' is inside 'b'" in refusal(both)
