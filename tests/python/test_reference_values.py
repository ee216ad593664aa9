"""Matrices, eigenvalues and sags against known values and against an assembly written here with numpy only."""

import itertools

import numpy as np
import pytest
from scipy.linalg import eigh

import limber

YOUNG, POISSON, DENSITY = 1e5, 0.4, 1000.0


def beam(**keys):
    body = {"mesh": {"shape": "box", "size": [8, 1, 1], "cells": [32, 4, 4], "split": "five"},
            "material": {"model": "stable_neo_hookean", "young": YOUNG, "poisson": POISSON, "density": DENSITY},
            "pin": ["left", "right"], **keys}
    return limber.Scene({"time": {"step": 0.01, "duration": 5}, "bodies": [body]})


# Known values of the beam, to 8 digits

@pytest.mark.parametrize("model", limber.materials())
def test_lumped_eigenvalues(model):
    """All materials have the same small-strain limit; arap alone has no lambda."""
    known = [0.9930336078, 0.9930336078, 5.457325607, 5.986524729, 5.986524729, 16.12412745]
    material = {"model": model, "young": YOUNG, "poisson": POISSON, "density": DENSITY}
    lam, _ = limber.modes(beam(material=material), 6)
    if model == "arap":
        assert abs(lam[0] / known[0] - 1) > 0.05
    else:
        np.testing.assert_allclose(lam, known, rtol=1e-8)


def test_consistent_eigenvalues():
    lam, _ = limber.modes(beam(mass="consistent"), 3)
    np.testing.assert_allclose(lam, [0.9964358176, 0.9964358176, 6.055222843], rtol=1e-8)


def test_modes_are_mass_orthonormal_and_vanish_at_pinned_nodes():
    for mass in "lumped", "consistent":
        scene = beam(mass=mass)
        lam, X = limber.modes(scene, 8)
        sim = limber.Simulation(scene)
        assert X.shape == (3 * 825, 8) and np.all(np.diff(lam) >= 0)
        assert np.all(X.reshape(825, 3, 8)[sim.pinned] == 0)
        free = np.setdiff1d(np.arange(825), sim.pinned)
        Y = X.reshape(825, 3, 8)[free].reshape(-1, 8)
        np.testing.assert_allclose(Y.T @ sim.mass() @ Y, np.eye(8), atol=1e-10)
        np.testing.assert_allclose(sim.stiffness() @ Y, sim.mass() @ Y * lam, atol=1e-6)


def test_linear_static_sag():
    scene = beam(material={"model": "linear", "young": YOUNG, "poisson": POISSON, "density": DENSITY})
    rest = limber.Simulation(scene).positions
    node = np.argmin(np.linalg.norm(rest - [4, 0.5, 0.5], axis=1))
    np.testing.assert_allclose(rest[node], [4, 0.5, 0.5])
    sag = limber.statics(scene)[node, 1] - 0.5
    assert sag == pytest.approx(-12.6607012, rel=1e-8)


# An independent assembly

SIZE, CELLS = np.array([0.6, 0.5, 0.4]), (3, 2, 2)


def box_nodes(size, cells):
    nx, ny, nz = cells
    return np.array([[i * size[0] / nx, j * size[1] / ny, k * size[2] / nz]
                     for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)])


def box_tets(cells, split):
    nx, ny, nz = cells
    tets = []
    for k, j, i in itertools.product(range(nz), range(ny), range(nx)):
        def corner(name):
            a, b, c = map(int, name)
            return (i + a) + (nx + 1) * ((j + b) + (ny + 1) * (k + c))

        if split == "six":
            for axes in itertools.permutations(range(3)):
                walk, at = ["000"], [0, 0, 0]
                for axis in axes:
                    at[axis] = 1
                    walk.append("".join(map(str, at)))
                tets.append([corner(c) for c in walk])
            continue
        central = ["000", "110", "101", "011"] if (i + j + k) % 2 == 0 else ["100", "010", "001", "111"]
        tets.append([corner(c) for c in central])
        for tip in set("".join(x) for x in itertools.product("01", repeat=3)) - set(central):
            near = [c for c in central if sum(a != b for a, b in zip(c, tip)) == 1]
            tets.append([corner(tip), *(corner(c) for c in near)])
    return np.array(tets)


def gradients(x):
    """Gradients of the four barycentric coordinates (4 x 3) and the volume."""
    edges = (x[1:] - x[0]).T
    volume = abs(np.linalg.det(edges)) / 6
    tail = np.linalg.inv(edges)
    return np.vstack([-tail.sum(axis=0), tail]), volume


def lame(young, poisson):
    return young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))


def assemble(nodes, tets, mass):
    """K of linear elasticity and M."""
    n = len(nodes)
    K, M = np.zeros((3 * n, 3 * n)), np.zeros((3 * n, 3 * n))
    mu, lam = lame(YOUNG, POISSON)
    for tet in tets:
        g, volume = gradients(nodes[tet])
        for a, b in itertools.product(range(4), repeat=2):
            block = lam * np.outer(g[a], g[b]) + mu * np.outer(g[b], g[a]) + mu * g[a] @ g[b] * np.eye(3)
            rows, columns = slice(3 * tet[a], 3 * tet[a] + 3), slice(3 * tet[b], 3 * tet[b] + 3)
            K[rows, columns] += volume * block
            share = (0.25 if a == b else 0.0) if mass == "lumped" else (0.1 if a == b else 0.05)
            M[rows, columns] += DENSITY * volume * share * np.eye(3)
    return K, M


