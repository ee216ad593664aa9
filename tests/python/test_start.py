"""Runs that begin at a frame of another run (scene key `start`)."""

import csv
import json

import h5py
import numpy as np
import pytest

SCENE = {
    "time": {"step": 0.01, "duration": 0.4},
    "method": {"name": "TR-BDF2"},
    "bodies": [{"name": "bar", "mesh": {"shape": "box", "size": [1, 0.25, 0.25], "cells": [8, 2, 2]},
                "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000},
                "pin": ["left"]}],
    "output": {"velocities": True, "checkpoint_every": 7},
}


@pytest.fixture
def run(limber_cli, tmp_path):
    """Runs a scene in tmp_path; returns its directory."""

    def run(name, *arguments, status=0, **keys):
        (tmp_path / f"{name}.json").write_text(json.dumps({**SCENE, **keys}))
        done = limber_cli("run", f"{name}.json", "-o", name, "--quiet", *arguments, status=status)
        return tmp_path / name if status == 0 else done.err

    return run


def frames(directory, name):
    with h5py.File(directory / "trajectory.h5") as file:
        return file[f"frames/{name}"][: int(file["frames_written"][0])]


def energies(directory):
    with open(directory / "energy.csv", encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items() if key != "wall_ms"} for row in csv.DictReader(file)]


def test_state_time_and_energy_go_on(run):
    first = run("first")
    second = run("second", start={"run": "first", "frame": 25})
    for name in ("positions", "velocities", "times"):
        assert np.array_equal(frames(second, name)[0], frames(first, name)[25])
    assert frames(second, "times")[-1] == pytest.approx(0.65)
    before, after = energies(first)[25], energies(second)[0]
    for name in ("time", "kinetic", "elastic", "gravitational", "total"):
        assert after[name] == before[name]
    # A one-step method needs nothing but the state: the motion is the same one.
    assert np.allclose(frames(second, "positions")[:16], frames(first, "positions")[25:], rtol=0, atol=1e-6)


def test_without_a_number_it_is_the_last_frame(run):
    first = run("first")
    second = run("second", start={"run": "first"})
    assert np.array_equal(frames(second, "positions")[0], frames(first, "positions")[-1])


@pytest.mark.parametrize("output", [{}, {"fps": 60}])
def test_a_resumed_run_has_the_bits_of_one_that_was_not_stopped(run, output):
    run("first")
    start = {"run": "first", "frame": 10}
    output = {**SCENE["output"], **output}
    whole = run("whole", method={"name": "SIERE"}, start=start, output=output)
    run("parts", method={"name": "SIERE"}, start=start, output=output, time={"step": 0.01, "duration": 0.14})
    parts = run("parts", "--resume", method={"name": "SIERE"}, start=start, output=output)
    for name in ("positions", "velocities", "times"):
        assert np.array_equal(frames(parts, name), frames(whole, name))
    assert energies(parts) == energies(whole)


def test_pins_that_were_released_before_stay_released(run):
    bodies = [{**SCENE["bodies"][0], "pin": ["left", {"nodes": "right", "until": 0.1}]}]
    first = run("first", bodies=bodies)
    second = run("second", bodies=bodies, start={"run": "first", "frame": 20})
    end = frames(first, "positions")[0][:, 0].argmax()
    assert frames(second, "positions")[-1][end][1] < frames(first, "positions")[0][end][1] - 1e-3
    assert np.allclose(frames(second, "positions")[:21], frames(first, "positions")[20:], rtol=0, atol=1e-6)


def test_bad_starts_are_named(run):
    run("first")
    run("bare", output={})
    other = [{**SCENE["bodies"][0], "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}}]
    assert "start.frame: 41: " in run("bad", start={"run": "first", "frame": 41}, status=2)
    assert "has frames 0 to 40" in run("bad", start={"run": "first", "frame": 41}, status=2)
    assert "start.run: " in run("bad", start={"run": "bare"}, status=2)
    assert "output.velocities" in run("bad", start={"run": "bare"}, status=2)
    assert "the bodies of this scene have 8" in run("bad", bodies=other, start={"run": "first"}, status=2)
    assert "nowhere" in run("bad", start={"run": "nowhere"}, status=2)
