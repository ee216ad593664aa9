"""`limber compare`: one scene under several methods, side by side, and what it says to wrong requests."""

import json
import shutil
import signal
import subprocess
import time

import pytest

SMALL = ["--size", "64x48", "--samples", 1]


@pytest.fixture(autouse=True)
def with_embree_and_gnuplot(limber_cli, tmp_path):
    """These tests need a program that was built with Embree, and gnuplot."""
    if "no Embree" in limber_cli("render", tmp_path, "-o", "x.png", status=2).err:
        pytest.skip("this build has no Embree")
    if not shutil.which("gnuplot"):
        pytest.skip("needs gnuplot")


@pytest.fixture
def scene(write_scene, bar):
    return write_scene(bar(time={"step": 0.01, "duration": 0.2}, method={"name": "SIERE", "modes": 3}))


@pytest.mark.skipif(not shutil.which("ffprobe"), reason="needs ffprobe, which comes with ffmpeg")
def test_movie_has_all_methods_in_simulated_time(limber_cli, scene, tmp_path):
    done = limber_cli("compare", scene, "--methods", "be,SIERE,gen-alpha", "-o", "new/x.mp4", "--fps", 10, "--json",
                      "--keep", "runs", *SMALL).json
    probe = subprocess.run(
        ["ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", tmp_path / "new/x.mp4"],
        capture_output=True, check=True)
    stream = json.loads(probe.stdout)["streams"][0]
    assert (stream["codec_name"], stream["r_frame_rate"]) == ("h264", "10/1")
    assert int(stream["nb_read_frames"]) == done["pictures"] == 3  # t = 0, 0.1, 0.2
    assert float(stream["duration"]) == pytest.approx(0.3)
    assert (stream["width"], stream["height"]) == (done["width"], done["height"])
    assert done["width"] > 3 * 64 and done["height"] > 48
    assert [run["method"] for run in done["runs"]] == ["BE", "SIERE", "gen-alpha"]
    assert all(run["end"] == "finished" and run["time"] == pytest.approx(0.2) for run in done["runs"])
    assert done["runs"][0]["energy_change"] < -0.1 * abs(done["runs"][1]["energy_change"])
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["x.mp4"]
    method = {name: json.loads((tmp_path / "runs" / name / "scene.json").read_text())["method"]
              for name in ("BE", "SIERE", "gen-alpha")}
    assert method == {"BE": {"name": "BE"}, "SIERE": {"name": "SIERE", "modes": 3}, "gen-alpha": {"name": "gen-alpha"}}


def test_last_moment_of_one_method(limber_cli, scene, tmp_path):
    said = limber_cli("compare", scene, "--methods", "BE", "-o", "x.png", "--set", "time.duration=0.05", *SMALL)
    assert "x.png: 1 picture" in said.out and "BE" in said.out and " J" in said.out
    assert (tmp_path / "x.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["scene.json", "x.png"]


def test_runs_that_stop_do_not_take_the_others_along(limber_cli, write_scene, bar, tmp_path):
    """Newton's method may not iterate; SI does not want to."""
    scene = write_scene(bar(time={"step": 0.01, "duration": 0.2},
                            method={"name": "BE", "max_iterations": 1, "newton_tolerance": 1e-15}))
    done = limber_cli("compare", scene, "--methods", "BE,SI", "-o", "x.png", "--json", *SMALL, status=1)
    assert [run["end"] for run in done.json["runs"]] == ["stopped", "finished"]
    assert done.json["runs"][0]["time"] < done.json["runs"][1]["time"] == pytest.approx(0.2)
    assert "BE: the step from t = " in done.err
    assert (tmp_path / "x.png").exists()


@pytest.mark.parametrize("options, words", [
    (["--methods", "BE,nonsense", "-o", "x.png"], ["--methods", "nonsense"]),
    (["--methods", "BE,be", "-o", "x.png"], ["--methods", "BE", "twice"]),
    (["--methods", "BE", "-o", "x.avi"], ["--output", "x.avi", "movie.mp4"]),
    (["--methods", "BE", "-o", "x.png", "--size", "64"], ["--size", "64"]),
    (["--methods", "BE", "-o", "x.png", "--look-at", "0,0,0"], ["--look-at", "--camera"]),
    (["--methods", "BE,SIERE", "-o", "x.png", "--set", "method.modes=1000"], ["SIERE", "method.modes", "1000"]),
    (["--methods", "BE", "-o", "x.png", "--set", "time.step=0"], ["time.step"]),
    (["--methods", "BE", "-o", "x.png", "--keep", "."], ["--keep", "BE"]),
    (["-o", "x.png"], ["--methods"]),
])
def test_wrong_requests(limber_cli, scene, tmp_path, options, words):
    (tmp_path / "BE").mkdir()
    said = limber_cli("compare", scene, *options, status=2).err
    assert all(word in said for word in words), said
    assert not list(tmp_path.glob("x.*"))


@pytest.mark.parametrize("there, output, words", [
    ([], "x.png", "gnuplot was not found; install it to get plots"),
    (["gnuplot"], "x.mp4", "x.mp4: the program ffmpeg was not found; install it"),
])
def test_missing_programs_are_told_before_the_runs(limber_cli, scene, tmp_path, there, output, words):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in there:
        (programs / name).symlink_to(shutil.which(name))
    said = limber_cli("compare", scene, "--methods", "BE", "-o", output, "--keep", "runs", *SMALL, status=1,
                      env={"PATH": str(programs)}).err
    assert words in said
    assert not (tmp_path / "runs").exists()


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="needs ffmpeg")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_movie_leaves_nothing(limber_program, limber_cli, scene, tmp_path, sign):
    limber_cli("run", scene, "-o", "run", "--quiet")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen([limber_program, "render", "run", "-o", "x.mp4", "--fps", "5000"], cwd=tmp_path,
                               stderr=subprocess.PIPE, text=True, env={"PATH": "/usr/bin:/bin", "TMPDIR": str(scratch)})
    try:
        for _ in range(600):
            if (tmp_path / "x.mp4.part").exists():
                break
            time.sleep(0.1)
        process.send_signal(sign)
        said = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert process.returncode == 1 and "interrupted" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run", "scene.json", "scratch"]
    assert not list(scratch.iterdir())
