"""`limber.statics_value_and_grad` and gradients by rest positions: against differences of whole equilibria, and against closed forms."""

import copy

import limber
import numpy as np
import pytest

YOUNG, DENSITY = (f"bodies[0].material.{key}" for key in ("young", "density"))


def beam(**keys):
    """Held on its left, 4 cells long."""
    body = {"mesh": {"shape": "box", "size": [.4, .1, .1], "cells": [4, 1, 1]},
            "material": {"young": 5e5, "poisson": .3, "density": 1000}, "pin": ["left"], **keys}
    return {"time": {"step": .01, "duration": .03}, "gravity": [0, -9.81, 0], "bodies": [body]}


def smooth(X):
    """All positions count, and none like another."""
    a, b = (np.sin(phase + 1.7 * np.arange(X.size)).reshape(X.shape) for phase in (0, 2))
    return (a * X + b * X**2 / 2).sum(), a + b * X


def refused(call, *words, error=limber.InputError):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def richardson(value, step):
    over = lambda h: (value(h) - value(-h)) / (2 * h)
    return (4 * over(step / 2) - over(step)) / 3


# --- what is asked, what is answered -------------------------------------------------------------------------------

def test_the_objective_is_given_the_equilibrium():
    scene, seen = beam(), []

    def objective(X):
        seen.append(X)
        return 3 * X[-1, 1], None

    value, grad = limber.statics_value_and_grad(scene, objective, [YOUNG, "bodies[0].element.young"])
    (X,) = seen
    assert not X.flags.writeable and np.abs(X - limber.statics(scene)).max() < 1e-7
    assert value == 3 * X[-1, 1] and grad[YOUNG] == 0 and grad["bodies[0].element.young"].shape == (20,)


def test_against_differences():
    scene = beam()
    _, grad = limber.statics_value_and_grad(scene, smooth, [YOUNG, DENSITY, "gravity"])
    value = lambda scene: limber.statics_value_and_grad(scene, smooth, "gravity")[0]

    def by_material(key, step):
        def at(h):
            other = copy.deepcopy(scene)
            other["bodies"][0]["material"][key] += h
            return value(other)
        return richardson(at, step)

    assert grad[YOUNG] == pytest.approx(by_material("young", 5e3), rel=1e-6)
    assert grad[DENSITY] == pytest.approx(by_material("density", 10), rel=1e-6)
    assert grad["gravity"][1] == pytest.approx(richardson(lambda h: value({**scene, "gravity": [0, -9.81 + h, 0]}), .1), rel=1e-6)


def test_a_bar_under_its_own_weight():
    """The tip of a bar that hangs moves by u = rho g L^2 / (2 E): d(tip)/dE = -u/E."""
    L, E, rho, g = .4, 2e7, 1000, 9.81
    scene = beam(material={"model": "linear", "young": E, "poisson": 0, "density": rho}, element="hex")
    scene["gravity"] = [g, 0, 0]
    u = rho * g * L**2 / (2 * E)

    end = np.flatnonzero(limber.Simulation(scene).positions[:, 0] > L - 1e-9)

    def tip(X):
        dX = np.zeros(X.shape)
        dX[end, 0] = 1 / len(end)
        return X[end, 0].mean(), dX

    value, grad = limber.statics_value_and_grad(scene, tip, [YOUNG, DENSITY, "gravity"])
    assert value - L == pytest.approx(u, rel=1e-7)
    assert grad[YOUNG] == pytest.approx(-u / E, rel=1e-7)
    assert grad[DENSITY] == pytest.approx(u / rho, rel=1e-7)
    assert grad["gravity"] == pytest.approx([u / g, 0, 0], rel=1e-7, abs=1e-7 * u / g)


