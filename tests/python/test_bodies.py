"""What a user builds on: bodies, elements, surfaces, selections, stress; frames, pictures and exports of one's own loop."""

import json
import subprocess

import h5py
import numpy as np
import pytest

import limber

MATERIAL = {"model": "linear", "young": 1e5, "poisson": 0.25, "density": 1000}


def box(name="box", **keys):
    return {"name": name, "mesh": {"shape": "box", "size": [2, 1, 1], "cells": [2, 1, 1]}, "material": MATERIAL, **keys}


def scene(*bodies, **keys):
    return {"time": {"step": 0.01, "duration": 0.1}, "gravity": [0, 0, 0], "bodies": list(bodies), **keys}


THIN = {**MATERIAL, "model": "corotated"}
SHEET = {"name": "sheet", "mesh": {"nodes": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], "triangles": [[0, 1, 2], [0, 2, 3]]},
         "material": THIN, "thickness": 0.01}
ROD = {"name": "rod", "mesh": {"nodes": [[0, 0, 0], [2, 0, 0], [2, 3, 0]], "edges": [[0, 1], [1, 2]]},
       "material": THIN, "thickness": 0.1}


def volumes(x, tets):
    a, b, c, d = (x[tets[:, i]] for i in range(4))
    return np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) / 6


# Bodies

def test_bodies_have_their_nodes_and_elements():
    sim = limber.Simulation(scene(box("one"), box("two", position=[0, 3, 0], scale=2), SHEET, ROD))
    one, two, sheet, rod = sim.bodies
    assert [b.name for b in sim.bodies] == ["one", "two", "sheet", "rod"]
    assert [b.nodes for b in sim.bodies] == [range(12), range(12, 24), range(24, 28), range(28, 31)]
    assert one.mass == pytest.approx(2000) and two.mass == pytest.approx(16000)
    assert one.elements.shape == (10, 4) and np.array_equal(one.tets, one.elements)
    for body, volume in ((one, 2), (two, 16)):
        assert set(body.elements.ravel()) == set(body.nodes)
        v = volumes(sim.positions, body.elements)
        assert (v > 0).all() and v.sum() == pytest.approx(volume)
        np.testing.assert_allclose(body.rest, sim.positions[body.nodes])
    assert sheet.triangles.tolist() == [[24, 25, 26], [24, 26, 27]] == sheet.surface.tolist()
    assert rod.edges.tolist() == [[28, 29], [29, 30]]
    assert sheet.elements.shape == (0, 4) and rod.surface.shape == (0, 3) and one.edges.shape == (0, 2)
    assert repr(two) == "<limber.Body 'two': nodes 12 to 23>"


def test_surfaces_are_closed_and_face_outward():
    """Gauss: the volume below the surface is that of the elements."""
    sim = limber.Simulation(scene(box(), box("ball", mesh={"shape": "sphere", "radius": 0.5, "resolution": 0.3},
                                             position=[0, 5, 0])))
    for body in sim.bodies:
        x = sim.positions[:]
        a, b, c = (x[body.surface[:, i]] for i in range(3))
        below = np.einsum("ij,ij->i", np.cross(a, b), c).sum() / 6
        assert below == pytest.approx(volumes(x, body.elements).sum(), rel=1e-12)
        edges = {(t[i], t[(i + 1) % 3]) for t in body.surface.tolist() for i in range(3)}
        assert all((j, i) in edges for i, j in edges)


@pytest.mark.parametrize("element, nodes_each, pieces", [("P1", 4, 1), ("P2", 10, 8), ("hex", 8, 6)])
def test_elements_of_each_kind(element, nodes_each, pieces):
    sim = limber.Simulation(scene(box(element=element)))
    body, = sim.bodies
    x = sim.positions
    assert body.elements.shape[1] == nodes_each and len(body.tets) == pieces * len(body.elements)
    assert volumes(x, body.tets).sum() == pytest.approx(2)
    if element == "P2":
        for middle, (i, j) in enumerate([(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)], start=4):
            e = body.elements
            np.testing.assert_allclose(x[e[:, middle]], (x[e[:, i]] + x[e[:, j]]) / 2, atol=1e-15)


def test_selections_are_those_of_scenes():
    sim = limber.Simulation(scene(box("one"), box("two", position=[0, 3, 0], scale=2, pin=["left"])))
    rest = sim.bodies[0].rest
    assert sorted(sim.select("right", "one")) == np.flatnonzero(rest[:, 0] == 2).tolist()
    assert sorted(sim.select("left", 1)) == sorted(sim.pinned)
    assert sim.select({"nodes": [3, 1]}, body="two") == [15, 13]
    lower = {"box": {"min": [0, 0, 0], "max": [1, 0, 1]}}  # of the shape as meshed
    assert sorted(sim.select([lower, "right"], "two")) == (12 + np.flatnonzero(
        ((rest[:, 0] <= 1) & (rest[:, 1] == 0)) | (rest[:, 0] == 2))).tolist()
    for given, message in (((["up"], "one"), "selection[0]"), (("left",), "body: None is no body: there are one, two"),
                           (("left", "three"), "body: 'three' is no body"), (("left", 2), "body: 2 is no body"),
                           (({"nodes": [99]}, "one"), "selection"), (({"nods": [9]}, "one"), "selection")):
        with pytest.raises(limber.InputError) as error:
            sim.select(*given)
        assert str(error.value).startswith(message), error.value


