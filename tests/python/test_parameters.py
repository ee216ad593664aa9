"""Numbers of a scene that are changed while its motion goes on."""

import math
import threading

import limber
import numpy as np
import pytest

H = 0.01


def bar(**changes):
    body = {"name": "bar", "mesh": {"shape": "box", "size": [1, 0.4, 0.4], "cells": [3, 2, 2]},
            "material": {"young": 1e5, "poisson": 0.3, "density": 1000}, "velocity": [0, 0.3, 0], "pin": "left"}
    return {"time": {"step": H, "duration": 1}, "bodies": [{**body, **changes}]}


def positions(sim, steps):
    all_of_them = []
    for _ in range(steps):
        sim.step()
        all_of_them.append(np.array(sim.positions))
    return np.array(all_of_them)


def test_a_mapping():
    sim = limber.Simulation(bar(loads=[{"nodes": "right", "force": [0, 1, 0]}]))
    assert set(sim.parameters) == {
        "gravity", "bodies[0].material.young", "bodies[0].material.poisson", "bodies[0].material.density",
        "bodies[0].damping.stiffness", "bodies[0].damping.mass", "bodies[0].loads[0].force"}
    assert len(sim.parameters) == 7
    assert "gravity" in sim.parameters and "time.step" not in sim.parameters
    assert sim.parameters["bodies[0].material.young"] == 1e5
    assert sim.parameters.get("nothing", 3) == 3
    assert list(sim.parameters["gravity"]) == [0, -9.81, 0]
    assert dict(sim.parameters)["bodies[0].material.poisson"] == 0.3
    with pytest.raises(ValueError):
        sim.parameters["gravity"][1] = 0  # a copy
    sim.parameters["gravity"] = np.array([0, 0, -1])
    sim.set("bodies[0].loads[0].force", (0, 2, 0))
    assert list(sim.parameters["gravity"]) == [0, 0, -1]
    assert list(sim.parameters["bodies[0].loads[0].force"]) == [0, 2, 0]


@pytest.mark.parametrize("key, value", [("young", 3e5), ("poisson", 0.2), ("density", 500)])
def test_before_the_first_step_it_is_a_scene_with_the_value(key, value):
    sim = limber.Simulation(bar())
    sim.parameters["bodies[0].material." + key] = value
    scene = bar()
    scene["bodies"][0]["material"][key] = value
    made = limber.Simulation(scene)
    assert np.array_equal(positions(sim, 5), positions(made, 5))
    assert sim.energies() == made.energies()
    assert np.array_equal(sim.von_mises(), made.von_mises())
    assert sim.bodies[0].mass == made.bodies[0].mass


def test_the_motion_goes_on():
    sim = limber.Simulation({**bar(), "method": {"name": "SIERE", "modes": 6}})
    sim.run(0.2)
    x, v, before = np.array(sim.positions), np.array(sim.velocities), sim.energies()
    sim.parameters["bodies[0].material.young"] *= 4
    after = sim.energies()
    assert np.array_equal(sim.positions, x) and np.array_equal(sim.velocities, v) and sim.time == pytest.approx(0.2)
    assert after["kinetic"] == before["kinetic"]
    assert after["elastic"] == pytest.approx(4 * before["elastic"])
    sim.parameters["bodies[0].material.density"] = 2000
    assert np.array_equal(sim.velocities, v)
    assert sim.energies()["kinetic"] == pytest.approx(2 * before["kinetic"])
    assert sim.bodies[0].mass == pytest.approx(320)
    notes = [note for _ in range(30) for note in sim.step()["notes"]]
    assert notes == []
    assert sim.time == pytest.approx(0.5)


def test_stiffness_and_weight_follow():
    sim = limber.Simulation(bar())
    K, f = sim.stiffness(), sim.force()
    sim.parameters["bodies[0].material.young"] = 2e5
    assert abs(sim.stiffness() - 2 * K).max() <= 1e-12 * abs(K).max()
    assert np.allclose(sim.force(), f)
    sim.parameters["bodies[0].material.density"] = 2000
    assert np.allclose(sim.force(), 2 * f)
    sim.parameters["gravity"] = [0, 0, 0]
    assert np.abs(sim.force()).max() < 1e-9


def test_several_at_once():
    scene = bar(material={"model": "mooney_rivlin", "c10": 2e4, "c01": 5e3, "bulk": 2e5})
    sim = limber.Simulation(scene)
    names = "bodies[0].material.c10", "bodies[0].material.c01"
    with pytest.raises(limber.InputError):
        sim.parameters[names[0]] = -6e3  # the shear modulus would be negative
    sim.parameters.update({names[0]: -6e3, names[1]: 3e4})
    assert [sim.parameters[name] for name in names] == [-6e3, 3e4]
    with pytest.raises(limber.InputError, match="density"):
        sim.parameters.update({names[0]: 1e4, "bodies[0].material.density": 0})
    assert sim.parameters[names[0]] == -6e3