@pytest.mark.parametrize("height", [.45, .32, .29])
def test_a_truss_close_to_its_limit_point(height):
    """Two springs of the stiffness k that meet at a height y carry P = 2 k (L0 - L) y / L, L^2 = 1 + y^2: dy/dP = -1 / (2 k (1 - L0 / L^3)),
    which has no bound where the truss snaps, at y = .278."""
    k, L0, L = 100.0, np.hypot(1, .5), np.hypot(1, height)
    load = 2 * k * (L0 - L) * height / L
    scene = {"time": {"step": .01, "duration": .01}, "gravity": [0, 0, 0], "bodies": [{
        "mesh": {"nodes": [[-1, 0, 0], [0, .5, 0], [1, 0, 0]], "edges": [[0, 1], [1, 2]]}, "springs": {"stiffness": k}, "point_mass": 1,
        "pin": [{"nodes": [0, 2]}, {"nodes": {"nodes": [1]}, "axes": "xz"}],
        "loads": [{"nodes": {"nodes": [1]}, "force": [0, -load, 0]}]}]}
    top = lambda X: (X[1, 1], np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]]))
    names = ["bodies[0].loads[0].force", "bodies[0].springs.stiffness", "bodies[0].rest"]
    y, grad = limber.statics_value_and_grad(scene, top, names)
    by_force = 1 / (2 * k * (1 - L0 / L**3))
    assert y == pytest.approx(height, rel=1e-7)
    assert grad[names[0]][1] == pytest.approx(by_force, rel=1e-6)
    assert grad[names[1]] == pytest.approx(by_force * load / k, rel=1e-6)
    # P = 2 k (L0 - L) y / L at the same P, where L0 changes with the height at rest by .5 / L0.
    assert grad[names[2]][1, 1] == pytest.approx(by_force * 2 * k * height / L * .5 / L0, rel=1e-6)


def test_what_does_not_act_at_rest_is_zero():
    scene = beam(velocity=[0, 1, 0], damping={"stiffness": 1e-3, "mass": .1})
    names = ["bodies[0].velocity", "bodies[0].damping.stiffness", "bodies[0].damping.mass"]
    _, grad = limber.statics_value_and_grad(scene, smooth, names)
    for name in names:
        assert np.all(np.asarray(grad[name]) == 0), name


def test_wrong_requests():
    grad = lambda *arguments: lambda: limber.statics_value_and_grad(*arguments)
    refused(grad(beam(), smooth, []), "parameters", "empty")
    refused(grad(beam(), smooth, "initial.velocities"), "initial.velocities", "does not depend on the state at the start")
    refused(grad(beam(), smooth, "bodies[0].material.yuong"), "did you mean bodies[0].material.young?")
    refused(grad(beam(), lambda X: 1, YOUNG), "objective", "(J, dJ/dX)")
    refused(grad(beam(), lambda X: (1, np.zeros(3)), YOUNG), "objective", "dJ/dX")
    refused(grad(beam(), lambda X: (1, 1j * X), YOUNG), "objective", "dJ/dX", "complex")
    refused(grad(beam(), lambda X: (np.nan, None), YOUNG), "objective", "nan")
    with pytest.raises(ZeroDivisionError):
        limber.statics_value_and_grad(beam(), lambda X: 1 / 0, YOUNG)


def test_where_the_stiffness_is_singular():
    """A beam on a floor may lie elsewhere on it."""
    scene = beam(pin=[], material={"young": 1e6, "poisson": .3, "density": 1000})
    scene |= {"contact": {"delta": .01, "stiffness": 1e4},
              "obstacles": [{"shape": "plane", "point": [0, -.02, 0], "normal": [0, 1, 0]}]}
    refused(lambda: limber.statics_value_and_grad(scene, lambda X: (X.sum(), np.ones(X.shape)), YOUNG),
            "singular", "can move", error=limber.StepFailure)


# --- by rest positions ---------------------------------------------------------------------------------------------

REST = "bodies[0].rest"


def mesh_of(scene):
    body = limber.Simulation(scene).bodies[0]
    return np.array(body.rest), np.array(body.tets)


def with_nodes(scene, nodes, tets):
    """The same body with its mesh written out. It is held where its mesh was."""
    other = copy.deepcopy(scene)
    held = limber.Simulation(scene).pinned
    other["bodies"][0] |= {"mesh": {"nodes": nodes.tolist(), "tets": tets.tolist()}, "pin": {"nodes": np.asarray(held).tolist()}}
    return other


