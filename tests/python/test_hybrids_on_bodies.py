"""Exponential and hybrid methods on finite elements: energy, momentum, dense formulas, clusters of modes, restarts, and
what the command line says about modes."""

import csv
import json
import random
import signal
import subprocess
import time

import numpy as np
import pytest
import scipy.linalg

import limber

HYBRIDS = [method["name"] for method in limber.methods() if method["kind"] == "hybrid"]
UNEQUAL = {"shape": "box", "size": [1, 0.25, 0.2], "split": "five"}  # no frequency comes twice


def simulate(scene):
    return limber.Simulation(limber.Scene(scene))


def free_state(sim):
    """q and v of the free degrees of freedom."""
    nodes = np.setdiff1d(np.arange(len(sim.positions)), sim.pinned)
    return np.concatenate([sim.positions[nodes].ravel(), sim.velocities[nodes].ravel()])


# Energy

@pytest.fixture(scope="module")
def beam_energies(root):
    """Total energy [J] of the soft beam with fewer cells, after each of 200 steps of 0.01 s."""
    scene = limber.Scene.load(str(root / "scenes/beam.json")).to_dict()
    scene["bodies"][0]["mesh"]["cells"] = [16, 2, 2]
    result = {}
    for name in ("BE", "SIERE", "STR-SBDF2ERE", "TR-BDF2ERE", "TR-BDF2", "SDIRK", "STR-SBDF2ERE-printed"):
        method = {"name": name, "modes": 11, "refresh": {"residual": 0.1}} if name in HYBRIDS else {"name": name}
        sim = simulate({**scene, "method": method})
        energies = [sim.energies()["total"]]
        for _ in range(200):
            sim.step()
            energies.append(sim.energies()["total"])
        result[name] = np.array(energies)
    return result


def test_energy_of_the_beam(beam_energies):
    change = {name: energies[-1] - energies[0] for name, energies in beam_energies.items()}
    assert change["BE"] < -10000
    assert change["BE"] < 8 * change["SIERE"] < -8 * 200
    for name in ("TR-BDF2", "SDIRK"):
        assert -10 < change[name] < 0, name
    for name in ("STR-SBDF2ERE", "TR-BDF2ERE"):
        assert abs(change[name]) < 10, name
    assert change["STR-SBDF2ERE-printed"] > 1000


def test_energy_of_the_beam_over_time(beam_energies):
    assert np.diff(beam_energies["BE"]).max() < 0
    for name in ("STR-SBDF2ERE", "TR-BDF2ERE", "TR-BDF2", "SDIRK"):
        energies = beam_energies[name]
        assert np.abs(energies - energies[0]).max() < 20, name
    assert np.diff(beam_energies["STR-SBDF2ERE-printed"][::20]).min() > 0


# One step against a dense formula

def augmented_phi1(Z, b):
    n = len(b)
    return scipy.linalg.expm(np.block([[Z, b[:, None]], [np.zeros((1, n + 1))]]))[:n, n]


def printed_siere(sim, modes, h):
    """(25a): u0 + h (I - h J_H)^-1 (H + diag(X, X) phi1(h J_G^r) G^r), J_H = J - J_G of (24)."""
    M, K, f, u = sim.mass().toarray(), sim.stiffness().toarray(), sim.force(), free_state(sim)
    n = len(f)
    v, zero = u[n:], np.zeros((n, n))
    X = scipy.linalg.eigh(K, M)[1][:, :modes]
    R = X @ X.T @ M
    J_G = np.block([[zero, R], [-X @ X.T @ K @ R, zero]])
    J_H = np.block([[zero, np.eye(n)], [-np.linalg.solve(M, K), zero]]) - J_G
    H = np.concatenate([v - R @ v, np.linalg.solve(M, f - M @ X @ X.T @ f)])
    small = np.block([[np.zeros((modes, modes)), np.eye(modes)], [-X.T @ K @ X, np.zeros((modes, modes))]])
    G = scipy.linalg.block_diag(X, X) @ augmented_phi1(h * small, np.concatenate([X.T @ M @ v, X.T @ f]))
    return u + h * np.linalg.solve(np.eye(2 * n) - h * J_H, H + G)


