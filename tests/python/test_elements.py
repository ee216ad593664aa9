"""Quadratic tetrahedra and hexahedra from the scene: frequencies of the continuum, statics, contact, results."""

import numpy as np
import pytest

import limber


def beam(element, cells=(32, 4, 4), **more):
    body = dict(name="beam", element=element, pin=["left", "right"],
                mesh=dict(shape="box", size=[8, 1, 1], cells=list(cells)),
                material=dict(model="linear", young=1e5, poisson=.4, density=1000), **more)
    return limber.Scene(dict(time=dict(step=.01, duration=.1), gravity=[0, 0, 0], bodies=[body]))


def frequencies(scene, count):
    values, _ = limber.modes(scene, count)
    return np.sqrt(values) / (2 * np.pi)


def test_quadratic_beam_has_the_frequencies_of_the_continuum():
    """Bending comes in pairs; torsion and stretching in between."""
    f = frequencies(beam("P2"), 9)
    for expected in (.148424, .367184, .644088):
        assert np.sum(np.abs(f - expected) < 1e-6) == 2, (expected, f)


def test_linear_beam_is_stiffer():
    f = frequencies(beam("P1", mass="consistent"), 9)
    for expected in (.158871, .391638, .685977):
        assert np.sum(np.abs(f - expected) < 1e-6) == 2, (expected, f)


@pytest.mark.parametrize("mass", ["lumped", "consistent"])
def test_frequencies_come_down_to_the_continuum(mass):
    last = np.inf
    for element in ("P1", "hex", "P2"):
        f = frequencies(beam(element, (16, 2, 2), mass=mass), 2)[0]
        assert .146 < f < last
        last = f
    assert abs(last - .148424) < 2e-3  # 1 % on this coarse mesh


def test_nodes_are_corners_then_middles():
    scene = beam("P2", (4, 1, 1))
    sim = limber.Simulation(scene)
    corners = limber.Simulation(beam("P1", (4, 1, 1))).positions
    x = sim.positions
    assert np.array_equal(x[:len(corners)], corners)
    halves = 2 * x[len(corners):] / [2, 1, 1]  # middles of edges of cells 2 x 1 x 1
    assert np.allclose(halves, np.round(halves)) and np.all(np.any(np.round(halves) % 2 == 1, axis=1))


@pytest.mark.parametrize("element", ["P2", "hex"])
@pytest.mark.parametrize("method", ["BE", "TR-BDF2", "SIERE"])
def test_bodies_of_all_elements_collide(element, method):
    """A cube falls onto the floor and rests there with its weight."""
    scene = limber.Scene(dict(
        time=dict(step=.01, duration=1), method=dict(name=method),
        bodies=[dict(name="cube", element=element, mesh=dict(shape="box", size=[.2, .2, .2], cells=[2, 2, 2]),
                     position=[0, .01, 0], damping=dict(stiffness=.01, mass=2),
                     material=dict(model="neo_hookean", young=1e5, poisson=.3, density=1000))],
        contact=dict(delta=.002),
        obstacles=[dict(name="floor", shape="plane", point=[0, 0, 0], normal=[0, 1, 0])]))
    sim = limber.Simulation(scene)
    sim.run(1.5)
    assert sim.positions[:, 1].min() > 0
    weight = .2 ** 3 * 1000 * 9.81
    assert abs(sum(c["normal_force"] for c in sim.contacts()) - weight) < .02 * weight


def test_regions_and_damping_with_quadratic_elements():
    mesh = dict(nodes=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], tets=[[0, 1, 2, 3], [1, 2, 3, 4]],
                region=[1, 2])
    soft = dict(model="neo_hookean", young=1e3, poisson=.3, density=100)
    scene = limber.Scene(dict(
        time=dict(step=.01, duration=.1), method=dict(name="TR-BDF2"),
        bodies=[dict(name="two", element="P2", mesh=mesh, materials={"1": soft, "2": dict(soft, young=1e5)},
                     damping=dict(stiffness=.01), pin=dict(nodes=[0]))]))
    sim = limber.Simulation(scene)
    sim.run(.1)
    assert np.isfinite(sim.positions).all() and np.abs(sim.positions - limber.Simulation(scene).positions).max() > 1e-3


def test_hexahedra_are_not_made_of_tetrahedra():
    body = dict(name="b", element="hex", mesh=dict(nodes=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                                                   tets=[[0, 1, 2, 3]]),
                material=dict(model="linear", young=1e5, poisson=.3, density=1000))
    with pytest.raises(limber.InputError, match=r"bodies\[0\].element.*box"):
        limber.Simulation(limber.Scene(dict(time=dict(step=.01, duration=.1), bodies=[body])))
