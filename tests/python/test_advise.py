"""Advice on the method and its steps: what is suggested does what was asked for, and is the same every time."""

import json
import math
import signal
import subprocess
import time

import numpy as np
import pytest

import limber

FEW = ["TR-BDF2", "SBDF2", "S-newmark", "BE"]


def summary_of(directory):
    return json.loads((directory / "summary.json").read_text())


def changed(scene, suggestion):
    """The scene with the keys that a suggestion names."""
    keys = suggestion["scene"]
    return {**scene, "method": keys["method"], "time": {**scene["time"], **keys["time"]}}


def last_positions(scene):
    sim = limber.Simulation(scene)
    sim.run(scene["time"]["duration"])
    return sim.positions


@pytest.fixture
def swing(bar):
    return bar(time={"step": 0.01, "duration": 0.5})


@pytest.fixture
def falling(bar):
    scene = bar(pin=None, time={"step": 0.01, "duration": 0.4})
    scene["obstacles"] = [{"name": "floor", "shape": "plane", "point": [0, -0.05, 0], "normal": [0, 1, 0]}]
    scene["contact"] = {"friction": 0.3}
    return scene


def test_suggestions_keep_the_accuracy(swing):
    true = last_positions({**swing, "method": "RK4", "time": {"step": 1e-4, "duration": 0.5}})
    accuracy = 1e-3
    rows = limber.advise(swing, accuracy=accuracy, methods=FEW, budget=20)
    assert [r["method"] for r in rows].count("BE") == 0  # takes far more steps
    assert len(rows) >= 2 and all(r["meets"] for r in rows)
    assert [r["work"] for r in rows] == sorted(r["work"] for r in rows)
    for row in rows:
        error = np.linalg.norm(last_positions(changed(swing, row)) - true, axis=1).max()
        assert error <= 2 * accuracy, row["method"]
        assert row["error"] == pytest.approx(accuracy)


def test_predicted_steps_are_those_of_the_run(swing, limber_cli, write_scene, tmp_path):
    row = limber.advise(swing, accuracy=1e-3, methods=["TR-BDF2"], budget=20)[0]
    scene = {**swing, "method": "TR-BDF2", "time": {"step": {"accuracy": 1e-3}, "duration": 0.5}}
    limber_cli("run", write_scene(scene), "-o", "run", "--quiet")
    steps = summary_of(tmp_path / "run")["steps"]
    if row["accuracy"]:
        assert 0.6 <= row["steps"] / steps <= 1.6


def test_equal_scenes_get_equal_advice(falling, limber_cli, write_scene):
    path = write_scene(falling)
    rows = [limber_cli("advise", path, "--accuracy", "2 mm", "--methods", ",".join(FEW), "--json", "--threads", threads)
            .json["suggestions"] for threads in (1, 2)]
    for row in rows[0] + rows[1]:
        row.pop("seconds")
    assert rows[0] == rows[1] and rows[0]


def test_energy_is_kept(bar, limber_cli, write_scene, tmp_path):
    scene = bar(pin=None, time={"step": 0.01, "duration": 1.0}, gravity=[0, 0, 0], angular_velocity=[0, 0, 3])
    rows = limber.advise(scene, keep_energy=0.98, methods=FEW)
    best = rows[0]
    assert best["meets"] and best["energy_lost"] <= 0.02
    limber_cli("run", write_scene(changed(scene, best)), "-o", "run", "--quiet")
    table = np.genfromtxt(tmp_path / "run" / "energy.csv", delimiter=",", names=True)
    kept = (table["kinetic"] + table["elastic"])[-1] / (table["kinetic"] + table["elastic"]).max()
    assert kept >= 0.95
    for row in rows:
        assert row["meets"] == (row["energy_lost"] <= 0.02)


def test_times_give_the_least_error(swing):
    short, long = (limber.advise(swing, time=t, methods=["TR-BDF2", "SBDF2"])[0] for t in (0.05, 5))
    assert long["error"] < short["error"]
    for row in limber.advise(swing, real_time=True, methods=["TR-BDF2", "SBDF2"]):
        assert row["accuracy"] is None and row["step"] > 0
        assert row["steps"] == math.ceil(swing["time"]["duration"] / row["step"])


def test_the_table_says_why_and_what_to_paste(swing, limber_cli, write_scene):
    path = write_scene(swing)
    out = limber_cli("advise", path, "--accuracy", "1 mm", "--methods", ",".join(FEW)).out
    assert "Within 1 mm of the true motion, for 500 ms" in out
    assert "BE " in out.split("Not taken:")[1]
    assert '"method": "' in out and '"time": {"step": ' in out
    before = path.read_text()
    limber_cli("advise", path, "--accuracy", "1 mm", "--methods", "SBDF2", "--apply", "-o", "advised.json")
    assert path.read_text() == before
    advised = json.loads((path.parent / "advised.json").read_text())
    assert advised["method"] == "SBDF2" and advised["bodies"] == json.loads(before)["bodies"]
    limber_cli("advise", path, "--accuracy", "1 mm", "--methods", "SBDF2", "--apply", "--json")
    assert json.loads(path.read_text()) == advised


