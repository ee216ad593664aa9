"""Fits of whole scenes: friction, lists of numbers, and `limber fit` by objectives."""

import copy
import json
import signal
import subprocess
import time

import limber
import numpy as np
import pytest

FRICTION = "contact.friction"


def sliding(friction, slope=0, **keys):
    """A soft block that slides to rest on a plane, or down a slope [degrees] on which it can stay where friction is high."""
    slope = np.radians(slope)
    return {"time": {"step": .01, "duration": .4}, "method": {"name": "BE", "newton_tolerance": 1e-10},
            "gravity": [9.81 * np.sin(slope), -9.81 * np.cos(slope), 0],
            "contact": {"delta": .002, "stiffness": 1e5, "friction": friction, "epsilon": .01},
            "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}],
            "bodies": [{"name": "block", "mesh": {"shape": "box", "size": [.2, .05, .1], "cells": [2, 1, 1]},
                        "position": [0, .0015, 0], "velocity": [.7, 0, 0],
                        "material": {"young": 1e5, "poisson": .3, "density": 1000}, **keys}],
            "output": {"probes": [{"name": "top", "body": "block", "point": [.1, .05, .05]}]}}


def probed(scene, folder):
    limber.run(scene, str(folder / "run"))
    return folder / "run" / "probes.csv"


@pytest.mark.parametrize("slope, start", [(0, .02), (0, 3.1), (20, .02), (20, 3.1)])
def test_friction_is_found_from_ten_times_off(tmp_path, slope, start):
    truth = sliding(.25, slope)
    table = probed(truth, tmp_path)
    x = np.genfromtxt(table, delimiter=",", skip_header=1)[:, 1]
    assert x[-1] - x[0] > .05
    assert (abs(x[-1] - x[-2]) < 1e-4) == (slope == 0)  # it has come to rest, or slides on
    r = limber.fit(sliding(start, slope), table, {FRICTION: (1e-3, 10)})
    assert r.converged and r.values[FRICTION] == pytest.approx(.25, rel=1e-3) and r.rms < 1e-6
    assert r.evaluations < 20


def test_friction_is_found_where_a_block_may_tip(tmp_path):
    """Above mu = 1/2, half its width over half its height, it tips instead of sliding: a plateau with hollows, to which a step from
    .1 would lead."""
    tall = {"mesh": {"shape": "box", "size": [.06, .12, .06], "cells": [1, 2, 1]}, "velocity": [1, 0, 0]}
    scenes = {friction: sliding(friction, **tall) for friction in (.1, .3)}
    for scene in scenes.values():
        scene["output"]["probes"][0]["point"] = [.03, .12, .03]
    r = limber.fit(scenes[.1], probed(scenes[.3], tmp_path), {FRICTION: (1e-3, 10)})
    assert r.converged and r.values[FRICTION] == pytest.approx(.3, rel=1e-3)


# --- Lists --------------------------------------------------------------------------------------------------------

YOUNG, VELOCITY, MODULI = "bodies[0].material.young", "bodies[0].velocity", "bodies[0].element.young"


@pytest.fixture
def probed_bar(bar):
    def make(**keys):
        scene = bar(**{"time": {"step": .01, "duration": .1}, "method": {"name": "TR-BDF2", "newton_tolerance": 1e-10}, **keys})
        scene["output"] = {"probes": [{"name": "tip", "body": "bar", "point": [1, .25, .25]},
                                      {"name": "middle", "body": "bar", "point": [.5, .25, .25]}]}
        return scene
    return make


