"""Rayleigh damping of bodies that turn, bend far and are pressed together; what is lost to damping."""

import numpy as np
import pytest

import limber


def cantilever(**damping):
    """Soft enough to sag by .4 of its length."""
    body = dict(name="b", element="hex", pin=["left"], damping=dict(stiffness="5 ms", mass="8 1/s", **damping),
                mesh=dict(shape="box", size=[.1, .016, .016], cells=[10, 2, 2]),
                material=dict(young="100 kPa", poisson=.49, density=1070))
    return dict(time=dict(step=.01, duration=1), method="BE", bodies=[body])


def tip(x):
    return x[np.isclose(x[:, 0], x[:, 0].max()), 1].mean()


@pytest.mark.parametrize("at", [{}, dict(at="corotated"), dict(at="current"), dict(at="frozen")])
def test_a_body_that_bends_far_sags_to_its_equilibrium(at):
    """With K of the rest shape as it stood it would hang at two thirds of that for seconds."""
    sim = limber.Simulation(cantilever(**at))
    start, lost = tip(sim.positions), 0
    for _ in range(100):
        sim.step()
        energies = sim.energies()
        assert energies["damping_loss"] >= lost
        lost = energies["damping_loss"]
    sag = tip(limber.statics(cantilever())) - start
    assert sag < -.03
    assert abs((tip(sim.positions) - start) / sag - 1) < .01


@pytest.mark.parametrize("nu, element", [(.3, "P1"), (.49, "P1"), (.49, "P2"), (.49, "hex")])
def test_what_turns_is_not_damped(nu, element):
    """A free body, not about a principal axis: K of the rest shape would stop it within a step."""
    body = dict(name="b", mesh=dict(shape="box", size=[1, .6, .3], cells=[3, 2, 1]), element=element,
                angular_velocity=[3, 5, 4], damping=dict(stiffness="5 ms"),
                material=dict(young="1 MPa", poisson=nu, density=1000))
    scene = dict(time=dict(step=.01, duration=1), gravity=[0, 0, 0], bodies=[body], method="TR-BDF2")
    sim = limber.Simulation(scene)
    before = sim.energies()["kinetic"]
    for _ in range(100):
        sim.step()
    energies = sim.energies()
    assert energies["kinetic"] > .98 * before  # it begins to spin unstretched, and that does vibrate
    assert energies["total"] < (1 + 1e-9) * before


@pytest.mark.parametrize("method", ["TR-BDF2", "BDF2", "SDIRK", "TR", "gen-alpha"])
def test_damping_that_turns_keeps_order_two(method):
    def end(h, method):
        scene = cantilever() | dict(method=dict(name=method), time=dict(step=h, duration=1))
        scene["bodies"][0]["damping"] = dict(stiffness="2 ms")
        scene["bodies"][0]["mesh"]["cells"] = [4, 1, 1]
        sim = limber.Simulation(scene)
        while sim.time < .16 - 1e-9:
            sim.step()
        return sim.positions

    exact = end(.00025, "TR-BDF2")
    coarse, fine = (np.abs(end(h, method) - exact).max() for h in (.002, .001))
    assert fine < 1e-5
    assert np.log2(coarse / fine) > 1.6


@pytest.mark.parametrize("stiffness", [1e-6, 50])
def test_moving_targets_lose_what_they_take_up(stiffness):
    """Targets drag a body along by dashpots: the loss is that of the relative motion."""
    scene = dict(time=dict(step=.0025, duration=1), gravity=[0, 0, 0], method="TR-BDF2", bodies=[dict(
        name="b", mesh=dict(shape="box", size=[.2, .1, .1], cells=[2, 1, 1]),
        material=dict(young="100 kPa", poisson=.3, density=1000), targets=[dict(
            nodes="all", stiffness=stiffness, damping=2, interpolation="linear",
            keys=[dict(time=0), dict(time=1, translation=[1, 0, 0])])])])
    sim = limber.Simulation(scene)
    lost = 0
    for _ in range(200):
        sim.step()
        energies = sim.energies()
        assert energies["damping_loss"] > lost
        lost = energies["damping_loss"]
    if stiffness < 1:  # m v' = c (w - v): v = w (1 - e^-ct/m), and c (w - v)^2 is lost
        mass, rate = 2., 12 * 2.
        t = sim.time
        assert np.isclose(energies["kinetic"], .5 * mass * (1 - np.exp(-rate / mass * t)) ** 2, rtol=1e-3)
        assert np.isclose(lost, .5 * mass * (1 - np.exp(-2 * rate / mass * t)), rtol=1e-3)
