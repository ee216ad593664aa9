"""Simulations from Python: conserved quantities, equilibrium, prescribed motion, forces of one's own, interruption."""

import ast
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import limber


def simulate(scene):
    return limber.Simulation(limber.Scene(scene))


def node_masses(sim):
    """Lumped masses of the free nodes [kg]."""
    return sim.mass().diagonal()[::3]


def free_nodes(sim):
    return np.setdiff1d(np.arange(len(sim.positions)), sim.pinned)


# Conservation

def test_energy_is_conserved_by_a_fine_step(bar):
    sim = simulate(bar(time={"step": 0.002, "duration": 1}))
    start = sim.energies()
    largest_kinetic = 0
    for _ in range(250):
        sim.step()
        energies = sim.energies()
        parts = energies["kinetic"] + energies["elastic"] + energies["gravitational"]
        assert energies["total"] == pytest.approx(parts, rel=1e-12)
        largest_kinetic = max(largest_kinetic, energies["kinetic"])
    assert start["elastic"] == 0 and start["kinetic"] == 0 and energies["contact"] == 0
    assert largest_kinetic > 20
    assert abs(sim.energies()["total"] - start["total"]) < 1e-3 * largest_kinetic


def test_energies_are_what_their_names_say(bar):
    sim = simulate(bar(pin=None, velocity=[1, 2, -0.5]))
    m = node_masses(sim)
    assert m.sum() == pytest.approx(1000 * 0.25**2)
    for _ in range(3):
        x, v, e = sim.positions, sim.velocities, sim.energies()
        assert e["kinetic"] == pytest.approx(m @ (v**2).sum(axis=1) / 2)
        assert e["gravitational"] == pytest.approx(9.81 * m @ x[:, 1])
        sim.step()


@pytest.mark.parametrize("method", ["BE", "TR-BDF2", "midpoint", "gen-alpha", "SI", "verlet"])
def test_momentum_of_a_free_body(bar, method):
    scene = bar(pin=None, velocity=[1, 0, -2], angular_velocity=[0, 3, 1], gravity=[0, -9.81, 0],
                method={"name": method, "newton_tolerance": 1e-11}, time={"step": 0.005, "duration": 1})
    sim = simulate(scene)
    m = node_masses(sim)
    start = m @ sim.velocities
    np.testing.assert_allclose(start, m.sum() * np.array([1, 0, -2]), atol=1e-12 * m.sum())
    sim.run(0.1)
    expected = start + m.sum() * np.array([0, -9.81 * 0.1, 0])
    np.testing.assert_allclose(m @ sim.velocities, expected, atol=1e-8 * m.sum())


def test_angular_momentum_of_a_free_body(bar):
    """Implicit midpoint keeps it exactly; the spin is about the centre of mass."""
    sim = simulate(bar(pin=None, angular_velocity=[0.5, 3, 1], gravity=[0, 0, 0],
                       method={"name": "midpoint", "newton_tolerance": 1e-12}, time={"step": 0.005, "duration": 1}))
    m = node_masses(sim)

    def angular():
        x = sim.positions
        return (m[:, None] * np.cross(x - m @ x / m.sum(), sim.velocities)).sum(axis=0)

    start = angular()
    assert np.linalg.norm(start) > 5
    sim.run(0.2)
    np.testing.assert_allclose(angular(), start, atol=1e-7)


# Equilibrium

@pytest.mark.parametrize("model", ["linear", "corotated", "stable_neo_hookean", "neo_hookean"])
def test_reactions_carry_the_weight_at_equilibrium(bar, model):
    scene = bar(material={"model": model, "young": 2e5, "poisson": 0.3, "density": 1000},
                method={"name": "TR-BDF2", "newton_tolerance": 1e-10})
    x = limber.statics(limber.Scene(scene))
    sim = simulate(scene)
    assert x[:, 1].min() < -1e-3
    sim.positions = x
    weight = 9.81 * 1000 * 0.25**2
    assert np.linalg.norm(sim.force()) < 1e-5 * weight
    np.testing.assert_allclose(sim.reactions().sum(axis=0), [0, weight, 0], atol=1e-4 * weight)
    sim.run(0.1)
    np.testing.assert_allclose(sim.positions, x, atol=1e-6)