def test_a_velocity_with_one_pair_of_bounds(probed_bar, tmp_path):
    truth = [.3, -.5, .2]
    table = probed(probed_bar(velocity=truth), tmp_path)
    r = limber.fit(probed_bar(velocity=[0, 0, 0]), table, {VELOCITY: (-2, 2)})
    assert r.values[VELOCITY] == pytest.approx(truth, rel=1e-5) and r.converged
    low, high = r.confidence[VELOCITY]
    assert np.all(low <= truth + 1e-6 * np.ones(3)) and np.all(truth - 1e-6 * np.ones(3) <= high)
    assert r.scene.to_dict()["bodies"][0]["velocity"] == pytest.approx(list(r.values[VELOCITY]))
    bounded = limber.fit(probed_bar(velocity=[0, 0, 0]), table, {VELOCITY: (-2, [.1, 2, 2])})
    assert bounded.values[VELOCITY][0] == .1 and any("velocity[0] ended at its upper bound" in note for note in bounded.notes)
    assert np.isnan(bounded.confidence[VELOCITY][0][0]) and np.isfinite(bounded.confidence[VELOCITY][0][1])


def test_moduli_of_elements_fit_a_table(probed_bar, tmp_path):
    table = probed(probed_bar(), tmp_path)
    scene = probed_bar()
    scene["bodies"][0]["material"]["young"] *= 1.5
    r = limber.fit(scene, table, {MODULI: (5e3, 5e4)}, max_evaluations=20)
    assert r.values[MODULI].shape == (20,) and r.rms < 1e-5


def test_lists_of_an_equilibrium(probed_bar):
    """The one with moduli of their own is that which is returned."""
    scene = probed_bar()
    stiffer = copy.deepcopy(scene)
    stiffer["bodies"][0]["material"]["young"] *= 2
    seen = limber.statics(stiffer)
    r = limber.fit_statics(scene, {"nodes": seen}, {MODULI: (1e4, 1e5)})
    assert r.values[MODULI] == pytest.approx(4e4 * np.ones(20), rel=1e-3)
    assert r.motion == pytest.approx(seen, abs=1e-7)


def test_lists_that_are_too_long_for_a_table(probed_bar, tmp_path):
    table = probed(probed_bar(), tmp_path)
    with pytest.raises(limber.InputError, match="component for each node.*objective"):
        limber.fit(probed_bar(), table, {"initial.velocities": (-1, 1)})
    with pytest.raises(limber.InputError, match="3 components, but 2 bounds"):
        limber.fit(probed_bar(velocity=[0, 0, 0]), table, {VELOCITY: ([0, 0], 1)})


# --- The command line ---------------------------------------------------------------------------------------------

def by_objective(cli, scene, objective, *options, **more):
    return cli("fit", scene, "--objective", objective if isinstance(objective, str) else json.dumps(objective), *options, **more)


VARY = ["--vary", f"{YOUNG}=1 kPa..1 MPa"]


def test_objectives_that_are_written_out(limber_cli, write_scene, probed_bar, tmp_path):
    """Each is the one of limber.objectives: one evaluation has its value."""
    scene = probed_bar(velocity=[.1, .2, 0])
    path = write_scene(scene)
    table = probed(probed_bar(), tmp_path)
    sim = limber.Simulation(scene)
    right, left = sim.select("right"), [int(n) for n in sim.select("left")]
    target = np.array(sim.positions)[right] + [.1, 0, 0]
    J = limber.objectives
    pairs = [
        ({"probes": str(table), "weights": {"tip": 2}}, J.probes(table, {"tip": 2})),
        ({"probe": "tip", "axis": "y", "time": "50 ms", "near": "10 mm"}, J.probe("tip", "y", .05).near(.01)),
        ({"last_shape": target.tolist(), "nodes": "right"}, J.last_shape(target, right)),
        ({"energy": "elastic", "over": True, "weight": 3}, 3 * J.energy("elastic", over=True)),
        ({"energy": "kinetic", "over": [.02, .06]}, J.energy("kinetic", over=(.02, .06))),
        ({"reaction": left, "direction": [0, 1, 0], "at_most": "1 N"}, J.reaction(left, [0, 1, 0]).at_most(1)),
        ({"reaction": "left", "direction": [0, 1, 0], "time": .05}, J.reaction(left, [0, 1, 0], .05)),
        ({"frequency": 2}, J.frequency(2)), ({"frequency": [1, 3], "at_least": 9}, J.frequency(1, 3).at_least(9)),
        ({"frequencies": [1, [2, 2]]}, J.frequencies([1, (2, 2)])),
    ]
    sums = [{**objective, "weight": .1 * (1 + k)} for k, (objective, _) in enumerate(pairs) if "weight" not in objective]
    weights = [.1 * (1 + k) for k, (objective, _) in enumerate(pairs) if "weight" not in objective]
    pairs.append((sums, sum(w * o for w, o in zip(weights, [o for d, o in pairs if "weight" not in d]))))
    pairs.append(({"sum": [{"frequency": 1}, {"frequency": 2}], "near": 3}, (J.frequency(1) + J.frequency(2)).near(3)))
    for written, meant in pairs:
        report = by_objective(limber_cli, path, written, *VARY, "--evaluations", 1, "--json").json
        assert report["value"] == pytest.approx(limber.value_and_grad(scene, meant, YOUNG)[0], rel=1e-12), written


