"""`limber render`: pictures and movies of runs, and what it says to wrong requests."""

import json
import shutil
import struct
import subprocess
import zlib

import meshio
import pytest

SMALL = ["--size", "64x48", "--samples", 2]


@pytest.fixture(autouse=True)
def with_embree(limber_cli, tmp_path):
    """These tests need a program that was built with Embree."""
    if "no Embree" in limber_cli("render", tmp_path, "-o", "x.png", status=2).err:
        pytest.skip("this build has no Embree")


@pytest.fixture
def run(limber_cli, bar, tmp_path):
    """The directory of a run of 0.2 s with 21 frames."""
    scene = bar(time={"step": 0.01, "duration": 0.2})
    (tmp_path / "bar.json").write_text(json.dumps(scene))
    limber_cli("run", "bar.json", "-o", "out", "--quiet")
    return tmp_path / "out"


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", data[16:24])


def pixels(path):
    """Rows of (r, g, b) of an 8-bit RGB PNG whose rows have the filter Paeth."""
    data, at, packed = path.read_bytes(), 8, b""
    width, height = png_size(path)
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    flat, above, rows = zlib.decompress(packed), bytes(3 * width + 3), []
    for y in range(height):
        line = flat[y * (3 * width + 1):(y + 1) * (3 * width + 1)]
        assert line[0] == 4
        row = bytearray(3)  # a pixel of zeros before the first
        for i, x in enumerate(line[1:], 3):
            a, b, c = row[i - 3], above[i], above[i - 3]
            pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
            row.append((x + (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255)
        above = bytes(row)
        rows.append([tuple(row[i:i + 3]) for i in range(3, len(row), 3)])
    return rows


def test_one_picture(limber_cli, run, tmp_path):
    limber_cli("render", run, "-o", "first.png", "--frame", 0, *SMALL)
    limber_cli("render", run, "-o", "last.png", *SMALL)
    limber_cli("render", run, "-o", "new/20.png", "--frame", 20, "--threads", 1, *SMALL)
    assert png_size(tmp_path / "first.png") == (64, 48)
    assert (tmp_path / "first.png").read_bytes() != (tmp_path / "last.png").read_bytes()
    assert (tmp_path / "new/20.png").read_bytes() == (tmp_path / "last.png").read_bytes()


def test_colours_wires_and_camera_change_the_picture(limber_cli, run, tmp_path):
    pictures = set()
    for k, options in enumerate([[], ["--wireframe"], ["--color", "displacement"], ["--color", "stress"],
                                 ["--camera", "-2,1,3"],
                                 ["--camera", "-2,1,3", "--look-at", "0,0,0", "--fov", 60]]):
        limber_cli("render", run, "-o", f"{k}.png", *options, *SMALL)
        pictures.add((tmp_path / f"{k}.png").read_bytes())
    assert len(pictures) == 6


def test_stress_is_scaled_to_its_largest(limber_cli, run, tmp_path):
    said = limber_cli("render", run, "-o", "x.png", "--color", "stress", *SMALL).out
    largest = float(said.split("von Mises stress of ")[1].split()[0])
    limber_cli("export", run, "-o", "x.vtu")
    cells = max(meshio.read(tmp_path / f"x_{k:04}.vtu").cell_data["von_mises"][0].max() for k in range(21))
    assert .3 * cells < largest < 1.001 * cells  # at nodes: means of cells; four digits
    (run / "scene.json").unlink()
    assert "scene.json" in limber_cli("render", run, "-o", "x.png", "--color", "stress", *SMALL, status=2).err


def test_pictures_of_values_have_a_colour_bar(limber_cli, run, tmp_path):
    """Its right end is yellow, where without it there is ground."""
    def rows(name, *options):
        limber_cli("render", run, "-o", name, "--size", "640x360", "--draft", *options)
        return pixels(tmp_path / name)

    def yellow(picture):
        return sum(r > 230 and g > 200 and b < 80 for row in picture[250:] for r, g, b in row[:320])

    assert yellow(rows("body.png")) == 0
    assert yellow(rows("stress.png", "--color", "stress")) > 20
    assert yellow(rows("displacement.png", "--color", "displacement")) > 20


def test_what_is_simulated_instead_of_the_surface(limber_cli, write_scene, tmp_path):
    """An octahedron that a coarse lattice fills has corners that the lattice cuts off."""
    vertices = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    faces = [(1, 3, 5), (3, 2, 5), (2, 4, 5), (4, 1, 5), (3, 1, 6), (2, 3, 6), (4, 2, 6), (1, 4, 6)]
    (tmp_path / "octahedron.obj").write_text("".join("v %g %g %g\n" % v for v in vertices)
                                             + "".join("f %d %d %d\n" % f for f in faces))
    scene = write_scene({"time": {"step": .01, "duration": .01},
                         "bodies": [{"mesh": {"surface": "octahedron.obj", "resolution": .25},
                                     "material": {"young": 1e5, "poisson": .3, "density": 1000}}]})
    limber_cli("run", scene, "-o", "out", "--quiet")
    options = ["--frame", 0, "--wireframe", *SMALL]
    limber_cli("render", "out", "-o", "surface.png", *options)
    limber_cli("render", "out", "-o", "body.png", "--body", *options)
    assert pixels(tmp_path / "surface.png") != pixels(tmp_path / "body.png")
    (tmp_path / "out/surface_0.obj").unlink()
    limber_cli("render", "out", "-o", "own.png", *options)
    assert pixels(tmp_path / "own.png") == pixels(tmp_path / "body.png")


def test_the_camera_of_the_scene(limber_cli, run, bar, write_scene, tmp_path):
    """Each option goes before the scene's key; what neither says is automatic."""
    scene = bar(time={"step": 0.01, "duration": 0.02})
    scene["camera"] = {"position": [-2, 1, 3], "look_at": [0.5, 0, 0], "fov": "50 deg"}
    still = write_scene(scene)

    def camera(source, *options):
        return limber_cli("render", source, "-o", "x.png", "--json", *options, *SMALL).json["camera"]

    assert camera(still) == [-2, 1, 3]
    assert camera(still, "--camera", "1,2,3") == [1, 2, 3]
    assert camera(still, "--set", "camera={}") not in ([-2, 1, 3], [1, 2, 3])
    limber_cli("render", still, "-o", "scene.png", *SMALL)
    limber_cli("render", still, "-o", "fov.png", "--fov", 20, *SMALL)
    limber_cli("render", still, "-o", "look.png", "--look-at", "0,0,0", *SMALL)
    limber_cli("render", still, "-o", "options.png", "--camera", "-2,1,3", "--look-at", "0.5,0,0", "--fov", 50,
               "--set", "camera={}", *SMALL)
    picture = {name: (tmp_path / f"{name}.png").read_bytes() for name in ("scene", "fov", "look", "options")}
    assert len(set(picture.values())) == 3 and picture["scene"] == picture["options"]
    limber_cli("run", still, "-o", "with_camera", "--quiet")
    assert camera(tmp_path / "with_camera") == [-2, 1, 3]


def test_folder_has_a_picture_for_each_time(limber_cli, run, tmp_path):
    done = limber_cli("render", run, "-o", "pictures/", "--fps", 10, "--json", *SMALL)
    assert done.json["pictures"] == 3
    assert sorted(p.name for p in (tmp_path / "pictures").iterdir()) == [f"frame_000{k}.png" for k in range(3)]


@pytest.mark.skipif(not shutil.which("ffprobe"), reason="needs ffprobe, which comes with ffmpeg")
def test_movie_runs_in_simulated_time(limber_cli, run, tmp_path):
    limber_cli("render", tmp_path / "bar.json", "-o", "bar.mp4", "--fps", 50, *SMALL)
    probe = subprocess.run(
        ["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", tmp_path / "bar.mp4"],
        capture_output=True, check=True)
    stream = json.loads(probe.stdout)["streams"][0]
    assert (stream["codec_name"], stream["pix_fmt"]) == ("h264", "yuv420p")
    assert (stream["width"], stream["height"], stream["r_frame_rate"]) == (64, 48, "50/1")
    assert int(stream["nb_read_frames"]) == 11  # t = 0, 0.02, ..., 0.2
    assert not (tmp_path / "bar.mp4.part").exists()


@pytest.mark.parametrize("options, words", [
    (["-o", "x.avi"], ["--output", "x.avi", "movie.mp4"]),
    (["-o", "x.png", "--frame", 21], ["--frame", "21", "numbered from 0"]),
    (["-o", "x.mp4", "--frame", 0], ["--frame", "x.mp4"]),
    (["-o", "x.png", "--size", "64"], ["--size", "64", "1280x720"]),
    (["-o", "x.png", "--size", "64x4"], ["--size", "64x4"]),
    (["-o", "x.mp4", "--size", "65x64"], ["--size", "65x64", "even"]),
    (["-o", "x.png", "--camera", "1,2"], ["--camera", "1,2", "x,y,z"]),
    (["-o", "x.png", "--look-at", "1,2,3"], ["--look-at", "--camera"]),
    (["-o", "x.png", "--camera", "1,2,3", "--look-at", "1,2,3"], ["camera", "the same"]),
    (["-o", "x.png", "--color", "taste"], ["--color", "taste"]),
    (["-o", "x.png", "--set", "time.step=1"], ["--set"]),
    (["-o", "x.png", "--samples", 0], ["--samples"]),
])
def test_wrong_requests(limber_cli, run, tmp_path, options, words):
    said = limber_cli("render", run, *options, status=2).err
    assert all(word in said for word in words), said
    assert not list(tmp_path.glob("x.*"))


def test_wrong_sources(limber_cli, tmp_path):
    assert "trajectory.h5" in limber_cli("render", tmp_path, "-o", "x.png", status=2).err
    assert "nowhere" in limber_cli("render", "nowhere", "-o", "x.png", status=2).err
    assert "none.json" in limber_cli("render", "none.json", "-o", "x.png", status=2).err