# Prescribed motion

def test_scripted_nodes_follow_their_keys(bar):
    scene = bar(script=[{"nodes": "right", "pivot": [1, 0, 0],
                         "keys": [{"time": 0}, {"time": 0.1, "translation": [0, 0, 0.2]},
                                  {"time": 0.2, "translation": [0, 0, 0.2], "rotation": ["90 deg", 0, 0]}]}])
    sim = simulate(scene)
    rest = sim.positions
    right = np.flatnonzero(rest[:, 0] == 1)
    left = np.flatnonzero(rest[:, 0] == 0)
    assert sorted(sim.pinned) == sorted([*left, *right])
    for _ in range(30):
        sim.step()
        t = sim.time
        angle = np.pi / 2 * np.clip(t / 0.1 - 1, 0, 1)
        turn = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
        expected = [1, 0, 0] + (rest[right] - [1, 0, 0]) @ turn.T + [0, 0, 2 * min(t, 0.1)]
        np.testing.assert_allclose(sim.positions[right], expected, atol=1e-12)
        assert np.array_equal(sim.positions[left], rest[left])
    assert sim.time == pytest.approx(0.3)
    np.testing.assert_allclose(sim.velocities[right], 0, atol=1e-12)


def test_a_scripted_motion_keeps_the_order(bar):
    """Held nodes that move smoothly in time do not cost TR-BDF2 its order."""
    ends = []
    for step in (0.01, 0.005, 0.0025):
        sim = simulate(bar(gravity=[0, 0, 0], pin=None, time={"step": step, "duration": 1},
                           method={"name": "TR-BDF2", "newton_tolerance": 1e-11},
                           script=[{"nodes": "left", "interpolation": "smooth",
                                    "keys": [{"time": 0}, {"time": 0.1, "translation": [0, 0.05, 0]},
                                             {"time": 0.2, "translation": [0, 0, 0.1]}]}]))
        sim.run(0.2)
        ends.append(sim.positions)
    order = np.log2(np.linalg.norm(ends[1] - ends[0]) / np.linalg.norm(ends[2] - ends[1]))
    assert order == pytest.approx(2, abs=0.25)


# The state is settable

@pytest.mark.parametrize("method", ["BDF2", "gen-alpha", "SBDF2"])
def test_setting_positions_starts_afresh(bar, method):
    scene = bar(method={"name": method, "newton_tolerance": 1e-12})
    used, fresh = simulate(scene), simulate(scene)
    rest = used.positions
    used.run(0.05)
    assert not np.allclose(used.positions, rest)
    used.positions = rest
    used.velocities = np.zeros_like(rest)
    assert np.array_equal(used.positions, rest) and not used.velocities.any()
    for _ in range(3):
        used.step()
        fresh.step()
    assert used.time == pytest.approx(0.08)
    np.testing.assert_allclose(used.positions, fresh.positions, atol=1e-10)


def test_positions_are_copies_and_pinned_nodes_stay(bar):
    sim = simulate(bar())
    rest = sim.positions
    x = sim.positions
    x += 5
    assert np.array_equal(sim.positions, rest)
    sim.positions = x
    assert np.array_equal(sim.positions[sim.pinned], rest[sim.pinned])
    free = free_nodes(sim)
    assert np.array_equal(sim.positions[free], x[free])
    for array in (sim.positions, sim.velocities):
        assert array.dtype == np.float64 and array.flags.c_contiguous and array.shape == rest.shape


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((3, 3)), "here", [[0, 0]]])
def test_wrong_positions_are_refused(bar, wrong):
    sim = simulate(bar())
    with pytest.raises(limber.InputError, match="positions"):
        sim.positions = wrong


