"""`limber export`: every format read back by a reader of its own, and compared with trajectory.h5."""

import base64
import json
import re
import struct
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import h5py
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "exports"))
import samples  # noqa: E402

FRAMES = 11
PRECISION = dict(rtol=0, atol=2e-7)  # of floats near 1


@pytest.fixture
def bar_run(limber_cli, write_scene):
    limber_cli("run", write_scene(samples.bar()), "-o", "out", "--quiet")
    return "out"


def affine(k, x):
    """A motion that every tetrahedron carries its surface along with, whichever a vertex is in."""
    A = np.eye(3) + .03 * k * np.array([[0, 1, 0], [.3, -.5, 0], [0, .2, .4]])
    return x @ A.T + [0, -.001 * k * k, .01 * k]


@pytest.fixture
def mixed_run(limber_cli, write_scene, tmp_path):
    """The ball moves by affine(); sheet and rod as they were simulated."""
    (tmp_path / "ball.obj").write_text(samples.ball_obj(), encoding="utf-8")
    limber_cli("run", write_scene(samples.mixed("ball.obj")), "-o", "out", "--quiet")
    with h5py.File(tmp_path / "out" / "trajectory.h5", "r+") as f:
        count = f["bodies/nodes"][0, 1]
        for k in range(FRAMES):
            f["frames/positions"][k, :count] = affine(k, f["rest/nodes"][:count])
    return "out"


@pytest.fixture
def trajectory(tmp_path):
    """What a run has written, by array."""
    def read(run):
        with h5py.File(tmp_path / run / "trajectory.h5") as f:
            arrays = {}
            f.visititems(lambda name, item: arrays.__setitem__(name, item[:]) if hasattr(item, "shape") else None)
        return arrays

    return read


def surface(h5, k):
    """Vertices of all bodies of mixed() at frame k."""
    skin = np.array([line.split()[1:] for line in samples.ball_obj().splitlines() if line.startswith("v ")], dtype=float)
    nodes = list(dict.fromkeys([*h5["rest/triangles"].ravel(), *h5["rest/edges"].ravel()]))  # as cells first use them
    return np.concatenate([affine(k, .1 * skin), h5["frames/positions"][k, nodes]])


def glb(path):
    data = path.read_bytes()
    magic, version, length = struct.unpack("<4sII", data[:12])
    assert magic == b"glTF" and version == 2 and length == len(data)
    size, kind = struct.unpack("<I4s", data[12:20])
    assert kind == b"JSON" and size % 4 == 0
    root = json.loads(data[20:20 + size])
    bin_size, kind = struct.unpack("<I4s", data[20 + size:28 + size])
    assert kind == b"BIN\0" and 28 + size + bin_size == length and root["buffers"][0]["byteLength"] <= bin_size
    return root, data[28 + size:]


def accessor(root, data, number):
    a = root["accessors"][number]
    view = root["bufferViews"][a["bufferView"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3}[a["type"]]
    kind = {5126: "<f4", 5125: "<u4"}[a["componentType"]]
    values = np.frombuffer(data, kind, a["count"] * width, view["byteOffset"]).reshape(-1, width)
    assert view["byteLength"] == values.nbytes
    if "min" in a:
        assert np.array_equal(values.min(axis=0), np.float32(a["min"]))
        assert np.array_equal(values.max(axis=0), np.float32(a["max"]))
    return values


def test_glb_holds_every_frame(limber_cli, mixed_run, trajectory, tmp_path):
    limber_cli("export", mixed_run, "-o", "x.glb")
    root, data = glb(tmp_path / "x.glb")
    h5 = trajectory(mixed_run)
    assert [n["name"] for n in root["nodes"]] == ["ball 1", "cloth", "rod"]
    assert [m["name"] for m in root["materials"]] == ["north", "south", "cloth"]
    (motion,) = root["animations"]
    (sampler,) = motion["samplers"]
    assert sampler["interpolation"] == "LINEAR" and {c["target"]["path"] for c in motion["channels"]} == {"weights"}
    assert [c["target"]["node"] for c in motion["channels"]] == [0, 1, 2]
    assert np.allclose(accessor(root, data, sampler["input"])[:, 0], h5["frames/times"], **PRECISION)
    weights = accessor(root, data, sampler["output"]).reshape(FRAMES, FRAMES - 1)
    expected = [surface(h5, k) for k in range(FRAMES)]
    count = [len(expected[0]) - 22, 16, 6]
    for b, mesh in enumerate(root["meshes"]):
        for primitive in mesh["primitives"]:
            base = accessor(root, data, primitive["attributes"]["POSITION"])
            own = [x[sum(count[:b]):sum(count[:b + 1])] for x in expected]
            which = np.linalg.norm(base[:, None] - own[0][None], axis=2).argmin(axis=1)
            assert set(which) == set(range(count[b]))
            targets = [accessor(root, data, t["POSITION"]) for t in primitive["targets"]]
            for k in range(FRAMES):
                moved = base + sum(w * t for w, t in zip(weights[k], targets))
                assert np.allclose(moved, own[k][which], **PRECISION)
            if primitive.get("mode", 4) == 1:
                assert accessor(root, data, primitive["indices"])[:, 0].tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 4, 5]
                continue
            normals = accessor(root, data, primitive["attributes"]["NORMAL"])
            for k in range(1, FRAMES):
                moved = normals + accessor(root, data, primitive["targets"][k - 1]["NORMAL"])
                assert np.allclose(np.linalg.norm(moved, axis=1), 1, atol=1e-5)
            if b == 0:
                outwards = np.einsum("vi,vi->v", normals, base / np.linalg.norm(base, axis=1, keepdims=True))
                assert outwards.min() > .9
                uv = accessor(root, data, primitive["attributes"]["TEXCOORD_0"])
                height = np.arccos(np.clip(base[:, 1] / .1, -1, 1)) / np.pi  # as in the file, downwards
                assert np.allclose(uv[:, 1], height, atol=1e-5) and uv[:, 0].max() == 1


