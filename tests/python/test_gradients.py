"""`limber.value_and_grad`, `limber.fit` and `limber fit`: derivatives against differences of whole runs, parameters found again,
and what is said about wrong requests."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys

import limber
import numpy as np
import pytest

YOUNG, POISSON, DENSITY = (f"bodies[0].material.{key}" for key in ("young", "poisson", "density"))
VELOCITY = "bodies[0].velocity"

needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="needs gnuplot")


def weights(shape, phase):
    return np.sin(phase + 1.7 * np.arange(np.prod(shape))).reshape(shape)


def smooth(t, X, V):
    """All positions and velocities of all steps count, and none like another."""
    a, b, c = (weights(X.shape, phase) for phase in (0, 1, 2))
    return (a * X + b * X**2 / 2 + .05 * c * V).sum(), a + b * X, .05 * c


def tip(t, X, V):
    """The height of the last node at the end."""
    dX = np.zeros(X.shape)
    dX[-1, -1, 1] = 1
    return X[-1, -1, 1], dX, None


def refused(call, *words):
    with pytest.raises(limber.InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


# --- value_and_grad: values ----------------------------------------------------------------------------------------

def with_value(scene, keys, value):
    """A copy in which another value stands at a place such as ("bodies", 0, "velocity", 2)."""
    scene = copy.deepcopy(scene)
    at = scene
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = value
    return scene


def difference(scene, keys, step):
    """The derivative of `smooth`, by Richardson's extrapolation of central differences."""
    at = scene
    for key in keys:
        at = at[key]
    value = lambda x: limber.value_and_grad(with_value(scene, keys, x), smooth, "gravity")[0]
    over = lambda h: (value(at + h) - value(at - h)) / (2 * h)
    return (4 * over(step / 2) - over(step)) / 3


@pytest.mark.parametrize("method", ["BE", "BDF2", "TR-BDF2", "SDIRK", "gen-alpha", "SI", "SSDIRK", "RK4"])
def test_gradients_are_those_of_differences(bar, method):
    scene = bar(method={"name": method}, gravity=[.3, -9.81, 0], velocity=[.2, .5, -.3], time={"step": .01, "duration": .05})
    value, grad = limber.value_and_grad(scene, smooth, [YOUNG, POISSON, DENSITY, VELOCITY, "gravity"])
    assert isinstance(value, float) and list(grad) == [YOUNG, POISSON, DENSITY, VELOCITY, "gravity"]
    body = ("bodies", 0)
    for keys, step, found in [((*body, "material", "young"), 20, grad[YOUNG]),
                              ((*body, "material", "poisson"), 1e-3, grad[POISSON]),
                              ((*body, "material", "density"), 1, grad[DENSITY]),
                              ((*body, "velocity", 2), 1e-3, grad[VELOCITY][2]),
                              (("gravity", 1), 1e-2, grad["gravity"][1])]:
        assert found == pytest.approx(difference(scene, keys, step), rel=2e-6), keys


def test_initial_states(bar):
    """By a single node of the start; and all free nodes together change like the body's velocity."""
    scene = bar(velocity=[.2, .5, -.3])
    sim = limber.Simulation(scene)
    node, free = 12, np.setdiff1d(np.arange(len(sim.positions)), sim.pinned)
    _, grad = limber.value_and_grad(scene, smooth, ["initial.positions", "initial.velocities", VELOCITY])
    for name in ("initial.positions", "initial.velocities"):
        assert grad[name].shape == sim.positions.shape and np.all(grad[name][sim.pinned] == 0)
    assert grad["initial.velocities"][free].sum(axis=0) == pytest.approx(grad[VELOCITY], rel=1e-9)

    def run(name, step):
        sim = limber.Simulation({**scene, "method": {"name": "TR-BDF2", "newton_tolerance": 1e-10}})
        state = np.array(getattr(sim, name))
        state[node, 1] += step
        setattr(sim, name, state)
        X, V = [np.array(sim.positions)], [np.array(sim.velocities)]
        for _ in range(10):
            sim.step()
            X.append(np.array(sim.positions))
            V.append(np.array(sim.velocities))
        return smooth(None, np.array(X), np.array(V))[0]

    assert node in free
    for name in ("positions", "velocities"):
        expected = (run(name, 1e-4) - run(name, -1e-4)) / 2e-4
        # The start counts by itself as well.
        assert grad["initial." + name][node, 1] == pytest.approx(expected, rel=1e-5)


