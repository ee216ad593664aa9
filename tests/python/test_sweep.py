"""`limber sweep`: every run is that of `limber run`, whatever is killed on the way; the table, the figure, and what it says
to wrong requests."""

import csv
import json
import os
import shutil
import signal
import subprocess
import time

import pytest

VARY = ["--vary", "method.name=BE,TR-BDF2", "--vary", "bodies[0].material.young=1e4..4e4:3:log"]
FOLDERS = ["0001-method=BE-young=10000", "0002-method=BE-young=20000", "0003-method=BE-young=40000",
           "0004-method=TR-BDF2-young=10000", "0005-method=TR-BDF2-young=20000", "0006-method=TR-BDF2-young=40000"]
OF_THE_CLOCK = {"wall_seconds", "resumed_from_step", "threads"}  # what tells a killed run from one that was not

needs_gnuplot = pytest.mark.skipif(not shutil.which("gnuplot"), reason="needs gnuplot")


@pytest.fixture
def scene(write_scene, bar):
    return write_scene(bar())


@pytest.fixture
def long_scene(write_scene, bar):
    """A run of about a second, with checkpoints."""
    return write_scene(bar(time={"step": 0.005, "duration": 1.5}, output={"checkpoint_every": 20},
                           mesh={"shape": "box", "size": [1, 0.25, 0.25], "cells": [8, 3, 3]}))