@pytest.mark.parametrize("cells, modes", [([4, 1, 1], 1), ([4, 1, 1], 6), ([6, 2, 1], 10)])
def test_siere_step_is_the_printed_formula(bar, cells, modes):
    sim = simulate(bar(mesh={**UNEQUAL, "cells": cells}, velocity=[0.3, 0.5, -0.2], time={"step": 0.02, "duration": 1},
                       method={"name": "SIERE", "modes": modes, "refresh": {"every": 1}}))
    for _ in range(4):
        expected = printed_siere(sim, modes, 0.02)
        sim.step()
        np.testing.assert_allclose(free_state(sim), expected, atol=1e-10, rtol=0)


@pytest.mark.parametrize("cells", [[2, 1, 1], [6, 2, 2]], ids=["24 unknowns", "162 unknowns"])
@pytest.mark.parametrize("damping", [{}, {"mass": 2.0}, {"stiffness": 0.01, "at": "rest"},
                                     {"stiffness": 0.01, "mass": 0.3, "at": "rest"}, {"stiffness": 0.01, "at": "current"}],
                         ids=["undamped", "mass", "stiffness", "both", "current"])
def test_exponential_step_is_the_formula(bar, cells, damping):
    """u0 + h phi1(h J) F(u0), first from rest, later from a deformed state."""
    h = 0.02
    sim = simulate(bar(mesh={**UNEQUAL, "cells": cells}, velocity=[0.3, 0.5, -0.2], damping=damping,
                       time={"step": h, "duration": 1}, method={"name": "ERE", "krylov_tolerance": 1e-11}))
    for _ in range(3):
        M, K, D, f, u = (*(A.toarray() for A in (sim.mass(), sim.stiffness(), sim.damping())), sim.force(),
                         free_state(sim))
        n = len(f)
        J = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
        expected = u + h * augmented_phi1(h * J, np.concatenate([u[n:], np.linalg.solve(M, f)]))
        sim.step()
        np.testing.assert_allclose(free_state(sim), expected, atol=1e-9, rtol=0)


@pytest.mark.parametrize("method", ["ERE", "SIERE", "STR-SBDF2ERE"])
def test_order_on_a_damped_body(bar, method):
    """Against a fine run of SDIRK; the modes are exact in each step."""
    def end(name, steps):
        given = {"name": name, "newton_tolerance": 1e-10}
        if name in HYBRIDS:
            given |= {"modes": 4, "refresh": {"every": 1}}
        sim = simulate(bar(mesh={**UNEQUAL, "cells": [4, 1, 1]}, method=given, damping={"stiffness": 0.01},
                           time={"step": 0.2 / steps, "duration": 0.2}))
        sim.run(0.2)
        return free_state(sim)

    fine = end("SDIRK", 4000)
    errors = [np.linalg.norm(end(method, n) - fine) for n in (50, 100)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1 if method == "SIERE" else 2, abs=0.15)


# Free bodies

def momenta(scene, steps):
    """Linear momentum, and angular momentum about the centre of mass, after each step."""
    sim = simulate(scene)
    m = sim.mass().diagonal()[::3]
    linear, angular = [], []
    for step in range(steps + 1):
        x, v = sim.positions, sim.velocities
        linear.append(m @ v)
        angular.append((m[:, None] * np.cross(x - m @ x / m.sum(), v)).sum(axis=0))
        if step < steps:
            sim.step()
    return np.array(linear), np.array(angular)


def losses(bar, method, **keys):
    """Largest relative changes of the two momenta over 100 steps."""
    scene = bar(pin=None, gravity=[0, 0, 0], velocity=[1, 0.5, -2], angular_velocity=[0.5, 3, 1], method=method,
                time={"step": 0.005, "duration": 1}, **keys)
    return [np.abs(p - p[0]).max() / np.linalg.norm(p[0]) for p in momenta(scene, 100)]