# Stress

def test_stress_of_a_stretched_bar():
    """Homogeneous strain: sigma = 2 mu e + lambda tr(e) I in every element."""
    for element in ("P1", "P2", "hex"):
        sim = limber.Simulation(scene(box(element=element)))
        strain = np.array([[0.01, 0.002, 0], [0.002, -0.003, 0.001], [0, 0.001, 0.004]])
        sim.positions = sim.positions @ (np.eye(3) + strain)
        mu = lam = 4e4
        first = 2 * mu * strain + lam * np.trace(strain) * np.eye(3)
        F = np.eye(3) + strain
        expected = first @ F.T / np.linalg.det(F)
        expected = (expected + expected.T) / 2
        found = sim.stress()
        assert found.shape == (len(sim.bodies[0].tets), 3, 3)
        np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), rtol=1e-9, atol=1e-9)
        s = expected - np.trace(expected) / 3 * np.eye(3)
        np.testing.assert_allclose(sim.von_mises(), np.sqrt(1.5) * np.linalg.norm(s), rtol=1e-9)


def test_stress_of_sheets_and_rods():
    sim = limber.Simulation(scene(box(position=[0, 9, 0]), SHEET, ROD))
    x = sim.positions.copy()
    sheet, rod = sim.bodies[1].nodes, sim.bodies[2].nodes
    x[sheet, 0] *= 1.001
    x[sheet] = x[sheet] @ np.array([[0, 1.0, 0], [0, 0, 1], [1, 0, 0]])  # x goes to y, y to z
    x[rod[2]] = [2, 3.003, 0]
    sim.positions = x
    assert not sim.stress("box").any() and sim.stress().shape == (10 + 2 + 2, 3, 3)
    E, nu = 1e5, 0.25
    plane = E / (1 - nu**2) * 0.001
    for sigma in sim.stress("sheet"):
        np.testing.assert_allclose(sigma, np.diag([0, plane, nu * plane]), atol=0.003 * plane)
    first, second = sim.stress("rod")
    assert not first.any()
    np.testing.assert_allclose(second, np.diag([0, 1e5 * 0.001, 0]), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sim.von_mises("rod"), [0, 100], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(np.concatenate([sim.stress(b) for b in (0, 1, 2)]), sim.stress())


# Frames

def test_frames_of_one_s_own_loop(bar, tmp_path, limber_cli):
    sim = limber.Simulation(bar(time={"step": 0.01, "duration": 0.02}))  # more frames follow than are planned
    written = []
    with limber.FrameWriter(sim, tmp_path / "run", velocities=True) as writer:
        for step in range(12):
            if step % 3 == 0:
                writer.write()
                written.append((sim.time, sim.positions, sim.velocities, sim.reactions()))
            sim.step()
        assert writer.frames == 4
    with h5py.File(tmp_path / "run/trajectory.h5") as f:
        assert f["frames_written"][0] == 4 and f["frames/positions"].shape[0] >= 4
        np.testing.assert_array_equal(f["frames/times"][:4], [t for t, *_ in written])
        np.testing.assert_array_equal(f["frames/positions"][:4], [x for _, x, *_ in written])
        np.testing.assert_array_equal(f["frames/velocities"][:4], [v for _, _, v, _ in written])
        np.testing.assert_array_equal(f["frames/reactions"][:4], [r for *_, r in written])
    limber_cli("check", tmp_path / "run")
    assert limber.export(tmp_path / "run", tmp_path / "new/bar.ply")["frames"] == 4


def test_many_frames(bar, tmp_path):
    sim = limber.Simulation(bar(method={"name": "SI"}, time={"step": 0.01, "duration": 10}))
    with limber.FrameWriter(sim, tmp_path / "run") as writer:
        for _ in range(205):
            writer.write()
            sim.step()
    with h5py.File(tmp_path / "run/trajectory.h5") as f:
        n = f["frames_written"][0]
        np.testing.assert_allclose(f["frames/times"][:n], 0.01 * np.arange(205), atol=1e-12)
        assert np.isnan(f["frames/times"][n:]).all() and np.isfinite(f["frames/positions"][:n]).all()


def test_what_a_frame_writer_refuses(bar, tmp_path):
    sim = limber.Simulation(bar())
    writer = limber.FrameWriter(sim, tmp_path / "run")
    writer.write()
    with pytest.raises(limber.InputError, match="^write: t = 0 s is not after the last frame"):
        writer.write()
    with pytest.raises(limber.InputError, match="output.directory"):
        limber.FrameWriter(sim, tmp_path / "run")
    writer.close()
    writer.close()
    with pytest.raises(limber.InputError, match="^write: the writer is closed"):
        writer.write()
    limber.FrameWriter(sim, tmp_path / "run", overwrite=True).write()
    with pytest.raises(limber.InputError, match="directory: a path is needed"):
        limber.FrameWriter(sim, 3)


# Pictures and exports

def pixels(path):
    out = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         capture_output=True, check=True).stdout
    return np.frombuffer(out, np.uint8)