def test_a_run_to_a_time_not_finite_is_refused(bar):
    with pytest.raises(limber.InputError):
        simulate(bar()).run(float("nan"))


def test_a_step_that_cannot_be_taken(bar):
    sim = simulate(bar(material={"model": "neo_hookean", "young": 1e4, "poisson": 0.3, "density": 1000}))
    x = sim.positions.copy()
    x[free_nodes(sim)] = -x[free_nodes(sim)]
    sim.positions = x
    assert sim.min_det_F() < 0
    with pytest.raises(limber.StepFailure):
        sim.step()


# Forces of one's own

ANCHORS = {4: np.array([1.0, 0.4, 0.0]), 14: np.array([1.2, 0.1, 0.3])}
STRENGTH = 40.0


def spring_force(q, v, t):
    f = np.zeros_like(q)
    for node, anchor in ANCHORS.items():
        f[node] = -STRENGTH * (q[node] - anchor)
    return f


def spring_stiffness(q, v, t):
    diagonal = np.zeros(q.size)
    for node in ANCHORS:
        diagonal[3 * node:3 * node + 3] = STRENGTH
    return scipy.sparse.diags(diagonal).tocsc()


def spring_potential(q, v, t):
    return sum(STRENGTH / 2 * np.sum((q[node] - anchor) ** 2) for node, anchor in ANCHORS.items())


@pytest.mark.parametrize("method", ["TR-BDF2", "BE", "gen-alpha", "SBDF2"])
def test_a_python_spring_moves_like_the_scene_s_own(bar, method):
    keys = {"method": {"name": method, "newton_tolerance": 1e-12}}
    targets = [{"nodes": {"nodes": [node]}, "stiffness": STRENGTH, "keys": [{"time": 0, "positions": [list(anchor)]}]}
               for node, anchor in ANCHORS.items()]
    own = simulate(bar(targets=targets, **keys))
    own.run(0.1)
    without = simulate(bar(**keys))
    without.run(0.1)
    assert np.abs(own.positions - without.positions).max() > 1e-3

    for given in ({}, {"stiffness": spring_stiffness},
                  {"stiffness": spring_stiffness, "symmetric": True, "potential": spring_potential}):
        sim = simulate(bar(**keys))
        sim.add_force(spring_force, **given)
        sim.run(0.1)
        # Newton finds the same without a tangent; one linearisation then treats the force explicitly.
        tolerance = 1e-9 if given else 1e-3 if method == "SBDF2" else 1e-7
        np.testing.assert_allclose(sim.positions, own.positions, atol=tolerance)


def test_python_forces_see_velocity_and_time(bar):
    """A drag and a push in time on a body without stiffness: m v' = -c v + p t, solved by hand."""
    c, p = 3.0, 50.0
    sim = simulate(bar(pin=None, gravity=[0, 0, 0], velocity=[1, 0, 0], time={"step": 0.002, "duration": 1},
                       method={"name": "SDIRK", "newton_tolerance": 1e-12}))
    m = node_masses(sim)
    share = (m / m.sum())[:, None]
    # Proportional to each node's mass, so that nothing deforms.
    sim.add_force(lambda q, v, t: share * (-c * v + [0, p * t, 0]),
                  damping=lambda q, v, t: scipy.sparse.diags(np.repeat(c * share[:, 0], 3)).tocsc())
    sim.run(0.5)
    k = c / m.sum()
    expected = [np.exp(-k * 0.5), p / m.sum() * (0.5 / k - (1 - np.exp(-k * 0.5)) / k**2), 0]
    np.testing.assert_allclose(sim.velocities, np.tile(expected, (len(m), 1)), atol=1e-7)
    np.testing.assert_allclose(sim.damping().diagonal(), np.repeat(c * share[:, 0], 3), rtol=1e-12)


