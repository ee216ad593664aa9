"""Shapes that need no file, from the scene and on the command line; `limber mesh`."""

import json
import math

import numpy as np
import pytest
import scipy.sparse.linalg

import limber

#: shape → its parameters here, and the volume it has in the limit of fine meshes (None: not known in closed form)
SHAPES = {
    "cylinder": ({"radius": 0.2, "length": 0.5, "resolution": 0.06}, math.pi * 0.2**2 * 0.5),
    "sphere": ({"radius": "30 cm", "resolution": 0.06}, 4 / 3 * math.pi * 0.3**3),
    "shell": ({"radius": 0.3, "length": 0.4, "thickness": 0.1, "resolution": 0.08},
              4 / 3 * math.pi * (0.3**3 - 0.2**3) + math.pi * 0.4 * (0.3**2 - 0.2**2)),
    "torus": ({"major_radius": 0.4, "minor_radius": 0.12, "resolution": 0.04}, 2 * math.pi**2 * 0.4 * 0.12**2),
    "rope": ({"radius": 0.03, "length": 0.5, "resolution": 0.015}, math.pi * 0.03**2 * 0.5),
    "tree": ({"levels": 1, "trunk_radius": 0.1, "resolution": 0.06}, None),
    "creature": ({"resolution": 0.045}, None),
    "bridge": ({"resolution": 0.3}, None),
}


def scene_of(mesh, **body):
    return {
        "time": {"step": 0.01, "duration": 0.02},
        "bodies": [{"mesh": mesh, "material": {"young": 1e5, "poisson": 0.4}, **body}],
    }


def arguments(shape, parameters):
    return ["mesh", "--shape", shape] + [f"{key}={value}" for key, value in parameters.items()]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_falls(shape):
    """A free body falls by the sum of g h² over the steps, however it is meshed: its mass is that of its nodes."""
    sim = limber.Simulation(limber.Scene(scene_of({"shape": shape, **SHAPES[shape][0]})))
    start = sim.positions.copy()
    sim.step()
    mass = sim.mass().diagonal()[::3]
    drop = (mass @ (sim.positions - start)) / mass.sum()
    assert drop == pytest.approx([0, -9.81 * 0.01**2 / 2, 0], abs=1e-9)
    assert len(start) > 50


@pytest.mark.parametrize("shape", SHAPES)
def test_report_on_every_shape(limber_cli, shape):
    parameters, volume = SHAPES[shape]
    report = limber_cli(*arguments(shape, parameters), "--json").json
    assert report["min_dihedral"] > 10 and report["max_dihedral"] < 170
    assert report["components"] == 1 and report["flaws"] == [] and report["refused"] is None
    assert sum(report["dihedral_histogram"]) == 6 * report["tets"]
    assert sum(report["radius_ratio_histogram"]) == report["tets"]
    assert report["euler"] == {"torus": 0, "shell": 4, "bridge": 2 - 2 * 6}.get(shape, 2)  # 7 posts between deck and arch: 6 holes
    if volume:
        assert report["volume"] == pytest.approx(volume, rel=0.15) and report["volume"] < volume
    text = limber_cli(*arguments(shape, parameters)).out
    assert f"{report['nodes']} nodes" in text and "nothing is wrong" in text and "####" in text


def test_a_scene_and_the_command_make_the_same_mesh(limber_cli, tmp_path):
    parameters = {"radius": 0.3, "resolution": 0.1}
    limber_cli(*arguments("sphere", parameters), "-o", "sphere.vtu")
    one = limber.Simulation(limber.Scene(scene_of({"shape": "sphere", **parameters})))
    other = limber.Simulation(limber.Scene(scene_of({"file": str(tmp_path / "sphere.vtu")})))
    assert np.array_equal(one.positions, other.positions)


