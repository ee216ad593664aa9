"""From a surface to a body: dirty surfaces become bodies, and the surface that was given moves with them."""

import math
import re

import numpy as np
import pytest

import limber


def ball(centre, around=24, along=12):
    """Vertices, texture coordinates and quads; the seam and the poles have vertices of their own."""
    vertices, uv, faces = [], [], []
    for j in range(along + 1):
        for i in range(around + 1):
            polar, turn = math.pi * j / along, 2 * math.pi * (i % around) / around
            vertices.append((centre + math.sin(polar) * math.cos(turn), math.cos(polar),
                             math.sin(polar) * math.sin(turn)))
            uv.append((i / around, 1 - j / along))
    for j in range(along):
        for i in range(around):
            a = j * (around + 1) + i
            faces.append([a, a + 1, a + around + 2, a + around + 1])
    return vertices, uv, faces


def write_balls(path, centres=(0, 1.2), hole=(), flipped=lambda face: False):
    text, first = ["mtllib skin.mtl"], 1
    for k, centre in enumerate(centres):
        vertices, uv, faces = ball(centre)
        text += [f"o ball{k}", f"usemtl skin{k}"]
        text += ["v %r %r %r" % v for v in vertices] + ["vt %r %r" % t for t in uv]
        for number, face in enumerate(faces):
            if k == 0 and number in hole:
                continue
            corners = face[::-1] if flipped(number) else face
            text.append("f " + " ".join(f"{first + i}/{first + i}" for i in corners))
        first += len(vertices)
    path.write_text("\n".join(text) + "\n", encoding="utf-8")


def parts_of(path):
    """What an OBJ file says, by statement."""
    parts = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        statement, _, rest = line.partition(" ")
        parts.setdefault(statement, []).append(rest)
    return parts


def positions(parts):
    return np.array([v.split() for v in parts["v"]], dtype=float)