def small_box(model, split="five", **keys):
    return limber.Scene({"time": {"step": 0.01, "duration": 1}, "gravity": [1, -9.81, 2], "bodies": [
        {"mesh": {"shape": "box", "size": list(SIZE), "cells": list(CELLS), "split": split},
         "material": {"model": model, "young": YOUNG, "poisson": POISSON, "density": DENSITY},
         "pin": ["left"], **keys}]})


def bent(sim, amount=0.04):
    rng = np.random.default_rng(3)
    x = sim.positions.copy()
    x[np.setdiff1d(np.arange(len(x)), sim.pinned)] += rng.uniform(-amount, amount, (len(x) - len(sim.pinned), 3))
    return x


def close(a, b):
    np.testing.assert_allclose(a, b, atol=1e-9 * np.abs(b).max(), rtol=0)


@pytest.mark.parametrize("split", ["five", "six"])
@pytest.mark.parametrize("mass", ["lumped", "consistent"])
def test_linear_box_against_numpy(split, mass):
    nodes = box_nodes(SIZE, CELLS)
    K, M = assemble(nodes, box_tets(CELLS, split), mass)
    sim = limber.Simulation(small_box("linear", split, mass=mass))
    np.testing.assert_allclose(sim.positions, nodes, atol=1e-15)
    assert list(sim.pinned) == [i for i, x in enumerate(nodes) if x[0] == 0]
    free = np.repeat(nodes[:, 0] > 0, 3)

    x = bent(sim)
    sim.positions = x
    close(sim.stiffness().toarray(), K[np.ix_(free, free)])
    close(sim.mass().toarray(), M[np.ix_(free, free)])
    weight = M @ np.tile([1, -9.81, 2], len(nodes))
    u = (x - nodes).ravel()
    close(sim.force(), (weight - K @ u)[free])
    acceleration = np.zeros(3 * len(nodes))  # a consistent mass couples held nodes to accelerated ones
    acceleration[free] = np.linalg.solve(M[np.ix_(free, free)], (weight - K @ u)[free])
    close(sim.reactions(), (M @ acceleration + K @ u - weight).reshape(-1, 3)[sim.pinned])
    energies = sim.energies()
    assert energies["elastic"] == pytest.approx(u @ K @ u / 2, rel=1e-9)

    lam, _ = limber.modes(small_box("linear", split, mass=mass), 5)
    known = eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True)
    np.testing.assert_allclose(lam, known[:5], rtol=1e-9)


def st_venant_kirchhoff(F, mu, lam):
    E = (F.T @ F - np.eye(3)) / 2
    return mu * np.sum(E * E) + lam / 2 * np.trace(E) ** 2


def neo_hookean(F, mu, lam):
    log_J = np.log(np.linalg.det(F))
    return mu / 2 * (np.sum(F * F) - 3) - mu * log_J + lam / 2 * log_J**2


DENSITIES = {"st_venant_kirchhoff": st_venant_kirchhoff, "neo_hookean": neo_hookean}


@pytest.mark.parametrize("model", DENSITIES)
def test_nonlinear_box_against_numpy(model):
    """The energy against a sum over tetrahedra made here; the force and K against differences of the energy."""
    nodes, tets = box_nodes(SIZE, CELLS), box_tets(CELLS, "five")
    mu, lam = lame(YOUNG, POISSON)
    _, M = assemble(nodes, tets, "lumped")
    weight = M @ np.tile([1, -9.81, 2], len(nodes))
    free = np.repeat(nodes[:, 0] > 0, 3)
    shapes = [(tet, *gradients(nodes[tet])) for tet in tets]

    def elastic(x):
        return sum(volume * DENSITIES[model](x[tet].T @ g, mu, lam) for tet, g, volume in shapes)

    sim = limber.Simulation(small_box(model))
    x = bent(sim)
    sim.positions = x
    assert sim.energies()["elastic"] == pytest.approx(elastic(x), rel=1e-12)
    assert sim.min_det_F() == pytest.approx(min(np.linalg.det(x[tet].T @ g) for tet, g, _ in shapes), rel=1e-12)

    rng = np.random.default_rng(5)
    f, K = sim.force(), sim.stiffness()
    scale = np.abs(K).max()
    assert abs(K - K.T).max() <= 1e-12 * scale
    for _ in range(3):
        direction = np.zeros(3 * len(nodes))
        direction[free] = rng.normal(size=free.sum())
        direction /= np.linalg.norm(direction)
        d = direction.reshape(-1, 3)

        def difference(function, e):  # of sixth order
            pairs = ((1, 45), (2, -9), (3, 1))
            return sum(c * (function(x + k * e * d) - function(x - k * e * d)) for k, c in pairs) / (60 * e)

        def force_at(y):
            sim.positions = y
            return sim.force()

        expected = weight @ direction - difference(elastic, 2e-3)
        assert f @ direction[free] == pytest.approx(expected, abs=1e-9 * np.linalg.norm(f))
        np.testing.assert_allclose(K @ direction[free], -difference(force_at, 1e-3), atol=1e-9 * scale)
