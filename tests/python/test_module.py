"""What a user of the module meets: what is taken for a scene, arrays that say when they cannot be changed, errors."""

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import limber


# What is taken for a scene

def test_paths_and_dicts_are_taken_for_scenes(bar, write_scene, tmp_path):
    scene = bar()
    path = write_scene(scene)
    expected = limber.Simulation(limber.Scene(scene))
    expected.run(0.05)
    for given in (scene, str(path), path, limber.Scene.load(path), limber.Scene.load(str(path)),
                  limber.Scene(scene, folder=tmp_path)):
        sim = limber.Simulation(given)
        sim.run(0.05)
        assert np.array_equal(sim.positions, expected.positions)
    for given in (scene, path):
        assert np.array_equal(limber.statics(given), limber.statics(limber.Scene(scene)))
        assert np.array_equal(limber.modes(given, 3)[0], limber.modes(limber.Scene(scene), 3)[0])
    assert limber.run(path, tmp_path / "out")["end"] == "finished"


def test_mesh_files_are_looked_for_beside_the_scene(bar, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "one.node").write_text("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n")
    (folder / "one.ele").write_text("1 4 0\n0 0 1 2 3\n")
    (folder / "scene.json").write_text(json.dumps(bar(mesh={"file": "one.node"}, pin=None)))
    assert limber.Simulation(folder / "scene.json").positions.shape == (4, 3)


@pytest.mark.parametrize("given, message", [
    (3, "scene: a Scene, a dict or the path of a scene file is needed, not <class 'int'>"),
    (None, "scene: a Scene, a dict or the path"),
    (b"beam.json", "scene: a Scene, a dict or the path"),
    ("nowhere.json", "nowhere.json"),
    (Path("nowhere.json"), "nowhere.json"),
])
def test_what_is_no_scene_is_refused(given, message):
    with pytest.raises(limber.InputError) as error:
        limber.Simulation(given)
    assert message in str(error.value)