@pytest.mark.parametrize("key, count", [("nodes", 2000), ("tets", 9000)])
@pytest.mark.parametrize("shape", ["sphere", "creature"])
def test_counts(limber_cli, shape, key, count):
    assert limber_cli("mesh", "--shape", shape, f"{key}={count}", "--json").json[key] == pytest.approx(count, rel=0.05)


def test_placement_is_that_of_other_meshes():
    mesh = {"shape": "cylinder", "radius": 0.2, "length": 0.5, "resolution": 0.1}
    plain = limber.Simulation(limber.Scene(scene_of(mesh, pin="bottom")))
    moved = limber.Simulation(limber.Scene(scene_of(mesh, pin="bottom", scale=2, position=[1, 2, 3])))
    assert moved.positions == pytest.approx(2 * plain.positions + [1, 2, 3])
    assert len(plain.pinned) == (plain.positions[:, 1] == 0).sum() > 3


@pytest.mark.parametrize("mesh, error", [
    ({"shape": "sphere", "resolution": 0.7}, "bodies[0].mesh.resolution: 0.7 is outside [0, 0.5]: "),
    ({"shape": "sphere", "radius": -1}, "bodies[0].mesh.radius: -1 is not positive"),
    ({"shape": "sphere", "radius": "3 kg"}, "bodies[0].mesh.radius: \"3 kg\" is not a length"),
    ({"shape": "spehre"}, "bodies[0].mesh.shape: unknown word 'spehre'; did you mean 'sphere'?"),
    ({"shape": "sphere", "radios": 1}, "bodies[0].mesh.radios: unknown key 'radios'; did you mean 'radius'?"),
    ({"shape": "sphere", "resolution": 1e-4}, "bodies[0].mesh.resolution: 0.0001 would make about "),
    ({"shape": "creature", "nodes": 20}, "bodies[0].mesh.nodes: 20 are too few: "),
    ({"shape": "tree", "levels": 13}, "bodies[0].mesh.levels: 13 is outside [0, 12]"),
    ({"shape": "torus", "minor_radius": 0.6}, "bodies[0].mesh.minor_radius: 0.6 is outside "),
    ({"shape": "rope", "path": [[0, 0, 0]]}, "bodies[0].mesh.path: "),
    ({"shape": "bridge", "posts": 0}, "bodies[0].mesh.posts: 0 is outside [1, 1000]"),
    ({"shape": "bridge", "height": 0.1}, "bodies[0].mesh.height: 0.1 is less than "),
])
def test_wrong_shapes(mesh, error):
    with pytest.raises(limber.InputError) as caught:
        limber.Simulation(limber.Scene(scene_of(mesh)))
    assert str(caught.value).startswith(error)


# limber mesh

def test_a_file(limber_cli, tmp_path):
    """A unit cube's corner, with its opposite order, and a node that nothing uses."""
    (tmp_path / "corner.mesh").write_text(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
        "Tetrahedra\n1\n1 3 2 4 0\nEnd\n", encoding="utf-8")
    report = limber_cli("mesh", "corner.mesh", "-o", "corner.vtk", "--young", 4e5, "--poisson", 0, "--json").json
    assert (report["nodes"], report["tets"], report["inverted"]) == (4, 1, 1)
    assert report["volume"] == pytest.approx(1 / 6) and report["box"] == {"min": [0, 0, 0], "max": [1, 1, 1]}
    assert report["min_edge"] == 1 and report["max_edge"] == pytest.approx(math.sqrt(2))
    assert report["min_dihedral"] == pytest.approx(math.degrees(math.atan(math.sqrt(2))))
    assert report["wave_speed"] == pytest.approx(20) and report["largest_omega"] == pytest.approx(80)
    assert limber_cli("mesh", "corner.vtk", "--json").json["inverted"] == 0
    text = limber_cli("mesh", "corner.mesh").out
    assert "1 tetrahedron negatively ordered" in text and "a run would take it" in text