def test_a_target_in_a_file(limber_cli, write_scene, probed_bar, tmp_path):
    """An exported frame, which has the nodes outside."""
    scene = probed_bar(mesh={"shape": "box", "size": [1, .25, .25], "cells": [4, 3, 3]})
    truth = copy.deepcopy(scene)
    truth["bodies"][0]["material"]["young"] = 3e4
    limber.run(truth, str(tmp_path / "run"))
    limber.export(str(tmp_path / "run"), str(tmp_path / "target.obj"), frame=10)
    path = write_scene(scene)
    (tmp_path / "objective.json").write_text('{"last_shape": "target.obj"}')
    found = by_objective(limber_cli, path, "objective.json", *VARY, "-o", "out", "--json").json
    assert found["values"][YOUNG] == pytest.approx(3e4, rel=1e-3) and found["value"] < 1e-9
    fitted = json.loads((tmp_path / "out/scene.json").read_text())
    assert fitted["bodies"][0]["material"]["young"] == found["values"][YOUNG]
    assert json.loads((tmp_path / "out/fit.json").read_text()) == found


def test_a_search_goes_on_from_what_was_kept(limber_cli, write_scene, probed_bar, tmp_path):
    path, objective = write_scene(probed_bar()), {"frequencies": [1, 1, 5]}
    options = ["--vary", f"{MODULI}=1e3..1e6", "-o", "out"]
    first = by_objective(limber_cli, path, objective, *options, "--evaluations", 4)
    assert "20 values" in first.out and "no key of a scene holds" in first.out and "objective" in first.out
    before = json.loads((tmp_path / "out/fit.json").read_text())
    assert len(before["values"][MODULI]) == 20 and not before["converged"]
    again = by_objective(limber_cli, path, objective, *options, "--resume", "--evaluations", 1, "--json").json
    assert again["value"] == pytest.approx(before["value"], rel=1e-9)
    refusal = by_objective(limber_cli, path, objective, *options, status=2)
    assert "out" in refusal.err and "--resume" in refusal.err
    other = by_objective(limber_cli, path, objective, "--vary", f"{VELOCITY}=-1..1", "-o", "out", "--resume", status=2)
    assert VELOCITY in other.err