def test_one_frame_of_glb_has_no_animation(limber_cli, bar_run, trajectory, tmp_path):
    limber_cli("export", bar_run, "-o", "x.glb", "--frame", 7)
    root, data = glb(tmp_path / "x.glb")
    assert "animations" not in root and "targets" not in root["meshes"][0]["primitives"][0]
    x = accessor(root, data, root["meshes"][0]["primitives"][0]["attributes"]["POSITION"])
    q = trajectory(bar_run)["frames/positions"][7]
    assert np.linalg.norm(x[:, None] - q[None], axis=2).min(axis=1).max() < 2e-7
    assert len(x) > len(q)  # edges of the box are sharp: vertices with several normals


def floats(text):
    return np.array(re.findall(r"[-+]?[\d.]+(?:e[-+]?\d+)?", text), dtype=float)


def samples_of(prim, attribute):
    text = re.search(attribute + r"\.timeSamples = \{(.*?)\n        \}", prim, re.S)[1]
    return {float(code): floats(row).reshape(-1, 3) for code, row in re.findall(r"([\d.]+): \[(.*)\],", text)}


def test_usda_has_time_samples(limber_cli, mixed_run, trajectory, tmp_path):
    limber_cli("export", mixed_run, "-o", "my run.usda")
    text = (tmp_path / "my run.usda").read_text(encoding="utf-8")
    assert text.startswith("#usda 1.0\n") and text.count("{") == text.count("}") and 'defaultPrim = "my_run"' in text
    for line in ('upAxis = "Y"', "metersPerUnit = 1", "timeCodesPerSecond = 100", "startTimeCode = 0", "endTimeCode = 10"):
        assert f"    {line}\n" in text
    ball, cloth, rod = re.split(r"\n    def ", text)[1:]
    assert ball.startswith('Mesh "ball_1"') and 'string name = "ball 1"' in ball
    assert cloth.startswith('Mesh "cloth"') and rod.startswith('BasisCurves "rod"')
    assert "int[] curveVertexCounts = [6]" in rod
    obj = [line.split()[1:] for line in samples.ball_obj().splitlines() if line.startswith("f ")]
    corners = [int(c.split("/")[0]) - 1 for face in obj for c in face]
    assert floats(re.search(r"faceVertexCounts = \[(.*)\]", ball)[1]).tolist() == [len(face) for face in obj]
    assert floats(re.search(r"faceVertexIndices = \[(.*)\]", ball)[1]).tolist() == corners
    st = floats(re.search(r"primvars:st = \[(.*)\]", ball)[1]).reshape(-1, 2)
    vt = np.array([line.split()[1:] for line in samples.ball_obj().splitlines() if line.startswith("vt ")], dtype=float)
    assert np.allclose(st, vt[[int(c.split("/")[1]) - 1 for face in obj for c in face]], **PRECISION)
    assert 'interpolation = "faceVarying"' in ball and "primvars:st" not in cloth
    h5 = trajectory(mixed_run)
    points = [samples_of(prim, "points") for prim in (ball, cloth, rod)]
    extents = [samples_of(prim, "extent") for prim in (ball, cloth, rod)]
    for k in range(FRAMES):
        assert np.allclose(np.concatenate([p[k] for p in points]), surface(h5, k), **PRECISION)
        for p, e, around in zip(points, extents, (0, 0, .005)):  # half of the rod's thickness
            assert np.allclose(e[k], [p[k].min(axis=0) - around, p[k].max(axis=0) + around], **PRECISION)


