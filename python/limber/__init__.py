"""Limber simulates deformable objects: finite elements, many time integrators, and how much each of them damps.

SI units everywhere; arrays are numpy, double, C-ordered. A first simulation:

    import limber
    sim = limber.Simulation("scenes/beam.json")
    sim.run(1.0)
    print(sim.positions.min(axis=0), sim.energies()["total"])
"""

from dataclasses import dataclass as _dataclass
from dataclasses import field as _field

import numpy as _np

from . import _limber, ccd, distance, objectives
from ._limber import (Body, FrameWriter, InputError, Material, OutputError, Scene, Simulation, StepFailure, __version__,
                      methods, modes, run, set_threads, statics, statics_value_and_grad,
                      value_and_grad)

__all__ = [
    "Body", "FrameWriter", "InputError", "Material", "OutputError", "Scene", "Simulation", "StepFailure", "__version__",
    "CoarsenResult", "FitResult", "MinimizeResult", "advise", "amplification_matrix", "barrier", "ccd", "coarsen", "damping_curve", "distance",
    "export", "fit", "fit_statics", "friction_smoothing", "integrate", "materials", "methods", "minimize", "modes", "objectives",
    "phi1", "render", "run", "set_threads", "spectral_radius", "statics", "statics_value_and_grad", "value_and_grad",
]


def materials():
    """The names of the materials."""
    return _limber.material_names()


def _table(function, x, width, name):
    try:
        x, width = _np.broadcast_arrays(_np.asarray(x, dtype=float), _np.asarray(width, dtype=float))
    except (TypeError, ValueError) as e:
        raise InputError(f"x, {name}: {e}") from None
    rows = function(x.ravel(), width.ravel())
    return tuple(row.reshape(x.shape)[()] for row in rows)


def barrier(x, delta):
    """b(x; delta) = -(x - delta)^2 log(x/delta) on (0, delta), 0 beyond, infinite at x <= 0: (b, b', b'')."""
    return _table(_limber.barrier, x, delta, "delta")


def friction_smoothing(x, eps):
    """s(x; eps) = 2x/eps - x^2/eps^2 for x < eps, 1 beyond: (s, s')."""
    return _table(_limber.friction_smoothing, x, eps, "eps")


@_dataclass
class FitResult:
    """What `fit` found. Dicts are by key path."""

    values: dict  # numbers, and arrays of lists
    confidence: dict  # 95 % intervals (low, high), of a list two arrays; NaN where the data do not determine one
    rms: float  # [m] of the observed positions less those of the fitted motion
    evaluations: int
    converged: bool
    reason: str  # why it ended
    notes: list
    scene: Scene = _field(repr=False)  # with the values found
    motion: object = _field(repr=False)  # (t, {"tip.x": positions of the fitted motion, ...}); of fit_statics N x 3


def fit(scene, observed, vary, *, starts=1, max_evaluations=100):
    """Parameters of a scene for which its probes move as observed.

    observed: the path of a CSV table with columns of probes.csv, or (t, {probe: T x 3 positions}), NaN where nothing was
    seen. vary: {key path: (low, high)}; bounds are numbers, or lists where the parameter is one, of up to 200 components in
    all. Ranges above 0 are searched by logarithm. The search starts from the scene's values; `starts` above 1 tries
    further ones, spread over the bounds. With one of `limber.objectives` in place of observed it is `minimize`.
    """
    if isinstance(observed, objectives.Objective) or callable(observed):
        return minimize(scene, observed, vary, starts=starts, max_evaluations=max_evaluations)
    report = _limber.fit(scene, observed, dict(vary), starts, max_evaluations)
    return _found(report, report["motion"])


def fit_statics(scene, observed, vary, *, starts=1, max_evaluations=100):
    """Parameters of a scene for which its equilibrium, as `statics` finds it, is as observed.

    observed: {probe: position} and {"nodes": N x 3 positions}, one or both, NaN where nothing was seen. The rest is that of
    `fit`; motion is the fitted equilibrium, N x 3.
    """
    report = _limber.fit_statics(scene, dict(observed), dict(vary), starts, max_evaluations)
    return _found(report, report["motion"])


def _found(report, motion):
    def number_or_list(x):  # None: not determined
        return _np.array(x, dtype=float) if isinstance(x, list) else float("nan") if x is None else x

    values = {key: number_or_list(x) for key, x in report["values"].items()}
    confidence = {key: tuple(number_or_list(x) for x in pair) for key, pair in report["confidence"].items()}
    return FitResult(values, confidence, report["rms"], report["evaluations"], report["converged"],
                     report["reason"], report["notes"], Scene(report["scene"]), motion)


