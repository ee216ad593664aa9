"""`limber.objectives` and `limber.minimize`: derivatives against differences, minima that are known, bounds, Ctrl-C, and what is
said about wrong requests."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import limber
import numpy as np
import pytest
from limber import objectives

YOUNG, DENSITY, VELOCITY = "bodies[0].material.young", "bodies[0].material.density", "bodies[0].velocity"


def refused(call, *words):
    with pytest.raises(limber.InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


@pytest.fixture
def scene(bar):
    scene = bar(velocity=[.2, .5, -.3], time={"step": .01, "duration": .05}, method={"name": "TR-BDF2"})
    body = scene["bodies"][0]
    body.setdefault("name", "bar")
    sim = limber.Simulation(scene)
    top = np.array(sim.positions).max(axis=0)
    scene["output"] = {**scene.get("output", {}), "probes": [{"name": "tip", "body": body["name"], "point": list(top)}]}
    return scene


def changed(scene, key, factor):
    scene = copy.deepcopy(scene)
    scene["bodies"][0]["material"][key] *= factor
    return scene


def check(scene, objective, tolerance=1e-6):
    """By the modulus and the density, against Richardson's extrapolation of differences."""
    value, grad = limber.value_and_grad(scene, objective, [YOUNG, DENSITY])
    for key, path in (("young", YOUNG), ("density", DENSITY)):
        x = scene["bodies"][0]["material"][key]
        at = lambda e: limber.value_and_grad(changed(scene, key, 1 + e), objective, "gravity")[0]
        over = lambda e: (at(e) - at(-e)) / (2 * e * x)
        expected = (4 * over(1e-3) - over(2e-3)) / 3
        assert grad[path] == pytest.approx(expected, rel=tolerance), path
        assert expected != 0
    return value


# --- Values and derivatives ---------------------------------------------------------------------------------------

def test_probes(scene, tmp_path):
    sim = limber.Simulation(scene)
    start = np.array(sim.positions).max(axis=0)
    seen = np.array([start + [.01, 0, 0], [np.nan, start[1] + .02, np.nan]])
    assert limber.value_and_grad(scene, objectives.probes(([0], {"tip": seen[:1]})), YOUNG)[0] == pytest.approx(1e-4 / 3)
    by_array = check(scene, objectives.probes(([.013, .042], {"tip": seen})))
    table = tmp_path / "seen.csv"
    np.savetxt(table, np.column_stack([[.013, .042], seen]), delimiter=",", header="time,tip.x,tip.y,tip.z", comments="",
               fmt="%.17g")
    for observed in (table, str(table)):
        assert limber.value_and_grad(scene, objectives.probes(observed), YOUNG)[0] == by_array
    assert limber.value_and_grad(scene, objectives.probes(table, {"tip": 5}), YOUNG)[0] == pytest.approx(by_array)


def test_the_last_shape(scene):
    sim = limber.Simulation(scene)
    sim.run(.05)
    end = np.array(sim.positions)
    target = end + [0, 0, .3]
    assert limber.value_and_grad(scene, objectives.last_shape(target), YOUNG)[0] == pytest.approx(.09, rel=1e-3)
    check(scene, objectives.last_shape(target))
    check(scene, objectives.last_shape(target[5:8], nodes=[5, 6, 7], weights=[1, 0, 2], time=.03))
    check(scene, objectives.last_shape(target[5:8], nodes=np.arange(5, 8)))


def test_energies(scene):
    sim = limber.Simulation(scene)
    kinetic = []
    for _ in range(6):
        kinetic.append(sim.energies()["kinetic"])
        sim.step()
    kinetic = np.array(kinetic)
    value = lambda J: limber.value_and_grad(scene, J, YOUNG)[0]
    assert value(objectives.energy("kinetic")) == pytest.approx(kinetic[5], rel=1e-4)
    assert value(objectives.energy("kinetic", time=.02)) == pytest.approx(kinetic[2], rel=1e-4)
    assert value(objectives.energy("kinetic", over=(.01, .04))) == pytest.approx(
        .01 * (kinetic[1] / 2 + kinetic[2] + kinetic[3] + kinetic[4] / 2), rel=1e-4)
    for J in (objectives.energy("elastic"), objectives.energy("kinetic", over=True), objectives.energy("elastic", over=(.01, .03))):
        check(scene, J)


def test_reactions(scene):
    sim = limber.Simulation(scene)
    sim.run(.05)
    held = sim.pinned
    value = check(scene, objectives.reaction(held, [0, 1, 0]))
    method = scene["method"]
    scene["method"] = {"name": "BE"}  # which acts at the end of its steps
    sim = limber.Simulation(scene)
    sim.run(.05)
    assert limber.value_and_grad(scene, objectives.reaction(held, [0, 1, 0]), YOUNG)[0] == pytest.approx(
        sim.reactions()[:, 1].sum(), rel=1e-3)
    scene["method"] = method
    check(scene, objectives.reaction(held[:2], [1, 2, 3], over=(.01, .05)))
    assert value != 0