def obj_positions(path):
    return np.array([line.split()[1:] for line in path.read_text().splitlines() if line.startswith("v ")], dtype=float)


def test_point_caches_go_with_their_obj(limber_cli, mixed_run, trajectory, tmp_path):
    assert limber_cli("export", mixed_run, "-o", "a.pc2", "--json").json["files"] == ["a.pc2", "a.obj"]
    limber_cli("export", mixed_run, "-o", "b.mdd")
    data = (tmp_path / "a.pc2").read_bytes()
    signature, version, points, start, rate, frames = struct.unpack("<12siiffi", data[:32])
    assert (signature, version, start, rate, frames) == (b"POINTCACHE2\0", 1, 0, 1, FRAMES)
    pc2 = np.frombuffer(data[32:], "<f4").reshape(FRAMES, points, 3)
    data = (tmp_path / "b.mdd").read_bytes()
    assert struct.unpack(">ii", data[:8]) == (FRAMES, points)
    h5 = trajectory(mixed_run)
    assert np.allclose(np.frombuffer(data[8:], ">f4", FRAMES), h5["frames/times"], **PRECISION)
    mdd = np.frombuffer(data[8 + 4 * FRAMES:], ">f4").reshape(FRAMES, points, 3)
    assert np.array_equal(pc2, mdd)
    for k in range(FRAMES):
        assert np.allclose(pc2[k], surface(h5, k), **PRECISION)
    obj = (tmp_path / "a.obj").read_text()
    assert np.allclose(obj_positions(tmp_path / "a.obj"), pc2[0], **PRECISION)
    assert [line for line in obj.splitlines() if line.startswith("o ")] == ["o a"]  # one object
    assert [line for line in obj.splitlines() if line.startswith("g ")] == ["g skin", "g cloth", "g rod"]


def test_ply_sequence(limber_cli, mixed_run, trajectory, tmp_path):
    files = limber_cli("export", mixed_run, "-o", "p/x.ply", "--json").json["files"]
    assert files == [f"p/x_{k:04}.ply" for k in range(FRAMES)]
    header, body = (tmp_path / files[4]).read_bytes().split(b"end_header\n", 1)
    assert header.startswith(b"ply\nformat binary_little_endian 1.0\n") and b"property float s" not in header  # a seam
    counts = {name: int(n) for name, n in re.findall(r"element (\w+) (\d+)", header.decode())}
    expected = surface(trajectory(mixed_run), 4)
    assert counts == {"vertex": len(expected), "face": 72 + 18, "edge": 5}
    x = np.frombuffer(body, "<f4", 3 * counts["vertex"]).reshape(-1, 3)
    assert np.allclose(x, expected, **PRECISION)
    numbers = np.frombuffer(body, "<i4", offset=x.nbytes).tolist()
    for line in samples.ball_obj().splitlines():
        if line.startswith("f "):
            face = [int(c.split("/")[0]) - 1 for c in line.split()[1:]]
            assert numbers[:len(face) + 1] == [len(face), *face]
            del numbers[:len(face) + 1]
    assert numbers[-10:] == [len(expected) - 6 + i for pair in zip(range(5), range(1, 6)) for i in pair]


def test_ply_has_texture_coordinates_where_they_are_clear(limber_cli, write_scene, tmp_path):
    (tmp_path / "sheet.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 .5\nvt 0 .5\n"
                                        "f 1/1 2/2 3/3 4/4\n", encoding="utf-8")
    scene = samples.bar(frames=1, mesh={"file": "sheet.obj"}, thickness=.01, pin=[{"nodes": [0]}])
    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    limber_cli("export", "out", "-o", "x.ply", "--frame", 0)
    header, body = (tmp_path / "x.ply").read_bytes().split(b"end_header\n", 1)
    assert b"property float z\nproperty float s\nproperty float t\nelement face 1\n" in header
    vertices = np.frombuffer(body, "<f4", 20).reshape(4, 5)
    assert np.array_equal(vertices, np.float32([[0, 0, 0, 0, 0], [1, 0, 0, 1, 0], [1, 1, 0, 1, .5], [0, 1, 0, 0, .5]]))
    assert np.frombuffer(body, "<i4", offset=80).tolist() == [4, 0, 1, 2, 3]