def test_a_dict_that_contains_itself_is_refused():
    """In a process of its own: without a check the stack overflows."""
    code = """
import limber
loop = {"bodies": []}
loop["bodies"].append({"mesh": loop})
row = []
row.append(row)
class Endless:
    def tolist(self):
        return Endless()
deep = []
for _ in range(100000):
    deep = [deep]
for scene in (loop, {"time": row}, {"gravity": Endless()}, {"gravity": deep}):
    try:
        limber.Scene(scene)
    except limber.InputError as e:
        print(e)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-1000:]
    lines = done.stdout.splitlines()
    assert lines[0] == "bodies[0].mesh: a list or dict that contains itself cannot be part of a scene"
    assert lines[1] == "time[0]: a list or dict that contains itself cannot be part of a scene"
    assert lines[2] == "gravity: more than 100 lists and dicts in each other"
    assert lines[3].endswith("more than 100 lists and dicts in each other")


def test_a_part_that_occurs_twice_is_no_loop(bar):
    scene = bar()
    second = {**scene["bodies"][0], "name": "second", "position": [0, 1, 0]}  # shares mesh and material
    scene["bodies"].append(second)
    assert limber.Simulation(scene).positions.shape == (40, 3)


def test_numbers_beyond_64_bits(bar):
    assert limber.Scene(bar(material={"young": 10**20, "density": 1000, "poisson": 0.3}))
    with pytest.raises(limber.InputError, match="young: is larger than any number that a double can hold"):
        limber.Scene(bar(material={"young": 10**400, "density": 1000, "poisson": 0.3}))


# Arrays

def test_what_would_be_lost_is_refused(bar):
    sim = limber.Simulation(bar())
    before = sim.positions
    for lost in ("sim.positions[3, 1] += .5", "sim.positions[3] = 0", "sim.positions[3][1] = 0", "sim.positions[:] *= 2",
                 "sim.velocities[0, 0] = 1", "sim.positions[[1, 2]] += 1", "sim.positions.T[0] = 1"):
        with pytest.raises(limber.InputError) as error:
            exec(lost)
        assert "take x = sim.positions.copy(), change x, and set sim.positions = x" in str(error.value), lost
    for lost in ("sim.positions.fill(0)", "np.add(before, 1, out=sim.positions)", "np.asarray(sim.positions)[0] = 1"):
        with pytest.raises(ValueError, match="read-only"):
            exec(lost)
    assert np.array_equal(sim.positions, before) and not sim.velocities.any()


def test_what_is_meant_works(bar):
    sim = limber.Simulation(bar(pin=None))
    before = sim.positions
    x = sim.positions.copy()
    x[3, 1] += 0.01
    sim.positions = x
    assert np.array_equal(sim.positions, x)
    sim.positions += 0.5
    np.testing.assert_array_equal(sim.positions, x + 0.5)
    sim.velocities -= [0, 1, 0]
    assert np.array_equal(sim.velocities, np.tile([0, -1, 0], (len(x), 1)))
    sim.positions *= 2
    sim.positions = sim.positions - 1
    np.testing.assert_array_equal(sim.positions, (x + 0.5) * 2 - 1)
    np.testing.assert_array_equal(before, limber.Simulation(bar(pin=None)).positions)  # what was handed out stays


def test_what_is_computed_from_an_array_is_a_plain_one(bar):
    x = limber.Simulation(bar()).positions
    assert isinstance(x, np.ndarray) and x.dtype == float and x.flags.c_contiguous and not x.flags.writeable
    for plain in (x + 1, 2 * x, x @ x.T, x.min(axis=0), np.sin(x), x.copy(), np.array(x), x == x, x.mean(axis=0),
                  pickle.loads(pickle.dumps(x))):
        assert type(plain) is np.ndarray and plain.flags.writeable
    assert isinstance(x.max(), float) and isinstance(x.sum(), float)
    y = x.reshape(-1)[2:4].astype(float)
    y[0] = 7
    y += 1
    assert y[0] == 8


@pytest.mark.parametrize("name", ["positions", "velocities"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_states_that_are_not_finite_are_refused(bar, name, value):
    sim = limber.Simulation(bar())
    x = getattr(sim, name).copy()
    x[7, 2] = value
    with pytest.raises(limber.InputError, match=f"^{name}: node 7 has {value} in column 2, must be finite$"):
        setattr(sim, name, x)
    assert np.isfinite(sim.positions).all() and np.isfinite(sim.velocities).all()
    sim.step()


# Errors

def test_a_step_that_fails_says_where(bar):
    sim = limber.Simulation(bar(method={"name": "BE", "max_iterations": 1}, gravity=[0, -9810, 0],
                                material={"model": "neo_hookean", "young": 2e3, "poisson": 0.3, "density": 1000}))
    with pytest.raises(limber.StepFailure) as error:
        for _ in range(10):
            before = sim.time
            sim.step()
    e = error.value
    assert before <= e.t < before + 0.01 and 0 < e.h < 0.01
    assert e.iterations >= 1 and e.residual > 0
    assert f"h = {e.h:.3g} s" in str(e) and sim.time == before


def test_integrate_says_where_it_failed():
    with pytest.raises(limber.StepFailure) as error:
        limber.integrate(np.eye(1), lambda q, v, t: -1e4 * q**3, [1.0], [0.0], method="BE", step=0.5, steps=9,
                         max_iterations=1, newton_tolerance=1e-12)
    assert (error.value.t, error.value.h, error.value.iterations) == (0, 0.5, 1)


def test_failures_without_a_step_have_no_time():
    with pytest.raises(limber.StepFailure) as error:
        limber.phi1(lambda x: np.full(2, np.nan), [1.0, 1], 1.0)
    assert error.value.t is None and error.value.h is None
    assert limber.StepFailure("mine").iterations == 0
