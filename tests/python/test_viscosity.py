"""Bodies that relax: what a user sees of the Prony series."""

import copy
import json

import numpy as np
import pytest

import limber

BRANCHES = [{"share": 0.3, "time": "50 ms"}, {"share": 0.2, "time": 0.4}]
GAMMA, TAU = np.array([0.3, 0.2]) / 0.5, np.array([0.05, 0.4])


def material(viscous=True, **keys):
    m = {"model": "neo_hookean", "young": 2e4, "poisson": 0.3, "density": 1000, **keys}
    return {**m, "viscosity": BRANCHES} if viscous else m


def energies(directory):
    table = np.genfromtxt(directory / "energy.csv", delimiter=",", names=True)
    return table, json.loads((directory / "summary.json").read_text())


def test_a_held_strain_relaxes(bar):
    """A bar without weight or inertia to speak of is stretched in 20 ms and held."""
    h, ramp = 0.005, 0.02

    def pulls(viscous):
        scene = bar(material=material(viscous, density=1e-4), gravity=[0, 0, 0], method={"name": "BE"},
                    time={"step": h, "duration": 1},
                    script=[{"nodes": "right", "keys": [{"time": 0}, {"time": ramp, "translation": [1e-6, 0, 0]}]}])
        sim = limber.Simulation(limber.Scene(scene))
        right = sim.positions[sim.pinned, 0] > 1 - 1e-6
        found = []
        for _ in range(100):
            sim.step()
            found.append((sim.time, sim.reactions()[right, 0].sum()))
        return np.array(found).T

    t, force = pulls(True)
    slow = pulls(False)[1]
    assert slow[-1] > 0
    held = t >= ramp - 1e-9
    expected = 1 + (GAMMA * TAU / ramp * np.expm1(ramp / TAU) * np.exp(-t[held, None] / TAU)).sum(axis=1)
    assert expected[0] > 1.8 and expected[-1] < 1.2
    assert np.allclose(force[held] / slow[held], expected, rtol=1e-4)


def test_slow_things_stay_as_they_are(bar):
    """Statics and modes are those of long times; a body hangs as it would without viscosity."""
    viscous, elastic = (limber.Scene(bar(material=material(v))) for v in (True, False))
    assert np.allclose(limber.statics(viscous), limber.statics(elastic), atol=1e-9)
    assert np.allclose(limber.modes(viscous, 6)[0], limber.modes(elastic, 6)[0], rtol=1e-9)


@pytest.mark.parametrize("method", ["TR-BDF2", "SI", "SIERE", "symplectic-euler"])
def test_energy_is_stored_or_lost(limber_cli, write_scene, bar, tmp_path, method):
    """A bar that falls into its weight swings out, and no energy appears."""
    scene = bar(material=material(), method={"name": method}, time={"step": 0.002, "duration": 3})
    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    table, summary = energies(tmp_path / "out")
    fall = table["gravitational"][0] - table["gravitational"].min()
    assert table["damping_loss"][-1] > 0.3 * fall
    assert summary["energy_gain"] < 2e-3 * fall
    if method == "TR-BDF2":
        balance = table["total"] + table["damping_loss"]
        assert np.abs(balance - balance[0]).max() < 1e-4 * fall
        assert table["kinetic"][-300:].max() < 0.2 * table["kinetic"].max()


@pytest.mark.parametrize("element", ["P1", "P2", "hex"])
def test_each_element_kind_and_contact(limber_cli, write_scene, tmp_path, element):
    """A viscous cube that falls on a floor bounces less high than an elastic one."""
    heights = {}
    for name, viscosity in {"elastic": {}, "viscous": {"viscosity": [{"share": 0.5, "time": 0.02}]}}.items():
        scene = {"time": {"step": 0.002, "duration": 0.4}, "method": {"name": "TR-BDF2"},
                 "bodies": [{"mesh": {"shape": "box", "size": [.1] * 3, "cells": [2] * 3}, "position": [0, .1, 0],
                             "element": element, "material": {"young": 5e4, "poisson": .3, **viscosity}}],
                 "obstacles": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}],
                 "output": {"probes": [{"name": "low", "body": "body0", "point": [.05, .1, .05]}]}}
        limber_cli("run", write_scene(scene), "-o", name, "--quiet")
        table = np.genfromtxt(tmp_path / name / "probes.csv", delimiter=",", names=True)
        low = table[table.dtype.names[2]]
        heights[name] = low[np.argmin(low[:100]):].max()
        table, summary = energies(tmp_path / name)
        assert summary["energy_gain"] < 1e-6
        assert (table["damping_loss"][-1] > 0.3) == (name == "viscous")  # of 0.97 J
    assert heights["viscous"] < 0.75 * heights["elastic"]


def test_a_nearly_incompressible_body_stores_no_negative_energy():
    """One that is turned by its side within two steps, with its dilatation at each point."""
    body = {"mesh": {"shape": "box", "size": [0.57, 0.41, 0.24], "cells": [5, 2, 3], "split": "six"},
            "material": {"young": 1187.0, "poisson": 0.495, "viscosity": [{"share": 0.42, "time": 0.028}]},
            "dilatation": "local",
            "script": [{"nodes": "front", "interpolation": "smooth", "pivot": [0.475, 0.32, 0.93],
                        "keys": [{"time": 0}, {"time": 0.04, "rotation": [0.027, 0.005, -0.44]}]}]}
    scene = {"time": {"step": 0.026, "duration": 0.3}, "method": {"name": "TR-BDF2ERE"}, "bodies": [body]}
    sim = limber.Simulation(limber.Scene(scene))
    lost = 0
    for _ in range(11):
        sim.step()
        e = sim.energies()
        assert e["elastic"] > 0
        assert e["damping_loss"] > lost
        lost = e["damping_loss"]


def test_damping_is_told(limber_cli, write_scene, bar):
    assert "no damping" in limber_cli("check", write_scene(bar(material=material(False)))).out
    assert "no damping" not in limber_cli("check", write_scene(bar(material=material()))).out


def test_starts_relaxed_from_a_frame(limber_cli, write_scene, bar, tmp_path):
    """The frame's shape is what the material has got used to: it is pulled back by the stiffness of long times."""
    scene = bar(material=material(), output={"velocities": True})
    limber_cli("run", write_scene(scene), "-o", "first", "--quiet")
    elastic = copy.deepcopy(scene)
    elastic["bodies"][0]["material"] = material(False)
    for s in (scene, elastic):
        s["start"] = {"run": str(tmp_path / "first")}
    forces = [limber.Simulation(limber.Scene(s)).force() for s in (scene, elastic)]
    assert np.allclose(*forces, rtol=1e-9, atol=1e-9)
