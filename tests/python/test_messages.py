"""What the program says where a user goes wrong, and reports that fail without ending what they report on."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import limber


def test_a_report_on_modes_that_fails_ends_nothing(limber_cli, write_scene, tmp_path):
    # A straight chain resists in its own direction only: two thirds of its modes have λ = 0, and the search gives up.
    nodes = 400
    chain = {"mesh": {"nodes": [[i, 0, 0] for i in range(nodes)], "edges": [[i, i + 1] for i in range(nodes - 1)]},
             "springs": {"stiffness": 1e3}, "point_mass": 1}
    scene = write_scene({"time": {"step": 0.01, "duration": 0.02}, "method": "BE", "bodies": [chain]})
    said = limber_cli("check", scene)
    assert "is ready to run" in said.out and "note: no modes are shown: modes: " in said.out
    notes = limber_cli("check", scene, "--json").json["notes"]
    assert any(note.startswith("no modes are shown") for note in notes)
    assert "no modes are shown" in limber_cli("run", scene, "-o", "out").err
    assert json.loads((tmp_path / "out/summary.json").read_text())["end"] == "finished"


def test_commands_that_do_not_exist(limber_cli):
    said = limber_cli("rum", "scenes/beam.json", status=2).err
    assert said.startswith("limber: there is no command 'rum'; did you mean 'run'?; the commands are run, check, ")
    assert "did you mean" not in limber_cli("zzzzzzzzzz", status=2).err
    limber_cli("--help")
    limber_cli("--version")


@pytest.mark.parametrize("name, meant", [
    ("implicit euler", "BE"), ("Backward-Euler", "BE"), ("Crank-Nicolson", "TR"), ("implicit midpoint", "midpoint"),
    ("leapfrog", "verlet"), ("generalized alpha", "gen-alpha"), ("BFD2", "BDF2"),
])
def test_methods_by_other_names(limber_cli, bar, write_scene, name, meant):
    for method in (name, {"name": name}):
        said = limber_cli("check", write_scene(bar(method=method)), status=2).err
        assert f"unknown method '{name}'; did you mean '{meant}'?" in said
    assert f"did you mean '{meant}'?" in limber_cli("damping-curve", name, status=2).err


def test_folders_in_the_place_of_scenes(limber_cli, bar, write_scene, tmp_path):
    (tmp_path / "folder").mkdir()
    for command in ("run", "modes", "statics"):
        assert limber_cli(command, "folder", status=2).err == "limber: folder: is a folder, not a scene file (JSON)\n"
    assert "folder/trajectory.h5: there is no such file" in limber_cli("check", "folder", status=2).err
    assert limber_cli("run", "none.json", status=2).err == "limber: none.json: there is no such file\n"
    limber_cli("run", write_scene(bar(time={"step": 0.01, "duration": 0.02})), "-o", "out", "--quiet")
    assert ("out: is the folder of a run, not a scene; its scene is out/scene.json"
            in limber_cli("run", "out", status=2).err)


def test_what_may_not_be_read(limber_program, bar, write_scene, tmp_path):
    scene = write_scene(bar())
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0)
    scene.chmod(0)
    tmp_path.chmod(0o755)
    options = {}
    if os.geteuid() == 0:  # who may read everything
        options["preexec_fn"] = lambda: os.setuid(65534)
    try:
        for arguments, words in ((["check", "closed"], "closed/trajectory.h5: cannot be read: Permission denied"),
                                 (["check", "closed/scene.json"], "closed/scene.json: cannot be read: Permission denied"),
                                 (["run", "closed/scene.json"], "closed/scene.json: cannot be read: Permission denied"),
                                 (["run", "scene.json"], "scene.json: cannot be read: Permission denied")):
            try:
                # The folder above is the user's own; a handle of this folder makes it the program's.
                done = subprocess.run([limber_program, *arguments], cwd=tmp_path, capture_output=True, text=True, **options)
            except (PermissionError, subprocess.SubprocessError):
                pytest.skip("the program cannot be run by another user here")
            assert done.returncode == 2 and done.stderr == f"limber: {words}\n", done.stderr
    finally:
        closed.chmod(0o755)
        scene.chmod(0o644)


def test_the_material_of_a_sheet_is_named(limber_cli, write_scene):
    sheet = {"mesh": {"shape": "sheet", "size": [1, 1], "cells": [2, 2]}, "thickness": 0.01,
             "material": {"model": "linear", "young": 1e5, "poisson": 0.3, "density": 1000}}
    scene = write_scene({"time": {"step": 0.01, "duration": 0.1}, "bodies": [sheet]})
    said = limber_cli("check", scene, status=2).err
    assert said.startswith("limber: bodies[0].material: `linear` does not suit a sheet")


def test_lbfgs_on_the_residual_is_found_by_check(limber_cli, bar, write_scene):
    scene = write_scene(bar(method={"name": "BE", "nonlinear": "lbfgs", "merit": "residual"}))
    for command in ("check", "run"):
        said = limber_cli(command, scene, *(["-o", "out"] if command == "run" else []), status=2).err
        assert 'limber: method.nonlinear: "lbfgs" lowers the potential, not the residual' in said


@pytest.mark.parametrize("start", ["refuse", "push_apart"])
def test_bodies_that_cross_themselves(limber_cli, write_scene, start):
    # Two tetrahedra through each other, held together by a third.
    nodes = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1],
             [0.2, 0.2, -0.5], [1.2, 0.2, -0.5], [0.2, 1.2, -0.5], [0.2, 0.2, 0.5], [3, 3, 3]]
    body = {"mesh": {"nodes": nodes, "tets": [[0, 1, 2, 3], [4, 5, 6, 7], [1, 2, 5, 8]]},
            "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}}
    scene = write_scene({"time": {"step": 0.01, "duration": 0.1}, "contact": {"start": start}, "bodies": [body]})
    said = limber_cli("check", scene, status=2).err
    assert "bodies[0]: 'body0' crosses itself near" in said or "crosses itself near" in said
    assert "push_apart moves whole bodies and cannot help" in said and "do it" not in said


def test_push_apart_that_finds_no_way_says_so(limber_cli, write_scene):
    cube = {"mesh": {"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}, "pin": ["left"],
            "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}}
    scene = {"time": {"step": 0.01, "duration": 0.1}, "contact": {"start": "push_apart"},
             "bodies": [dict(cube, name="a"), dict(cube, name="b", position=[0.5, 0.3, 0.2])]}
    said = limber_cli("check", write_scene(scene), status=2).err
    assert "push_apart found no way to part them" in said
    scene["contact"] = {}
    assert '"push_apart"} do it' in limber_cli("check", write_scene(scene), status=2).err


def test_numbers_that_look_wrong_are_noted(limber_cli, bar, write_scene):
    scene = bar(rotation=[0, 0, 90])
    scene["bodies"][0]["material"].update(young=100, density=1)
    path = write_scene(scene)
    said = limber_cli("check", path).out
    for key in ("material.young: 100 Pa", "material.density: 1 kg/m³", "rotation: 90 rad"):
        assert f"note: bodies[0].{key}" in said, said
    run = limber_cli("run", path, "-o", "out")
    assert "note: bodies[0].material.young: 100 Pa" in run.err
    assert "note" not in limber_cli("check", write_scene(bar())).out


def test_whether_anything_damps_is_told(limber_cli, bar, write_scene):
    assert "no damping" in limber_cli("check", write_scene(bar())).out
    assert limber_cli("check", write_scene(bar()), "--json").json["damped"] is False
    damped = write_scene(bar(damping={"stiffness": .01}))
    assert "no damping" not in limber_cli("check", damped).out
    assert limber_cli("check", damped, "--json").json["damped"] is True


def test_damping_ratios_of_what_flies_are_noted(limber_cli, bar, write_scene):
    ratios = {"ratios": [[1, .05], [10, .05]]}
    said = limber_cli("check", write_scene(bar(damping=ratios, pin=None))).out
    assert "note: bodies[0].damping.ratios" in said and "brakes the flight" in said
    assert "damping.ratios" not in limber_cli("check", write_scene(bar(damping=ratios))).out


def test_the_loops_of_the_blas_are_told(limber_cli, bar, write_scene):
    """OpenBLAS can be told to take old ones; what is said depends on the processor."""
    lines = limber_cli("--version").out.splitlines()
    if len(lines) == 1:
        return  # another BLAS
    assert lines[1].startswith("OpenBLAS with its loops for ")
    cpu = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    if " avx2 " not in cpu:
        return
    old = limber_cli("run", write_scene(bar()), "-o", "old", env={**os.environ, "OPENBLAS_CORETYPE": "Prescott"})
    assert "note: OpenBLAS uses its loops for Prescott" in old.err and "OPENBLAS_CORETYPE=" in old.err
    new = limber_cli("run", write_scene(bar()), "-o", "new", env={**os.environ, "OPENBLAS_CORETYPE": "Haswell"})
    assert "OpenBLAS" not in new.err


def test_a_material_that_gives_way_is_noted(limber_cli, bar, write_scene):
    """With λ < 0 the pressure of J changes its sign at ln J = μ/λ."""
    def notes(model, poisson):
        material = {"model": model, "young": 1e5, "poisson": poisson}
        return [note for note in limber_cli("check", write_scene(bar(material=material)), "--json").json["notes"]
                if note.startswith("bodies[0].material.poisson: ")]

    assert notes("neo_hookean", 0.2) == notes("stable_neo_hookean", -0.2) == []
    assert len(notes("neo_hookean", -0.2)) == 1 and "det F = 0.03;" in notes("neo_hookean", -0.2)[0]
    flat = limber.Material("neo_hookean", young=1e5, poisson=-0.2)
    for J, pushes in ((0.035, True), (0.025, False)):  # along one axis, where the term μ/2 I_C hardly counts
        assert (flat.stress(np.diag([J, 1, 1]))[0, 0] < 0) == pushes


@pytest.mark.parametrize("beta, gamma, stable", [(0.25, 0.5, True), (0.5, 0.9, True), (0.3, 0.9, False), (0.3, 0.4, False)])
def test_parameters_of_newmark_that_are_not_stable_are_noted(limber_cli, bar, write_scene, beta, gamma, stable):
    scene = write_scene(bar(method={"name": "newmark", "beta": beta, "gamma": gamma}))
    notes = limber_cli("check", scene, "--json").json["notes"]
    assert any("stable for short steps at most" in note for note in notes) != stable
    # What the note goes by, independently: the amplification of a stiff mode.
    assert (limber.spectral_radius("newmark", 1e3, beta=beta, gamma=gamma) <= 1 + 1e-9) == stable