def test_frequencies(scene):
    lam = limber.modes(scene, 4)[0]
    hertz = np.sqrt(lam) / (2 * np.pi)
    value = lambda J: limber.value_and_grad(scene, J, YOUNG)[0]
    assert value(objectives.frequency(2)) == pytest.approx(hertz[1], rel=1e-6)
    assert value(objectives.frequency(1, 3)) == pytest.approx(hertz[:3].mean(), rel=1e-6)
    wanted = [1.1 * hertz[0], (.9 * hertz[1:3].mean(), 2)]
    assert value(objectives.frequencies(wanted)) == pytest.approx(((1 / 1.1 - 1)**2 + 2 * (1 / .9 - 1)**2) / 3, rel=1e-5)
    assert value(objectives.frequencies([5, 5])) == value(objectives.frequencies([(5, 2)]))
    check(scene, objectives.frequencies(wanted))


def test_sums(scene):
    y, z = objectives.probe("tip", "y"), objectives.probe("tip", "z")

    def left(t, X, V):
        dX = np.zeros(X.shape)
        dX[-1, 3, 0] = 1
        return X[-1, 3, 0], dX, None

    value = lambda J: limber.value_and_grad(scene, J, YOUNG)[0]
    a, b, c = value(y), value(z), value(left)
    assert value(2 * y - z / 4 + 1) == pytest.approx(2 * a - b / 4 + 1)
    assert value(3 - y) == pytest.approx(3 - a) and value(-y) == -a
    assert value(sum([y, z, y])) == pytest.approx(2 * a + b)
    assert value(y + left) == pytest.approx(a + c) and value(left + y) == pytest.approx(a + c)
    assert value(left - y) == pytest.approx(c - a) and value(y - left) == pytest.approx(a - c)
    assert value(y.near(1)) == pytest.approx((a - 1)**2)
    assert value(y.at_least(a + 1)) == pytest.approx(1) and value(y.at_least(a - 1)) == 0
    assert value(y.at_most(a - 1)) == pytest.approx(1) and value(y.at_most(a + 1)) == 0
    check(scene, 2 * y.near(1) + objectives.Objective(left) * 3 + 1e-3 * objectives.frequency(1) + objectives.energy("elastic", time=.02))


def test_a_run_is_as_long_as_its_objective(scene):
    steps = []

    def look(t, X, V):
        steps.append(len(t))
        return 0.0, None, None

    limber.value_and_grad(scene, look, YOUNG)
    assert steps == [6]
    scene["time"]["duration"] = 1e4  # a million steps
    limber.value_and_grad(scene, objectives.energy("kinetic", time=.02), YOUNG)
    limber.value_and_grad(scene, objectives.frequency(1), YOUNG)


# --- Minima -------------------------------------------------------------------------------------------------------

def test_a_modulus_for_a_frequency(scene):
    now = limber.value_and_grad(scene, objectives.frequency(1), YOUNG)[0]
    young = scene["bodies"][0]["material"]["young"]
    found = limber.minimize(scene, objectives.frequencies([1.5 * now]), {YOUNG: (young / 50, young * 50)})
    assert found.converged and found.evaluations < 20 and found.value < 1e-10
    assert found.values[YOUNG] == pytest.approx(2.25 * young, rel=.05)  # gravity stiffens a little, or not
    again = limber.value_and_grad(found.scene, objectives.frequency(1), YOUNG)[0]
    assert again == pytest.approx(1.5 * now, rel=1e-6)


def test_velocities_that_lead_to_a_place(scene):
    """A free body flies on a parabola: x + v T + g T²/2. A list with bounds of its own for each component."""
    scene["bodies"][0].pop("pin", None)
    scene["gravity"] = [0, -9.81, 0]
    scene["bodies"][0]["velocity"] = [0, 0, 0]
    start = np.array(limber.Simulation(scene).positions)
    T, v = .05, np.array([1, 2, -4])
    target = start + v * T + np.array([0, -9.81, 0]) * T**2 / 2
    seen = []
    found = limber.minimize(scene, objectives.last_shape(target), {VELOCITY: (-3, [3, 3, 2])},
                            progress=lambda n, value, values: seen.append((n, value, values[VELOCITY])))
    assert found.converged
    assert found.values[VELOCITY] == pytest.approx([1, 2, -3], rel=1e-4)
    assert found.values[VELOCITY][2] == -3 and any("velocity[2] ended at its lower bound" in note for note in found.notes)
    assert [n for n, _, _ in seen] == list(range(1, found.evaluations + 1))
    assert min(value for _, value, _ in seen) == found.value
    assert all(np.all(np.array(x) >= -3) and np.all(np.array(x) <= [3, 3, 2]) for _, _, x in seen)
    assert found.scene.to_dict()["bodies"][0]["velocity"] == pytest.approx(list(found.values[VELOCITY]))


