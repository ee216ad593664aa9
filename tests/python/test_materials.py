"""Materials with constants of their own, and presets, as a user has them."""

import numpy as np
import pytest

import limber

F = np.array([[1.4, .2, 0], [.1, .8, .3], [0, -.2, 1.1]])


def by_differences(material, h=1e-6):
    P = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            d = np.zeros((3, 3))
            d[i, j] = h
            P[i, j] = (material.energy(F + d) - material.energy(F - d)) / (2 * h)
    return P


def test_ogden_takes_lists():
    m = limber.Material("ogden", mu=[6.3e5, 1.2e3, -1e4], alpha=[1.3, 5, -2], bulk=1e7)
    assert m.name == "ogden"
    s, J = np.linalg.svd(F)[1], np.linalg.det(F)
    bar = s / np.cbrt(J)
    psi = sum(mu / a * (np.sum(bar ** a) - 3) for mu, a in zip([6.3e5, 1.2e3, -1e4], [1.3, 5, -2])) + 5e6 * (J - 1) ** 2
    assert m.energy(F) == pytest.approx(psi, rel=1e-12)
    assert np.allclose(m.stress(F), by_differences(m), rtol=1e-6, atol=1e-2)
    assert limber.Material("ogden", mu=np.array([1e3]), poisson=.25).energy(F) == \
        pytest.approx(limber.Material("ogden", mu=1e3, young=2500, poisson=.25).energy(F), rel=1e-12)


def test_yeoh_and_fixed_corotated():
    yeoh = limber.Material("yeoh", c1=2e4, c2=-1e3, c3=200, bulk=1e6)
    J = np.linalg.det(F)
    y = np.sum(F * F) / np.cbrt(J) ** 2 - 3
    assert yeoh.energy(F) == pytest.approx(2e4 * y - 1e3 * y ** 2 + 200 * y ** 3 + 5e5 * (J - 1) ** 2, rel=1e-12)
    fixed = limber.Material("fixed_corotated", young=1e5, poisson=.25)  # μ = λ = 4e4
    s = np.linalg.svd(F)[1]
    assert fixed.energy(F) == pytest.approx(4e4 * np.sum((s - 1) ** 2) + 2e4 * (J - 1) ** 2, rel=1e-12)


@pytest.mark.parametrize("keys, error", [
    (dict(mu=[1, -3], alpha=[2, 2], bulk=1), r"material.mu: \[1, -3\] makes .* = -4, .* must be positive"),
    (dict(mu=[1, 3]), "material.poisson: is missing"),
    (dict(mu=[1, 3], poisson=.3), r"material.mu: \[1, 3\] and alpha \[2\] must have as many numbers"),
    (dict(young=1e5), "material.poisson: is missing"),
    (dict(), "material.young: is missing"),
    (dict(mu=1e3, poisson=.25, young=1e3), "material.young: 1000 contradicts mu, by which Young's modulus is 2500 Pa"),
    (dict(c1=3, poisson=.3, young=3), "material.c1: ogden does not take c1; yeoh does"),
])
def test_errors_of_constants(keys, error):
    with pytest.raises(limber.InputError, match=error):
        limber.Material("ogden", **keys)


def test_presets_as_materials(limber_cli):
    """limber.Material(preset=…): the constants that `limber materials --presets` lists."""
    for p in limber_cli("materials", "--presets", "--json").json:
        keys = {k: v for k, v in p.items() if k not in ("name", "model", "density", "thickness", "viscosity", "source")}
        if p["model"] in ("yeoh", "ogden"):
            del keys["young"]
        m = limber.Material(preset=p["name"].upper())
        assert m.name == p["model"]
        assert m.energy(F) == pytest.approx(limber.Material(p["model"], **keys).energy(F), rel=1e-12), p["name"]
    steel = limber.Material(preset="steel", poisson=0)
    assert steel.energy(F) == limber.Material("stable_neo_hookean", young=210e9, poisson=0).energy(F)
    small = np.eye(3) + 1e-6 * np.diag([1, 0, 0])
    skin = limber.Material(preset="dragon skin 10").stress(small)
    assert np.allclose(limber.Material("linear", preset="dragon skin 10").stress(small), skin, rtol=1e-4, atol=1e-6 * skin.max())


