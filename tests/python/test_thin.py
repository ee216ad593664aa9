"""Sheets, rods and spring networks: closed forms of plates and beams, contact, every kind of mesh."""

import numpy as np
import pytest

import limber


def scene(body, **more):
    return limber.Scene({"time": {"step": .01, "duration": .2}, "bodies": [body], **more})


def rod(segments=60, length=1.0, diameter=.02, **more):
    return dict(name="rod", mesh=dict(shape="chain", **{"from": [0, 0, 0], "to": [length, 0, 0]}, segments=segments),
                thickness=diameter, material=dict(young=1e7, poisson=.3, density=1000), **more)


def strip(cells=(40, 4), size=(1, .1), thickness=.01, poisson=0, **more):
    return dict(name="strip", mesh=dict(shape="sheet", size=list(size), cells=list(cells)), thickness=thickness,
                material=dict(young=1e7, poisson=poisson, density=1000), **more)


def cantilever(stiffness, mass_per_length, length, count):
    """The lowest bending frequencies [Hz] of a beam that is clamped at one end."""
    roots = np.array([1.87510407, 4.69409113, 7.85475744])[:count]
    return roots**2 / (2 * np.pi) * np.sqrt(stiffness / (mass_per_length * length**4))


def frequencies(s, count):
    return np.sqrt(limber.modes(s, count)[0]) / (2 * np.pi)


def test_a_clamped_rod_has_the_frequencies_of_a_beam():
    segments, radius = 60, .01
    # The clamp holds two nodes, so that the free part begins at the second.
    f = frequencies(scene(rod(segments, pin={"nodes": [0, 1]}), gravity=[0, 0, 0]), 6)
    expected = cantilever(1e7 * np.pi * radius**4 / 4, 1000 * np.pi * radius**2, 1 - 1 / segments, 3)
    for k in range(3):  # once in each direction across
        assert f[2 * k:2 * k + 2] == pytest.approx(expected[k], rel=.02)
    assert f[0] == pytest.approx(f[1], rel=1e-6)


def test_a_clamped_strip_has_the_frequencies_of_a_plate():
    cells, t = (40, 4), .01
    pinned = {"box": {"min": [0, -1, 0], "max": [1 / cells[0], 1, 1]}}
    f = frequencies(scene(strip(cells, pin=pinned), gravity=[0, 0, 0]), 3)
    D = 1e7 * t**3 / 12
    expected = cantilever(D, 1000 * t, 1 - 1 / cells[0], 1)[0]
    # Hinges with diagonals that alternate let the strip curve across as well: 4/5 of the stiffness.
    assert f[0] == pytest.approx(np.sqrt(.8) * expected, rel=.02)


def test_bending_is_a_factor():
    def lowest(factor):
        return frequencies(scene(rod(pin={"nodes": [0, 1]}, bending=factor), gravity=[0, 0, 0]), 1)[0]
    assert lowest(4) == pytest.approx(2 * lowest(1), rel=1e-6)


def test_a_strip_stretches_with_its_modulus():
    force, t, width = .5, .01, .1
    body = strip(poisson=.3, pin="left", loads=[dict(nodes="right", total_force=[force, 0, 0])])
    x = limber.statics(scene(body, gravity=[0, 0, 0]))
    tip = x[np.isclose(limber.Simulation(scene(body)).positions[:, 0], 1)][:, 0].mean() - 1
    assert tip == pytest.approx(force / (1e7 * t * width), rel=.02)  # the clamp's corners hinder the contraction


def test_masses_are_those_of_the_volume():
    sim = limber.Simulation(scene(dict(rod(), velocity=[3, 0, 0]), gravity=[0, 0, 0]))
    assert sim.energies()["kinetic"] == pytest.approx(.5 * 9 * 1000 * np.pi * .01**2, rel=1e-12)
    sim = limber.Simulation(scene(dict(strip(mass="consistent"), velocity=[0, 3, 0]), gravity=[0, 0, 0]))
    assert sim.energies()["kinetic"] == pytest.approx(.5 * 9 * 1000 * .01 * .1, rel=1e-12)