@pytest.mark.parametrize("objective, words", [
    ({"last_shap": "a.obj"}, ["objective", "last_shap", "did you mean 'last_shape'"]),
    ({"energy": "elastic", "tiem": 1}, ["unknown key 'tiem'", "did you mean 'time'"]),
    ({"time": 1}, ["needs one of the keys", "last_shape"]),
    ({}, ["needs one of the keys"]),
    ([], ["needs at least 1"]),
    ({"energy": "elastic", "frequency": 1}, ["do not go together", "list"]),
    ({"energy": "elastic", "near": 1, "at_most": 2}, ["does not go together with 'near'"]),
    ({"energy": "elastik"}, ["elastik", "did you mean 'elastic'"]),
    ({"energy": "elastic", "time": 1, "over": True}, ["objective.over", "give one"]),
    ({"energy": "elastic", "over": 3}, ["objective.over", "[from, to]"]),
    ({"energy": "elastic", "time": 9}, ["outside the run"]),
    ({"energy": "elastic", "time": "9 m"}, ["objective.time", "9 m"]),
    ({"probe": "tp", "axis": "x"}, ["tp", "did you mean 'tip'"]),
    ({"probe": "tip"}, ["'axis' is missing"]),
    ({"probe": "tip", "axis": "w"}, ["objective.axis", "x, y, z"]),
    ({"probes": "missing.csv"}, ["missing.csv"]),
    ({"last_shape": "missing.obj"}, ["missing.obj"]),
    ({"last_shape": "missing.stl"}, ["missing.stl", ".obj"]),
    ({"last_shape": [[0, 0, 0]]}, ["1 points", "20 nodes"]),
    ({"last_shape": [[0, 0]]}, ["objective.last_shape[0]", "three numbers"]),
    ({"last_shape": [[0, 0, 0]], "nodes": "right"}, ["1 points", "'nodes' are 4"]),
    ({"last_shape": [[0, 0, 0]], "nodes": "rihgt"}, ["objective.nodes", "rihgt", "right"]),
    ({"last_shape": [[0, 0, 0]], "nodes": [99]}, ["objective.nodes", "99"]),
    ({"last_shape": [[0, 0, 0]], "nodes": [1], "weights": [-1]}, ["objective.weights[0]", "negative"]),
    ({"last_shape": [[0, 0, 0]], "nodes": [1], "body": "bra"}, ["objective.body", "did you mean 'bar'"]),
    ({"reaction": "left"}, ["'direction' is missing"]),
    ({"reaction": "left", "direction": [0, 0, 0]}, ["objective.direction", "no direction"]),
    ({"reaction": "right", "direction": [1, 0, 0]}, ["neither pinned nor scripted"]),
    ({"frequency": 0}, ["objective.frequency", "0"]),
    ({"frequencies": ["3 m"]}, ["objective.frequencies[0]", "3 m"]),
    ({"frequencies": [3], "weight": "a"}, ["objective.weight"]),
    ([{"frequency": 1}, {"frequencie": 2}], ["objective[1]", "did you mean"]),
    ('{"frequency": 1', ["--objective:1:"]),
    ("missing.json", ["missing.json"]),
    ("", ["--objective", "empty"]),
])
def test_wrong_objectives(limber_cli, write_scene, probed_bar, tmp_path, objective, words):
    done = by_objective(limber_cli, write_scene(probed_bar()), objective, *VARY, "-o", "out", status=2)
    assert all(word in done.err for word in words), done.err
    assert not (tmp_path / "out").exists()


def test_one_of_both(limber_cli, write_scene, probed_bar):
    path = write_scene(probed_bar())
    assert "--objective" in limber_cli("fit", path, *VARY, status=2).err
    both = by_objective(limber_cli, path, {"frequency": 1}, "--observed", "seen.csv", *VARY, status=2)
    assert "--observed" in both.err


def test_ctrl_c_keeps_the_best(limber_program, write_scene, probed_bar, tmp_path):
    scene = probed_bar(time={"step": .01, "duration": 30})
    command = [limber_program, "fit", write_scene(scene), "--objective", '[{"frequency": 1}, {"energy": "elastic"}]', *VARY, "-o", "out"]
    with subprocess.Popen(list(map(str, command)), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        for _ in range(2000):
            if (tmp_path / "out/fit.json").exists():
                break
            time.sleep(.01)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 1, err
    report = json.loads((tmp_path / "out/fit.json").read_text())
    assert YOUNG in report["values"] and ("stopped" in report["reason"] or "interrupted" in report["reason"])