PLACE = {"velocity": [0, .1, 0], "angular_velocity": [.1, .2, .3], "position": [.1, 0, 0], "rotation": [.1, .2, .3], "scale": 1.1}


@pytest.mark.parametrize("pin", [[], ["left"]])
@pytest.mark.parametrize("key, component", [("position", 1), ("rotation", 1), ("scale", None)])
def test_the_place_of_a_body(bar, pin, key, component):
    scene, path = bar(pin=pin, time={"step": .01, "duration": .03}, **PLACE), f"bodies[0].{key}"
    grad = limber.value_and_grad(scene, smooth, path)[1][path]
    keys = ("bodies", 0, key) if component is None else ("bodies", 0, key, component)
    assert (grad if component is None else grad[component]) == pytest.approx(difference(scene, keys, 1e-3), rel=1e-6)


def test_a_velocity_that_the_scene_does_not_write(bar):
    scene = bar(time={"step": .01, "duration": .03})
    scene["bodies"][0].pop("velocity", None)
    grad = limber.value_and_grad(scene, smooth, VELOCITY)[1][VELOCITY]
    scene["bodies"][0]["velocity"] = [0, 0, 0]
    assert grad == pytest.approx(limber.value_and_grad(scene, smooth, VELOCITY)[1][VELOCITY], rel=1e-12)
    assert np.abs(grad).max() > 0


def test_angular_velocity_and_gas(bar):
    scene = bar(pin=None, time={"step": .01, "duration": .03}, **PLACE)
    grad = limber.value_and_grad(scene, smooth, "bodies[0].angular_velocity")[1]["bodies[0].angular_velocity"]
    assert grad[2] == pytest.approx(difference(scene, ("bodies", 0, "angular_velocity", 2), 1e-3), rel=1e-6)
    scene = bar(mesh={"shape": "shell", "radius": .05, "thickness": .01, "layers": 1, "resolution": .03}, pin=None,
                time={"step": .01, "duration": .03}, cavities=[{"gas": {"amount": 1.3}}])
    path = "bodies[0].cavities[0].gas.amount"
    assert limber.value_and_grad(scene, smooth, path)[1][path] == pytest.approx(
        difference(scene, ("bodies", 0, "cavities", 0, "gas", "amount"), 1e-3), rel=1e-6)