def vtu(path):
    """Arrays of a .vtu file by name, as (components) x n."""
    kinds = {"Float32": "f4", "Float64": "f8", "Int32": "i4", "UInt8": "u1"}
    arrays = {}
    for array in xml.parse(path).iter("DataArray"):
        data = base64.b64decode(array.text)
        assert struct.unpack("<Q", data[:8])[0] == len(data) - 8
        values = np.frombuffer(data[8:], "<" + kinds[array.get("type")])
        arrays[array.get("Name")] = values.reshape(-1, int(array.get("NumberOfComponents"))).squeeze()
    return arrays


def test_pvd_lists_the_frames(limber_cli, mixed_run, trajectory, tmp_path):
    done = limber_cli("export", mixed_run, "-o", "v/x.vtu", "--json").json
    assert done["files"] == ["v/x.pvd"] + [f"v/x_{k:04}.vtu" for k in range(FRAMES)]
    assert any("differences" in note for note in done["notes"])  # the run stored no velocities
    h5 = trajectory(mixed_run)
    sets = list(xml.parse(tmp_path / "v/x.pvd").iter("DataSet"))
    assert [float(s.get("timestep")) for s in sets] == h5["frames/times"].tolist()
    q = h5["frames/positions"]
    for k, s in enumerate(sets):
        arrays = vtu(tmp_path / "v" / s.get("file"))
        assert np.array_equal(arrays["Points"], q[k])
        assert np.allclose(arrays["displacement"], q[k] - h5["rest/nodes"], **PRECISION)
        a, b = max(k - 1, 0), min(k + 1, FRAMES - 1)
        assert np.allclose(arrays["velocity"], (q[b] - q[a]) / (.01 * (b - a)), rtol=1e-5, atol=1e-6)
    cells = [h5[f"rest/{kind}"] for kind in ("tets", "triangles", "edges")]
    assert np.array_equal(arrays["connectivity"], np.concatenate([c.ravel() for c in cells]))
    assert arrays["types"].tolist() == sum(([kind] * len(c) for kind, c in zip((10, 5, 3), cells)), [])
    assert arrays["body"].tolist() == sum(([b] * len(c) for b, c in enumerate(cells)), [])
    assert arrays["offsets"][-1] == len(arrays["connectivity"])
    # Of the rod: E times its stretch, by hand.
    ends = q[-1][cells[2]]
    strain = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / .1 - 1
    assert np.allclose(arrays["von_mises"][-5:], 2e4 * abs(strain), rtol=1e-5)
    assert np.allclose(arrays["energy_density"][-5:], 1e4 * strain ** 2, rtol=1e-5)


@pytest.mark.parametrize("element", ["P1", "P2", "hex"])
def test_energy_density_adds_up(limber_cli, write_scene, trajectory, tmp_path, element):
    """Its integral over the rest shape is the elastic energy of energy.csv, for every kind of element."""
    limber_cli("run", write_scene(samples.bar(element=element)), "-o", "out", "--quiet")
    limber_cli("export", "out", "-o", "x.vtu")
    h5 = trajectory("out")
    table = np.genfromtxt(tmp_path / "out" / "energy.csv", delimiter=",", names=True)
    nodes, tets = h5["rest/nodes"], h5["rest/tets"]
    volume = np.abs(np.linalg.det(nodes[tets[:, 1:]] - nodes[tets[:, :1]])) / 6
    for k in (3, FRAMES - 1):
        density = vtu(tmp_path / f"x_{k:04}.vtu")["energy_density"]
        assert volume @ density == pytest.approx(table["elastic"][k], rel=1e-5)
    velocity = vtu(tmp_path / f"x_{FRAMES - 1:04}.vtu")["velocity"]
    assert np.allclose(velocity, h5["frames/velocities"][-1], rtol=1e-5, atol=1e-6)