def test_start_velocities_of_all_nodes(scene):
    scene["bodies"][0].pop("pin", None)
    scene["gravity"] = [0, 0, 0]
    scene["bodies"][0]["velocity"] = [0, 0, 0]
    start = np.array(limber.Simulation(scene).positions)
    found = limber.minimize(scene, objectives.last_shape(start + [.05, 0, 0]), {"initial.velocities": (-3, 3)}, max_evaluations=60)
    assert found.values["initial.velocities"].shape == start.shape
    assert found.value < 1e-6 * .05**2 + 1e-8


def test_moduli_of_elements(scene):
    """A bar that is stiffest where that lifts its lowest frequency most: near its held end."""
    path, young = "bodies[0].element.young", scene["bodies"][0]["material"]["young"]
    found = limber.minimize(scene, -objectives.frequency(1), {path: (young, 2 * young)}, tolerance=1e-6)
    moduli = found.values[path]
    assert np.all(moduli >= young) and np.all(moduli <= 2 * young) and found.converged
    assert moduli == pytest.approx(2 * young)  # stiffer is stiffer, everywhere
    by_mean = limber.minimize(scene, -objectives.frequency(1), {path: (young, [2 * young] * 5 + [1.5 * young] * (len(moduli) - 5))})
    assert by_mean.values[path][5:] == pytest.approx(1.5 * young)


def test_fit_takes_an_objective(scene):
    now = limber.value_and_grad(scene, objectives.frequency(1), YOUNG)[0]
    young = scene["bodies"][0]["material"]["young"]
    found = limber.fit(scene, objectives.frequency(1).near(1.2 * now), {YOUNG: (young / 9, 9 * young)}, starts=2)
    assert isinstance(found, limber.MinimizeResult) and found.converged
    assert limber.value_and_grad(found.scene, objectives.frequency(1), YOUNG)[0] == pytest.approx(1.2 * now, rel=1e-4)


def test_what_ends_a_search(scene):
    J, vary = objectives.energy("elastic"), {YOUNG: (1e3, 1e8)}
    few = limber.minimize(scene, J, vary, max_evaluations=2)
    assert few.evaluations == 2 and not few.converged and "2 evaluations" in few.reason
    one = limber.minimize(scene, J, vary, progress=lambda *_: False)
    assert one.evaluations == 1 and one.reason == "it was stopped"

    def fails(*_):
        raise RuntimeError("of the user")

    with pytest.raises(RuntimeError, match="of the user"):
        limber.minimize(scene, fails, vary)
    with pytest.raises(RuntimeError, match="of the user"):
        limber.minimize(scene, J, vary, progress=fails)


