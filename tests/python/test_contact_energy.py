"""Energy and gaps where things touch: nothing is gained, nothing sinks, nothing is blown apart, and what appears is said."""

import csv
import json
import math

import numpy as np
import pytest

import limber

FLOOR = [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]


def box(name, position, size=0.1, cells=2, young=1e5, **keys):
    return {"name": name, "mesh": {"shape": "box", "size": [size] * 3, "cells": [cells] * 3}, "position": position,
            "material": {"model": "neo_hookean", "young": young, "poisson": 0.3, "density": 1000}, **keys}


@pytest.mark.parametrize("share", [1e-6, 1e-4, 1e-2])
@pytest.mark.parametrize("young", [1e3, 1e5, 1e9])
@pytest.mark.parametrize("h", [2e-3, 4e-2])
def test_what_carries_the_load_stands_within_delta(limber_cli, write_scene, tmp_path, share, young, h):
    """Two cubes on each other; δ as a share of the diagonal."""
    delta = share * 0.1 * math.sqrt(6)
    gap = max(1.5 * delta, 5e-4)
    scene = {"time": {"step": h, "duration": 0.6 if h < 0.01 else 4}, "method": "BE",
             "bodies": [box("lower", [0, gap, 0], young=young, damping={"mass": 20}),
                        box("upper", [0, 0.1 + 2 * gap, 0], young=young, damping={"mass": 20})],
             "contact": {"delta": delta, "friction": 0.3}, "obstacles": FLOOR}
    scene["output"] = {"frames_every": round(scene["time"]["duration"] / h)}
    limber_cli("run", write_scene(scene), "-o", tmp_path / "out", "-q")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["halved_steps"] == 0 and summary["escalated_steps"] == 0
    rows = list(csv.DictReader((tmp_path / "out" / "contacts.csv").open()))
    last = [r for r in rows if r["time"] == rows[-1]["time"]]
    assert len(last) == 2
    for r in last:
        assert 0.05 <= float(r["smallest_gap"]) / delta <= 0.95, (r["body_a"], r["body_b"])


@pytest.mark.parametrize("gap", [1e-6, 1e-9, 1e-13])
def test_coplanar_starts_are_opened(gap):
    scene = limber.Scene({"time": {"step": 0.01, "duration": 1}, "bodies": [
        box("lower", [0, gap, 0], 1, 4), box("upper", [0, 1 + 2 * gap, 0], 1, 4)],
        "contact": {"friction": 0.5}, "obstacles": FLOOR})
    sim = limber.Simulation(scene)
    before = sim.energies()["total"]
    assert sim.step()["newton_iterations"] <= 50
    for _ in range(9):
        assert sim.step()["substeps"] == 1
    assert sim.energies()["total"] <= before
    assert sim.positions[:, 1].max() < 2.02, "they fall, they are not blown apart"


@pytest.mark.parametrize("method", ["TR-BDF2", "SDIRK", "BDF2"])
def test_a_block_on_the_floor_vibrates_as_with_a_pinned_foot(method):
    kept = []
    for held in (True, False):
        body = {"name": "block", "mesh": {"shape": "box", "size": [0.5, 1, 0.5], "cells": [2, 4, 2]},
                "material": {"model": "neo_hookean", "young": 2e5, "poisson": 0, "density": 1000}}
        scene = {"time": {"step": 0.01, "duration": 1}, "method": method, "bodies": [body]}
        if held:
            body["pin"] = ["bottom"]
        else:
            body["position"] = [0, 1e-3, 0]
            scene |= {"contact": {"friction": 0, "delta": 1.5e-3}, "obstacles": FLOOR}
        scene = limber.Scene(scene)
        x = limber.statics(scene)
        sim = limber.Simulation(scene)
        sim.positions = x
        rest = sim.energies()["total"]
        v = np.zeros_like(x)
        height = x[:, 1] - x[:, 1].min()
        v[:, 1] = -0.15 * np.sin(np.pi / 2 * height / height.max())
        sim.velocities = v
        start = sim.energies()["total"] - rest
        for _ in range(100):
            assert sim.step()["retaken"] == 0
            assert sim.energies()["total"] - rest < 1.0001 * start
        kept.append((sim.energies()["total"] - rest) / start)
    assert kept[1] > kept[0] - 0.02


