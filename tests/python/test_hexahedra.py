"""Bodies of hexahedra from mesh files: the same body as the box of the scene, patch test, contact, `limber mesh`."""

import json

import h5py
import numpy as np
import pytest

import limber

MATERIAL = dict(model="linear", young=1e5, poisson=.3, density=1000)


def box(size, cells, shuffle=None):
    """Nodes and hexahedra of a box; with a generator, in an order that is the generator's, and which order that is."""
    axes = [np.linspace(0, s, n + 1) for s, n in zip(size, cells)]
    z, y, x = np.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
    nodes = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    number = np.arange(len(nodes)).reshape(x.shape)
    low, high = slice(None, -1), slice(1, None)
    around = [(low, low), (low, high), (high, high), (high, low)]
    hexes = np.stack([number[(k, *ji)].ravel() for k in (low, high) for ji in around], axis=1)
    order = np.arange(len(nodes)) if shuffle is None else shuffle.permutation(len(nodes))
    place = np.argsort(order)
    hexes = place[hexes]
    if shuffle is not None:
        shuffle.shuffle(hexes)
    return nodes[order], hexes, order


def write_msh(path, nodes, hexes):
    rows = [f"{i + 1} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(nodes.tolist())]
    cells = [f"{h + 1} 5 2 1 1 " + " ".join(str(i + 1) for i in hexa) for h, hexa in enumerate(hexes.tolist())]
    path.write_text("\n".join(["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(rows)), *rows, "$EndNodes",
                               "$Elements", str(len(cells)), *cells, "$EndElements", ""]), encoding="utf-8")


def write_vtk(path, nodes, hexes):
    points = "\n".join(f"{x!r} {y!r} {z!r}" for x, y, z in nodes.tolist())
    cells = "\n".join("8 " + " ".join(map(str, hexa)) for hexa in hexes.tolist())
    path.write_text(f"# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {len(nodes)} double\n"
                    f"{points}\nCELLS {len(hexes)} {9 * len(hexes)}\n{cells}\nCELL_TYPES {len(hexes)}\n"
                    + "12\n" * len(hexes), encoding="utf-8")


def scene_of(mesh, folder="", gravity=(0, 0, 0), **body):
    body = {"name": "b", "mesh": mesh, "material": MATERIAL, **body}
    return limber.Scene(dict(time=dict(step=.01, duration=.1), gravity=list(gravity), bodies=[body]), str(folder))


def test_a_shuffled_file_is_the_box(tmp_path):
    """Mass, stiffness, statics and modes, up to the order of the nodes."""
    size, cells = [2, .6, .5], [8, 3, 2]
    nodes, hexes, order = box(size, cells, np.random.default_rng(4))
    write_msh(tmp_path / "bar.msh", nodes, hexes)
    keys = dict(pin=["left"], gravity=[0, -9.81, 0])
    of_box = scene_of(dict(shape="box", size=size, cells=cells), element="hex", **keys)
    of_file = scene_of(dict(file="bar.msh"), tmp_path, **keys)
    a, b = limber.Simulation(of_box), limber.Simulation(of_file)
    assert np.array_equal(b.positions, nodes) and np.allclose(a.positions[order], nodes, atol=1e-15)
    free = np.setdiff1d(np.arange(len(nodes)), a.pinned)
    assert set(order[b.pinned]) == set(a.pinned)
    index = {node: k for k, node in enumerate(free)}
    rows = np.concatenate([3 * index[order[i]] + np.arange(3) for i in range(len(nodes)) if order[i] in index])
    for name in ("mass", "stiffness"):
        A, B = getattr(a, name)().toarray(), getattr(b, name)().toarray()
        if A.shape[0] == 3 * len(nodes):
            A = A.reshape(len(nodes), 3, len(nodes), 3)[order][:, :, order].reshape(A.shape)
        else:
            A = A[np.ix_(rows, rows)]
        assert np.abs(A - B).max() < 1e-13 * np.abs(A).max(), name
    x, y = limber.statics(of_box), limber.statics(of_file)
    assert np.abs(x[order] - y).max() < 1e-9 * np.abs(x - a.positions).max()
    assert np.allclose(limber.modes(of_box, 6)[0], limber.modes(of_file, 6)[0], rtol=1e-9)


@pytest.mark.parametrize("write, name", [(write_msh, "patch.msh"), (write_vtk, "patch.vtk")])
def test_patch_test_on_a_distorted_mesh(tmp_path, write, name):
    """ν = 0 and the right end moved: every node moves in proportion to its x, to rounding."""
    random = np.random.default_rng(2)
    nodes, hexes, _ = box([1, 1, 1], [4, 3, 3], random)
    inside = np.all((nodes > 1e-9) & (nodes < 1 - 1e-9), axis=1)
    nodes[inside] += random.uniform(-.07, .07, (inside.sum(), 3))
    write(tmp_path / name, nodes, hexes)
    scene = scene_of(dict(file=name), tmp_path, pin=["left"], material={**MATERIAL, "poisson": 0}, element="hex",
                     script=[dict(nodes="right", keys=[dict(time=0, translation=[.125, 0, 0])])])
    x = limber.statics(scene)
    assert np.abs(x - nodes * [1.125, 1, 1]).max() < 1e-13


def test_a_body_of_a_file_rests_on_a_plane(limber_cli, write_scene, tmp_path):
    random = np.random.default_rng(1)
    nodes, hexes, _ = box([.2, .2, .2], [3, 3, 3], random)
    inside = np.all((nodes > 1e-9) & (nodes < .2 - 1e-9), axis=1)
    nodes[inside] += random.uniform(-.01, .01, (inside.sum(), 3))
    write_msh(tmp_path / "cube.msh", nodes, hexes)
    scene = dict(
        time=dict(step=.01, duration=1.5), method=dict(name="BE"), contact=dict(delta=.002),
        bodies=[dict(name="cube", mesh=dict(file="cube.msh"), position=[0, .01, 0], damping=dict(stiffness=.01, mass=2),
                     material=dict(model="neo_hookean", young=1e5, poisson=.3, density=1000))],
        obstacles=[dict(name="floor", shape="plane", point=[0, 0, 0], normal=[0, 1, 0])])
    sim = limber.Simulation(limber.Scene(scene, str(tmp_path)))
    sim.run(1.5)
    assert sim.positions[:, 1].min() > 0 and np.abs(sim.velocities).max() < 1e-3
    weight = .2 ** 3 * 1000 * 9.81
    assert sum(c["normal_force"] for c in sim.contacts()) == pytest.approx(weight, rel=.02)

    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    assert limber_cli("check", "out", "--json").json["clean"]
    with h5py.File(tmp_path / "out/trajectory.h5") as file:
        assert file["rest/tets"].shape == (6 * 27, 4)
    limber_cli("export", "out", "-o", "last.obj", "--frame", 0)
    lines = (tmp_path / "last.obj").read_text().splitlines()
    assert sum(line.startswith("f ") for line in lines) == 2 * 6 * 9


def test_report_and_formats(limber_cli, tmp_path):
    nodes, hexes, _ = box([2, 1, 1], [4, 2, 2], np.random.default_rng(3))
    hexes[5] = np.roll(hexes[5], 4)
    write_msh(tmp_path / "a.msh", nodes, hexes)
    report = limber_cli("mesh", "a.msh", "-o", "a.vtu", "--young", 4e5, "--poisson", 0, "--json").json
    assert (report["nodes"], report["hexes"], report["inverted"]) == (45, 16, 1) and "tets" not in report
    assert report["volume"] == pytest.approx(2) and report["min_scaled_jacobian"] == pytest.approx(1)
    assert report["surface_triangles"] == 2 * (2 * 4 + 4 * 8) and report["euler"] == 2
    assert report["thickness"] == pytest.approx(.5) and report["largest_omega"] == pytest.approx(2 * 20 / .5)
    text = limber_cli("mesh", "a.msh").out
    assert "16 hexahedra" in text and "scaled Jacobian" in text and "1 hexahedron negatively ordered" in text
    for name in ("b.vtk", "b.mesh", "b.msh"):
        limber_cli("mesh", "a.vtu", "-o", name)
        again = limber_cli("mesh", name, "--json").json
        assert again["hexes"] == 16 and again["inverted"] == 0 and again["refused"] is None
    for name in ("b.node", "b.ele"):
        assert "hold no hexahedra" in limber_cli("mesh", "a.vtu", "-o", name, status=2).err


def test_refused_files(limber_cli, write_scene, tmp_path):
    nodes, hexes, _ = box([2, 1, 1], [2, 1, 1])

    def error(cells, **body):
        write_msh(tmp_path / "a.msh", nodes, cells)
        scene = {"time": {"step": .01, "duration": .1},
                 "bodies": [{"mesh": {"file": "a.msh"}, "material": MATERIAL, **body}]}
        return limber_cli("run", write_scene(scene), "-o", "out", status=2).err

    for element in ("P1", "P2"):
        assert f'bodies[0].element: "{element}" goes with tetrahedra' in error(hexes, element=element)
    folded = hexes.copy()
    folded[1, [2, 3]] = folded[1, [3, 2]]
    assert "1 of 2 hexahedra are folded or flat; the first is hexahedron 1" in error(folded)
    assert limber_cli("mesh", "a.msh", "--json", status=1).json["refused"]
    mixed = (tmp_path / "a.msh").read_text().replace("$Elements\n2\n", "$Elements\n3\n3 6 2 1 1 1 2 4 7 8 10\n")
    (tmp_path / "a.msh").write_text(mixed)
    assert "the file holds 2 hexahedra, 1 prisms; a body has solids of one kind" in limber_cli(
        "mesh", "a.msh", status=2).err


def test_hexahedra_in_the_scene():
    nodes, hexes, _ = box([2, 1, 1], [2, 1, 1])
    of_box = scene_of(dict(shape="box", size=[2, 1, 1], cells=[2, 1, 1]), element="hex")
    own = scene_of(dict(nodes=nodes.tolist(), hexes=hexes.tolist()))
    a, b = limber.Simulation(of_box).stiffness(), limber.Simulation(own).stiffness()
    assert abs(a - b).max() < 1e-12 * abs(a).max()
    assert json.loads(json.dumps(own.to_dict()))["bodies"][0]["mesh"]["hexes"] == hexes.tolist()


def test_the_mesh_of_a_scene_is_reported_and_written_as_hexahedra(limber_cli, write_scene, bar, tmp_path):
    scene = write_scene(bar(element="hex", position=[1, 0, 0],
                            mesh={"shape": "box", "size": [1, 0.25, 0.25], "cells": [4, 1, 1]}))
    report = limber_cli("mesh", scene, "-o", "bar.vtu", "--json").json
    assert report["hexes"] == 4 and report["volume"] == pytest.approx(0.0625)
    assert "4 hexahedra" in limber_cli("mesh", scene).out
    assert limber_cli("mesh", "bar.vtu", "--json").json["hexes"] == 4
    assert limber_cli("mesh", write_scene(bar()), "--json").json["tets"] == 20