@pytest.mark.parametrize("name, value, message", [
    ("bodies[0].material.yuong", 1e5, r"did you mean \"bodies\[0\].material.young\""),
    ("bodies[0].mesh", 1, "cannot be changed while the motion goes on"),
    ("time.step", 0.1, "cannot be changed while the motion goes on"),
    ("nonsense", 1, "there is no such parameter.*bodies.0..material.young"),
    ("bodies[0].material.young", -1, "bodies.0..material.young: .*-1"),
    ("bodies[0].material.young", 0, "bodies.0..material.young"),
    ("bodies[0].material.poisson", 0.5, r"outside \(-1, 0.5\)"),
    ("bodies[0].material.young", math.nan, "nan is not finite"),
    ("bodies[0].material.young", math.inf, "inf is not finite"),
    ("bodies[0].material.young", [1e5, 2e5], "expected a number, got 2 numbers"),
    ("bodies[0].material.young", "soft", "expected a number or a list of numbers, in SI units, got 'soft'"),
    ("bodies[0].material.young", None, "expected a number"),
    ("gravity", 9.81, "gravity: expected 3 numbers, got one number"),
    ("gravity", [0, 1], "gravity: expected 3 numbers, got 2 numbers"),
])
def test_errors(name, value, message):
    sim = limber.Simulation(bar())
    with pytest.raises(limber.InputError, match=message):
        sim.parameters[name] = value
    assert np.array_equal(positions(sim, 2), positions(limber.Simulation(bar()), 2))


def test_reading_what_is_not_there():
    with pytest.raises(limber.InputError, match="did you mean"):
        limber.Simulation(bar()).parameters["gravitiy"]


def test_refused_while_a_step_is_running():
    sim = limber.Simulation(bar())
    said = []

    def force(q, v, t):
        try:
            sim.parameters["gravity"] = [0, 0, 0]
        except Exception as e:
            said.append(str(e))
        return np.zeros_like(q)

    sim.add_force(force)
    sim.step()
    assert said and "parameters" in said[0]
    assert list(sim.parameters["gravity"]) == [0, -9.81, 0]


def test_another_thread_waits_its_turn():
    sim = limber.Simulation(bar())
    thread = threading.Thread(target=sim.run, args=(0.5,))
    thread.start()
    for k in range(1, 20):
        sim.parameters["bodies[0].material.young"] = 1e5 * k
    thread.join()
    assert sim.time == pytest.approx(0.5) and sim.parameters["bodies[0].material.young"] == 19e5
    assert np.isfinite(sim.positions).all()


def test_a_force_that_is_added_keeps_changed_values():
    sim = limber.Simulation(bar())
    sim.parameters["bodies[0].material.young"] = 4e5
    sim.add_force(lambda q, v, t: np.zeros_like(q))
    assert sim.parameters["bodies[0].material.young"] == 4e5
    plain = bar()
    plain["bodies"][0]["material"]["young"] = 4e5
    assert np.allclose(positions(sim, 3), positions(limber.Simulation(plain), 3), rtol=0, atol=1e-12)


def test_fields_have_a_number_for_each_element(tmp_path):
    lines = ["# vtk DataFile Version 3.0", "two tetrahedra", "ASCII", "DATASET UNSTRUCTURED_GRID", "POINTS 5 double",
             "0 0 0", "1 0 0", "0 1 0", "0 0 1", "1 1 1", "CELLS 2 10", "4 0 1 2 3", "4 1 2 3 4", "CELL_TYPES 2", "10", "10",
             "CELL_DATA 2", "SCALARS E double 1", "LOOKUP_TABLE default", "1e5", "3e5"]
    (tmp_path / "two.vtk").write_text("\n".join(lines) + "\n")
    scene = bar(mesh={"file": str(tmp_path / "two.vtk")},
                material={"young": {"field": "E"}, "poisson": 0.3, "density": 1000})
    sim = limber.Simulation(scene)
    name = "bodies[0].material.young"
    assert list(sim.parameters[name]) == [1e5, 3e5]
    K = sim.stiffness()
    sim.parameters[name] = 2 * sim.parameters[name]
    assert abs(sim.stiffness() - 2 * K).max() <= 1e-12 * abs(K).max()
    with pytest.raises(limber.InputError, match="one for each of the 2 elements"):
        sim.parameters[name] = [1, 2, 3]
    with pytest.raises(limber.InputError, match=r"young\[1\]"):
        sim.parameters[name] = [1e5, -1]
    sim.parameters[name] = 5e4
    assert list(sim.parameters[name]) == [5e4, 5e4]
    sim.run(0.1)
    assert np.isfinite(sim.von_mises()).all()