@pytest.mark.parametrize("modes", [3, 10])
@pytest.mark.parametrize("method", ["SIERE", "BEERE", "SBDF2ERE", "STR-SBDF2ERE", "SDIRKERE"])
def test_linear_momentum_of_a_free_body(bar, method, modes):
    assert losses(bar, {"name": method, "modes": modes})[0] < 1e-12


def test_linear_momentum_with_other_refresh_rules(bar):
    for refresh in "once", "auto", {"every": 3}, {"residual": 1e-3}:
        assert losses(bar, {"name": "SIERE", "modes": 10, "refresh": refresh})[0] < 1e-12, refresh


def test_angular_momentum_of_a_free_body(bar):
    """Hybrids of two-stage methods keep it as their base does; SIERE, whose complement is of first order, better than
    SI does, and the better the more modes it has."""
    loss = {name: losses(bar, {"name": name})[1] for name in ("TR-BDF2", "SI")}
    for name in ("STR-SBDF2ERE", "TR-BDF2ERE", "SSDIRKERE"):
        loss[name] = losses(bar, {"name": name, "modes": 10})[1]
        assert loss[name] < 1.2 * loss["TR-BDF2"] < 1e-4, loss
    few, many = (losses(bar, {"name": "SIERE", "modes": s})[1] for s in (10, 20))
    assert few < 0.6 * loss["SI"] and many < 0.2 * loss["SI"], (few, many, loss)


def test_rigid_modes_are_one_cluster(limber_cli, bar, write_scene, tmp_path):
    scene = write_scene(bar(pin=None, gravity=[0, 0, 0], angular_velocity=[0, 1, 0],
                            method={"name": "SIERE", "modes": 3}))
    done = limber_cli("run", scene, "-o", "out")
    notes = json.loads((tmp_path / "out/summary.json").read_text())["notes"]
    assert any("6 modes instead of 3" in note for note in notes)
    assert "6 modes instead of 3" in done.err + done.out
    one, other = (losses(bar, {"name": "SIERE", "modes": s, "refresh": "once"}) for s in (3, 6))
    assert one == other


# Clusters

def test_repeated_frequencies_are_not_cut(limber_cli, bar, write_scene, tmp_path):
    """A square beam bends alike in two directions."""
    square = {"shape": "box", "size": [1, 0.25, 0.25], "cells": [4, 2, 2]}
    lam, _ = limber.modes(limber.Scene(bar(mesh=square)), 3)
    assert lam[1] == pytest.approx(lam[0], rel=1e-8) and lam[2] > 2 * lam[1]
    for modes, told in ((1, True), (2, False)):
        scene = write_scene(bar(mesh=square, method={"name": "SIERE", "modes": modes, "refresh": "once"}))
        limber_cli("run", scene, "-o", f"out{modes}", "--quiet")
        summary = json.loads((tmp_path / f"out{modes}/summary.json").read_text())
        assert any("2 modes instead of 1" in note for note in summary["notes"]) == told
        assert summary["modes"]["count"] == 2
    one, two = (tmp_path / f"out{modes}/trajectory.h5" for modes in (1, 2))
    assert one.read_bytes() == two.read_bytes()


# Modes that grow