def test_ctrl_c_keeps_the_best(scene, tmp_path):
    """In an objective, in the progress and while Limber computes."""
    scene["time"]["duration"] = 5
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    program = """if True:
        import os, signal, sys, threading
        import limber
        from limber import objectives
        where, count = sys.argv[1], 0
        def press():
            signal.raise_signal(signal.SIGINT)
        def function(t, X, V):
            global count
            count += 1
            if where == "objective" and count == 2:
                press()
            return 0.0, None, None
        def progress(n, value, values):
            if where == "progress":
                press()
            if where == "run":
                threading.Timer(.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        found = limber.minimize("scene.json", objectives.energy("elastic") + function, {"bodies[0].material.young": (1e3, 1e8)},
                                progress=progress)
        print(found.evaluations, found.reason, found.values["bodies[0].material.young"] > 0)
    """
    for where in ("objective", "progress", "run"):
        done = subprocess.run([sys.executable, "-c", program, where], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PYTHONPATH": str(Path(limber.__file__).resolve().parents[1])})
        assert done.returncode == 0, done.stderr
        assert "True" in done.stdout and ("interrupted" in done.stdout or "stopped" in done.stdout), done.stdout


# --- Wrong requests -----------------------------------------------------------------------------------------------

def test_wrong_objectives(scene):
    look = lambda J: limber.value_and_grad(scene, J, YOUNG)
    refused(lambda: look(objectives.probe("tup", "x")), "tup", 'did you mean "tip"')
    refused(lambda: look(objectives.probes(([0.01], {"tup": np.zeros((1, 3))}))), "tup", 'did you mean "tip"')
    refused(lambda: look(objectives.probes(([7.0], {"tip": np.zeros((1, 3))}))), "7 s lies outside the run")
    refused(lambda: objectives.probes(([0.01], {"tip": np.zeros((1, 3))}), {"tip": -1}), "-1", "tip")
    refused(lambda: objectives.probes(([0.01], {"tip": np.full((1, 3), np.nan)})), "nothing is observed")
    refused(lambda: objectives.probe("tip", "w"), "axis")
    refused(lambda: look(objectives.last_shape(np.zeros((4, 3)))), "4 places")
    refused(lambda: objectives.last_shape(np.zeros((4, 2))), "shape")
    refused(lambda: objectives.last_shape(np.full((4, 3), np.nan), nodes=[0, 1, 2, 3]), "finite")
    refused(lambda: objectives.last_shape(np.zeros((4, 3)), nodes=[0, 1]), "2 nodes, but 4")
    refused(lambda: objectives.last_shape(np.zeros((2, 3)), nodes=[0, 1], weights=[1, -1]), "weights")
    refused(lambda: look(objectives.last_shape(np.zeros((1, 3)), nodes=[100000])), "no node 100000")
    refused(lambda: look(objectives.energy("elastic", time=-1)), "outside the run")
    refused(lambda: look(objectives.energy("elastic", over=(.03, .01))), "no step")
    refused(lambda: objectives.energy("elastic", over=3), "over")
    refused(lambda: objectives.energy("elastic", time=1, over=True), "either")
    refused(lambda: objectives.energy("potential"), "elastic", "kinetic")
    refused(lambda: look(objectives.reaction([10**6], [1, 0, 0])), "neither pinned nor scripted")
    refused(lambda: objectives.reaction([0], [1, 0]), "direction")
    refused(lambda: look(objectives.frequency(10**6)), "modes", "1000000")
    refused(lambda: objectives.frequencies([3, "a"]), "frequencies")
    refused(lambda: objectives.frequencies([3, -4]), "-4 Hz")
    refused(lambda: look(7), "objective")
    refused(lambda: objectives.energy("elastic") * np.nan and look(objectives.energy("elastic") * float("nan")), "weight")


def test_wrong_searches(scene):
    J = objectives.energy("elastic")
    search = lambda vary, **options: limber.minimize(scene, J, vary, **options)
    refused(lambda: search({}), "vary", "empty")
    refused(lambda: search({YOUNG: (1e6, 1e3)}), YOUNG, "from low to high")
    refused(lambda: search({YOUNG: 1e6}), YOUNG, "(low, high)")
    refused(lambda: search({YOUNG: ("a", "b")}), YOUNG, "(low, high)")
    refused(lambda: search({"bodies[0].material.yuong": (1, 2)}), "did you mean", "young")
    refused(lambda: search({VELOCITY: ([1, 2], 3)}), "3 components, but 2 bounds")
    refused(lambda: search({YOUNG: (-1e6, 1e6)}), "young")
    refused(lambda: search({YOUNG: (1e3, 1e6)}, starts=0), "starts")
    refused(lambda: search({YOUNG: (1e3, 1e6)}, max_evaluations=0), "max_evaluations")
    refused(lambda: search({YOUNG: (1e3, 1e6)}, tolerance=0), "tolerance")


# --- The pages ----------------------------------------------------------------------------------------------------

def run_of_the_page(heading, monkeypatch):
    """The variables after the first piece of Python below a heading of docs/gradients.md."""
    root = Path(__file__).resolve().parents[2]
    monkeypatch.chdir(root)
    below = (root / "docs/gradients.md").read_text(encoding="utf-8").split(f"\n{heading}\n")[1]
    names = {}
    exec(below.split("```python\n")[1].split("```")[0], names)
    return names


def test_the_page_on_minima(monkeypatch):
    found = run_of_the_page("## A minimum", monkeypatch)["found"]
    assert found.converged
    hertz = np.sqrt(limber.modes(found.scene, 1)[0][0]) / (2 * np.pi)
    assert hertz == pytest.approx(1, rel=1e-5)


def test_the_page_on_scipy(monkeypatch):
    names = run_of_the_page("### With SciPy", monkeypatch)
    assert names["found"].success and names["frequency"](names["found"].x)[0] == pytest.approx(1, rel=1e-4)


def test_the_page_on_pytorch(monkeypatch):
    pytest.importorskip("torch", reason="needs PyTorch")
    names = run_of_the_page("### With PyTorch", monkeypatch)
    slope = names["log_young"].grad.item()

    def log_energy(x):
        names["scene"]["bodies"][0]["material"]["young"] = np.exp(x)
        return np.log(limber.value_and_grad(names["scene"], names["wanted"], names["path"])[0])

    assert slope == pytest.approx((log_energy(11.5 + 1e-3) - log_energy(11.5 - 1e-3)) / 2e-3, rel=1e-4)
