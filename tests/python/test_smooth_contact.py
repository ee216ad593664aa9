"""Contact with smooth surfaces: rest, momentum, friction, what it is for, no intersection, and bad input."""

import json
import subprocess

import numpy as np
import pytest

import limber
from test_contact_scenes import ball, warped_box

SOFT = {"model": "neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000}


def body(name, mesh, **more):
    return {"name": name, "mesh": mesh, "material": SOFT, **more}


def block(size, cells, origin):
    return {"shape": "box", "size": size, "cells": cells, "origin": origin}


def scene(bodies, method="BE", step=0.01, gravity=(0, 0, 0), duration=1, obstacles=(), **contact):
    return {"time": {"step": step, "duration": duration}, "method": {"name": method}, "gravity": list(gravity),
            "bodies": bodies, "obstacles": list(obstacles),
            "contact": {"surface": "smooth", "delta": 2e-3, "self": False, **contact}}


def simulate(made):
    return limber.Simulation(limber.Scene(made))


def resting(method, **contact):
    """A ball on a wide block whose bottom is held."""
    table = body("table", block([0.4, 0.1, 0.4], [8, 2, 8], [-0.2, -0.1, -0.2]), pin="bottom")
    return scene([table, body("ball", ball(0.08, 4, (0.01, 0.1, 0.02)), damping={"mass": 20})], method,
                 gravity=(0, -9.81, 0), **contact)


@pytest.mark.parametrize("method", ["BE", "TR-BDF2"])
def test_a_ball_at_rest_presses_with_its_weight(method):
    made = resting(method)
    sim = simulate(made)
    sim.run(1.5)
    points = sim.contacts()
    assert {p["kind"] for p in points} == {"point-smooth"}
    on_ball = sum((1 if p["bodies"][0] == "ball" else -1) * p["normal_force"] * np.asarray(p["normal"])
                  for p in points)
    weight = 9.81 * mass_of(made["bodies"][1]["mesh"])
    assert on_ball[1] == pytest.approx(weight, rel=0.01)
    assert np.abs(on_ball[[0, 2]]).max() < 0.01 * weight
    assert all(p["distance"] > 0 for p in points)


def mass_of(mesh):
    volume = 0
    x = np.array(mesh["nodes"])
    for t in mesh["tets"]:
        volume += abs(np.linalg.det(x[t[1:]] - x[t[0]])) / 6
    return SOFT["density"] * volume


def collision(method, **contact):
    return scene([body("a", ball(0.08, 4, (0, 0, 0)), velocity=[1, 0, 0]),
                  body("b", ball(0.08, 3, (0.2, 0.03, 0.01)), velocity=[-1, 0, 0.2])], method, step=0.005,
                 duration=0.15, **contact)


@pytest.mark.parametrize("method, friction", [("BE", 0), ("TR-BDF2", 0), ("BE", 0.4), ("SIERE", 0)])
def test_two_balls_collide(limber_program, tmp_path, method, friction):
    made = collision(method, friction=friction)
    path, out = tmp_path / "scene.json", tmp_path / "out"
    path.write_text(json.dumps(made))
    subprocess.run([limber_program, "run", str(path), "-o", str(out)], check=True, capture_output=True)
    subprocess.run([limber_program, "check", str(out)], check=True, capture_output=True)
    rows = (out / "contacts.csv").read_text().splitlines()
    assert len(rows) > 2
    sim = simulate(made)
    M = sim.mass()

    def momentum():
        return (M @ sim.velocities.ravel()).reshape(-1, 3).sum(0)

    before = momentum()
    touched = False
    while sim.time < 0.15 - 1e-9:
        sim.step()
        touched = touched or any(p["kind"] == "point-smooth" for p in sim.contacts())
    assert touched
    assert np.abs(momentum() - before).max() < 1e-6 * np.abs(M @ sim.velocities.ravel()).sum()
    assert sim.velocities[: len(made["bodies"][0]["mesh"]["nodes"]), 0].mean() < 0.5  # it was stopped or thrown back


def test_friction_takes_energy_and_both_forms_agree():
    def slide(mu, form):
        made = resting("BE", friction=mu, friction_form=form)
        made["bodies"][1]["velocity"] = [0.3, 0, 0]
        sim = simulate(made)
        sim.run(0.2)
        return sim.positions.copy(), sim.energies()["friction_loss"]

    free, coupled, lagged = slide(0, "coupled"), slide(0.5, "coupled"), slide(0.5, "lagged")
    assert free[1] == 0
    assert coupled[1] > 1e-5
    assert lagged[1] == pytest.approx(coupled[1], rel=1e-3)
    assert np.abs(coupled[0] - lagged[0]).max() < 1e-5
    assert np.abs(coupled[0] - free[0]).max() > 1e-3


def rattle(surface):
    """The total variation of the normal force on a small ball that slides over a faceted cylinder."""
    def hill(u, v, w):
        angle = 1.2 * (u - 0.5)
        radius = 0.3 + 0.1 * v
        return radius * np.sin(angle), radius * np.cos(angle), 0.3 * (w - 0.5)

    track = warped_box((8, 2, 6), hill)
    held = {"nodes": [i for i in range(len(track["nodes"])) if i // 9 % 3 < 2]}
    made = scene([body("track", track, pin=held),
                  body("slider", ball(0.04, 3, (-0.13, 0.43, 0)), velocity=[1, 0, 0],
                       damping={"mass": 2, "stiffness": 2e-3})], "BE", step=0.002, gravity=(0, -40, 0),
                 surface=surface)
    made["bodies"][1]["material"] = {**SOFT, "young": 1e6}
    sim = simulate(made)
    force = []
    for _ in range(130):
        sim.step()
        force.append(sum(p["normal_force"] for p in sim.contacts()))
    force = np.array(force)
    return np.abs(np.diff(force[40:])).sum()


def test_a_slider_rattles_less_on_a_smooth_surface():
    assert rattle("smooth") < 0.8 * rattle("triangles")


def test_what_starts_between_a_smooth_surface_and_its_triangles_is_refused_or_moved():
    bodies = [body("low", block([0.2, 0.2, 0.2], [3, 3, 3], [0, 0, 0])),
              body("high", block([0.2, 0.2, 0.2], [3, 3, 3], [0.02, 0.203, 0.01]))]
    with pytest.raises(limber.InputError, match="smooth surface of '(low|high)'") as e:
        simulate(scene(bodies))
    assert "push_apart" in str(e.value)
    sim = simulate(scene(bodies, start="push_apart"))
    sim.step()


def test_too_few_triangles_are_refused():
    spike = {"nodes": [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], "tets": [[0, 1, 2, 3]]}
    with pytest.raises(limber.InputError, match="'spike' has too few triangles"):
        simulate(scene([body("spike", spike)]))


def test_a_delta_beyond_the_reach_is_refused():
    with pytest.raises(limber.InputError, match="contact.delta"):
        simulate(scene([body("ball", ball(0.08, 4, (0, 0, 0)))], delta=0.05))