@_dataclass
class MinimizeResult:
    """What `minimize` found."""

    values: dict  # by key path
    value: float  # of the objective
    evaluations: int
    converged: bool
    reason: str  # why it ended
    notes: list
    scene: Scene = _field(repr=False)  # with the values found that have keys: not initial.... and element.young


def minimize(scene, objective, vary, *, starts=1, max_evaluations=100, tolerance=1e-9, progress=None):
    """Parameters of a scene, between bounds, for which an objective is least, by L-BFGS-B.

    objective: one of `limber.objectives`, or a function as for `value_and_grad`. vary: {path: (low, high)}, paths as for
    `value_and_grad`; bounds are numbers, or lists where the parameter is one. Ranges above 0 are searched by logarithm.
    The search starts from the scene's values; `starts` above 1 tries further ones, spread over the bounds, and goes on
    from the best. It has converged where a step lowers the objective by less than `tolerance`, relative. A run that
    fails makes the step shorter. progress(evaluation, value, values) is called after each run; False ends the search, as
    Ctrl-C does, with the best so far.
    """
    report = _limber.minimize(scene, objective, dict(vary), starts, max_evaluations, float(tolerance), progress)
    report["scene"] = Scene(report["scene"])
    return MinimizeResult(**report)


@_dataclass
class CoarsenResult:
    """What `coarsen` made. Each dict is by the names of the bodies."""

    frequencies: dict  # of each body {"fine": [Hz], "before": with the fine moduli on the coarse mesh, "after": ...}
    elements: dict  # of each {"fine": how many, "coarse": how many}
    mass: dict  # of each {"fine": [kg], "coarse": [kg]}
    self_weight: dict  # of each, what its weight along x, y, z does at rest, in parts of the fine body's
    moduli: dict  # of each {"least": ..., "most": ...}, in parts of the fine ones
    notes: list
    scene: dict = _field(repr=False)  # with the coarse meshes in it


def coarsen(scene, resolution=2, n=6, *, body=None, output=None, overwrite=False):
    """A scene whose solid bodies have longer elements, `resolution` times, and move like the fine ones.

    Each coarse element gets a modulus and a density of its own, by which the first n frequencies and what loads do at
    rest are those of the fine body. body: the name of one (None: all solids). output: a file to be written, with the
    coarse meshes beside it.
    """
    report = _limber.coarsen(scene, float(resolution), n, body or "", output, overwrite)
    by_name = {key: {b["name"]: b[key] for b in report["bodies"]}
               for key in ("frequencies", "elements", "mass", "self_weight", "moduli")}
    return CoarsenResult(**by_name, notes=report["notes"], scene=report["scene"])


def advise(scene, *, accuracy=None, keep_energy=None, time=None, real_time=False, methods=None, budget=None):
    """Which method and which steps do what is wanted, and what they will cost. A list of dicts, best first.

    One wish: accuracy [m or a text such as "1 mm"], the largest error of a position; keep_energy, the share that the
    method may not lose (.95); time, seconds of the processor that the run may take; or real_time. Without one, the
    accuracy of the scene's steps. methods: candidates (None: the usual ones); budget: counted work [s] that pilots
    may take (None: .45 s, which takes a processor .5 to 3 s, or 3 % of the run if that is more).

    Each dict has method, step [s] (of all steps, or the mean of steps that follow their error), accuracy (None: all
    steps have the same length), error [m], energy_lost (a share), steps, seconds, meets, reason, and scene: the keys to
    be changed. Pilots try the candidates on short parts of the scene; what is said of the whole run is a prediction.
    """
    return _limber.advise(scene, accuracy, keep_energy, time, bool(real_time), list(methods or []), budget)["suggestions"]


def _numbers(parameters):
    return {name: float(value) for name, value in parameters.items()}


def _real(x, name, dimensions):
    if _np.iscomplexobj(x):
        raise InputError(f"{name}: complex numbers are not supported")
    try:
        array = _np.asarray(x, dtype=float)
    except (TypeError, ValueError) as e:
        raise InputError(f"{name}: {e}") from None
    if array.ndim != dimensions:
        raise InputError(f"{name}: expected {dimensions} dimension{'s' * (dimensions > 1)}, got {array.ndim}")
    return array


def damping_curve(method, theta, in_modes=False, **parameters):
    """d/omega at each theta = omega h, from running the method on an undamped oscillator.

    theta: a number or an array; in_modes: the oscillator lies in the modal subspace of a hybrid method; parameters:
    those of the method, such as rho_inf=0.8.
    """
    theta = _np.asarray(theta, dtype=float)
    return _limber.damping_curve(method, theta.ravel(), in_modes, _numbers(parameters)).reshape(theta.shape)