@pytest.mark.parametrize("key", ["stiffness", "mass"])
def test_damping_of_a_body_that_has_none(bar, key):
    """One-sided differences, at zero. In a process of its own."""
    code = (f"import limber, json; scene = json.loads({json.dumps(json.dumps(bar()))}); path = 'bodies[0].damping.{key}'\n"
            "print(limber.value_and_grad(scene, lambda t, X, V: (0, 1 + 0 * X, None), path)[1][path])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    total = lambda c: limber.value_and_grad(bar(damping={key: c}), lambda t, X, V: (X.sum(), None, None), "gravity")[0]
    e = 1e-4
    assert float(done.stdout) == pytest.approx((4 * total(e) - 3 * total(0) - total(2 * e)) / (2 * e), rel=1e-4)


def test_contact_with_a_given_stiffness():
    scene = {"time": {"step": .005, "duration": .08}, "contact": {"delta": .004, "stiffness": 3e6, "friction": .4, "epsilon": .02},
             "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}],
             "bodies": [{"mesh": {"shape": "box", "size": [.1, .1, .1], "cells": [1, 1, 1]}, "position": [0, .006, 0],
                         "material": {"young": 2e5, "poisson": .3, "density": 1000}, "velocity": [.8, -.5, 0]}]}
    _, grad = limber.value_and_grad(scene, smooth, [VELOCITY, "contact.friction"])
    assert grad[VELOCITY][1] == pytest.approx(difference(scene, ("bodies", 0, "velocity", 1), 1e-4), rel=1e-4)
    assert grad["contact.friction"] == pytest.approx(difference(scene, ("contact", "friction"), 1e-4), rel=1e-4)


def test_the_modulus_of_each_element(bar):
    """All together change like that of the body, and one like a region of its own."""
    scene = bar(velocity=[0, .5, 0])
    _, grad = limber.value_and_grad(scene, smooth, [YOUNG, "bodies[0].element.young"])
    by_element = grad["bodies[0].element.young"]
    assert by_element.shape == (20,) and by_element.sum() == pytest.approx(grad[YOUNG], rel=1e-8)
    body = limber.Simulation(scene).bodies[0]
    assert len(body.tets) == 20
    corner = {"nodes": body.tets[7].tolist()}
    material = scene["bodies"][0]["material"]
    split = bar(velocity=[0, .5, 0], regions={"one": corner}, materials={"one": material, "default": dict(material)}, material=None)
    assert difference(split, ("bodies", 0, "materials", "one", "young"), 20) == pytest.approx(by_element[7], rel=1e-5)


def test_viscous_bodies_are_differentiated_forwards(bar):
    material = {"young": 2e4, "poisson": .3, "density": 1000, "viscosity": [{"share": .3, "time": .02}]}
    scene = bar(material=material, velocity=[0, .5, 0], time={"step": .01, "duration": .04})
    _, grad = limber.value_and_grad(scene, smooth, [YOUNG, "bodies[0].material.viscosity[0].time"])
    keys = ("bodies", 0, "material")
    assert grad[YOUNG] == pytest.approx(difference(scene, (*keys, "young"), 20), rel=1e-5)
    assert grad["bodies[0].material.viscosity[0].time"] == pytest.approx(
        difference(scene, (*keys, "viscosity", 0, "time"), 1e-4), rel=1e-5)
    refused(lambda: limber.value_and_grad(scene, smooth, "initial.velocities"), "initial.velocities", "for each node")


# --- value_and_grad: shapes ----------------------------------------------------------------------------------------

def test_what_the_objective_is_given(bar):
    scene, calls = bar(), []

    def objective(t, X, V):
        calls.append((t, X, V))
        return tip(t, X, V)

    value, grad = limber.value_and_grad(scene, objective, YOUNG)
    (t, X, V), = calls  # one call
    sim = limber.Simulation(scene)
    assert X.shape == V.shape == (11, *sim.positions.shape) and t == pytest.approx(np.arange(11) * .01)
    assert np.array_equal(X[0], sim.positions) and np.all(V[0] == 0)
    assert not X.flags.writeable and not V.flags.writeable
    sim.run(.1)
    assert np.abs(X[-1] - sim.positions).max() < 1e-6 and np.abs(V[-1] - sim.velocities).max() < 1e-4
    assert value == X[-1, -1, 1] and isinstance(grad[YOUNG], float) and grad[YOUNG] != 0


def test_what_it_may_answer(bar):
    """None for what is zero; any numbers; anything that a scene may be."""
    scene = bar(time={"step": .01, "duration": .03})
    expected = limber.value_and_grad(scene, tip, [YOUNG])
    zero = lambda t, X, V: (tip(t, X, V)[0], tip(t, X, V)[1], np.zeros(V.shape))
    assert limber.value_and_grad(limber.Scene(scene), zero, (YOUNG,)) == expected
    whole = lambda t, X, V: (np.float32(2), np.ones(X.shape, dtype=int).tolist(), None)
    value, grad = limber.value_and_grad(scene, whole, ["gravity", YOUNG])
    assert value == 2 and grad["gravity"].shape == (3,)
    assert limber.value_and_grad(scene, lambda t, X, V: (7, None, None), [YOUNG, "gravity"])[1][YOUNG] == 0


def test_a_scene_file(bar, write_scene):
    path = write_scene(bar(time={"step": "10 ms", "duration": .02}, material={"young": "20 kPa", "poisson": .3, "density": 1000}))
    assert limber.value_and_grad(str(path), tip, YOUNG) == limber.value_and_grad(path, tip, YOUNG)


def test_mesh_files_are_found_beside_the_scene(write_scene, bar, tmp_path):
    (tmp_path / "one.mesh").write_text("MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                                       "Tetrahedra\n1\n1 2 3 4 0\nEnd\n")
    scene = bar(mesh={"file": "one.mesh"}, velocity=[1, 2, 3])
    del scene["bodies"][0]["pin"]
    _, grad = limber.value_and_grad(write_scene(scene), tip, [VELOCITY, DENSITY])
    assert grad[VELOCITY] == pytest.approx([0, .1, 0]) and grad[DENSITY] == pytest.approx(0, abs=1e-12)  # free flight


def test_repeated_calls_give_the_same_bits(bar):
    first, second = (limber.value_and_grad(bar(velocity=[0, 1, 0]), smooth, [YOUNG, VELOCITY]) for _ in range(2))
    assert first[0] == second[0] and first[1][YOUNG] == second[1][YOUNG]
    assert np.array_equal(first[1][VELOCITY], second[1][VELOCITY])


# --- value_and_grad: wrong requests --------------------------------------------------------------------------------

@pytest.mark.parametrize("path, words", [
    ("bodies[0].material.yong", ["bodies[0].material.yong", "did you mean bodies[0].material.young?"]),
    ("bodies[1].material.young", ["bodies[1].material.young"]),
    ("time.step", ["time.step", "given steps"]),
    ("method.name", ["method.name", "does not change smoothly"]),
    ("bodies[0].mesh.cells", ["bodies[0].mesh.cells", "shapes the mesh"]),
    ("bodies[0].mesh.size", ["bodies[0].mesh.size", "shapes the mesh"]),
    ("bodies[0].name", ["bodies[0].name", "choice"]),
    ("initial.position", ["initial.position"]),
    ("", ["an empty path"]),
])
def test_parameters_that_there_are_not(bar, path, words):
    refused(lambda: limber.value_and_grad(bar(), tip, [path]), *words)


def test_no_parameters(bar):
    refused(lambda: limber.value_and_grad(bar(), tip, []), "parameters", "is empty")


@pytest.mark.parametrize("names", [5, [1], None])
def test_parameters_that_are_no_names(bar, names):
    refused(lambda: limber.value_and_grad(bar(), tip, names), "parameters")


@pytest.mark.parametrize("answer, words", [
    (lambda X: 3.0, ["(J, dJ/dX, dJ/dV)"]),
    (lambda X: None, ["(J, dJ/dX, dJ/dV)"]),
    (lambda X: (3.0, None), ["(J, dJ/dX, dJ/dV)"]),
    (lambda X: [3.0, None, None], ["(J, dJ/dX, dJ/dV)"]),
    (lambda X: (None, None, None), ["its value is not a number"]),
    (lambda X: (np.nan, None, None), ["its value is nan"]),
    (lambda X: (np.inf, None, None), ["its value is inf"]),
    (lambda X: (1, X[-1], None), ["dJ/dX", "(20, 3)", "(11, 20, 3)"]),
    (lambda X: (1, None, X[1:]), ["dJ/dV", "(10, 20, 3)"]),
    (lambda X: (1, 0 * X + np.nan, None), ["dJ/dX", "not finite", "row 0"]),
    (lambda X: (1, "tip", None), ["dJ/dX"]),
    (lambda X: (1, 1j * X, None), ["dJ/dX", "complex"]),
    (lambda X: (1, None, X + 0j), ["dJ/dV", "complex"]),
])
def test_wrong_answers_of_the_objective(bar, answer, words):
    refused(lambda: limber.value_and_grad(bar(), lambda t, X, V: answer(X), YOUNG), "objective", *words)


def test_what_the_objective_raises_comes_through(bar):
    class Mine(Exception):
        pass

    def objective(t, X, V):
        raise Mine("as it is")

    with pytest.raises(Mine, match="as it is"):
        limber.value_and_grad(bar(), objective, YOUNG)


def test_motions_without_a_gradient(bar):
    refused(lambda: limber.value_and_grad(bar(pin=["left", {"nodes": "right", "until": .05}]), tip, YOUNG), "released")


@pytest.mark.parametrize("method", ["SIERE", "TR-BDF2ERE", "ERE"])
def test_methods_without_a_rule_go_forwards(bar, method):
    parameters = [YOUNG, DENSITY, "bodies[0].velocity"]
    value, grad = limber.value_and_grad(bar(method=method), tip, parameters)
    scene = bar(method=method)
    scene["bodies"][0]["material"]["young"] *= 1 + 1e-4
    higher, _ = limber.value_and_grad(scene, tip, YOUNG)
    change = 1e-4 * bar()["bodies"][0]["material"]["young"]
    assert (higher - value) / change == pytest.approx(grad[YOUNG], rel=1e-2)
    assert np.isfinite(grad["bodies[0].velocity"]).all()


@pytest.mark.parametrize("parameter, word", [("initial.velocities", "each node"), ("bodies[0].element.young", "whole systems")])
def test_methods_without_a_rule_refuse_long_lists(bar, parameter, word):
    refused(lambda: limber.value_and_grad(bar(method="SIERE"), tip, parameter), word)


@pytest.mark.parametrize("method", ["TR-BDF2", "SI", "SIERE"])
def test_equal_bits_for_any_number_of_threads(method):
    """Of a cube that slides on a floor, large enough for several threads."""
    scene = {
        "time": {"step": .005, "duration": .025}, "method": method, "gravity": [0, -9.81, 0],
        "contact": {"delta": .004, "stiffness": 3e6, "friction": .4},
        "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}],
        "bodies": [{
            "name": "cube", "mesh": {"shape": "box", "size": [.1, .1, .1], "cells": [8, 8, 8]},
            "material": {"model": "neo_hookean", "young": 2e5, "poisson": .3, "density": 1000},
            "position": [0, .006, 0], "velocity": [.8, -.5, 0]}],
    }
    parameters = [YOUNG, "contact.friction"] + ([] if method == "SIERE" else ["initial.velocities"])
    found = []
    for threads in (1, 2, 3):
        limber.set_threads(threads)
        try:
            found.append(limber.value_and_grad(scene, smooth, parameters))
        finally:
            limber.set_threads(os.cpu_count())
    for value, grad in found[1:]:
        assert value == found[0][0]
        for name in parameters:
            assert np.array_equal(grad[name], found[0][1][name]), name


def test_rod():
    """A rope that is held by one end."""
    scene = {
        "time": {"step": .005, "duration": .05}, "method": "TR-BDF2", "gravity": [0, -9.81, 0],
        "bodies": [{
            "name": "rope", "mesh": {"shape": "chain", "from": [0, 0, 0], "to": [.4, 0, .1], "segments": 8}, "thickness": .01,
            "material": {"model": "neo_hookean", "young": 1e6, "poisson": .3, "density": 1100}, "pin": ["left"]}],
    }
    _, grad = limber.value_and_grad(scene, smooth, [YOUNG, DENSITY])
    for path, step in ((YOUNG, 1e3), (DENSITY, 1)):
        key = path.rsplit(".", 1)[1]

        def value(x):
            other = copy.deepcopy(scene)
            other["bodies"][0]["material"][key] = x
            return limber.value_and_grad(other, smooth, "gravity")[0]

        x = scene["bodies"][0]["material"][key]
        slopes = [(value(x + h) - value(x - h)) / (2 * h) for h in (step, step / 2)]
        assert grad[path] == pytest.approx((4 * slopes[1] - slopes[0]) / 3, rel=1e-6)


# --- fit -----------------------------------------------------------------------------------------------------------

TRUE, LOW, HIGH = 3e5, 1e5, 1e6
T = np.linspace(0, .2, 11)
PLACES = np.ones((11, 3))


@pytest.fixture
def probed(bar):
    """The bar with a probe at its tip and one in its middle."""
    def make(young=2e5, **keys):
        output = {"probes": [{"name": "tip", "body": "bar", "point": [1, .25, .25]},
                             {"name": "mid", "body": "bar", "point": [.5, .1, .2]}]}
        scene = bar(**{"output": output, "time": {"step": .02, "duration": .2}, **keys})
        scene["bodies"][0]["material"]["young"] = young
        return scene
    return make


def seen(scene, between=False):
    """(t, {"tip": ...}) of a run in which Newton is converged as in a fit. between: in the middle of each step, on the cubic
    with the positions and velocities of both ends."""
    scene = copy.deepcopy(scene)
    scene["method"] = {"name": "TR-BDF2", "newton_tolerance": 1e-10}
    sim = limber.Simulation(scene)
    node = int(np.abs(sim.positions - [1, .25, .25]).sum(axis=1).argmin())
    t, x, v = [sim.time], [np.array(sim.positions[node])], [np.array(sim.velocities[node])]
    for _ in range(10):
        sim.step()
        t.append(sim.time)
        x.append(np.array(sim.positions[node]))
        v.append(np.array(sim.velocities[node]))
    t, x, v = map(np.array, (t, x, v))
    if between:
        h = t[1] - t[0]
        return (t[1:] + t[:-1]) / 2, {"tip": (x[1:] + x[:-1]) / 2 + h / 8 * (v[:-1] - v[1:])}
    return t, {"tip": x}


def test_a_modulus_is_found_again(probed):
    t, observed = seen(probed(TRUE))
    r = limber.fit(probed(), (t, observed), vary={YOUNG: (LOW, HIGH)})
    assert r.converged and r.values == {YOUNG: pytest.approx(TRUE, rel=1e-7)} and r.rms < 1e-8 and 2 < r.evaluations < 20
    low, high = r.confidence[YOUNG]
    assert low <= r.values[YOUNG] <= high < 1.0001 * low
    assert limber.Simulation(r.scene).parameters[YOUNG] == r.values[YOUNG]
    times, motion = r.motion
    assert set(motion) == {"tip.x", "tip.y", "tip.z"} and times == pytest.approx(t)
    assert motion["tip.y"] == pytest.approx(observed["tip"][:, 1], abs=1e-8)


def test_a_modulus_is_found_in_the_table_of_a_run(probed, tmp_path):
    limber.run(probed(TRUE), str(tmp_path / "run"))
    for path in (tmp_path / "run/probes.csv", str(tmp_path / "run/probes.csv")):
        r = limber.fit(probed(), path, vary={YOUNG: (LOW, HIGH)})
        assert r.values[YOUNG] == pytest.approx(TRUE, rel=1e-4) and r.rms < 1e-6


def test_some_cells_are_enough(probed):
    t, observed = seen(probed(TRUE))
    x = observed["tip"].copy()
    x[::2] = np.nan
    x[:, 2] = np.nan
    r = limber.fit(probed(), (t, {"tip": x}), vary={YOUNG: (LOW, HIGH)})
    assert r.values[YOUNG] == pytest.approx(TRUE, rel=1e-6)


def test_observations_between_steps(probed):
    r = limber.fit(probed(), seen(probed(TRUE), between=True), vary={YOUNG: (LOW, HIGH)})
    assert r.values[YOUNG] == pytest.approx(TRUE, rel=1e-6) and r.rms < 1e-8


def test_two_values_at_once(probed):
    loads = [{"nodes": "right", "total_force": [0, 5, 0]}]
    r = limber.fit(probed(loads=loads), seen(probed(TRUE, loads=loads)), vary={YOUNG: (LOW, HIGH), DENSITY: (500, 2000)}, starts=2)
    assert r.values == {YOUNG: pytest.approx(TRUE, rel=1e-5), DENSITY: pytest.approx(1000, rel=1e-5)}


def test_what_the_data_do_not_say(probed):
    """Under its weight alone only the ratio of modulus and density shows."""
    r = limber.fit(probed(), seen(probed(TRUE)), vary={YOUNG: (LOW, HIGH), DENSITY: (500, 2000)})
    assert r.values[YOUNG] / r.values[DENSITY] == pytest.approx(TRUE / 1000, rel=1e-5)
    assert any(YOUNG in note and DENSITY in note and "apart" in note for note in r.notes)


def test_intervals_of_what_the_data_do_not_say(probed):
    r = limber.fit(probed(), seen(probed(TRUE)), vary={YOUNG: (LOW, HIGH), DENSITY: (500, 2000)})
    assert np.isnan([r.confidence[YOUNG], r.confidence[DENSITY]]).all()


@pytest.mark.parametrize("observed, vary", [((T, {1: PLACES}), {YOUNG: (LOW, HIGH)}), ((.1, {"tip": PLACES}), {YOUNG: (LOW, HIGH)}),
                                            ((T, {"tip": PLACES}), {1: (LOW, HIGH)})])
def test_names_and_times_of_the_wrong_kind(probed, observed, vary):
    refused(lambda: limber.fit(probed(), observed, vary=vary))


def test_a_best_value_beyond_the_bounds(probed):
    r = limber.fit(probed(), seen(probed(TRUE)), vary={YOUNG: (LOW, 2.5e5)})
    assert r.values[YOUNG] == 2.5e5 and any("upper bound" in note for note in r.notes)


def test_a_start_outside_the_bounds(probed):
    r = limber.fit(probed(9e6), seen(probed(TRUE)), vary={YOUNG: (LOW, HIGH)})
    assert r.values[YOUNG] == pytest.approx(TRUE, rel=1e-6) and any("outside" in note for note in r.notes)


def test_one_component_of_a_list(probed):
    truth = probed(velocity=[0, .7, 0])
    r = limber.fit(probed(velocity=[0, 0, 0]), seen(truth), vary={VELOCITY + "[1]": (-2, 2)})
    assert r.values == {VELOCITY + "[1]": pytest.approx(.7, rel=1e-6)}


def test_few_evaluations(probed):
    r = limber.fit(probed(), seen(probed(TRUE)), vary={YOUNG: (LOW, HIGH)}, max_evaluations=2)
    assert r.evaluations == 2 and not r.converged and r.reason


@pytest.mark.parametrize("observed, words", [
    ((T + .1, {"tip": PLACES}), ["observed", "outside the run", "time.duration"]),
    ((T - .05, {"tip": PLACES}), ["observed", "-0.05"]),
    ((T[::-1], {"tip": PLACES}), ["observed", "does not follow"]),
    ((T, {"tp": PLACES}), ["tp.x", "did you mean \"tip\"?"]),
    ((T, {"tip": PLACES[:5]}), ["observed"]),
    ((T, {"tip": PLACES[:, :2]}), ["observed"]),
    ((T, {"tip": np.full((11, 3), np.nan)}), ["observed", "nothing is observed"]),
    ((T, {"tip": np.full((11, 3), np.inf)}), ["observed", "infinite"]),
    ((T, {}), ["observed"]),
    ((T, PLACES), ["observed", "CSV"]),
    (PLACES, ["observed", "CSV"]),
    ("missing.csv", ["missing.csv"]),
])
def test_wrong_observations(probed, observed, words):
    refused(lambda: limber.fit(probed(), observed, vary={YOUNG: (LOW, HIGH)}), *words)


@pytest.mark.parametrize("vary, words", [
    ({}, ["vary", "is empty"]),
    ({YOUNG: (HIGH, LOW)}, [YOUNG]),
    ({YOUNG: (LOW, LOW)}, [YOUNG]),
    ({YOUNG: (LOW, np.nan)}, [YOUNG]),
    ({YOUNG: LOW}, [YOUNG, "(low, high)"]),
    ({YOUNG: ("a", "b")}, [YOUNG, "(low, high)"]),
    ({"bodies[0].material.yong": (1, 2)}, ["did you mean bodies[0].material.young?"]),
    ({VELOCITY: ([0, 0], 1)}, [VELOCITY, "3 components", "2 bounds"]),
    ({"initial.velocities": (0, 1)}, ["initial.velocities", "a component for each node", "objective"]),
    ({"time.step": (.01, .02)}, ["time.step"]),
])
def test_wrong_bounds(probed, vary, words):
    refused(lambda: limber.fit(probed(velocity=[0, 0, 0]), (T, {"tip": PLACES}), vary=vary), *words)


def test_a_scene_without_probes(bar):
    refused(lambda: limber.fit(bar(), (T, {"tip": PLACES}), vary={YOUNG: (LOW, HIGH)}), "output.probes")


@pytest.mark.parametrize("table, words", [
    ("", ["empty"]),
    ("tip.x,tip.y\n1,2\n", ["no column time"]),
    ("time\n0\n", ["no column beside time"]),
    ("time,tip\n0,1\n", ["tip.x"]),
    ("time,tip.x\n", ["no times"]),
    ("time,tip.x\n0,1,2\n", ["3 values, but 2 columns"]),
    ("time,tip.x\n0,here\n", ["here"]),
    ("time,tip.x\n0,1\n0,1\n", ["does not follow"]),
])
def test_wrong_tables(probed, tmp_path, table, words):
    path = tmp_path / "observed.csv"
    path.write_text(table, encoding="utf-8")
    refused(lambda: limber.fit(probed(), path, vary={YOUNG: (LOW, HIGH)}), "observed.csv", *words)


# --- the command line ----------------------------------------------------------------------------------------------

@pytest.fixture
def observed(probed, tmp_path):
    """A table with a comment, an empty cell and a nan."""
    t, places = seen(probed(TRUE))
    lines = [f"{time:.17g},{x:.17g},{y:.17g}" for time, (x, y, _) in zip(t, places["tip"])]
    lines[3] = re.sub(",[^,]*,", ",,", lines[3])
    lines[4] = re.sub("[^,]+$", "nan", lines[4])
    path = tmp_path / "observed.csv"
    path.write_text("# filmed\n" + "\n".join(["time,tip.x,tip.y", *lines]) + "\n", encoding="utf-8")
    return path


VARY = ["--vary", f"{YOUNG}=1e5..1e6"]


def test_the_command(limber_cli, write_scene, probed, observed, tmp_path):
    path = write_scene(probed())
    done = limber_cli("fit", path, "--observed", observed, *VARY, "-o", "out")
    assert YOUNG in done.out and "300000" in done.out and "rms" in done.out and "fit.json" in done.out
    files = {"fit.json", "scene.json"} | ({"fit.png"} if shutil.which("gnuplot") else set())
    assert {p.name for p in (tmp_path / "out").iterdir()} == files
    report = json.loads((tmp_path / "out/fit.json").read_text())
    assert report["values"][YOUNG] == pytest.approx(TRUE, rel=1e-6) and report["converged"] and report["rms"] < 1e-7
    low, high = report["confidence"][YOUNG]
    assert low <= report["values"][YOUNG] <= high
    assert json.loads((tmp_path / "out/scene.json").read_text())["bodies"][0]["material"]["young"] == report["values"][YOUNG]
    before = {p: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    refusal = limber_cli("fit", path, "--observed", observed, *VARY, "-o", "out", status=2)
    assert "out" in refusal.err and "--resume" in refusal.err and {p: p.read_bytes() for p in before} == before
    again = limber_cli("fit", path, "--observed", observed, *VARY, "-o", "out", "--resume", "--json").json
    assert again["values"][YOUNG] == pytest.approx(TRUE, rel=1e-6) and again["evaluations"] < report["evaluations"]
    limber_cli("fit", path, "--observed", observed, *VARY, "-o", "out", "--overwrite")


@needs_gnuplot
def test_its_picture(limber_cli, write_scene, probed, observed, tmp_path):
    limber_cli("fit", write_scene(probed()), "--observed", observed, *VARY, "-o", "out", "--evaluations", 1)
    assert (tmp_path / "out/fit.png").read_bytes().startswith(b"\x89PNG")


def test_its_json(limber_cli, write_scene, probed, observed):
    done = limber_cli("fit", write_scene(probed()), "--observed", observed, *VARY, "--json", "--set", "method.name=TR-BDF2")
    assert set(done.json) == {"values", "confidence", "rms", "evaluations", "converged", "reason", "notes"}
    assert limber.fit(probed(), observed, {YOUNG: (LOW, HIGH)}).values == done.json["values"]


def test_a_fit_goes_on_from_what_was_kept(limber_cli, write_scene, probed, observed, tmp_path):
    path = write_scene(probed())
    limber_cli("fit", path, "--observed", observed, *VARY, "-o", "out", "--evaluations", 2)
    first = json.loads((tmp_path / "out/fit.json").read_text())
    assert not first["converged"]
    limber_cli("fit", path, "--observed", observed, *VARY, "-o", "out", "--resume")
    second = json.loads((tmp_path / "out/fit.json").read_text())
    assert second["converged"] and second["values"][YOUNG] == pytest.approx(TRUE, rel=1e-6)
    done = limber_cli("fit", path, "--observed", observed, "--vary", f"{DENSITY}=500..2000", "-o", "out", "--resume", status=2)
    assert DENSITY in done.err


@pytest.mark.parametrize("options, words", [
    (["--vary", f"{YOUNG}=1e5"], ["--vary", "KEY=LOW..HIGH"]),
    (["--vary", f"{YOUNG}=1e6..1e5"], [YOUNG]),
    (["--vary", f"{YOUNG}=a..b"], [YOUNG]),
    (["--vary", "bodies[0].material.yong=1e5..1e6"], ["did you mean bodies[0].material.young?"]),
    ([*VARY, *VARY], ["stands twice"]),
    ([*VARY, "--resume"], ["--resume", "-o DIR"]),
    ([*VARY, "--starts", "0"], ["--starts"]),
    ([*VARY, "--set", "time.duration=0.1"], ["outside the run", "time.duration"]),
    ([], ["--vary"]),
])
def test_wrong_options(limber_cli, write_scene, probed, observed, tmp_path, options, words):
    directory = [] if "--resume" in options else ["-o", "out"]
    done = limber_cli("fit", write_scene(probed()), "--observed", observed, *options, *directory, status=2)
    for word in words:
        assert word in done.err
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_ranges_may_have_units(limber_cli, write_scene, probed, observed):
    report = limber_cli("fit", write_scene(probed()), "--observed", observed, "--vary", f"{YOUNG}=100 kPa..1 MPa", "--json").json
    assert report["values"][YOUNG] == pytest.approx(TRUE, rel=1e-6)