@pytest.mark.parametrize("body", [rod(20), strip((10, 2))], ids=["rod", "strip"])
@pytest.mark.parametrize("method", ["BE", "SI", "BDF2", "TR-BDF2", "SDIRK", "gen-alpha", "SIERE", "STR-SBDF2ERE"])
def test_every_kind_of_method_takes_them(body, method):
    """Free fall with a spin: the centre of mass is exact for methods of second order, momentum is kept."""
    s = limber.Scene(dict(time=dict(step=.005, duration=.1), method=dict(name=method),
                          bodies=[dict(body, angular_velocity=[0, 0, 2], velocity=[1, 0, 0])]))
    sim = limber.Simulation(s)
    mass = sim.mass().diagonal()[::3]
    start = mass @ sim.positions / mass.sum()
    sim.run(.1)
    momentum = mass @ sim.velocities / mass.sum()
    assert momentum == pytest.approx([1, -.981, 0], abs=1e-7)
    fall = (mass @ sim.positions / mass.sum() - start)[1]
    assert fall == pytest.approx(-.5 * 9.81 * .01, rel={"BE": .06, "SI": .06, "SIERE": .06, "BDF2": .005}.get(method, 1e-6))


def test_a_rod_swings_without_losing_energy():
    s = limber.Scene(dict(time=dict(step=.002, duration=.5), method=dict(name="TR-BDF2"),
                          bodies=[rod(30, pin={"nodes": [0]})]))
    sim = limber.Simulation(s)
    total = sim.energies()["total"]
    lowest = sim.energies()["gravitational"]
    sim.run(.5)
    e = sim.energies()
    assert e["total"] == pytest.approx(total, abs=.01 * abs(e["gravitational"] - lowest))
    assert e["gravitational"] < lowest - .1


def cloth(cells=12, **more):
    return {"time": {"step": .01, "duration": .6}, "method": {"name": "BE"},
            "bodies": [{"name": "cloth", "mesh": {"shape": "sheet", "size": [.5, .5], "cells": [cells, cells],
                                                  "origin": [-.25, 0, -.25]},
                        "position": [.01, .16, .02], "thickness": .002, "bending": .1,
                        "material": {"young": 5e5, "poisson": .3, "density": 300}}],
            "contact": {"delta": .002, "friction": .3},
            "obstacles": [{"name": "ball", "shape": "sphere", "center": [0, 0, 0], "radius": .15},
                          {"name": "floor", "shape": "plane", "point": [0, -.3, 0], "normal": [0, 1, 0]}], **more}


@pytest.mark.parametrize("method", ["BE", "TR-BDF2"])
def test_cloth_falls_onto_a_ball(limber_cli, write_scene, tmp_path, method):
    limber_cli("run", write_scene(cloth(method={"name": method})), "-o", "out", "--quiet")
    check = limber_cli("check", "out", "--json").json
    assert check["clean"] and check["triangles"] == 2 * 12 * 12 and check["obstacles"] == 2
    limber_cli("export", "out", "-o", "cloth.obj", "--frame", 60)
    lines = (tmp_path / "cloth.obj").read_text(encoding="utf-8").splitlines()
    x = np.array([line.split()[1:] for line in lines if line.startswith("v ")], dtype=float)
    assert len(x) == 13 * 13 and sum(line.startswith("f ") for line in lines) == 2 * 12 * 12 and "o cloth" in lines
    assert np.all(np.linalg.norm(x, axis=1) > .15 + .001)  # half its thickness away from the ball
    assert x[:, 1].min() < .05 and x[:, 1].max() > .15  # draped


def test_a_rod_rests_on_the_floor_at_its_radius(limber_cli, write_scene, tmp_path):
    body = dict(rod(20), position=[0, .05, 0])
    limber_cli("run", write_scene({"time": {"step": .01, "duration": 1.0}, "method": {"name": "BE"}, "bodies": [body],
                                   "contact": {"delta": .001, "friction": .5},
                                   "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0],
                                                  "normal": [0, 1, 0]}]}), "-o", "out", "--quiet")
    assert limber_cli("check", "out", "--json").json["clean"]
    limber_cli("export", "out", "-o", "rod.obj", "--frame", 100)
    y = [float(line.split()[2]) for line in (tmp_path / "rod.obj").read_text(encoding="utf-8").splitlines()
         if line.startswith("v ")]
    assert len(y) == 21 and min(y) > .01 and max(y) < .011  # the radius, and at most delta more