def test_stress_of_a_stretched_bar(limber_cli, write_scene, tmp_path):
    """Corotated, all nodes along x by s and across by c: sigma_xx and sigma_yy from the printed stress, by hand."""
    s, c, E, nu = 1.2, .95, 2e4, .3
    lam, mu = E * nu / (1 + nu) / (1 - 2 * nu), E / 2 / (1 + nu)
    scene = samples.bar(frames=1, material={"model": "corotated", "young": E, "poisson": nu, "density": 1000},
                        mesh={"shape": "box", "size": [1, .25, .25], "cells": [1, 1, 1], "split": "five"})
    del scene["bodies"][0]["pin"]
    scene["gravity"] = [0, 0, 0]
    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    with h5py.File(tmp_path / "out" / "trajectory.h5", "r+") as f:
        rest = f["rest/nodes"][:]
        f["frames/positions"][0] = rest * [s, c, c]
    limber_cli("export", "out", "-o", "x.vtu", "--frame", 0)
    arrays = vtu(tmp_path / "x.vtu")
    trace = s + 2 * c - 3
    P = 2 * mu * (np.array([s, c, c]) - 1) + lam * trace
    sigma = P * [s, c, c] / (s * c * c)
    assert np.allclose(arrays["von_mises"], abs(sigma[0] - sigma[1]), rtol=1e-5)
    assert np.allclose(arrays["energy_density"], mu * ((s - 1) ** 2 + 2 * (c - 1) ** 2) + lam / 2 * trace ** 2, rtol=1e-5)


def test_stress_of_a_stretched_sheet(limber_cli, write_scene, tmp_path):
    """Plane stress at a small strain e along x and none along the other side: E e/(1 - nu^2), and nu of it across."""
    e, E, nu = 1e-5, 2e4, .3
    scene = samples.bar(frames=1, mesh={"shape": "sheet", "size": [1, 1], "cells": [2, 3]}, thickness=.01,
                        material={"model": "neo_hookean", "young": E, "poisson": nu, "density": 1000})
    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    with h5py.File(tmp_path / "out" / "trajectory.h5", "r+") as f:
        f["frames/positions"][0] = f["rest/nodes"][:] * [1 + e, 1, 1]
    limber_cli("export", "out", "-o", "x.vtu", "--frame", 0)
    arrays = vtu(tmp_path / "x.vtu")
    along = E * e / (1 - nu ** 2)
    assert np.allclose(arrays["von_mises"], along * np.sqrt(1 - nu + nu ** 2), rtol=1e-3)
    assert np.allclose(arrays["energy_density"], along * e / 2, rtol=1e-3)


def test_rigid_parts_have_no_stress(limber_cli, write_scene, tmp_path):
    scene = samples.bar(regions={"tip": {"box": {"min": [.7, -1, -1], "max": [2, 2, 2]}}}, rigid=[{"region": "tip"}])
    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    limber_cli("export", "out", "-o", "x.vtu", "--frame", 10)
    arrays = vtu(tmp_path / "x.vtu")
    x = arrays["Points"] - arrays["displacement"]
    middle = x[arrays["connectivity"].reshape(-1, 4)].mean(axis=1)[:, 0]
    assert (arrays["von_mises"][middle > .75] == 0).all() and (arrays["von_mises"][middle < .75] > 0).all()


def test_fewer_frames(limber_cli, bar_run, trajectory, tmp_path):
    limber_cli("export", bar_run, "-o", "e.mdd", "--every", 4)
    data = (tmp_path / "e.mdd").read_bytes()
    frames, points = struct.unpack(">ii", data[:8])
    assert np.allclose(np.frombuffer(data, ">f4", frames, 8), [0, .04, .08])
    limber_cli("export", bar_run, "-o", "f.mdd", "--fps", 40)  # frames at 0.025 s are between two stored ones
    data = (tmp_path / "f.mdd").read_bytes()
    frames, points = struct.unpack(">ii", data[:8])
    assert np.allclose(np.frombuffer(data, ">f4", frames, 8), [0, .025, .05, .075, .1])
    x = np.frombuffer(data, ">f4", offset=8 + 4 * frames).reshape(frames, points, 3)
    q = trajectory(bar_run)["frames/positions"]
    first = np.array([np.linalg.norm(q[0] - p, axis=1).argmin() for p in x[0]])
    assert np.allclose(x[1], ((q[2] + q[3]) / 2)[first], **PRECISION)
    limber_cli("export", bar_run, "-o", "f.usda", "--fps", 40)
    assert "timeCodesPerSecond = 40\n" in (tmp_path / "f.usda").read_text()


