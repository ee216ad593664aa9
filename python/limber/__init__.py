"""Limber simulates deformable objects: finite elements, many time integrators, and how much each of them damps.

SI units everywhere; arrays are numpy, double, C-ordered. A first simulation:

    import limber
    scene = limber.Scene.load("scenes/beam.json")
    sim = limber.Simulation(scene)
    sim.run(1.0)
    print(sim.positions.min(axis=0), sim.energies()["total"])
"""

import numpy as _np

from . import _limber
from ._limber import (InputError, Material, OutputError, Scene, Simulation, StepFailure, __version__, methods, modes,
                      run, set_threads, statics)

__all__ = [
    "InputError", "Material", "OutputError", "Scene", "Simulation", "StepFailure", "__version__",
    "amplification_matrix", "damping_curve", "integrate", "materials", "methods", "modes", "run", "set_threads",
    "spectral_radius", "statics",
]


def materials():
    """The names of the materials."""
    return _limber.material_names()


def _numbers(parameters):
    return {name: float(value) for name, value in parameters.items()}


def damping_curve(method, theta, **parameters):
    """d/omega at each theta = omega h, from running the method on an undamped oscillator.

    theta: a number or an array; parameters: those of the method, such as rho_inf=0.8.
    """
    theta = _np.asarray(theta, dtype=float)
    return _limber.damping_curve(method, theta.ravel(), _numbers(parameters)).reshape(theta.shape)


def spectral_radius(method, theta, in_modes=False, **parameters):
    """rho(T) of the method at each theta = omega h; in_modes: the oscillator lies in the modal subspace."""
    theta = _np.asarray(theta, dtype=float)
    return _limber.spectral_radius(method, theta.ravel(), in_modes, _numbers(parameters)).reshape(theta.shape)


def amplification_matrix(method, theta, **parameters):
    """The matrix T by which the method multiplies its memory in one step on the oscillator with theta = omega h."""
    return _limber.amplification_matrix(method, float(theta), _numbers(parameters))


def integrate(M, force, q0, v0, method="TR-BDF2", step=None, steps=None, stiffness=None, damping=None, history=None,
              t0=0.0, solver="auto", newton_tolerance=1e-6, max_iterations=50, **parameters):
    """Integrates M q'' = f(q, v, t) with a constant step; returns t, Q, V with steps + 1 rows.

    M: dense or scipy sparse. force(q, v, t) -> f. stiffness(q, v, t) -> K = -df/dq and damping(q, v, t) -> D = -df/dv,
    dense or sparse; taken by differences if absent. history: states before the initial one, [(t, q, v), ...], newest
    first. Never halves a step or changes the method: raises StepFailure.
    """
    if step is None or steps is None:
        raise InputError("integrate needs step= (the step length) and steps= (their number)")
    return _limber.integrate(M, force, q0, v0, method, float(step), int(steps), stiffness, damping, list(history or []),
                             float(t0), _numbers(parameters), solver, float(newton_tolerance), int(max_iterations))