def test_rest_positions_of_an_equilibrium_and_a_motion():
    scene = beam()
    X, tets = mesh_of(scene)
    _, grad = limber.statics_value_and_grad(scene, smooth, REST)
    assert grad[REST].shape == X.shape

    def motion(t, X, V):
        J, dX = smooth(X)
        return J + (V**2).sum() / 2, dX, V

    _, moving = limber.value_and_grad(scene, motion, REST)
    still = lambda scene: limber.statics_value_and_grad(scene, smooth, "gravity")[0]
    going = lambda scene: limber.value_and_grad(scene, motion, "gravity")[0]
    direction = np.sin(np.arange(X.size)).reshape(X.shape)  # of all nodes, held ones too
    for found, value in ((grad, still), (moving, going)):
        expected = richardson(lambda h: value(with_nodes(scene, X + h * direction, tets)), 4e-4)
        assert (found[REST] * direction).sum() == pytest.approx(expected, rel=1e-6)


def test_a_rest_shape_cannot_be_varied_everywhere():
    refused(lambda: limber.statics_value_and_grad(beam(material={"young": 5e5, "poisson": .49, "density": 1000}), smooth, REST),
            REST, "dilatation")
    refused(lambda: limber.statics_value_and_grad(beam(), smooth, "bodies[1].rest"), "bodies[1].rest", "1 bodies")


# --- fits ----------------------------------------------------------------------------------------------------------

def test_fits_of_equilibria():
    """Two numbers from one point of the deformed shape, and from all nodes; some of them were not seen."""
    scene = beam()
    scene["output"] = {"probes": [{"name": "tip", "body": "beam", "point": [.4, .1, .1]}]}
    scene["bodies"][0]["name"] = "beam"
    scene["bodies"][0]["loads"] = [{"nodes": "right", "force": [0, 0, .1]}]
    true = copy.deepcopy(scene)
    true["bodies"][0]["material"]["young"], true["bodies"][0]["loads"][0]["force"] = 7e5, [0, 0, .2]
    X = limber.statics(true)
    tip = X[np.argmax(limber.Simulation(true).positions.sum(axis=1))]
    vary = {YOUNG: (1e5, 1e7), "bodies[0].loads[0].force[2]": (-1, 1)}
    seen = X.copy()
    seen[::2] = np.nan
    for observed in ({"tip": tip}, {"nodes": seen}, {"tip": [np.nan, tip[1], tip[2]], "nodes": seen}):
        found = limber.fit_statics(scene, observed, vary)
        assert found.converged and found.rms < 1e-8
        assert found.values == pytest.approx({YOUNG: 7e5, "bodies[0].loads[0].force[2]": .2}, rel=1e-6)
        assert np.abs(found.motion - X).max() < 1e-7
    assert limber.statics(found.scene) == pytest.approx(X, abs=1e-7)
    fit = lambda observed, vary=vary: lambda: limber.fit_statics(scene, observed, vary)
    refused(fit({"tup": tip}), "observed", "tup")
    refused(fit({}), "observed", "no number")
    refused(fit({"nodes": X[:-1]}), "observed", "nodes")
    refused(fit({"tip": tip}, {REST: (0, 1)}), REST)


@pytest.mark.parametrize("method", ["TR-BDF2", "SI"])
def test_rest_positions_of_a_motion_with_contact(method):
    """A held beam that falls on a floor and slides there."""
    scene = beam(velocity=[0, -1, .3])
    scene |= {"method": method, "time": {"step": .002, "duration": .06},
              "contact": {"delta": .01, "stiffness": 1e4, "friction": .3, "epsilon": .05},
              "obstacles": [{"shape": "plane", "point": [0, -.015, 0], "normal": [0, 1, 0]}]}
    X, tets = mesh_of(scene)

    def motion(t, X, V):
        J, dX = smooth(X)
        return J, dX, None

    direction = np.sin(np.arange(X.size)).reshape(X.shape)
    _, grad = limber.value_and_grad(scene, motion, REST)
    expected = richardson(lambda h: limber.value_and_grad(with_nodes(scene, X + h * direction, tets), motion, "gravity")[0], 1e-6)
    assert (grad[REST] * direction).sum() == pytest.approx(expected, rel=1e-6)
    sim, touching = limber.Simulation(scene), 0
    for _ in range(30):
        sim.step()
        touching += len(sim.contacts()) > 0
    assert touching > 5