def test_a_ball_bounces_alike_with_methods_that_damp_little():
    """Internal elasticity and damping decide, not the method."""
    third = {}
    for method in ("TR-BDF2", "BDF2", "BE"):
        sim = limber.Simulation(limber.Scene(
            {"time": {"step": 0.002, "duration": 4}, "method": method, "contact": {"friction": 0}, "obstacles": FLOOR,
             "bodies": [{"name": "ball", "mesh": {"shape": "sphere", "radius": 0.5, "resolution": 0.4},
                         "position": [0, 1.5, 0], "damping": {"stiffness": 0.003},
                         "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000}}]}))
        heights, apexes = [], []
        while len(apexes) < 3 and sim.time < 4:
            sim.step()
            heights.append(sim.positions[:, 1].mean() - 0.5)
            if len(heights) > 2 and heights[-3] < heights[-2] >= heights[-1] and heights[-2] > 0.01:
                apexes.append(heights[-2])
        third[method] = apexes[2]
    assert third["TR-BDF2"] == pytest.approx(third["BDF2"], rel=0.05)
    assert third["BE"] < 0.9 * third["BDF2"]


def test_energy_from_nowhere_is_loud(limber_cli, write_scene, tmp_path):
    """The midpoint rule at ωh far beyond 1, without contact."""
    scene = {"time": {"step": 0.05, "duration": 3}, "method": "midpoint",
             "bodies": [box("block", [0, 0, 0], 1, 2, 1e6, pin=["left"], velocity=[0, 5, 10])]}
    run = limber_cli("run", write_scene(scene), "-o", tmp_path / "out")
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["energy_rise"] > 0.1 * summary["energy_in_play"]
    assert any("nobody put in" in note for note in summary["notes"])
    assert run.out.strip().splitlines()[-1].startswith("WARNING")
    sim = limber.Simulation(limber.Scene(scene))
    assert any("nobody put in" in note for _ in range(30) for note in sim.step()["notes"])


def test_wind_hides_no_explosion(limber_cli, write_scene, tmp_path):
    """An explicit method that diverges by the drag of the air."""
    leaf = box("leaf", [0, 0, 0], 0.1, 1, 1e3)
    leaf["material"]["model"] = "stable_neo_hookean"  # which may be inverted
    scene = {"time": {"step": 0.1, "duration": 1}, "method": "symplectic-euler", "gravity": [0, 0, 0],
             "wind": {"velocity": [0, 0, 50], "drag": 50}, "bodies": [leaf]}
    limber_cli("run", write_scene(scene), "-o", tmp_path / "out", status=1)
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert "put in" in summary["reason"]


@pytest.mark.parametrize("method", ["symplectic-euler", "verlet"])
def test_what_is_unstable_in_flight_moves_as_without_contact_and_is_told(limber_cli, write_scene, tmp_path, method):
    """ωh > 2 from the start; the floor is met after .3 s."""
    scene = {"time": {"step": 0.01, "duration": 0.6}, "method": method,
             "bodies": [box("block", [0, 0.5, 0], 1, 3, 4e5, velocity=[0, 0, 0.1])]}
    flight = scene | {"time": {"step": 0.01, "duration": 0.2}}  # later it ends the run
    limber_cli("run", write_scene(flight, "free.json"), "-o", tmp_path / "free")
    scene |= {"contact": {"friction": 0}, "obstacles": [{"shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]}
    done = limber_cli("run", write_scene(scene), "-o", tmp_path / "out")
    assert "appeared that nobody put in" in done.out + done.err
    tables = []
    for run in ("free", "out"):
        names, *rows = (tmp_path / run / "energy.csv").read_text().splitlines()
        tables.append([dict(zip(names.split(","), map(float, row.split(",")))) for row in rows])
    free, met = tables
    assert all(row["collisions"] == 0 for row in met[:len(free)])
    for k in range(len(free)):
        assert met[k]["total"] == free[k]["total"] and met[k]["kinetic"] == free[k]["kinetic"], k