def test_a_wrong_python_force_is_named(bar):
    with pytest.raises(limber.InputError, match="force"):
        sim = simulate(bar())
        sim.add_force(lambda q, v, t: np.zeros(3))
        sim.step()

    def broken(q, v, t):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        sim = simulate(bar())
        sim.add_force(broken)
        sim.step()


# What a scene can hold

def test_scene_of_numpy_numbers_and_back(bar):
    scene = bar(gravity=np.array([0, -1.0, 0]), time={"step": np.float64(0.01), "duration": np.int64(1)})
    again = limber.Scene(scene).to_dict()
    assert again["gravity"] == [0, -1.0, 0] and again["time"] == {"step": 0.01, "duration": 1}
    with pytest.raises(limber.InputError, match=r"bodies\[0\].material.poisson: 0.5"):
        limber.Scene(bar(material={"young": 1e5, "poisson": 0.5}))
    with pytest.raises(limber.InputError, match="gravity"):
        limber.Scene(bar(gravity=object()))


def test_check_tells_what_one_should_know(bar):
    facts = limber.Scene(bar()).check()
    assert facts["bodies"][0]["mass"] == pytest.approx(62.5)
    assert facts["bodies"][0]["size"] == [1, 0.25, 0.25]
    lam, _ = limber.modes(limber.Scene(bar()), 1)
    assert facts["modes"][0]["frequency"] == pytest.approx(np.sqrt(lam[0]) / (2 * np.pi))


def test_two_materials_by_region():
    """A column of two blocks under its weight: the soft half above gives more than the stiff one below."""
    nodes = [[x, y, z] for y in (0, 1, 2) for z in (0, 1) for x in (0, 1)]
    # Each unit cube in six tetrahedra about the diagonal 0-7.
    cube = [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]]
    tets = [[i + shift for i in tet] for shift in (0, 4) for tet in cube]
    mesh = {"nodes": nodes, "tets": tets, "region": [1] * 6 + [2] * 6}

    def sag(lower, upper):
        body = {"mesh": mesh, "pin": ["bottom"], "materials": {
            "1": {"model": "linear", "young": lower, "poisson": 0, "density": 1000},
            "2": {"model": "linear", "young": upper, "poisson": 0, "density": 1000}}}
        x = limber.statics(limber.Scene({"time": {"step": 0.01, "duration": 1}, "bodies": [body]}))
        y = x[:, 1].reshape(3, 4).mean(axis=1)
        return 1 - y[1], 1 - (y[2] - y[1])

    soft, stiff = sag(1e6, 1e6), sag(1e8, 1e6)
    assert stiff[0] == pytest.approx(soft[0] / 100, rel=0.05)
    assert stiff[1] == pytest.approx(soft[1], rel=0.05)
    # Weight above over stiffness: lumped, the lower block carries its upper half and the other block.
    assert soft[0] == pytest.approx(9.81 * 1000 * 1.5 / 1e6, rel=0.05)
    assert sag(1e8, 1e5)[1] == pytest.approx(10 * soft[1], rel=0.05)


def test_two_bodies_hang_on_each_other(bar):
    """Springs between facing nodes carry the weight of the lower block."""
    upper = bar(pin=["top"])["bodies"][0]
    lower = {**bar(pin=None)["bodies"][0], "name": "lower", "position": [0, -0.5, 0]}
    ends = {"a": {"body": "bar", "nodes": "bottom"}, "b": {"body": "lower", "nodes": "top"}}
    scene = {"time": {"step": 0.01, "duration": 1}, "method": {"name": "BE", "newton_tolerance": 1e-10},
             "bodies": [upper, lower], "attachments": [{**ends, "stiffness": 500, "damping": 5}]}
    sim = simulate(scene)
    n = len(sim.positions) // 2
    assert len(sim.pinned) == n // 2 and max(sim.pinned) < n
    rest = sim.positions
    np.testing.assert_allclose(rest[n:], rest[:n] - [0, 0.5, 0])
    start = limber.statics(limber.Scene(scene))
    sim.positions = start
    weight = 62.5 * 9.81
    np.testing.assert_allclose(sim.reactions().sum(axis=0), [0, 2 * weight, 0], atol=1e-3 * weight)
    facing = [(i, n + j) for i in range(n) for j in range(n)
              if rest[i, 1] == 0 and rest[n + j, 1] == -0.25 and np.allclose(rest[i, [0, 2]], rest[n + j, [0, 2]])]
    assert len(facing) == n // 2
    pull = sum(500 * (np.linalg.norm(start[a] - start[b]) - 0.25) for a, b in facing)
    assert pull == pytest.approx(weight, rel=0.02)


