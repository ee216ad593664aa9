"""One step of two coupled Duffing oscillators, one of whose modes is split off, against the survey's own formulas in dense
arithmetic that shares nothing with the program; and free flights of bodies by all hybrids against the closed form."""

import numpy as np
import pytest
import scipy.linalg

import limber

H = 0.05
LINEAR, CUBIC, LINK = np.array([1.0, 4.0]), np.array([5.0, 3.0]), 1.0
Q0, V0 = np.array([0.8, -0.5]), np.array([0.7, 1.3])
COUPLING = np.array([[0.6, -0.2], [-0.2, 0.1]])  # damping that is no combination of mass and stiffness
HYBRIDS = ["BEERE", "SIERE", "BDF2ERE", "SBDF2ERE", "TR-BDF2ERE", "STR-SBDF2ERE", "SDIRKERE", "SSDIRKERE"]


def stiffness(q):
    return np.diag(LINEAR + 3 * CUBIC * q**2 + LINK) - LINK * (1 - np.eye(2))


def rate(x, D):
    q, v = x[:2], x[2:]
    return np.concatenate([v, -LINEAR * q - CUBIC * q**3 - LINK * (q - q[::-1]) - D @ v])


def jacobian(x, D):
    return np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness(x[:2]), -D]])


def modal_projector(x):
    """diag(X Xt, X Xt) with the lowest mode there."""
    X = np.linalg.eigh(stiffness(x[:2]))[1][:, :1]
    return scipy.linalg.block_diag(X @ X.T, X @ X.T)


def phi1(A, b):
    n = len(b)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = A, b
    return scipy.linalg.expm(whole)[:n, n]


def one_step(method, D, h=H):
    q, v = limber.integrate(np.eye(2), lambda q, v, t: rate(np.concatenate([q, v]), D)[2:], Q0, V0, method, step=h, steps=1,
                            stiffness=lambda q, v, t: stiffness(q), damping=lambda q, v, t: D, modes=1)[1:]
    return np.concatenate([q[1], v[1]])


def str_sbdf2ere(D, modes_of):
    """(26n), with the modes X of u0 or of u_half; J_H and J_G are the derivatives of H and G at u_half."""
    u0, one = np.concatenate([Q0, V0]), np.eye(4)
    half = u0 + np.linalg.solve(one - H / 4 * jacobian(u0, D), H * rate(u0, D)) / 2
    R = modal_projector({"start": u0, "half": half}[modes_of])
    J_G = R @ jacobian(half, D)
    J_H = jacobian(half, D) - J_G
    G = R @ rate(half, D)
    return half + np.linalg.solve(one - H / 3 * J_H, half - u0 + H * (rate(half, D) - G + phi1(H / 2 * J_G, G))) / 3


@pytest.mark.parametrize("D", [np.zeros((2, 2)), COUPLING], ids=["undamped", "damped"])
def test_str_sbdf2ere_is_the_printed_26n(D):
    got = one_step("STR-SBDF2ERE-printed", D)
    assert abs(got - str_sbdf2ere(D, "start")).max() < 1e-14
    # Which modes are meant can be told: those of u_half would give another step.
    assert abs(got - str_sbdf2ere(D, "half")).max() > 1e-5


def siere(D, h, cross_terms):
    """(SIERE): J_H is the derivative of H, or J - J_G with the J_G of (24), which couples the modes to the rest."""
    u0, one = np.concatenate([Q0, V0]), np.eye(4)
    R, J = modal_projector(u0), jacobian(u0, D)
    J_H = J - R @ J @ R if cross_terms else J - R @ J
    G = R @ rate(u0, D)
    return u0 + np.linalg.solve(one - h * J_H, h * (rate(u0, D) - G) + h * phi1(h * R @ J @ R, G))


def test_siere_solves_with_the_derivative_of_h():
    for h in (H, H / 2):
        assert abs(one_step("SIERE", COUPLING, h) - siere(COUPLING, h, False)).max() < 1e-14
        # Without damping that couples them the two are one.
        assert abs(one_step("SIERE", np.zeros((2, 2)), h) - siere(np.zeros((2, 2)), h, True)).max() < 1e-14
    # With it they differ by a term of second order, as large as the error of a first-order method in one step.
    apart = [abs(siere(COUPLING, h, True) - siere(COUPLING, h, False)).max() for h in (H, H / 2)]
    assert 3.5 < apart[0] / apart[1] < 4.5


@pytest.mark.parametrize("contact", [False, True])
@pytest.mark.parametrize("method", HYBRIDS)
def test_free_fall_is_exact(method, contact):
    # All of it is modal: nothing is left for the solver in the complement but rounding, which must not be iterated on.
    velocity, gravity = np.array([1.5, 2, -0.7]), np.array([0, -9.81, 0])
    for modes in (1, 10):
        body = {"mesh": {"shape": "box", "size": [1, 0.8, 0.6], "cells": [2, 2, 2]}, "velocity": velocity.tolist(),
                "rotation": [0.3, 0.2, 0.5],
                "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}}
        scene = {"time": {"step": 0.01, "duration": 1.6}, "method": {"name": method, "modes": modes}, "bodies": [body]}
        if contact:
            scene["contact"] = {}
        simulation = limber.Simulation(limber.Scene(scene))
        start = simulation.positions.copy()
        for step in range(1, 161):
            simulation.step()
            t = 0.01 * step
            assert abs(simulation.positions - (start + velocity * t + gravity * t * t / 2)).max() < 1e-9, step
            assert abs(simulation.velocities - (velocity + gravity * t)).max() < 1e-8, step


@pytest.mark.parametrize("damping", [{}, {"mass": 0.2}], ids=["undamped", "damped"])
@pytest.mark.parametrize("method", HYBRIDS)
def test_wind_on_a_body_that_may_collide(method, damping):
    def end(contact):
        scene = {"time": {"step": 0.01, "duration": 0.2}, "method": method, "wind": {"velocity": [0, 0, 1]},
                 "bodies": [{"mesh": {"shape": "box", "size": [1, 1, 1], "cells": [2, 2, 2]}, "damping": damping,
                             "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 10}}], **contact}
        simulation = limber.Simulation(limber.Scene(scene))
        for _ in range(20):
            report = simulation.step()
            assert not report or report.get("escalations", 0) == 0
        return simulation.positions

    there = end({"contact": {}})
    assert np.isfinite(there).all()
    # Nothing touches: only the frame in which modes move is another one.
    assert abs(there - end({})).max() < 1e-3
    assert there[:, 2].mean() > 0.5 + 1e-3