def test_render_makes_what_the_program_makes(bar, tmp_path, limber_cli):
    limber.run(bar(), tmp_path / "run")
    options = {"size": (64, 48), "samples": 2}
    facts = limber.render(tmp_path / "run", tmp_path / "module.png", frame=3, color="stress", **options)
    limber_cli("render", tmp_path / "run", "-o", "program.png", "--frame", 3, "--size", "64x48", "--samples", 2, "--color",
               "stress")
    assert np.array_equal(pixels(tmp_path / "module.png"), pixels(tmp_path / "program.png"))
    assert (facts["pictures"], facts["width"], facts["height"]) == (1, 64, 48) and facts["largest_value"] > 0
    limber.render(tmp_path / "run", tmp_path / "draft.png", frame=3, size=(64, 48), draft=True, body=True)
    limber_cli("render", tmp_path / "run", "-o", "program.png", "--frame", 3, "--size", "64x48", "--draft", "--body")
    assert np.array_equal(pixels(tmp_path / "draft.png"), pixels(tmp_path / "program.png"))
    with limber.FrameWriter(sim := limber.Simulation(bar()), tmp_path / "own") as writer:
        sim.run(0.03)
        writer.write()
    limber.render(tmp_path / "own", tmp_path / "own.png", camera=facts["camera"], look_at=facts["look_at"], **options)
    limber.render(bar(), tmp_path / "pictures/", fps=50, **options)
    assert sorted(p.name for p in (tmp_path / "pictures").iterdir()) == [f"frame_{k:04}.png" for k in range(6)]


@pytest.mark.parametrize("change, message", [
    ({"color": "blue"}, "color: 'blue' is not \"body\", \"displacement\" or \"stress\""),
    ({"size": (8, 8)}, "size: 8 is not (width, height)"), ({"size": 3}, "size: 3 is not (width, height)"),
    ({"fps": 0}, "fps: 0 is not in"), ({"frame": -1}, "frame: -1 is not a frame's number"),
    ({"frame": 99}, "frame: 99 is too large"), ({"samples": 1.5}, "samples: 1.5 is not in"),
    ({"camera": [1, 2]}, "camera: expected 3 numbers"), ({"fov": "wide"}, "fov: 'wide' is not in"),
    ({"output": "picture.tiff"}, "output: "), ({"source": "nowhere"}, "nowhere"),
    ({"frame": 1, "output": "pictures/"}, "frame: goes with one picture"),
])
def test_what_render_refuses(bar, tmp_path, change, message):
    arguments = {"source": tmp_path / "run", "output": tmp_path / "picture.png", **change}
    limber.FrameWriter(limber.Simulation(bar()), tmp_path / "run").write()
    with pytest.raises(limber.InputError) as error:
        limber.render(**arguments)
    assert str(error.value).startswith(message)


def test_export_writes_what_the_program_writes(bar, tmp_path, limber_cli):
    limber.run(bar(), tmp_path / "run")
    for name, options, arguments in (("all.glb", {}, ()), ("one.obj", {"frame": 2}, ("--frame", 2)),
                                     ("some.pvd", {"every": 5}, ("--every", 5)), ("even.usda", {"fps": 20}, ("--fps", 20))):
        facts = limber.export(tmp_path / "run", tmp_path / "module" / name, **options)
        said = limber_cli("export", tmp_path / "run", "-o", f"program/{name}", *arguments, "--json").json
        assert facts["frames"] == said["frames"] and facts["notes"] == said["notes"]
        assert len(facts["files"]) == len(said["files"])
        for mine, its in zip(facts["files"], said["files"]):
            with open(mine, "rb") as a, open(tmp_path / its, "rb") as b:
                assert a.read() == b.read()
    for options, message in (({"frame": 1, "fps": 3}, "frame, every, fps: only one"), ({"every": 0}, "every: 0 is not"),
                             ({"frame": 50}, "frame: 50 is too large"), ({"output": "x.txt"}, "output: ")):
        with pytest.raises(limber.InputError) as error:
            limber.export(**{"directory": tmp_path / "run", "output": tmp_path / "x.obj", **options})
        assert str(error.value).startswith(message)