def test_wind_pushes(bar):
    """Force 1/2 rho c_d A v^2 at the start on the side that it meets, and none along calm air."""
    wind = {"velocity": [0, 0, 10], "drag": 1.5, "density": 1.2}
    calm, windy = simulate(bar(gravity=[0, 0, 0], pin=None)), simulate(bar(gravity=[0, 0, 0], pin=None, wind=wind))
    assert not calm.force().any()
    push = windy.force().reshape(-1, 3).sum(axis=0)
    assert push[2] > 0 and np.abs(push[:2]).max() < 1e-9 * push[2]
    assert 0.5 * 1.2 * 1.5 * 0.25 * 100 * 0.99 < push[2] < 2.01 * 0.5 * 1.2 * 1.5 * 0.25 * 100
    storm = simulate(bar(gravity=[0, 0, 0], pin=None, wind={**wind, "velocity": [0, 0, 20]}))
    assert storm.force().reshape(-1, 3).sum(axis=0)[2] == pytest.approx(4 * push[2])
    windy.run(0.1)
    assert windy.velocities[:, 2].mean() > 0
    with_it = simulate(bar(gravity=[0, 0, 0], pin=None, velocity=[0, 0, 10], wind=wind))
    assert np.abs(with_it.force()).max() < 1e-9


def test_loads_and_their_time(bar):
    ramp = {"keys": [[0, 0], [0.1, 1]]}
    scene = bar(gravity=[0, 0, 0], loads=[{"nodes": "right", "total_force": [0, 0, 8], "time": ramp}])
    sim = simulate(scene)
    assert not sim.force().any()
    sim.run(0.05)
    sim.positions = simulate(scene).positions
    np.testing.assert_allclose(sim.force().reshape(-1, 3).sum(axis=0), [0, 0, 4], atol=1e-9)
    each = simulate(bar(gravity=[0, 0, 0], loads=[{"nodes": "right", "force": [0, 0, 8]}]))
    assert each.force().sum() == pytest.approx(32)


def test_targets_pull(bar):
    scene = bar(gravity=[0, 0, 0], method={"name": "BE"}, time={"step": 0.02, "duration": 4},
                targets=[{"nodes": "right", "stiffness": 1000, "damping": 20,
                          "keys": [{"time": 0}, {"time": 0.5, "translation": [0, 0.1, 0]}]}])
    sim = simulate(scene)
    right = np.flatnonzero(sim.positions[:, 0] == 1)
    rest = sim.positions[right]
    # Nothing is stretched yet, but the damping drags along with the target's 0.2 m/s.
    np.testing.assert_allclose(sim.force().reshape(-1, 3).sum(axis=0), [0, 4 * 20 * 0.2, 0], atol=1e-9)
    sim.run(4)
    np.testing.assert_allclose(sim.positions[right], rest + [0, 0.1, 0], atol=0.015)


def test_rayleigh_damping_matrix(bar):
    sim = simulate(bar(damping={"stiffness": 0.01, "mass": 0.5, "at": "rest"}))
    D, K, M = sim.damping(), sim.stiffness(), sim.mass()
    assert abs(D - (0.01 * K + 0.5 * M)).max() < 1e-10 * abs(D).max()
    start = sim.energies()["total"]
    sim.run(0.5)
    energies = sim.energies()
    assert energies["damping_loss"] > 0.1
    assert energies["total"] + energies["damping_loss"] == pytest.approx(start, abs=0.02 * energies["damping_loss"])