@pytest.mark.parametrize("given, error", [
    (dict(preset="cottn"), "material.preset: unknown preset 'cottn'; did you mean 'cotton'[?] known are ecoflex 00-10, .*foam"),
    (dict(preset="dragon skin 10", young=1e5), 'material.young: the preset "dragon skin 10" has constants of yeoh'),
    (dict(preset="steel", c1=3), "material.c1: stable_neo_hookean does not take c1; yeoh does"),
    (dict(), "material.model: is missing, or a preset"),
    (dict(model="jelly", preset="steel"), "jelly"),
])
def test_errors_of_presets(given, error):
    with pytest.raises(limber.InputError, match=error):
        limber.Material(**given)


def test_foam_and_cotton(bar):
    """A bar of foam of 46 kg/m³; a sheet of cotton weighs 150.3 g/m² without a word of its thickness."""
    scene = bar(material={"preset": "foam"})
    volume = np.prod(scene["bodies"][0]["mesh"]["size"])
    assert limber.Simulation(scene).bodies[0].mass == pytest.approx(46 * volume, rel=1e-9)
    sheet = {"time": {"step": .01, "duration": 1}, "bodies": [
        {"mesh": {"shape": "sheet", "size": [1, 2], "cells": [2, 4]}, "material": {"preset": "cotton"}}]}
    assert limber.Simulation(sheet).bodies[0].mass == pytest.approx(2 * .1503, rel=1e-9)


def test_viscous_preset_damps(limber_cli, bar):
    """As the branches written out; without them it does not."""
    listed = {p["name"]: p for p in limber_cli("materials", "--presets", "--json").json}
    preset = listed["dragon skin 10 viscous"]
    written = {key: preset[key] for key in ("model", "young", "poisson", "density", "viscosity")}

    def end(material):
        mesh = {"shape": "box", "size": [1, .25, .25], "cells": [4, 1, 1]}
        simulation = limber.Simulation(bar(mesh=mesh, element="hex", material=material, velocity=[0, -1, 0]))
        for _ in range(5):
            simulation.step()
        return simulation.positions

    viscous = end({"preset": "Dragon Skin 10 viscous"})
    assert np.array_equal(viscous, end(written))
    assert np.abs(viscous - end({"preset": "dragon skin 10 viscous", "viscosity": []})).max() > 1e-4 * np.ptp(viscous)


def test_presets_are_listed(limber_cli):
    presets = limber_cli("materials", "--presets", "--json").json
    names = [p["name"] for p in presets]
    assert {"dragon skin 10", "ecoflex 00-30", "natural rubber", "sylgard 184", "foam", "cotton", "steel"} <= set(names)
    assert all(p["source"] and p["model"] in limber.materials() and p["young"] > 0 for p in presets)
    assert all(name in limber_cli("materials", "--presets").out for name in names)
    assert "--presets" in limber_cli("materials").out


def test_a_bar_of_a_preset(limber_cli, bar, write_scene, tmp_path):
    """The same as with the preset's constants written out; and what stands beside it counts."""
    preset = next(p for p in limber_cli("materials", "--presets", "--json").json if p["name"] == "dragon skin 10")
    written = {key: preset[key] for key in ("model", "c1", "poisson", "density")}

    def frequency(material):
        return limber.modes(limber.Scene(bar(material=material, pin=["left"])), 2)[0]
    soft = frequency({"preset": "Dragon Skin 10"})
    np.testing.assert_allclose(soft, frequency(written), rtol=1e-10)
    assert np.allclose(frequency({"preset": "dragon skin 10", "density": 4 * 1070}), soft / 4)
    assert np.allclose(frequency({"preset": "dragon skin 10", "c1": 4 * preset["c1"]}), soft * 4)
    # Another model has the same small strains.
    assert np.allclose(frequency({"preset": "dragon skin 10", "model": "neo_hookean"}), soft, rtol=1e-9)
    said = limber_cli("check", write_scene(bar(material={"preset": "dragonskin 10"})), status=2).err
    assert "bodies[0].material.preset: unknown preset 'dragonskin 10'; did you mean 'dragon skin 10'?" in said
