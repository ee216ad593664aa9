"""The soft beam swings for five seconds: which methods let it swing, and which let it die."""

import numpy as np
import pytest

import limber


@pytest.fixture(scope="module")
def totals(root):
    """Total energy [J] after each step of 0.01 s, by method."""
    scene = limber.Scene.load(str(root / "scenes/beam.json")).to_dict()
    assert scene["time"] == {"step": 0.01, "duration": 5.0}
    result = {}
    for name in ("BE", "BDF2", "TR-BDF2", "SDIRK"):
        sim = limber.Simulation(limber.Scene({**scene, "method": {"name": name}}))
        energies = [sim.energies()["total"]]
        for _ in range(500):
            sim.step()
            energies.append(sim.energies()["total"])
        assert sim.time == pytest.approx(5)
        result[name] = np.array(energies)
    return result


def test_start(totals):
    """8000 kg, half a metre above the ground, at rest."""
    for energies in totals.values():
        assert energies[0] == pytest.approx(8000 * 9.81 * 0.5)


def test_losses_come_in_order(totals):
    loss = {name: energies[0] - energies[-1] for name, energies in totals.items()}
    assert loss["BE"] > 50 * loss["BDF2"]
    assert loss["BDF2"] > 20 * loss["SDIRK"]
    assert loss["SDIRK"] > loss["TR-BDF2"] > 0


def test_losses_in_joule(totals):
    """The figures of the documentation."""
    for name, known in {"BE": 28987, "BDF2": 373.5, "TR-BDF2": 9.90, "SDIRK": 10.08}.items():
        assert totals[name][0] - totals[name][-1] == pytest.approx(known, rel=0.02), name


def test_energies_over_time(totals):
    """Backward Euler loses in every step, the two-stage methods stay within a small band."""
    assert np.diff(totals["BE"]).max() < 0
    assert np.diff(totals["BDF2"]).max() < 1e-4 * totals["BDF2"][0]
    for name in ("TR-BDF2", "SDIRK"):
        assert np.abs(totals[name] / totals[name][0] - 1).max() < 5e-4, name