def test_damping_by_ratios(bar):
    lam, _ = limber.modes(limber.Scene(bar()), 8)
    hertz = np.sqrt(lam) / (2 * np.pi)
    pairs = [[hertz[0], 0.03], [hertz[7], 0.05]]
    scene = limber.Scene(bar(damping={"ratios": pairs}))
    sim = limber.Simulation(scene)
    _, X = limber.modes(scene, 8)
    X = X.reshape(-1, 3, 8)[free_nodes(sim)].reshape(-1, 8)
    for k, ratio in ((0, 0.03), (7, 0.05)):
        assert X[:, k] @ (sim.damping() @ X[:, k]) == pytest.approx(2 * ratio * np.sqrt(lam[k]), rel=1e-9)


def test_run_writes_a_directory(bar, tmp_path):
    h5py = pytest.importorskip("h5py")
    scene = limber.Scene(bar())
    summary = limber.run(scene, str(tmp_path / "out"))
    assert summary["end"] == "finished" and summary["steps"] == 10
    sim = limber.Simulation(scene)
    sim.run(0.1)
    with h5py.File(tmp_path / "out" / "trajectory.h5") as file:
        assert np.array_equal(file["frames/positions"][10], sim.positions)
    assert limber.run(scene, str(tmp_path / "out"), resume=True) is None
    with pytest.raises(limber.InputError, match="not empty"):
        limber.run(scene, str(tmp_path / "out"))


# Interruption and threads

LONG_RUN = """
import sys, limber
scene = {"time": {"step": 0.001, "duration": 1}, "bodies": [
    {"mesh": {"shape": "box", "size": [4, 1, 1], "cells": [16, 4, 4]}, "pin": ["left"],
     "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000}}]}
sim = limber.Simulation(limber.Scene(scene))
sim.step()
print("ready", flush=True)
try:
    sim.run(1e6)
except KeyboardInterrupt:
    t = sim.time
    sim.step()
    print("stopped", t > 0 and sim.time > t, flush=True)
"""


@pytest.mark.parametrize("program", [LONG_RUN, """
import numpy as np, limber
n = 200
print("ready", flush=True)
try:
    limber.integrate(np.eye(n), lambda q, v, t: -q, np.ones(n), np.ones(n), method="RK4", step=0.01, steps=10**7)
except KeyboardInterrupt:
    print("stopped True", flush=True)
"""], ids=["run", "integrate"])
def test_ctrl_c_stops_a_run(program):
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
    assert out == "stopped True\n" and process.returncode == 0