@pytest.mark.parametrize("wish, words", [
    ({}, "what is wanted"),
    ({"accuracy": 1e-3, "time": 5}, "one of accuracy"),
    ({"accuracy": 0}, "accuracy: 0 m cannot be told from rounding"),
    ({"accuracy": -1}, "accuracy: -1 m"),
    ({"accuracy": 1e-15}, "the least possible is"),
    ({"accuracy": "1 kg"}, "accuracy: "),
    ({"accuracy": float("nan")}, "accuracy: nan m"),
    ({"accuracy": [1]}, "accuracy: a number or a text with a unit"),
    ({"keep_energy": 1.5}, "keep_energy: 1.5 is outside"),
    ({"time": 0}, "time: 0 s is not above 0"),
    ({"accuracy": 1e-3, "methods": ["BD"]}, "BDF2"),
])
def test_wrong_wishes_are_refused(swing, wish, words):
    with pytest.raises(limber.InputError, match=words):
        limber.advise(swing, **wish)


def test_wrong_options_are_refused(swing, limber_cli, write_scene):
    path = write_scene(swing)
    assert "what is wanted" in limber_cli("advise", path, status=2).err
    assert "at a time" in limber_cli("advise", path, "--real-time", "--time", "3s", status=2).err
    assert "time: " in limber_cli("advise", path, "--time", "3 kg", status=2).err
    assert "duration" in limber_cli("advise", path, "--accuracy", "1 mm", "--set", "time.duration=0", status=2).err
    assert "-o" in limber_cli("advise", path, "--accuracy", "1 mm", "--set", "time.duration=0.2", "--apply", status=2).err


def test_a_candidate_that_is_refused_is_a_reason(bar, limber_cli, write_scene):
    scene = bar(time={"step": 0.01, "duration": 0.5}, damping={"stiffness": 1e-3, "at": "frozen"},
                method={"name": "TR-BDF2", "nonlinear": "lbfgs"})
    done = limber_cli("advise", write_scene(scene), "--accuracy", "1 mm", "--methods", "TR-BDF2,verlet", "--json").json
    assert [r["method"] for r in done["suggestions"]] == ["TR-BDF2"]
    assert [d["method"] for d in done["dropped"]] == ["verlet"] and done["dropped"][0]["reason"]


def test_auto_decides_before_the_first_step(falling, limber_cli, write_scene, tmp_path):
    scene = {**falling, "method": "auto", "time": {"step": {"accuracy": "2 mm"}, "duration": 0.4}}
    path = write_scene(scene)
    limber_cli("run", path, "-o", "a", "--threads", 1, "--quiet")
    limber_cli("run", path, "-o", "b", "--threads", 2, "--quiet")
    decided = json.loads((tmp_path / "a" / "scene.json").read_text())["method"]
    assert decided in [m["name"] for m in limber.methods()]
    assert (tmp_path / "a" / "trajectory.h5").read_bytes() == (tmp_path / "b" / "trajectory.h5").read_bytes()
    limber_cli("run", path, "-o", "a", "--resume", "--quiet")  # finished: nothing to do
    sim = limber.Simulation(scene)
    sim.run(0.4)
    limber_cli("run", write_scene({**scene, "method": decided}), "-o", "named", "--quiet")
    assert (tmp_path / "a" / "trajectory.h5").read_bytes() == (tmp_path / "named" / "trajectory.h5").read_bytes()
    best = limber.advise(scene)
    assert decided in [r["method"] for r in best]


def test_auto_says_what_it_needs(swing):
    with pytest.raises(limber.InputError, match="steps of one length"):
        limber.Simulation({**swing, "method": "auto"})
    timed = {**swing, "time": {"step": {"accuracy": 1e-3}, "duration": 0.5}}
    with pytest.raises(limber.InputError, match="method.modes.*name the method"):
        limber.Simulation({**timed, "method": {"name": "auto", "modes": 5}})
    with pytest.raises(limber.InputError, match="method.theta.*name the method"):
        limber.Simulation({**timed, "method": {"name": "AUTO", "theta": 0.5}})
    with pytest.raises(limber.InputError, match="limber advise|time.step"):
        limber.value_and_grad({**timed, "method": "auto"}, lambda t, X, V: (0, None, None), "bodies[0].material.young")


def test_an_interrupted_search_decides_nothing(limber_program, root, write_scene, tmp_path):
    scene = json.loads((root / "scenes/stack.json").read_text())
    path = write_scene({**scene, "method": "auto", "time": {"step": {"accuracy": 1e-3}, "duration": 1.5}})
    applied = ["advise", path, "--accuracy", "1 mm", "--apply", "-o", tmp_path / "applied.json"]
    for arguments in (["run", path, "-o", tmp_path / "run", "--quiet"], applied):
        with subprocess.Popen([limber_program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            time.sleep(0.4)
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=60)
        assert run.returncode == 1
    assert not (tmp_path / "run").exists() and not (tmp_path / "applied.json").exists()