def test_any_mesh_becomes_a_spring_network():
    body = dict(name="jelly", mesh=dict(shape="box", size=[1, 1, 1], cells=[2, 2, 2]),
                springs=dict(stiffness=1e4, damping=1), point_mass=.1, pin="left")
    sim = limber.Simulation(scene(body))
    assert len(sim.positions) == 27
    sim.run(.2)
    assert sim.positions[:, 1].min() < -1e-4 and np.isfinite(sim.positions).all()
    sheet = dict(name="net", mesh=dict(shape="sheet", size=[1, 1], cells=[2, 2]), springs=dict(stiffness=1e3),
                 point_mass=[.1] * 9, pin="left")
    assert len(limber.Simulation(scene(sheet)).positions) == 9
    with pytest.raises(limber.InputError, match=r"bodies\[0\].point_mass: has 8 masses for 9 nodes"):
        limber.Simulation(scene(dict(sheet, point_mass=[.1] * 8)))


def test_lines_of_a_file_are_a_network(tmp_path):
    (tmp_path / "net.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 9 9 9\nl 1 2 3\n", encoding="utf-8")
    body = {"mesh": {"file": "net.obj"}, "thickness": .01, "material": {"young": 1e6, "poisson": .3}}
    sim = limber.Simulation(limber.Scene({"time": {"step": .01, "duration": .1}, "bodies": [body]}, str(tmp_path)))
    assert np.array_equal(sim.positions, [[0, 0, 0], [1, 0, 0], [2, 0, 0]])


def test_wind_blows_a_sheet_away():
    s = scene(strip(), gravity=[0, 0, 0], wind=dict(velocity=[0, 5, 0]))
    sim = limber.Simulation(s)
    sim.run(.2)
    mean = sim.velocities.mean(axis=0)
    rate = .5 * 1.2 / (1000 * .01)  # v' = ½ ρ C (5 − v)² over the mass of an area
    assert mean[1] == pytest.approx(5 - 5 / (1 + 5 * rate * .2), rel=1e-3) and abs(mean[0]) < 1e-9


@pytest.mark.parametrize("change, error", [
    (dict(thickness=None), r"bodies\[0\].thickness: is missing"),
    (dict(thickness=0), r"bodies\[0\].thickness: 0 is not positive"),
    (dict(element="P2"), r"bodies\[0\].element: does not go together with sheets and rods"),
    (dict(material=dict(model="linear", young=1, poisson=0)), "linear"),
    (dict(damping=dict(stiffness=.1, at="current")), r"bodies\[0\].damping.at: \"current\" is for bodies of tet"),
    (dict(mesh=dict(nodes=[[0, 0, 0], [1, 0, 0], [2, 0, 0]], triangles=[[0, 1, 2]])), "area"),
    (dict(mesh=dict(nodes=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5]], triangles=[[0, 1, 2]])),
     r"bodies\[0\].mesh.nodes: node 3 is in no triangle"),
])
def test_wrong_sheets_are_named(change, error):
    body = {key: value for key, value in {**strip(), **change}.items() if value is not None}
    with pytest.raises(limber.InputError, match=error):
        limber.Simulation(scene(body))


def test_regions_by_selection():
    """A beam whose middle is stiffer bends less."""
    def lowest(stiff):
        body = dict(name="beam", mesh=dict(shape="box", size=[1, .1, .1], cells=[20, 2, 2]), pin="left",
                    regions={"core": {"box": {"min": [.3, 0, 0], "max": [.6, 1, 1]}}},
                    materials={"core": dict(young=stiff, poisson=.3), "default": dict(young=1e5, poisson=.3)})
        return frequencies(scene(body, gravity=[0, 0, 0]), 1)[0]
    plain = dict(name="beam", mesh=dict(shape="box", size=[1, .1, .1], cells=[20, 2, 2]), pin="left",
                 material=dict(young=1e5, poisson=.3))
    assert lowest(1e5) == pytest.approx(frequencies(scene(plain, gravity=[0, 0, 0]), 1)[0], rel=1e-9)
    assert lowest(1e8) > 1.1 * lowest(1e5)
    overlap = dict(plain, regions={"a": "all", "b": "all"})
    with pytest.raises(limber.InputError, match=r"bodies\[0\].regions.b: element 0 is in the region 'a' too"):
        limber.Simulation(scene(overlap))
    with pytest.raises(limber.InputError, match=r"bodies\[0\].regions.a: no element has all of its nodes"):
        limber.Simulation(scene(dict(plain, regions={"a": "left"})))