def test_times_that_are_not_even(limber_cli, bar_run, tmp_path):
    with h5py.File(tmp_path / bar_run / "trajectory.h5", "r+") as f:
        f["frames/times"][5] = .052
    for name in ("x.pc2", "x.usda"):
        assert "not evenly spaced" in limber_cli("export", bar_run, "-o", name, status=2).err
        limber_cli("export", bar_run, "-o", name, "--fps", 50)
    limber_cli("export", bar_run, "-o", "x.mdd")


def test_a_long_clip_is_refused_as_gltf(limber_cli, bar_run, tmp_path):
    with h5py.File(tmp_path / bar_run / "trajectory.h5", "r+") as f:
        f["frames/times"][:] = 100 * np.arange(FRAMES)
    said = limber_cli("export", bar_run, "-o", "x.glb", "--fps", 20, status=2).err
    assert "20001 frames x 48 vertices" in said and "--every" in said and "--large" in said
    assert not (tmp_path / "x.glb").exists() and not (tmp_path / "x.glb.tmp").exists()


def test_a_run_without_its_scene_has_no_stress(limber_cli, bar_run, tmp_path):
    (tmp_path / bar_run / "scene.json").unlink()
    done = limber_cli("export", bar_run, "-o", "x.vtu", "--frame", 3, "--json").json
    assert done["files"] == ["x.vtu"] and any("scene.json" in note for note in done["notes"])
    assert "von_mises" not in vtu(tmp_path / "x.vtu")


@pytest.mark.parametrize("arguments, status, error", [
    (["-o", "x.abc"], 2, "one of .glb, .usda, .pc2, .mdd, .obj, .ply, .vtu, .pvd"),
    (["-o", "x"], 2, "one of .glb"),
    (["-o", "x.glb", "--frame", 11], 2, "there are 11 frames"),
    (["-o", "x.glb", "--frame", 1, "--every", 2], 2, "--frame"),
    (["-o", "x.glb", "--every", 0], 2, "--every"),
    (["-o", "/proc/no/x.ply"], 1, "/proc/no"),
    (["-o", "taken/x.ply"], 1, "taken"),
])
def test_wrong_exports_are_named(limber_cli, bar_run, tmp_path, arguments, status, error):
    (tmp_path / "taken").write_text("a file, not a folder")
    assert error in limber_cli("export", bar_run, *arguments, status=status).err


@pytest.mark.parametrize("extension", ["glb", "usda", "pc2", "mdd", "obj", "ply", "vtu"])
def test_positions_that_are_not_finite(limber_cli, bar_run, tmp_path, extension):
    with h5py.File(tmp_path / bar_run / "trajectory.h5", "r+") as f:
        f["frames/positions"][6, 3, 1] = np.nan
    if extension == "vtu":  # shows what there is
        limber_cli("export", bar_run, "-o", "x.vtu")
        assert np.isnan(vtu(tmp_path / "x_0006.vtu")["von_mises"]).any()
        return
    assert "not finite" in limber_cli("export", bar_run, "-o", f"x.{extension}", status=2).err
    assert not list(tmp_path.glob("*.tmp"))
    limber_cli("export", bar_run, "-o", f"y.{extension}", "--frame", 5)


def test_a_full_disk_is_an_error(limber_cli, bar_run, tmp_path):
    """The temporary name leads to a device that is always full."""
    for extension in ("glb", "pc2", "ply"):
        (tmp_path / f"x.{extension}.tmp").symlink_to("/dev/full")
        assert "disk is full" in limber_cli("export", bar_run, "-o", f"x.{extension}", "--frame", 0, status=1).err
        assert not (tmp_path / f"x.{extension}").exists()


def test_points_have_no_surface(limber_cli, mixed_run, tmp_path):
    with h5py.File(tmp_path / mixed_run / "trajectory.h5", "r+") as f:
        for cells in ("tets", "triangles", "edges"):
            f[f"bodies/{cells}"][:] = 0
    (tmp_path / mixed_run / "surface_0.obj").unlink()
    assert "neither faces nor lines" in limber_cli("export", mixed_run, "-o", "x.glb", status=2).err


def test_help_lists_the_formats(limber_cli):
    said = limber_cli("export", "--help").out
    for extension in (".glb", ".usda", ".pc2", ".mdd", ".obj", ".ply", ".vtu", ".pvd"):
        assert extension in said