@pytest.mark.parametrize("method, escalates", [("SIERE", True), ("BEERE", False)])
def test_modes_that_an_impact_makes_unstable_are_not_split_off(limber_cli, write_scene, tmp_path, method, escalates):
    """A soft cube hits the floor with a corner: where elements buckle, modes moved by sinh would bring in energy."""
    scene = write_scene({
        "time": {"step": 0.01, "duration": 0.12}, "method": {"name": method},
        "bodies": [{"name": "cube", "position": [0, 0.2, 0], "rotation": [0.5, 0.2, 0.4], "velocity": [0, -4, 0],
                    "mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3], "origin": [-0.1, -0.1, -0.1]},
                    "material": {"model": "neo_hookean", "young": 3e4, "poisson": 0.4, "density": 1000}}],
        "contact": {"delta": 0.001, "friction": 0.3},
        "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]})
    limber_cli("run", scene, "-o", "out", "--quiet")
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert any(f"{method} leaves it to its base scheme" in note for note in summary["notes"]), summary["notes"]
    assert (summary["escalated_steps"] > 0) == escalates and summary["halved_steps"] == 0
    with open(tmp_path / "out/energy.csv") as table:
        total = [float(row["total"]) for row in csv.DictReader(table)]
    assert all(later <= before + 1e-6 * total[0] for before, later in zip(total, total[1:])), total
    limber_cli("check", "out")


# Restarts

STEPS = 160
REFRESH = {"once": "once", "auto": "auto", "every": {"every": 3}, "residual": {"residual": 0.05}}


def count_rows(path):
    try:
        return path.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def kill_at(command, directory, row, cwd):
    """Starts the program and kills it when its table has `row` lines. True if it came in time."""
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while process.poll() is None and count_rows(directory / "energy.csv") < row and time.monotonic() < deadline:
            time.sleep(0.0005)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return process.returncode != 0


@pytest.mark.parametrize("refresh", REFRESH)
@pytest.mark.parametrize("method", ["SIERE", "SBDF2ERE"])
def test_resume_after_kill(limber_program, limber_cli, bar, write_scene, tmp_path, method, refresh):
    """324 unknowns: enough that modes are refined from those before."""
    scene = write_scene(bar(mesh={**UNEQUAL, "cells": [12, 2, 2]}, time={"step": 0.01, "duration": 0.01 * STEPS},
                            method={"name": method, "modes": 6, "refresh": REFRESH[refresh]},
                            output={"velocities": True, "frames_every": 2, "checkpoint_every": 17}))
    limber_cli("run", scene, "-o", "whole", "--quiet")
    summary = json.loads((tmp_path / "whole/summary.json").read_text())
    refreshes, taken_again = summary["modes"]["refreshes"], sum(summary["retaken_steps"].values())
    assert (refreshes <= 1 + taken_again) == (refresh in ("once", "auto"))
    assert summary["modes"]["refreshes"] < STEPS
    killed, broken = 0, tmp_path / "broken"
    moments = random.Random(method + refresh)
    for row in sorted(moments.randrange(10, STEPS - 20) for _ in range(3)):
        killed += kill_at([limber_program, "run", scene, "-o", broken, "--quiet", "--resume"], broken, row, tmp_path)
    assert killed >= 1, "the program was faster than the test"
    limber_cli("run", scene, "-o", broken, "--quiet", "--resume")
    assert json.loads((broken / "summary.json").read_text())["end"] == "finished"
    assert (broken / "trajectory.h5").read_bytes() == (tmp_path / "whole/trajectory.h5").read_bytes()


@pytest.mark.parametrize("method", ["ERE", "SIERE"])
def test_threads_do_not_change_results(limber_cli, bar, write_scene, tmp_path, method):
    scene = write_scene(bar(mesh={**UNEQUAL, "cells": [16, 4, 3]}, method={"name": method}))
    for threads in (1, 2):
        limber_cli("run", scene, "-o", f"t{threads}", "--threads", threads, "--quiet")
    assert (tmp_path / "t1/trajectory.h5").read_bytes() == (tmp_path / "t2/trajectory.h5").read_bytes()


# Mode shapes

def test_mode_shapes_as_a_trajectory(limber_cli, bar, write_scene, tmp_path):
    h5py = pytest.importorskip("h5py")
    scene = bar(mesh={**UNEQUAL, "cells": [4, 1, 1]})
    path = write_scene(scene)
    limber_cli("modes", path, "-n", 4, "-o", "shapes", "--frames", 8, "--amplitude", 0.05)
    found = limber_cli("modes", path, "-n", 4, "--json").json
    with open(tmp_path / "shapes/modes.csv", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [int(row["mode"]) for row in table] == [1, 2, 3, 4]
    np.testing.assert_allclose([float(row["frequency"]) for row in table], found["frequency"], rtol=1e-12)
    np.testing.assert_allclose([float(row["lambda"]) for row in table], found["lambda"], rtol=1e-12)
    assert [(int(row["first_frame"]), int(row["last_frame"])) for row in table] == [(0, 7), (8, 15), (16, 23), (24, 31)]

    sim = simulate(scene)
    M, K, start = sim.mass().toarray(), sim.stiffness().toarray(), sim.positions
    free = np.setdiff1d(np.arange(len(start)), sim.pinned)
    with h5py.File(tmp_path / "shapes/trajectory.h5") as file:
        frames, times = file["frames/positions"][:], file["frames/times"][:]
    assert frames.shape == (32, len(start), 3)
    np.testing.assert_allclose(times, np.arange(32) / 8, atol=1e-12)
    for mode, lam in enumerate(found["lambda"]):
        moved = frames[8 * mode:8 * mode + 8] - start
        shape = moved[2]
        assert np.linalg.norm(shape, axis=1).max() == pytest.approx(0.05)
        np.testing.assert_allclose(moved, np.sin(np.arange(8) * np.pi / 4)[:, None, None] * shape, atol=1e-12)
        assert not shape[sim.pinned].any()
        x = shape[free].ravel()
        assert x @ K @ x / (x @ M @ x) == pytest.approx(lam, rel=1e-8)
        assert np.linalg.norm(K @ x - lam * M @ x) < 1e-6 * np.linalg.norm(K @ x)
    assert (tmp_path / "shapes/trajectory.xdmf").is_file()


def test_mode_shapes_have_a_size_of_their_own(limber_cli, bar, write_scene, tmp_path):
    h5py = pytest.importorskip("h5py")
    limber_cli("modes", write_scene(bar()), "-n", 2, "-o", "shapes")
    with h5py.File(tmp_path / "shapes/trajectory.h5") as file:
        frames = file["frames/positions"][:]
    assert len(frames) == 80
    largest = np.linalg.norm(frames - frames[0], axis=2).max()
    assert largest == pytest.approx(0.1 * np.linalg.norm([1, 0.25, 0.25]))


def test_mode_shapes_do_not_overwrite(limber_cli, bar, write_scene, tmp_path):
    scene = write_scene(bar())
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes/mine.txt").write_text("keep")
    assert "not empty" in limber_cli("modes", scene, "-n", 2, "-o", "shapes", status=2).err
    assert [path.name for path in (tmp_path / "shapes").iterdir()] == ["mine.txt"]
    limber_cli("modes", scene, "-n", 2, "-o", "other")
    limber_cli("modes", scene, "-n", 3, "-o", "other", status=2)
    limber_cli("modes", scene, "-n", 3, "-o", "other", "--overwrite")
    assert len((tmp_path / "other/modes.csv").read_text().splitlines()) == 4
    limber_cli("modes", scene, "-n", 3, "-o", "new", "--frames", 2, status=2)
    limber_cli("modes", scene, "-n", 3, "-o", "new", "--amplitude", -1, status=2)
    assert not (tmp_path / "new").exists()


def test_shapes_of_too_many_modes(limber_cli, bar, write_scene, tmp_path):
    for count in (0, -3, 49):  # of 48 free degrees of freedom
        assert "modes" in limber_cli("modes", write_scene(bar()), "-n", count, "-o", "shapes", status=2).err
    assert not (tmp_path / "shapes").exists()
    assert len(limber_cli("modes", write_scene(bar()), "-n", 48, "--json").json["lambda"]) == 48


# What is said and refused

@pytest.mark.parametrize("method, words", [
    ({"name": "SIERE", "modes": 0}, ["method.modes", "0"]),
    ({"name": "SIERE", "modes": -2}, ["method.modes", "-2"]),
    ({"name": "SIERE", "modes": 49}, ["method.modes", "49", "48"]),
    ({"name": "SIERE", "modes": 2.5}, ["method.modes", "2.5"]),
    ({"name": "SIERE", "modes": "many"}, ["method.modes", "many"]),
    ({"name": "newmark", "modes": 4}, ["method.modes", "Newmark"]),
    ({"name": "HHT", "refresh": "once"}, ["method.refresh", "Newmark"]),
    ({"name": "gen-alphaERE"}, ["method.name", "Newmark"]),
    ({"name": "newmark-ERE", "modes": 4}, ["method.name", "Newmark"]),
    ("HHTERE", ["method", "Newmark"]),
    ({"name": "SIREE"}, ["method.name", "SIERE"]),
    ({"name": "SIERE", "refresh": "never"}, ["method.refresh", "never"]),
    ({"name": "SIERE", "refresh": {"every": 0}}, ["method.refresh.every", "0"]),
    ({"name": "SIERE", "refresh": {"residual": 0}}, ["method.refresh.residual", "0"]),
    ({"name": "SIERE", "refresh": {"often": 3}}, ["method.refresh", "often"]),
    ({"name": "SIERE", "negative_modes": "ignore"}, ["method.negative_modes", "clamp"]),
    ({"name": "ERE", "krylov_tolerance": 0}, ["method.krylov_tolerance", "0"]),
    ({"name": "ERE", "krylov_tolerance": 2}, ["method.krylov_tolerance", "2"]),
    ({"name": "ERE", "rho_inf": 0.5}, ["method.rho_inf"]),
], ids=str)
def test_bad_input(limber_cli, bar, write_scene, tmp_path, method, words):
    scene = write_scene(bar(method=method))
    done = limber_cli("run", scene, "-o", "out", status=2)
    assert all(word in done.err for word in words), done.err
    assert not (tmp_path / "out").exists()
    with pytest.raises(limber.InputError, match=words[0]):
        simulate(bar(method=method))


def test_the_default_number_of_modes_is_told(limber_cli, bar, write_scene):
    said = limber_cli("check", write_scene(bar(method={"name": "SIERE"}))).out
    assert "10 modes, the default" in said
    assert "the default" not in limber_cli("check", write_scene(bar(method={"name": "SIERE", "modes": 10}))).out
    done = limber_cli("run", write_scene(bar(method={"name": "SIERE"})), "-o", "out")
    assert "10 modes, the default" in done.out + done.err
    ends = []
    for method in ({"name": "SIERE"}, {"name": "SIERE", "modes": 10}, {"name": "SIERE", "modes": 9}):
        sim = simulate(bar(method=method, mesh={**UNEQUAL, "cells": [4, 1, 1]}))
        sim.run(0.1)
        ends.append(sim.positions)
    assert np.array_equal(ends[0], ends[1]) and not np.array_equal(ends[0], ends[2])


def test_the_summary_counts_modes(limber_cli, bar, write_scene, tmp_path):
    scene = bar(mesh={**UNEQUAL, "cells": [4, 1, 1]})
    for name, refresh, count in (("a", "once", 1), ("b", {"every": 4}, 3), ("c", {"every": 1}, 10)):
        path = write_scene({**scene, "method": {"name": "SIERE", "modes": 5, "refresh": refresh}})
        limber_cli("run", path, "-o", name, "--quiet")
        summary = json.loads((tmp_path / name / "summary.json").read_text())
        assert summary["modes"]["count"] == 5 and summary["modes"]["refreshes"] == count


@pytest.mark.parametrize("speed, step", [(10, 0.005), (10, 0.01), (10.3, 0.01), (10, 0.02), (12, 0.02)])
def test_a_bar_that_is_flung_does_not_run_away(speed, step):
    """Its modes and the rest feed each other, a little more in each step; it gained thirty times its energy."""
    scene = {"time": {"step": step, "duration": 1}, "method": {"name": "SIERE"},
             "bodies": [{"name": "bar", "mesh": {"shape": "box", "size": [1, 0.2, 0.2], "cells": [10, 2, 2]}, "pin": ["left"],
                         "velocity": [0, speed, 0], "material": {"model": "stable_neo_hookean", "young": 1e5,
                                                                 "poisson": 0.4, "density": 1000}}]}
    sim = limber.Simulation(limber.Scene(scene))
    start = most = sim.energies()["total"]
    for _ in range(round(1 / step)):
        sim.step()
        most = max(most, sim.energies()["total"])
    assert most <= 1.05 * start