def scene(**mesh):
    return {"time": {"step": .01, "duration": .5}, "method": {"name": "SI"},
            "bodies": [{"name": "blob", "mesh": mesh, "scale": .1, "position": [0, .2, 0],
                        "material": {"young": 2e4, "poisson": .4, "density": 1000}}],
            "contact": {"friction": .4},
            "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}]}


def test_a_dirty_surface_becomes_a_body_and_moves_with_it(limber_cli, write_scene, tmp_path):
    """Two balls that overlap, with a hole and faces turned around, fall to the floor."""
    write_balls(tmp_path / "dirty.obj", hole=range(100, 105), flipped=lambda face: face % 29 == 0)
    run = limber_cli("run", write_scene(scene(surface="dirty.obj", resolution=.25)), "-o", "out")
    assert "the surface is not clean" in run.err + run.out and "tetrahedra by lattice" in run.err + run.out
    check = limber_cli("check", "out", "--json").json
    assert check["clean"] and check["frames"] == 51
    limber_cli("export", "out", "-o", "moved/blob.obj", "--frame", 50)
    limber_cli("export", "out", "-o", "start.obj", "--frame", 0)
    before, after, start = (parts_of(tmp_path / name) for name in ("dirty.obj", "moved/blob.obj", "start.obj"))
    for statement in ("f", "o", "usemtl", "mtllib"):
        assert after[statement] == before[statement], statement
    assert np.array_equal(*(np.array([t.split() for t in parts["vt"]], dtype=float) for parts in (before, after)))
    placed = .1 * positions(before) + [0, .2, 0]
    assert positions(start) == pytest.approx(placed, abs=1e-12)
    moved = positions(after)
    assert moved[:, 1].max() < .25 and moved[:, 1].min() > -.01  # on the floor; the surface is not what collides
    lengths = [np.ptp(x, axis=0) for x in (placed, moved)]
    assert lengths[1] == pytest.approx(lengths[0], rel=.4)  # not torn


def test_all_frames_are_numbered(limber_cli, write_scene, tmp_path):
    write_balls(tmp_path / "ball.obj", centres=[0])
    small = scene(surface="ball.obj", nodes=300)
    small["time"]["duration"] = .03
    limber_cli("run", write_scene(small), "-o", "out", "--quiet")
    done = limber_cli("export", "out", "-o", "ball.obj.d/ball.obj", "--json").json
    assert [name.split("_")[-1] for name in done["files"]] == ["0000.obj", "0001.obj", "0002.obj", "0003.obj"]
    assert done["vertices"] == 25 * 13 and done["faces"] == 24 * 12
    y = [positions(parts_of(tmp_path / name))[:, 1].mean() for name in done["files"]]
    assert y == sorted(y, reverse=True) and y[0] > y[-1]


def test_bodies_without_a_surface_show_their_boundary(limber_cli, write_scene, bar, tmp_path):
    limber_cli("run", write_scene(bar()), "-o", "out", "--quiet")
    limber_cli("export", "out", "-o", "bar.obj", "--frame", 0)
    parts = parts_of(tmp_path / "bar.obj")
    assert len(parts["v"]) == 20 and len(parts["f"]) == 2 * (4 * 4 + 2) and parts["o"] == ["bar"]
    corners = positions(parts)
    volume = 0
    for face in parts["f"]:
        a, b, c = corners[[int(i) - 1 for i in face.split()]]
        volume += np.dot(a, np.cross(b, c)) / 6
    assert volume == pytest.approx(1 / 16)  # outward, closed


def test_a_surface_is_overwritten_with_the_run(limber_cli, write_scene, bar, tmp_path):
    write_balls(tmp_path / "ball.obj", centres=[0])
    small = scene(surface="ball.obj", nodes=200)
    small["time"]["duration"] = .01
    limber_cli("run", write_scene(small), "-o", "out", "--quiet")
    assert (tmp_path / "out" / "surface_0.obj").exists()
    limber_cli("run", write_scene(bar()), "-o", "out", "--quiet", "--overwrite")
    assert not (tmp_path / "out" / "surface_0.obj").exists()


def test_mesh_reports_on_a_surface(limber_cli, tmp_path):
    write_balls(tmp_path / "ball.obj", centres=[0])
    report = limber_cli("mesh", "ball.obj", "tets=3000", "-o", "ball.vtu", "--json").json
    assert report["tets"] == pytest.approx(3000, rel=.1) and any("lattice" in note for note in report["notes"])
    assert report["volume"] == pytest.approx(4 / 3 * math.pi, rel=.05)
    assert limber_cli("mesh", "ball.vtu", "--json").json["tets"] == report["tets"]


def test_quadratic_bodies_carry_their_surface(limber_cli, write_scene, tmp_path):
    write_balls(tmp_path / "ball.obj", centres=[0])
    small = scene(surface="ball.obj", nodes=150)
    small["time"]["duration"] = .02
    small["bodies"][0]["element"] = "P2"
    limber_cli("run", write_scene(small), "-o", "out", "--quiet")
    limber_cli("export", "out", "-o", "x.obj", "--frame", 0)
    assert len(positions(parts_of(tmp_path / "x.obj"))) == 25 * 13


@pytest.mark.parametrize("mesh, error", [
    (dict(surface="missing.obj"), "missing.obj"),
    (dict(surface="ball.obj", resolution=50), r"bodies[0].mesh.resolution"),
    (dict(surface="ball.obj", resolution=.001), r"bodies[0].mesh.resolution"),
    (dict(surface="ball.obj", resolution=.1, max_tets=100), r"max_tets"),
    (dict(surface="flat.obj"), "bodies[0].mesh.surface"),
    (dict(file="ball.obj"), "bodies[0].thickness: is missing"),
])
def test_wrong_surfaces_are_named(limber_cli, write_scene, tmp_path, mesh, error):
    write_balls(tmp_path / "ball.obj", centres=[0])
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", encoding="utf-8")
    assert error in limber_cli("run", write_scene(scene(**mesh)), "-o", "out", status=2).err


@pytest.mark.parametrize("arguments, error", [
    (["nowhere", "-o", "x.obj"], "nowhere"),
    (["out", "-o", "x.blend"], "extension must be one of .glb"),
    (["out", "-o", "x.obj", "--frame", "11"], "there are 11 frames"),
])
def test_wrong_exports_are_named(limber_cli, write_scene, bar, arguments, error):
    limber_cli("run", write_scene(bar()), "-o", "out", "--quiet")
    assert error in limber_cli("export", *arguments, status=2).err


def test_units_that_were_mixed_up_are_told(limber_cli, write_scene, tmp_path):
    write_balls(tmp_path / "ball.obj", centres=[0])
    huge = scene(surface="ball.obj", nodes=200)
    huge["bodies"][0]["scale"] = 1000
    huge["bodies"][0]["position"] = [0, 5000, 0]
    assert "1 km" in limber_cli("check", write_scene(huge)).out


def test_python_reads_surfaces(tmp_path):
    write_balls(tmp_path / "ball.obj", centres=[0])
    sim = limber.Simulation(limber.Scene(scene(surface="ball.obj", nodes=300), str(tmp_path)))
    assert len(sim.positions) == pytest.approx(300, rel=.3)


def write_knot(path, radius, along=120, around=8):
    """A trefoil, some 3 m wide, as a closed tube. Returns the volume that its triangles enclose."""
    t = 2 * np.pi * np.arange(along) / along
    centre = 0.5 * np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)], axis=1)
    tangent = np.roll(centre, -1, axis=0) - np.roll(centre, 1, axis=0)
    side = np.cross(tangent, centre)
    side /= np.linalg.norm(side, axis=1)[:, None]
    up = np.cross(tangent, side)
    up /= np.linalg.norm(up, axis=1)[:, None]
    angle = 2 * np.pi * np.arange(around) / around
    x = centre[:, None] + radius * (np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * up[:, None])
    x, triangles = x.reshape(-1, 3), []
    for i in range(along):
        for k in range(around):
            a, b = i * around + k, i * around + (k + 1) % around
            c, d = ((i + 1) % along * around + j % around for j in (k, k + 1))
            triangles += [[a, b, d], [a, d, c]]
    volume = np.einsum("ij,ij->i", x[np.array(triangles)[:, 0]],
                       np.cross(x[np.array(triangles)[:, 1]], x[np.array(triangles)[:, 2]])).sum() / 6
    if volume < 0:
        triangles = [t[::-1] for t in triangles]
    path.write_text("".join("v %r %r %r\n" % tuple(map(float, p)) for p in x)
                    + "".join("f %d %d %d\n" % tuple(i + 1 for i in t) for t in triangles), encoding="utf-8")
    return abs(volume)