def rows(directory):
    with open(directory / "sweep.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def lasting(directory):
    """The table without what depends on the clock."""
    return [{key: value for key, value in row.items() if key not in OF_THE_CLOCK} for row in rows(directory)]


def without_wall_times(path):
    table = [line.split(",") for line in path.read_text().splitlines()]
    wall = table[0].index("wall_ms")
    return [row[:wall] + row[wall + 1:] for row in table]


def assert_same_run(one, other):
    for name in ("trajectory.h5", "trajectory.xdmf", "checkpoint.bin"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    assert without_wall_times(one / "energy.csv") == without_wall_times(other / "energy.csv")
    scenes = [json.loads((run / "scene.json").read_text()) for run in (one, other)]
    for s in scenes:
        del s["output"]["directory"]
    assert scenes[0] == scenes[1]
    assert {p.name for p in one.iterdir()} == {p.name for p in other.iterdir()}


def everything(directory):
    return sorted(str(p.relative_to(directory)) for p in directory.rglob("*"))


# What comes out

def test_runs_are_those_of_limber_run(limber_cli, scene, tmp_path):
    done = limber_cli("sweep", scene, *VARY, "-o", "out", "--jobs", 2, "--set", "time.duration=0.08")
    assert "6 runs: 6 done" in done.out
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [*FOLDERS, "sweep.csv", "sweep.json"]
    assert done.err.count(" done (") == 6, "one line for each run that ends"
    for number, method, young in [(1, "BE", 1e4), (6, "TR-BDF2", 4e4)]:
        limber_cli("run", scene, "-o", f"alone{number}", "--set", f"method.name={method}", "--set", "time.duration=0.08",
                   "--set", f"bodies[0].material.young={young:.0f}")
        assert_same_run(tmp_path / f"alone{number}", tmp_path / "out" / FOLDERS[number - 1])
    table = rows(tmp_path / "out")
    assert [row["folder"] for row in table] == FOLDERS
    assert [row["number"] for row in table] == list("123456")
    assert [row["method.name"] for row in table] == ["BE"] * 3 + ["TR-BDF2"] * 3
    assert [row["bodies[0].material.young"] for row in table] == ["10000", "20000", "40000"] * 2
    assert {row["status"] for row in table} == {"done"} and {row["message"] for row in table} == {""}
    for row in table:
        summary = json.loads((tmp_path / "out" / row["folder"] / "summary.json").read_text())
        assert float(row["energy.total"]) == summary["energy"]["total"]
        assert int(row["steps"]) == summary["steps"] == 8
        assert int(row["linear_solver.solves"]) == summary["linear_solver"]["solves"]
        energies = rows_of_energy(tmp_path / "out" / row["folder"])
        assert float(row["energy.kinetic.max"]) == max(float(e["kinetic"]) for e in energies)
        assert float(row["energy.total.min"]) == min(float(e["total"]) for e in energies)
        assert float(row["energy.total.start"]) == float(energies[0]["total"])


def rows_of_energy(directory):
    with open(directory / "energy.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_mesh_files_are_found_beside_the_scene(limber_cli, bar, tmp_path):
    """A sweep is started elsewhere than where the scene is, and a varied file is named as the scene would name it."""
    (tmp_path / "there/meshes").mkdir(parents=True)
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for name, size in (("a", 1), ("b", 2)):
        (tmp_path / f"there/meshes/{name}.mesh").write_text(
            "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n"
            + "".join(" ".join(str(size * x) for x in c) + " 0\n" for c in corners)
            + "Tetrahedra\n1\n1 2 3 4 0\nEnd\n")
    (tmp_path / "there/scene.json").write_text(
        json.dumps(bar(mesh={"file": "meshes/a.mesh"}, pin=None)))
    limber_cli("sweep", "there/scene.json", "--vary", "bodies[0].mesh.file=meshes/a.mesh,./meshes/../meshes/b.mesh",
               "-o", "out")
    kinetic = [float(row["energy.kinetic"]) for row in rows(tmp_path / "out")]
    assert kinetic[1] == pytest.approx(8 * kinetic[0]) and kinetic[0] > 0  # eight times the mass, in free fall


def test_a_change_of_the_scene_file_does_not_reach_runs_to_come(limber_program, limber_cli, long_scene, tmp_path):
    text = long_scene.read_text()
    process = subprocess.Popen([limber_program, "sweep", long_scene, "--vary", "method.name=BE,SI", "-o", "out"],
                               cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(tmp_path / "out/0001-method=BE/energy.csv", process)
        long_scene.write_text("no scene any more")
        assert process.wait(timeout=100) == 0
    finally:
        process.kill()
    long_scene.write_text(text)
    limber_cli("run", long_scene, "--set", "method.name=SI", "-o", "alone")
    assert_same_run(tmp_path / "alone", tmp_path / "out/0002-method=SI")


def test_a_sweep_that_is_done_has_nothing_to_do(limber_cli, scene, tmp_path):
    sweep = ["sweep", scene, "--vary", "time.step=0.01,0.02", "-o", "out"]
    limber_cli(*sweep)
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").glob("0*/*")}
    done = limber_cli(*sweep, "--json")
    assert done.json == {"directory": "out", "runs": 2, "done": 2, "failed": 0, "stopped": 0, "missing": 0}
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "out").glob("0*/*")} == before


# Killed, stopped, and in parts

def wait_for(path, process, lines=5):
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if path.read_bytes().count(b"\n") >= lines:
                return
        except FileNotFoundError:
            pass
        time.sleep(0.002)
    assert process.poll() is None, f"it ended before {path} was there"


def writers(directory):
    """Processes with a file of the directory open."""
    found = set()
    for link in os.scandir("/proc"):
        if link.name.isdigit():
            try:
                open_files = [os.readlink(f.path) for f in os.scandir(f"/proc/{link.name}/fd")]
            except OSError:
                continue
            found |= {int(link.name)} if any(f.startswith(str(directory)) for f in open_files) else set()
    return found


def test_killed_twice_it_ends_as_one_that_was_not(limber_program, limber_cli, long_scene, tmp_path):
    sweep = ["sweep", long_scene, "--vary", "method.name=BE,SIERE,TR-BDF2", "--vary", "time.step=0.005,0.01", "--jobs", 2]
    limber_cli(*sweep, "-o", "whole")
    runs = sorted(p.name for p in (tmp_path / "whole").glob("0*"))
    for first in (0, 2):
        process = subprocess.Popen([limber_program, *map(str, sweep), "-o", "broken"], cwd=tmp_path,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(tmp_path / "broken" / runs[first + 1] / "energy.csv", process, lines=40)
        finally:
            process.kill()
            process.wait()
        deadline = time.monotonic() + 5
        while writers(tmp_path / "broken") and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not writers(tmp_path / "broken"), "a run outlived the sweep that was killed"
    states = [row["status"] for row in collected(limber_cli, tmp_path, "broken")]
    assert "stopped" in states and "missing" in states, states
    limber_cli(*sweep, "-o", "broken")
    assert lasting(tmp_path / "broken") == lasting(tmp_path / "whole")
    assert {row["status"] for row in rows(tmp_path / "broken")} == {"done"}
    assert any(int(row["resumed_from_step"]) > 0 for row in rows(tmp_path / "broken"))
    for name in runs:
        assert_same_run(tmp_path / "whole" / name, tmp_path / "broken" / name)
    assert everything(tmp_path / "whole") == everything(tmp_path / "broken")


def collected(limber_cli, tmp_path, directory):
    limber_cli("sweep", "-o", directory, "--collect", status=1)
    return rows(tmp_path / directory)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_runs_cleanly(limber_program, limber_cli, long_scene, tmp_path, sent):
    sweep = ["sweep", long_scene, "--vary", "method.name=BE,SI,TR", "-o", "out", "--jobs", 2]
    process = subprocess.Popen([limber_program, *map(str, sweep)], cwd=tmp_path, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        for name in ("0001-method=BE", "0002-method=SI"):
            wait_for(tmp_path / "out" / name / "energy.csv", process)
        process.send_signal(sent)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 1 and "interrupted; the same command goes on" in err
    for name in ("0001-method=BE", "0002-method=SI"):
        assert json.loads((tmp_path / "out" / name / "summary.json").read_text())["end"] == "interrupted"
    assert [row["status"] for row in rows(tmp_path / "out")] == ["stopped", "stopped", "missing"]
    assert "3 done" in limber_cli(*sweep).out


def test_shards_make_the_whole(limber_program, limber_cli, scene, tmp_path):
    limber_cli("sweep", scene, *VARY, "-o", "whole")
    parts = [subprocess.Popen([limber_program, "sweep", scene, *VARY, "-o", "parts", "--shard", f"{i}/2"], cwd=tmp_path,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for i in (1, 2)]
    assert [part.wait(timeout=100) for part in parts] == [0, 0]
    assert lasting(tmp_path / "parts") == lasting(tmp_path / "whole"), "the last one makes the whole table"
    (tmp_path / "parts/sweep.csv").unlink()
    limber_cli("sweep", "-o", "parts", "--collect")
    assert lasting(tmp_path / "parts") == lasting(tmp_path / "whole")
    assert everything(tmp_path / "parts") == everything(tmp_path / "whole")


def test_a_shard_does_its_part_only(limber_cli, scene, tmp_path):
    done = limber_cli("sweep", scene, *VARY, "-o", "out", "--shard", "2/4", "--json").json
    assert (done["done"], done["missing"]) == (2, 4)
    assert [row["status"] for row in rows(tmp_path / "out")] == ["missing", "done"] + ["missing"] * 3 + ["done"]
    surroundings = {**os.environ, "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "4"}
    said = limber_cli("sweep", scene, *VARY, "-o", "out", "--shard", "auto", env=surroundings).err
    assert "shard 1/4: SLURM_ARRAY_TASK_ID=1" in said
    assert [row["status"] for row in rows(tmp_path / "out")] == ["done", "done", "missing", "missing", "done", "done"]
    said = limber_cli("sweep", scene, *VARY, "-o", "out", env=surroundings).err
    assert "--shard auto would take part 1/4" in said and "failed" not in said
    assert {row["status"] for row in rows(tmp_path / "out")} == {"done"}


# Failures

def test_a_run_that_fails_is_a_row(limber_cli, write_scene, bar, tmp_path):
    """Newton's method may not iterate; SI does not want to."""
    scene = write_scene(bar(method={"name": "BE", "max_iterations": 1, "newton_tolerance": 1e-15}))
    sweep = ["sweep", scene, "--vary", "method.name=BE,SI", "-o", "out"]
    done = limber_cli(*sweep, status=1)
    assert "1 of 2 runs failed" in done.err and "2 runs: 1 done, 1 failed" in done.out
    failed, fine = rows(tmp_path / "out")
    assert (failed["status"], fine["status"], fine["message"]) == ("failed", "done", "")
    assert failed["message"] == json.loads((tmp_path / "out/0001-method=BE/summary.json").read_text())["reason"]
    assert failed["message"] in done.err
    assert not (tmp_path / "out/failed").exists(), "its own summary says why"
    assert "failed" in limber_cli(*sweep, status=1).err, "it is tried again"


def test_a_run_that_crashes_takes_nothing_with_it(limber_program, limber_cli, long_scene, tmp_path):
    sweep = ["sweep", long_scene, "--vary", "method.name=BE,SI", "-o", "out"]
    process = subprocess.Popen([limber_program, *map(str, sweep)], cwd=tmp_path, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    try:
        wait_for(tmp_path / "out/0001-method=BE/energy.csv", process, lines=60)
        children = writers(tmp_path / "out/0001-method=BE")
        assert len(children) == 1
        os.kill(children.pop(), signal.SIGKILL)
        _, err = process.communicate(timeout=100)
    finally:
        process.kill()
    assert process.returncode == 1 and "signal 9" in err
    assert [row["status"] for row in rows(tmp_path / "out")] == ["failed", "done"]
    assert "signal 9" in rows(tmp_path / "out")[0]["message"]
    limber_cli(*sweep)
    assert [(row["status"], row["message"]) for row in rows(tmp_path / "out")] == [("done", "")] * 2
    assert int(rows(tmp_path / "out")[0]["resumed_from_step"]) > 0
    limber_cli("run", long_scene, "--set", "method.name=BE", "-o", "alone")
    assert_same_run(tmp_path / "alone", tmp_path / "out/0001-method=BE")


def test_a_run_that_another_process_does_is_left_alone(limber_program, limber_cli, long_scene, tmp_path):
    sweep = ["sweep", long_scene, "--vary", "time.step=0.002,0.01", "-o", "out"]
    process = subprocess.Popen([limber_program, *map(str, sweep)], cwd=tmp_path, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        wait_for(tmp_path / "out/0001-step=0.002/energy.csv", process)
        process.send_signal(signal.SIGSTOP)
        for child in writers(tmp_path / "out/0001-step=0.002"):
            os.kill(child, signal.SIGSTOP)
        done = limber_cli(*sweep, status=1)
        assert "another process is at work" in done.err
        assert [row["status"] for row in rows(tmp_path / "out")] == ["stopped", "done"]
    finally:
        process.kill()
        process.wait()


# Figures

@needs_gnuplot
def test_the_figure_shows_the_column(limber_cli, scene, tmp_path):
    limber_cli("sweep", scene, *VARY, "-o", "out", "--plot", "energy.total", "--plot", "newton_iterations")
    table = rows(tmp_path / "out")
    with open(tmp_path / "out/sweep-energy.total.csv", encoding="utf-8") as file:
        drawn = list(csv.DictReader(file))
    assert [float(point["bodies[0].material.young"]) for point in drawn] == [1e4, 2e4, 4e4]
    for method in ("BE", "TR-BDF2"):
        assert [float(point[f"method={method}"]) for point in drawn] == [
            float(row["energy.total"]) for row in table if row["method.name"] == method]
    svg = (tmp_path / "out/sweep-energy.total.svg").read_text()
    for text in ("energy.total [J]", "bodies[0].material.young", "method=BE", "method=TR-BDF2"):
        assert text in svg
    for name in ("energy.total", "newton_iterations"):
        assert (tmp_path / f"out/sweep-{name}.png").read_bytes()[:4] == b"\x89PNG"
    said = limber_cli("sweep", "-o", "out", "--collect", "--plot", "modes.count").err
    assert "no run that is done has the column 'modes.count'" in said


def test_every_number_of_a_run_can_be_plotted(limber_cli, bar, write_scene, tmp_path):
    """The columns that --plot knows before the first run are those that runs have."""
    scene = bar(pin=None)
    scene["contact"] = {"friction": 0.4}
    scene["obstacles"] = [{"name": "floor", "shape": "plane", "point": [0, -0.2, 0], "normal": [0, 1, 0]}]
    contact = write_scene(scene, "contact.json")
    limber_cli("sweep", contact, "--vary", "method.name=BE,SIERE", "-o", "contact", "--set", "time.duration=0.03")
    limber_cli("sweep", write_scene(bar()), "--vary", "method.name=ERE,BE", "-o", "ere", "--set", "time.duration=0.03")
    columns = {name for d in ("contact", "ere") for name in rows(tmp_path / d)[0]}
    columns -= {"number", "folder", "method.name", "status", "message"}
    assert {"friction_held_stages", "modes.left_out_bodies", "exponential.products"} <= columns
    if not shutil.which("gnuplot"):
        return
    known = limber_cli("sweep", contact, "--vary", "time.step=0.01,0.02", "-o", "x", "--plot", "temperature of it",
                       status=2).err.partition("columns are ")[2].strip().split(", ")
    assert sorted(known) == sorted(columns)


# Wrong requests

@pytest.mark.parametrize("options, words", [
    ([], ["--vary"]),
    (["--vary", "time.step"], ["--vary", "time.step", "key=lo..hi:n"]),
    (["--vary", "time.step="], ["--vary", "no value"]),
    (["--vary", "time.step=0.01..0.02"], ["how many values", ":n"]),
    (["--vary", "time.step=0.01..0.02:0"], ["'0'", "1 to"]),
    (["--vary", "time.step=a..b:2"], ["'a' is not a number"]),
    (["--vary", "time.step=0..1:3:log"], ["above 0"]),
    (["--vary", "time.step=0.01", "--vary", "time.step=0.02"], ["time.step", "twice"]),
    (["--vary", "time.stpe=0.01,0.02"], ["combination 1 of 2 (time.stpe=0.01)", "stpe", "did you mean 'step'?"]),
    (["--vary", "bodies[3].velocity=[0,0,0]"], ["combination 1 of 1", "[3]", "1 elements"]),
    (["--vary", "method.name=BE,TRBDF3"], ["combination 2 of 2 (method.name=TRBDF3)", "method.name", "TR-BDF2"]),
    (["--vary", "bodies[0].material.poisson=0.3,0.5"], ["combination 2 of 2", "bodies[0].material.poisson", "0.5"]),
    (["--vary", "bodies[0].pin=[\"left\"],[\"all\"]"], ["combination 2 of 2", "bodies[0]", "free"]),
    (["--vary", "method.name=SIERE,BE", "--vary", "method.modes=2,1000"],
     ["combination 2 of 4 (method.name=SIERE, method.modes=1000)", "method.modes"]),
    (["--vary", "method=BE,SI", "--vary", "method.name=TR"], ["combinations 1", "same scene"]),
    (["--vary", "time.step=0.01,0.02", "--set", "time.step=0.03"], ["--set", "time.step is varied"]),
    (["--vary", "output.directory=a,b"], ["output.directory", "-o"]),
    (["--vary", "time.step=0.01,0.02", "--jobs", "0"], ["--jobs"]),
    (["--vary", "time.step=0.01,0.02", "--shard", "3/2"], ["--shard", "3/2", "i/n"]),
    (["--vary", "time.step=0.01,0.02", "--shard", "auto"], ["--shard", "SLURM_ARRAY_TASK_ID"]),
    (["--vary", "time.step=0.01,0.02", "--shard", "1/2", "--overwrite"], ["--overwrite", "shards"]),
    (["--vary", "time.step=0.01,0.02", "--collect"], ["out", "holds no sweep"]),
])
def test_wrong_requests(limber_cli, scene, tmp_path, options, words):
    before = everything(tmp_path)
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "OMPI", "PMI", "PBS"))}
    done = limber_cli("sweep", scene, "-o", "out", *options, status=2, env=plain)
    for word in words:
        assert word in done.err, f"{word!r} is not in {done.err!r}"
    assert done.out == "" and everything(tmp_path) == before


@needs_gnuplot
@pytest.mark.parametrize("options, words", [
    (["--vary", "time.step=0.01,0.02", "--plot", "enrgy.total"], ["--plot", "did you mean 'energy.total'?"]),
    (["--vary", "method.name=BE,SI", "--plot", "energy.total"], ["--plot", "against"]),
])
def test_a_plot_that_cannot_be_is_refused_before_the_runs(limber_cli, scene, tmp_path, options, words):
    done = limber_cli("sweep", scene, "-o", "out", *options, status=2)
    assert all(word in done.err for word in words) and not (tmp_path / "out").exists()


def test_another_sweep_is_refused_by_what_differs(limber_cli, scene, tmp_path):
    sweep = ["sweep", scene, "-o", "out", "--vary"]
    limber_cli(*sweep, "time.step=0.01,0.02")
    before = {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    for options, words in [(["time.step=0.01,0.05"], "it varies time.step over 0.01,0.02, not over 0.01,0.05"),
                           (["time.step=0.01,0.02", "--vary", "method.name=BE"], "time.step, not time.step, method.name"),
                           (["time.step=0.01,0.02", "--set", "method.name=BE"], 'method.name is "TR-BDF2" there, "BE" here'),
                           (["time.step=0.01,0.02", "--set", "time.duration=1"], "time.duration is 0.1 there, 1 here")]:
        done = limber_cli(*sweep, *options, status=2)
        assert words in done.err and "--overwrite" in done.err
    assert {p: p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()} == before
    limber_cli(*sweep, "time.step=0.02", "--overwrite")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["0001-step=0.02", "sweep.csv", "sweep.json"]
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("")
    assert "holds no sweep" in limber_cli("sweep", scene, "--vary", "time.step=0.02", "-o", "full", status=2).err
    assert "is missing" in limber_cli("sweep", "-o", "new", status=2).err