def test_ctrl_c_is_heeded_within_a_step(tmp_path):
    """The step in progress is undone: where it would only end, the time would be another one."""
    program = """
import sys, numpy as np, limber
scene = {"time": {"step": 0.1, "duration": 1}, "method": {"name": "BE", "newton_tolerance": 1e-12}, "bodies": [
    {"mesh": {"shape": "box", "size": [2, 1, 1], "cells": [56, 28, 28]}, "pin": ["left"],
     "material": {"model": "neo_hookean", "young": 1e4, "poisson": 0.45, "density": 1000}}]}
sim = limber.Simulation(limber.Scene(scene))
try:
    while True:
        time, positions = sim.time, sim.positions
        if time == 0:
            print("ready", flush=True)
        sim.step()
except KeyboardInterrupt:
    print("stopped", sim.time == time and np.array_equal(sim.positions, positions), flush=True)
try:
    print("ready", flush=True)
    limber.run(limber.Scene(scene), sys.argv[1])
except KeyboardInterrupt:
    print("stopped True", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "out")], stdout=subprocess.PIPE,
                               text=True)
    try:
        for _ in range(2):
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.2)  # far less than a step takes
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "stopped True\n"
        process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
    assert process.returncode == 0
    assert json.loads((tmp_path / "out/summary.json").read_text())["end"] == "interrupted"


def test_other_threads_go_on_while_a_simulation_steps(bar):
    """Steps of a body large enough to take many turns of the interpreter: only a released lock lets them happen."""
    sim = simulate(bar(mesh={"shape": "box", "size": [4, 1, 1], "cells": [32, 8, 8]}, method={"name": "BE"}))
    turns, stop, inside = [0], threading.Event(), threading.Event()

    def count():
        while not stop.is_set():
            turns[0] += inside.is_set()
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    old = sys.getswitchinterval()
    sys.setswitchinterval(100)  # the main thread gives the lock away only by releasing it
    try:
        inside.set()
        for _ in range(50):  # on a busy machine the other thread may miss the first ones
            sim.step()
            if turns[0] > 3:
                break
        inside.clear()
    finally:
        sys.setswitchinterval(old)
        stop.set()
        thread.join()
    assert turns[0] > 3


# Names, types, documentation

def stub_names(root):
    tree = ast.parse((root / "python/limber/__init__.pyi").read_text(encoding="utf-8"))
    aliases = {"Array", "MatrixLike", "Function", "MatrixFunction", "ObjectiveLike", "Path", "SceneLike"}
    names, members = set(), {}
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom) and node.module is None:
            names |= {alias.asname for alias in node.names if alias.asname}  # submodules that are handed on
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets} - aliases
        if isinstance(node, ast.ClassDef):
            members[node.name] = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    return names, members


def test_stubs_agree_with_the_module(root):
    names, members = stub_names(root)
    assert names == set(limber.__all__)
    for name in limber.__all__:
        assert hasattr(limber, name)
    for name in ("Body", "FrameWriter", "Material", "Scene", "Simulation"):
        public = {member for member in vars(getattr(limber, name)) if not member.startswith("_")}
        assert {member for member in members[name] if not member.startswith("_")} == public
    assert (Path(limber.__file__).parent / "py.typed").is_file()


def test_everything_is_documented():
    assert limber.__doc__
    for name in set(limber.__all__) - {"__version__"}:
        thing = getattr(limber, name)
        assert thing.__doc__ and len(thing.__doc__.strip()) > 10, name
        if isinstance(thing, type) and not issubclass(thing, Exception):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    assert (value.__doc__ or "").strip(), f"{name}.{member}"


def test_exceptions_are_python_s_own_kinds():
    assert issubclass(limber.InputError, ValueError)
    assert issubclass(limber.StepFailure, RuntimeError)
    assert issubclass(limber.OutputError, OSError)


def test_what_springs_toward_targets_store_is_no_excuse_for_an_explosion():
    """A light chain whose spring is too stiff for the step, beside a heavy body that flies: what the spring takes in and
    gives back is not put in by anybody."""
    chain = {"mesh": {"shape": "chain", "from": [0, 0, 0], "to": [0.4, 0.2, 0], "segments": 8}, "thickness": 0.0005,
             "material": {"model": "corotated", "young": 47900, "poisson": 0.1, "density": 140}, "velocity": [2, 1, -1],
             "pin": ["left"], "targets": [{"nodes": {"nodes": [1]}, "stiffness": 500,
                                           "keys": [{"time": 0, "positions": [[0.05, 0.025, 0]]}]}]}
    heavy = {"mesh": {"shape": "box", "size": [0.35, 0.35, 0.35], "cells": [1, 1, 1]}, "position": [0, 2, 0],
             "velocity": [5, 0, 0], "material": {"model": "corotated", "young": 1e5, "poisson": 0.2, "density": 1000}}
    sim = limber.Simulation({"time": {"step": 0.00115, "duration": 1}, "method": "verlet", "bodies": [chain, heavy]})
    start = sim.energies()["total"]
    for _ in range(14):
        sim.step()
        assert sim.energies()["total"] < 100 * start