def test_a_mesh_that_a_run_refuses(limber_cli, tmp_path):
    (tmp_path / "flat.mesh").write_text(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n1 1 0 0\n"
        "Tetrahedra\n1\n1 2 3 4 0\nEnd\n", encoding="utf-8")
    report = limber_cli("mesh", "flat.mesh", "--json", status=1).json
    assert report["flat"] == 1 and report["largest_omega"] is None and report["refused"]
    assert "a run would refuse it" in limber_cli("mesh", "flat.mesh", status=1).out


def test_size_is_warned_of(limber_cli, tmp_path):
    wrong = ["mesh", "--shape", "sphere", "radius=900", "resolution=300"]
    assert "larger than 1 km" in limber_cli(*wrong).out
    assert len(limber_cli(*wrong, "--json").json["warnings"]) == 1
    (tmp_path / "scene.json").write_text(json.dumps(scene_of({"shape": "sphere", "radius": 900, "resolution": 300})))
    assert "larger than 1 km" in limber_cli("check", "scene.json").out


def test_a_scene(limber_cli, write_scene, bar):
    scene = bar()
    report = limber_cli("mesh", write_scene(scene), "--json").json
    assert report["tets"] == 20 and report["name"] == "bar" and report["volume"] == pytest.approx(1 / 16)
    second = {**scene["bodies"][0], "name": "other", "position": [0, 3, 0]}
    several = write_scene({**scene, "bodies": [scene["bodies"][0], second]})
    assert "--body: is needed" in limber_cli("mesh", several, status=2).err
    assert limber_cli("mesh", several, "--body", "other", "--json").json["box"]["min"] == [0, 3, 0]
    assert "there is no 'third'" in limber_cli("mesh", several, "--body", "third", status=2).err
    assert "do not go together" in limber_cli("mesh", several, "--body", "bar", "--young", 1, status=2).err


@pytest.mark.parametrize("mesh", [{"shape": "box", "size": [1, 1, 1], "cells": [6, 6, 6]},
                                  {"shape": "sphere", "resolution": 0.12}, {"shape": "bridge", "resolution": 0.25}],
                         ids=lambda mesh: mesh["shape"])
def test_largest_frequency(limber_cli, write_scene, mesh):
    """The estimate against the largest eigenvalue of K x = ω² M x."""
    scene = {**scene_of(mesh), "gravity": [0, 0, 0]}
    sim = limber.Simulation(limber.Scene(scene))
    root = 1 / np.sqrt(sim.mass().diagonal())
    K = sim.stiffness().multiply(root[:, None]).multiply(root[None, :]).tocsc()
    largest = math.sqrt(scipy.sparse.linalg.eigsh(K, 1, which="LA", return_eigenvectors=False)[0])
    estimate = limber_cli("mesh", write_scene(scene), "--json").json["largest_omega"]
    assert 0.9 < estimate / largest < 2


@pytest.mark.parametrize("words, error", [
    ([], "expected a file, or --shape"),
    (["a.msh", "b.msh"], "'b.msh' does not belong here"),
    (["a.xyz"], "not a known mesh format"),
    (["missing.msh"], "missing.msh"),
    (["--shape", "cone"], "mesh.shape: unknown word 'cone'"),
    (["--shape", "sphere", "radius"], "expected key=value"),
    (["--shape", "sphere", "radius=0"], "mesh.radius: 0 is not positive"),
    (["--shape", "sphere", "resolution=0.2", "-o", "a.xyz"], "not a known mesh format"),
    (["--shape", "sphere", "--young", "0"], "--young: 0 is not positive"),
    (["--shape", "sphere", "--poisson", "0.5"], "--poisson: 0.5 is outside (-1, 0.5)"),
    (["--shape", "sphere", "--density", "1 kPa"], "--density: \"1 kPa\" is not a density"),
    (["--shape", "sphere", "--body", "a"], "--body: goes with a scene"),
])
def test_wrong_commands(limber_cli, words, error):
    assert error in limber_cli("mesh", *words, status=2).err
