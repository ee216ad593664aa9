"""One simulation used by several threads, interpreters that exit while others compute, forces that call back."""

import json
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import limber


def falling(**keys):
    """A box that lies on a floor, with friction."""
    return {"time": {"step": 0.01, "duration": 10}, "contact": {"friction": 0.3},
            "bodies": [{"name": "box", "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [2, 2, 2]},
                        "material": {"young": 1e5, "poisson": 0.3, "density": 1000}, "position": [0, 0.002, 0]}],
            "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}], **keys}


def run_python(code, *arguments, timeout=60):
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout)


SHARED = """
import json, sys, threading, time
import numpy as np
import limber

scene = json.loads(sys.argv[1])
sim = limber.Simulation(scene)
start = sim.positions
wrong = []
end = time.monotonic() + 1

def again(call):
    try:
        while time.monotonic() < end:
            call()
    except Exception as e:
        wrong.append(e)

def push():
    sim.add_force(lambda q, v, t: np.zeros_like(q))
    time.sleep(.1)

def put():
    sim.positions = start
    sim.velocities = np.zeros_like(start)
    time.sleep(.02)

calls = [sim.step, sim.contacts, sim.force, sim.stiffness, sim.energies, sim.reactions, push, put,
         lambda: sim.positions, lambda: sim.min_det_F(), lambda: sim.run(sim.time + .03)]
threads = [threading.Thread(target=again, args=(call,)) for call in calls]
for t in threads: t.start()
for t in threads: t.join()
assert not wrong, wrong
assert np.isfinite(sim.positions).all()
print("done")
"""


def test_threads_may_share_a_simulation():
    done = run_python(SHARED, json.dumps(falling()))
    assert done.returncode == 0 and done.stdout == "done\n", f"{done.returncode} {done.stderr[-2000:]}"


def test_results_are_those_of_one_thread():
    """Who looks does not change what is computed."""
    alone, watched = limber.Simulation(falling()), limber.Simulation(falling())
    alone.run(0.3)
    stop = threading.Event()

    def look():
        while not stop.is_set():
            watched.stiffness(), watched.force(), watched.contacts(), watched.positions

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    watched.run(0.3)
    stop.set()
    for thread in threads:
        thread.join()
    assert np.array_equal(alone.positions, watched.positions)


def test_runs_in_several_threads_write_equal_files(bar, tmp_path):
    """HDF5 takes one thread at a time."""
    code = """
import json, sys, threading
import limber
scene, folder = json.loads(sys.argv[1]), sys.argv[2]
def work(k):
    for i in range(2):
        limber.run(scene, f"{folder}/{k}-{i}")
        limber.export(f"{folder}/{k}-{i}", f"{folder}/{k}-{i}.ply", frame=3)
threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
for t in threads: t.start()
for t in threads: t.join()
"""
    done = run_python(code, json.dumps(bar(method={"name": "SI"})), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("{}/trajectory.h5", "{}.ply"):
        assert len({(tmp_path / name.format(f"{k}-{i}")).read_bytes() for k in range(3) for i in range(2)}) == 1


def test_a_thread_that_looks_is_not_starved_by_one_that_runs():
    sim = limber.Simulation(falling())
    thread = threading.Thread(target=lambda: sim.run(5))
    thread.start()
    times = [sim.time for _ in range(20)]
    assert thread.is_alive() and times[-1] < 4
    while sim.time == 0:
        pass
    thread.join()
    assert sim.time == pytest.approx(5)


EXITS = """
import json, sys, threading, time
import numpy as np
import limber

sim = limber.Simulation(json.loads(sys.argv[1]))
inside = threading.Event()

def force(q, v, t):
    inside.set()
    if sys.argv[2] == "sleep":
        time.sleep(.3)
    return np.zeros_like(q)

if sys.argv[2] != "plain":
    threading.Thread(target=lambda: sim.add_force(force), daemon=True).start()
    inside.wait()

def work():
    while True:
        if sys.argv[2] == "integrate":
            limber.integrate(np.eye(2), lambda q, v, t: -q, [1., 0], [0., 0], method="BE", step=.01, steps=10000)
        else:
            sim.run(sim.time + 1)

if sys.argv[2] != "sleep":
    threading.Thread(target=work, daemon=True).start()
time.sleep(.15)
print("bye", flush=True)
"""


@pytest.mark.parametrize("what", ["plain", "force", "sleep", "integrate"])
def test_the_interpreter_exits_while_a_daemon_thread_computes(what):
    for _ in range(2):
        start = time.monotonic()
        done = run_python(EXITS, json.dumps(falling()), what)
        assert (done.returncode, done.stdout, done.stderr) == (0, "bye\n", "")
        assert time.monotonic() - start < 30


NESTED = """
import json, sys
import numpy as np
import limber

sim = limber.Simulation(json.loads(sys.argv[1]))
refused, seen = [], []

def force(q, v, t):
    seen.append((sim.time, sim.positions.shape, len(sim.pinned)))
    for call in (lambda: sim.add_force(force), sim.step, sim.force, sim.stiffness, lambda: sim.run(1), sim.contacts,
                 lambda: setattr(sim, "positions", q)):
        try:
            call()
        except limber.InputError as e:
            refused.append(str(e))
    return np.zeros_like(q)

sim.add_force(force)
sim.step()
assert abs(sim.time - .01) < 1e-15
assert len(refused) == 7 * len(seen) > 0
assert all("was called by a function that this simulation is calling" in r for r in refused), refused[0]
assert refused[0].startswith("add_force: ") and refused[6].startswith("positions: ")
print("done")
"""


def test_a_force_may_look_at_its_simulation_but_not_change_it():
    done = run_python(NESTED, json.dumps(falling()))
    assert done.returncode == 0 and done.stdout == "done\n", f"{done.returncode} {done.stderr[-2000:]}"


def test_a_force_that_fails_leaves_the_simulation_as_it_was():
    sim = limber.Simulation(falling())
    sim.step()
    before, t = sim.positions, sim.time

    def broken(q, v, t):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        sim.add_force(broken)
    assert sim.time == t and np.array_equal(sim.positions, before)
    other = limber.Simulation(falling())
    other.run(0.02)
    sim.step()
    assert np.array_equal(sim.positions, other.positions)


def test_a_force_is_added_after_nodes_were_released():
    scene = falling()
    scene["bodies"][0]["position"] = [0, 1, 0]
    scene["bodies"][0]["pin"] = [{"nodes": "top", "until": 0.02}]
    sim = limber.Simulation(scene)
    assert len(sim.pinned) == 9
    sim.run(0.05)
    assert not sim.pinned
    x, v = sim.positions, sim.velocities
    sim.add_force(lambda q, v, t: np.zeros_like(q))
    assert not sim.pinned and np.array_equal(sim.positions, x) and np.array_equal(sim.velocities, v)
    sim.run(0.1)
    assert np.isfinite(sim.positions).all()