def test_a_resolution_that_changes_the_volume_is_refused(limber_cli, write_scene, tmp_path):
    volume = write_knot(tmp_path / "knot.obj", 0.035)
    assert 0.03 < volume < 0.07
    refused = limber_cli("mesh", "knot.obj", "resolution=1", "filling=lattice", status=2).err
    found = re.fullmatch(r"limber: mesh.resolution: the tetrahedra have (\S+) m³, but the surface encloses (\S+) m³: more "
                         "than 20 % off; take a finer resolution\n", refused)
    assert found, refused
    assert float(found[1]) > 10 * volume and float(found[2]) == pytest.approx(volume, rel=1e-3)
    body = {"mesh": {"surface": "knot.obj", "resolution": 1, "filling": "lattice"},
            "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}}
    scene = write_scene({"time": {"step": 0.01, "duration": 0.1}, "bodies": [body]})
    assert "bodies[0].mesh.resolution: the tetrahedra have" in limber_cli("check", scene, status=2).err
    fine = limber_cli("mesh", "knot.obj", "resolution=0.02", "filling=lattice", "--json").json
    assert fine["volume"] == pytest.approx(volume, rel=0.2)
    # A count that is aimed at is named instead.
    assert "mesh.tets: the tetrahedra have" in limber_cli("mesh", "knot.obj", "tets=300", "filling=lattice", status=2).err


def test_an_open_surface_becomes_solid_and_says_so(limber_cli, write_scene, root, tmp_path):
    """The pear that comes with Limber, whole and without five quads in a row."""
    lines = (root / "scenes/meshes/pear.obj").read_text().splitlines()
    quads = [k for k, line in enumerate(lines) if line.startswith("f ") and len(line.split()) == 5]
    (tmp_path / "whole.obj").write_text("\n".join(lines))
    (tmp_path / "open.obj").write_text("\n".join(line for k, line in enumerate(lines) if k not in quads[100:105]))
    words = "the surface is open, with 12 open edges: its holes were closed, and the body is solid inside"
    assert words in limber_cli("mesh", "open.obj", "resolution=0.015").out
    assert words in limber_cli("check", write_scene(scene(surface="open.obj", resolution=.015))).out
    assert "open" not in limber_cli("mesh", "whole.obj", "resolution=0.015").out


def test_debris_is_dropped_where_asked(limber_cli, write_scene, root, tmp_path):
    """Two pears, one of them of a third of the size, 1/28 of the volume of both."""
    lines = (root / "scenes/meshes/pear.obj").read_text().splitlines()
    vertices = [[float(x) for x in line.split()[1:]] for line in lines if line.startswith("v ")]
    small = ["v %r %r %r" % (x / 3 + .3, y / 3, z / 3) for x, y, z in vertices]
    faces = ["f " + " ".join(str(int(corner.split("/")[0]) + len(vertices)) for corner in line.split()[1:])
             for line in lines if line.startswith("f ")]
    (tmp_path / "scan.obj").write_text("\n".join(lines + small + faces) + "\n")
    whole = limber_cli("mesh", "scan.obj", "resolution=0.012", "drop_pieces=0.03", "--json").json
    clean = limber_cli("mesh", "scan.obj", "resolution=0.012", "drop_pieces=0.04", "--json").json
    assert whole["components"] == 2 and clean["components"] == 1
    assert any("1 piece of the surface with less than 0.04" in note for note in clean["notes"])
    said = limber_cli("check", write_scene(scene(surface="scan.obj", resolution=.012, drop_pieces="4 %"))).out
    assert "1 piece of the surface" in said
    said = limber_cli("mesh", "scan.obj", "resolution=0.012", "drop_pieces=1", status=2).err
    assert "mesh.drop_pieces" in said and "below 1" in said
