"""What is said of a scene and of a run, and what is refused: right in what it names, and the same from all commands."""

import re
import subprocess

import numpy as np
import pytest

import limber

SOFT = {"young": 1e5, "poisson": 0.3, "density": 1000}


def box(name, **keys):
    return {"name": name, "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [2, 2, 2]}, "material": SOFT, **keys}


def scene(*bodies, **keys):
    return {"time": {"step": 0.01, "duration": 0.01}, "bodies": list(bodies), **keys}


# λ = 0

def flail():
    """A ball and a rod that is sewn to it at one node, about which it turns in two ways."""
    ball = {"name": "ball", "mesh": {"shape": "sphere", "radius": 0.11, "resolution": 0.06},
            "material": {"young": "30 kPa", "poisson": 0.45, "density": 1000}, "position": [0, 0.8, 0]}
    tail = {"name": "tail", "mesh": {"shape": "chain", "from": [0, 0, 0], "to": [0, 0.03, -0.2], "segments": 12},
            "position": [0, 0.78, -0.1], "thickness": "8 mm",
            "material": {"young": "500 kPa", "poisson": 0.4, "density": 1000}}
    return scene(ball, tail, stitches=[{"body": "tail", "nodes": {"nodes": [0]}, "to": "ball", "distance": "5 cm"}])


def test_all_commands_count_the_same_zeros(limber_cli, write_scene):
    path = write_scene(flail())
    ran = limber_cli("run", path, "-o", "out").err
    checked = limber_cli("check", path).out
    zeros = int(re.search(r"(\d+) rigid modes", checked)[1])
    assert zeros == 8 and f"{zeros} rigid modes" in ran
    for said in (ran, checked):
        assert "not a stable equilibrium" not in said
        frequencies = [float(f) for f in re.findall(r"mode \d+: (\S+) Hz", said)]
        assert len(frequencies) >= 3 and min(frequencies) > 1e-2, said
    modes = limber_cli("modes", path, "-n", zeros + 3, "--json").json["lambda"]
    assert modes[:zeros] == [0] * zeros and min(modes[zeros:]) > 1e-3
    lam, _ = limber.modes(flail(), zeros + 3)
    np.testing.assert_allclose(lam, modes, rtol=1e-9)


# Reports end no run

LARGE_SHELL = {"name": "shell", "mesh": {"shape": "shell", "radius": 1, "thickness": 0.05, "layers": 1, "resolution": 0.056},
               "material": SOFT, "cavities": [{"gas": {}}]}


def test_a_gas_in_many_nodes_is_run_without_modes(limber_cli, write_scene):
    path = write_scene(scene(LARGE_SHELL, method="BE"))
    done = limber_cli("run", path, "-o", "out")
    assert "no modes are shown: a cavity couples" in done.err
    assert "no modes are shown: a cavity couples" in limber_cli("check", path).out


# What is refused

def test_hybrids_with_a_gas_in_many_nodes(limber_cli, write_scene):
    path = write_scene(scene(LARGE_SHELL, method="SIERE"))
    for command in (["run", path, "-o", "out"], ["check", path]):
        assert "method.name: SIERE: a cavity couples" in limber_cli(*command, status=2).err
    assert not (path.parent / "out").exists()


@pytest.mark.parametrize("change, key", [
    (lambda s: s.update(obstacles=[{"shape": "mesh", "file": ""}]), "obstacles[0].file"),
    (lambda s: s["bodies"][0].update(mesh={"file": ""}), "bodies[0].mesh.file"),
    (lambda s: s["bodies"][0].update(mesh={"surface": "", "resolution": 0.1}), "bodies[0].mesh.surface"),
    (lambda s: s.update(start={"run": ""}), "start.run"),
    (lambda s: s.update(obstacles=[{"shape": "mesh", "sequence": {"files": ["", "b.obj"], "fps": 10}}]),
     "obstacles[0].sequence.files[0]"),
])
def test_empty_names_of_files(limber_cli, write_scene, change, key):
    given = scene(box("a"))
    change(given)
    write_scene(given)
    for command in (["check", "scene.json"], ["run", "scene.json", "-o", "out"]):  # in the scene's own folder
        said = limber_cli(*command, status=2).err
        assert said == f"limber: {key}: is empty\n"


@pytest.mark.parametrize("method, key", [
    ({"name": "verlet", "nonlinear": "lbfgs"}, "method.nonlinear"),
    ({"name": "symplectic-euler", "nonlinear": "lbfgs"}, "method.nonlinear"),
    ({"name": "newmark", "beta": 0, "nonlinear": "lbfgs"}, "method.nonlinear"),
    ({"name": "verlet", "merit": "potential"}, "method.merit"),
])
def test_merits_that_velocities_alone_have_not(limber_cli, write_scene, method, key):
    damped = scene(box("a", damping={"stiffness": 1e-3}), method=method, time={"step": 1e-4, "duration": 1e-3})
    for command in ("check", "run"):
        said = limber_cli(command, write_scene(damped), *(["-o", "out"] if command == "run" else []), status=2).err
        assert f"{key}: " in said and method["name"] in said and "depend on velocities" in said, said
    damped["bodies"][0]["damping"] = {}
    limber_cli("run", write_scene(damped), "-o", "out", "-q")


@pytest.mark.parametrize("method", ["newmark", "S-newmark"])
def test_newmark_that_grows_is_refused_with_contact(limber_cli, write_scene, method):
    growing = scene(box("a"), method={"name": method, "gamma": 0.45, "beta": 0.3})
    limber_cli("check", write_scene(growing))
    said = limber_cli("check", write_scene({**growing, "contact": {}}), status=2).err
    assert "method.gamma: 0.45 " in said and "contact" in said and "at least 0.5" in said
    growing["method"]["gamma"] = 0.5
    limber_cli("check", write_scene({**growing, "contact": {}}))


# limber check DIR

def test_sewn_bodies_are_not_compared(limber_cli, write_scene):
    upper = box("b")
    upper["mesh"] = {"shape": "box", "size": [0.8, 0.5, 0.8], "cells": [3, 1, 3], "origin": [0.1, 1, 0.1]}
    sewn = scene(box("a"), upper, contact={}, stitches=[{"body": "b", "nodes": "bottom", "to": "a"}])
    limber_cli("run", write_scene(sewn), "-o", "out", "-q")
    found = limber_cli("check", "out", "--json").json
    assert found["clean"] and found["sewn"] == [["b", "a"]]
    assert "'b' and 'a' are sewn together: not compared" in limber_cli("check", "out").out


def test_others_are_compared_with_sewn_bodies(limber_cli, write_scene):
    """A third body in the middle of both."""
    upper, third = box("b", position=[0, 1, 0]), box("c", position=[0.3, 0.5, 0.4])
    limber_cli("run", write_scene(scene(box("a"), upper, third, stitches=[{"body": "b", "nodes": "bottom", "to": "a"}])),
               "-o", "out", "-q")
    found = limber_cli("check", "out", "--json", status=1).json
    assert {tuple(sorted(f["bodies"])) for f in found["findings"]} == {("a", "c"), ("b", "c")}


# What is said of steps

def test_a_liquid_is_not_called_contact(limber_cli, write_scene):
    shell = {"mesh": {"shape": "shell", "radius": 0.5, "thickness": 0.1, "resolution": 0.4, "layers": 1},
             "material": {"young": 1e5, "poisson": 0.3}, "cavities": [{"liquid": {"volume": 0.95}}]}
    path = write_scene(scene(shell, time={"step": 0.01, "duration": 0.1}, method="verlet", gravity=[0, 0, 0]))
    done = limber_cli("run", path, "-o", "out")
    assert "a cavity would lose its volume" in done.err
    assert "passed through" not in done.err and "contact" not in done.out
    assert done.err.count("not a stable equilibrium") == 1


def test_what_does_not_move_is_not_called_a_script(limber_program, write_scene, tmp_path):
    """A viscous body around a liquid: its forces change in time, but nothing is prescribed."""
    shell = {"mesh": {"shape": "shell", "radius": 0.9295, "thickness": 0.3405, "layers": 2, "resolution": 0.604},
             "material": {"young": 124400, "poisson": 0.329, "viscosity": [{"share": 0.3499, "time": 0.0004019}]},
             "cavities": [{"liquid": {"volume": 1.182}}]}
    path = write_scene(scene(shell, time={"step": 0.001421, "duration": 0.035525},
                             method={"name": "newmark", "gamma": 0.665, "merit": "residual"}))
    done = subprocess.run([limber_program, "run", path, "-o", "out"], capture_output=True, text=True, cwd=tmp_path)
    assert "substeps" in done.stderr  # hard steps, so that reasons are given
    for word in ("script", "obstacle", "prescribed", "in the way"):
        assert word not in done.stderr, done.stderr


def test_modes_that_are_not_found_call_for_another_number(limber_cli, write_scene):
    nodes = 400  # a straight chain: two thirds of its modes have λ = 0
    chain = {"mesh": {"nodes": [[i, 0, 0] for i in range(nodes)], "edges": [[i, i + 1] for i in range(nodes - 1)]},
             "springs": {"stiffness": 1e3}, "point_mass": 1}
    path = write_scene({"time": {"step": 0.01, "duration": 0.01}, "method": "BEERE", "bodies": [chain]})
    said = limber_cli("run", path, "-o", "out", "-q", status=1).err
    assert "another number of modes, or a method without them" in said and "damping" not in said


# limber.integrate in any units

def pendulums(unit, **options):
    """Two pendulums of `unit` length with a hardening spring between them, from a state with a zero in it."""
    M = np.diag([1.0, 2.0])

    def force(q, v, t):
        stretch = q[1] - q[0]
        pull = 4 * stretch + 3 * stretch**3 / unit**2
        return np.array([pull - 9 * unit * np.sin(q[0] / unit) - 0.2 * v[0],
                         -pull - 9 * unit * np.sin(q[1] / unit) - 0.2 * v[1] ** 3 / unit**2])

    _, Q, V = limber.integrate(M, force, [0, 0.9 * unit], [0.5 * unit, 0], step=0.05, steps=40, **options)
    return Q / unit, V / unit


@pytest.mark.parametrize("method", ["TR-BDF2", "BE", "STR-SBDF2", "SDIRKERE", "ERE", "gen-alpha"])
def test_integrate_knows_no_units(method):
    options = {"method": method, **({"modes": 1} if method.endswith("ERE") and method != "ERE" else {})}
    Q1, V1 = pendulums(1.0, **options)
    for unit in (1e-6, 1e6):
        Q, V = pendulums(unit, **options)
        np.testing.assert_allclose(Q, Q1, atol=1e-9)
        np.testing.assert_allclose(V, V1, atol=1e-9)