def spectral_radius(method, theta, in_modes=False, **parameters):
    """rho(T) of the method at each theta = omega h; in_modes: the oscillator lies in the modal subspace."""
    theta = _np.asarray(theta, dtype=float)
    return _limber.spectral_radius(method, theta.ravel(), in_modes, _numbers(parameters)).reshape(theta.shape)


def amplification_matrix(method, theta, in_modes=False, **parameters):
    """The matrix T by which the method multiplies its memory in one step on the oscillator with theta = omega h."""
    return _limber.amplification_matrix(method, float(theta), in_modes, _numbers(parameters))


def phi1(J, b, h, tol=1e-10, info=False):
    """phi1(hJ) b with phi1(Z) = (exp(Z) - 1)/Z: h phi1(hJ) b is where x' = J x + b, x(0) = 0 has come to at time h.

    J: dense, scipy sparse or a callable x -> J x. tol: relative, 2-norm. info: also return a dict with the number of
    products with J, of sub-steps, and the estimated relative error. Raises StepFailure if tol is not reached.
    """
    b = _real(b, "b", 1)
    if not callable(J) and not hasattr(J, "tocsc"):
        J = _real(J, "J", 2)
    elif hasattr(J, "dtype") and _np.iscomplexobj(J):
        raise InputError("J: complex numbers are not supported")
    x, products, substeps, error = _limber.phi1(J, b, float(h), float(tol))
    return (x, {"products": products, "substeps": substeps, "error": error}) if info else x


def integrate(M, force, q0, v0, method="TR-BDF2", step=None, steps=None, stiffness=None, damping=None, history=None,
              t0=0.0, solver="auto", newton_tolerance=1e-6, max_iterations=50, modes=None, refresh=None,
              negative_modes="grow", krylov_tolerance=1e-7, **parameters):
    """Integrates M q'' = f(q, v, t) with a constant step; returns t, Q, V with steps + 1 rows.

    M: dense or scipy sparse. force(q, v, t) -> f. stiffness(q, v, t) -> K = -df/dq and damping(q, v, t) -> D = -df/dv,
    dense or sparse; taken by differences if absent. history: states before the initial one, [(t, q, v), ...], newest
    first. Hybrid methods split off `modes` modes (default 10, or all if there are fewer) of the symmetric part of K,
    refreshed each step unless refresh is "once", "auto", {"every": k} or {"residual": tolerance}. Never halves a step or
    changes the method: raises StepFailure.
    """
    if step is None or steps is None:
        raise InputError("integrate needs step= (the step length) and steps= (their number)")
    return _limber.integrate(M, force, q0, v0, method, float(step), int(steps), stiffness, damping, list(history or []),
                             float(t0), _numbers(parameters), solver, float(newton_tolerance), int(max_iterations),
                             modes, refresh, negative_modes, float(krylov_tolerance))


def render(source, output, *, fps=30, frame=None, size=(1280, 720), color="body", camera=None, look_at=None, fov=None,
           wireframe=False, samples=None, draft=False, body=False):
    """A movie or pictures of a run, as `limber render` makes them: output is movie.mp4, picture.png or a folder, pictures/.

    source: the directory of a run, or a scene, which is run first. fps: pictures for each second of simulated time.
    frame: of one picture, the stored frame, from 0 (the last one). color: "body", "displacement" or "stress". camera,
    look_at: points [m]; fov: vertical field of view [degrees]. samples: rays through a pixel, up to. draft: coarser,
    with hard shadows, more than ten times as fast. body: show what is simulated instead of the surface that it was filled
    into. Returns a dict with output, pictures, width, height, camera, look_at and largest_value, of what colours show
    ([m] or [Pa]).
    """
    return _limber.render(source, output, {
        "fps": fps, "frame": frame, "size": size, "color": color, "camera": camera, "look_at": look_at, "fov": fov,
        "wireframe": wireframe, "samples": samples, "draft": draft, "body": body})


def export(directory, output, *, frame=None, every=None, fps=None, large=False):
    """The motion of a run for Blender, ParaView and others, as `limber export` writes it; output's extension is the format.

    One of: frame, only this one, from 0; every, every Nth stored frame; fps, frames for each second of simulated time.
    large: allow a .glb of more than 100 MB. Returns a dict with files, frames and notes.
    """
    return _limber.export(directory, output, frame, every, fps, large)
