"""Runs that are killed, stopped, cut off by a full disk or spread over threads give the bytes of one that is not."""

import json
import os
import random
import resource
import signal
import struct
import subprocess
import time

import numpy as np
import pytest

import limber

h5py = pytest.importorskip("h5py")

STEPS = 240


@pytest.fixture
def long_scene(bar, write_scene):
    """A scene of 240 steps, with checkpoints in between, as a file."""

    def make(method, **keys):
        return write_scene(bar(method={"name": method},
                               mesh={"shape": "box", "size": [1, 0.25, 0.25], "cells": [8, 2, 2]},
                               time={"step": 0.005, "duration": 0.005 * STEPS},
                               output={"velocities": True, "frames_every": 2, "checkpoint_every": 17,
                                       "probes": [{"name": "tip", "body": "bar", "point": [1, .1, .1]}]}, **keys))

    return make


def count_rows(path):
    try:
        return path.read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def without_wall_times(path):
    table = [line.split(",") for line in path.read_text().splitlines()]
    wall = table[0].index("wall_ms")
    return [row[:wall] + row[wall + 1:] for row in table]


def arrays_of(path):
    h5py = pytest.importorskip("h5py")
    arrays = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: arrays.update({name: (item.shape, item[...].tobytes())})
                        if isinstance(item, h5py.Dataset) else None)
    return arrays


def assert_same_results(one, other, grown=False):
    """`grown`: the trajectory of one was planned shorter, so that its arrays lie elsewhere in the file."""
    if grown:
        assert arrays_of(one / "trajectory.h5") == arrays_of(other / "trajectory.h5")
    else:
        assert (one / "trajectory.h5").read_bytes() == (other / "trajectory.h5").read_bytes()
    assert (one / "trajectory.xdmf").read_bytes() == (other / "trajectory.xdmf").read_bytes()
    assert without_wall_times(one / "energy.csv") == without_wall_times(other / "energy.csv")
    for table in ("probes.csv", "cavities.csv"):
        assert (one / table).exists() == (other / table).exists()
        if (one / table).exists():
            assert (one / table).read_bytes() == (other / table).read_bytes()


def stop_at(command, directory, row, delay, sent, cwd):
    """Starts the program; sends a signal `delay` seconds after its table has `row` lines. True if it came in time."""
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while process.poll() is None and count_rows(directory / "energy.csv") < row and time.monotonic() < deadline:
            time.sleep(0.0005)
        time.sleep(delay)
    finally:
        process.send_signal(sent)
        process.wait()
    return process.returncode != 0


def killed_and_resumed(limber_program, limber_cli, scene, cwd, rows, seed):
    """What the last resume says of a run in "broken" that was killed soon after its table had each of these rows."""
    rng, killed, broken = random.Random(seed), 0, cwd / "broken"
    for row in rows:
        command = [limber_program, "run", scene, "-o", broken, "--quiet", "--resume"]
        killed += stop_at(command, broken, row, rng.uniform(0, 0.004), signal.SIGKILL, cwd)
        assert_readable(broken)
    assert killed >= 2, "the program was faster than the test"
    done = limber_cli("run", scene, "-o", broken, "--json", "--resume").json
    assert done["end"] == "finished"
    assert_same_results(cwd / "whole", broken)
    return done


def assert_readable(directory):
    """What a killed run leaves: the frames that it counts are whole, and so are the lines of its table."""
    path = directory / "trajectory.h5"
    if not path.exists():
        return 0
    with h5py.File(path) as file:
        n = int(file["frames_written"][0])
        assert np.isfinite(file["frames/positions"][:n]).all() and np.isfinite(file["frames/times"][:n]).all()
        assert (np.diff(file["frames/times"][:n]) > 0).all()
    if (directory / "energy.csv").exists():
        lines = (directory / "energy.csv").read_text().split("\n")[:-1]
        assert len({line.count(",") for line in lines}) <= 1
    return n


@pytest.mark.parametrize("method, keys", [
    ("TR-BDF2", {}),
    ("SBDF2", {}),
    ("gen-alpha", {}),
    ("BDF2", {"damping": {"stiffness": 0.002, "mass": 0.1, "at": "rest"}}),
    ("TR-BDF2", {"damping": {"stiffness": 0.002, "at": "current"}}),
    ("TR-BDF2", {"damping": {"stiffness": 0.002, "at": "frozen"}}),
    ("TR-BDF2", {"material": {"young": 2e4, "poisson": .3,
                              "viscosity": [{"share": .3, "time": .05}, {"share": .2, "time": .5}]}}),
    ("SDIRK", {"script": [{"nodes": "right", "keys": [{"time": 0}, {"time": 0.7, "rotation": ["90 deg", 0, 0]}]}]}),
], ids=["TR-BDF2", "SBDF2", "gen-alpha", "rest-damping", "current-damping", "frozen-damping", "viscosity", "scripted"])
def test_resume_after_kill(limber_program, limber_cli, long_scene, tmp_path, method, keys):
    scene = long_scene(method, **keys)
    limber_cli("run", scene, "-o", "whole", "--quiet")
    seed = method + str(sorted(keys))
    moments = sorted([0, *(random.Random(seed).randrange(2, STEPS) for _ in range(4))])
    killed_and_resumed(limber_program, limber_cli, scene, tmp_path, moments, seed)
    assert "nothing to do" in limber_cli("run", scene, "-o", "broken", "--resume").out


def memory_of_forces(directory):
    """What the forces of a run keep between steps: with contact, by how much the stiffness has grown."""
    data = (directory / "checkpoint.bin").read_bytes()
    at = data.index(struct.pack("<q", 6) + b"forces") + 14
    (count,) = struct.unpack_from("<q", data, at)
    return struct.unpack_from(f"<{count}d", data, at + 8)


@pytest.mark.parametrize("method", ["BE", "TR-BDF2", "SIERE"])
@pytest.mark.parametrize("form", ["coupled", "lagged"])
def test_resume_after_kill_with_contact(limber_program, limber_cli, write_scene, tmp_path, method, form):
    def cube(name, height, velocity):
        return {"name": name, "mesh": {"shape": "box", "size": [0.2] * 3, "cells": [2] * 3}, "velocity": velocity,
                "position": [0.11 * height, height, 0.03], "rotation": [0.1, height, 0.2],
                "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000}}

    steps = 60
    scene = write_scene({
        "time": {"step": 0.01, "duration": 0.01 * steps}, "method": {"name": method},
        "bodies": [cube("low", 0.06, [1, -8, 0]), cube("high", 0.5, [0, -12, 1])],
        "contact": {"friction": 0.4, "friction_form": form},
        "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]},
                      {"name": "ram", "shape": "sphere", "center": [-0.6, 0.1, 0.1], "radius": 0.2,
                       "motion": {"keys": [{"time": 0}, {"time": 0.4, "translation": [0.4, 0, 0]}]}}],
        "output": {"velocities": True, "checkpoint_every": 7}})
    limber_cli("run", scene, "-o", "whole", "--quiet")
    assert max(memory_of_forces(tmp_path / "whole")) > 1, "the stiffness was never raised: nothing is tested"
    assert (tmp_path / "whole/contacts.csv").read_text().count("floor") > 5
    done = killed_and_resumed(limber_program, limber_cli, scene, tmp_path, (9, 24, 41), method + form)
    assert done["resumed_from_step"] > 0
    broken = tmp_path / "broken"
    assert (tmp_path / "whole/contacts.csv").read_bytes() == (broken / "contacts.csv").read_bytes()
    assert memory_of_forces(tmp_path / "whole") == memory_of_forces(broken)


def test_counts_of_modes_go_on_where_nodes_are_released(limber_cli, bar, write_scene, tmp_path):
    """The modes of before are forgotten there, but not that they were computed."""
    scene = write_scene(bar(method={"name": "SIERE", "modes": 3}, pin=["left", {"nodes": "right", "until": 0.05}],
                            output={"checkpoint_every": 1}))
    limber_cli("run", scene, "-o", "whole", "--quiet")
    for duration in (0.03, 0.1):
        limber_cli("run", scene, "-o", "broken", "--quiet", "--resume", "--set", f"time.duration={duration}")
    whole, broken = (json.loads((tmp_path / name / "summary.json").read_text())["modes"] for name in ("whole", "broken"))
    assert whole == broken and whole["refreshes"] > 1


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_resume_after_an_interrupt(limber_program, limber_cli, long_scene, tmp_path, sent):
    scene = long_scene("TR-BDF2")
    limber_cli("run", scene, "-o", "whole", "--quiet")
    command = [limber_program, "run", scene, "-o", "broken", "--quiet"]
    assert stop_at(command, tmp_path / "broken", 40, 0, sent, tmp_path)
    summary = json.loads((tmp_path / "broken/summary.json").read_text())
    # 40 lines: the heading, the start and 38 steps; the one in progress is undone.
    assert summary["end"] == "interrupted" and 38 <= summary["steps"] < STEPS
    resumed = limber_cli("run", scene, "-o", "broken", "--json", "--resume").json
    assert resumed["end"] == "finished" and 17 <= resumed["resumed_from_step"] <= summary["steps"]
    assert_same_results(tmp_path / "whole", tmp_path / "broken")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_resume_from_a_checkpoint_by_work(limber_program, limber_cli, bar, write_scene, tmp_path, sent):
    """Its step follows from counts of solves: the same ones in every run, whenever that ends."""
    scene = write_scene(bar(method={"name": "TR-BDF2", "newton_tolerance": 1e-9},
                            mesh={"shape": "box", "size": [1, 0.25, 0.25], "cells": [16, 4, 4]},
                            time={"step": 0.005, "duration": 0.005 * 60},
                            output={"velocities": True, "checkpoint_every": 1000, "checkpoint_work": 0.15}))
    limber_cli("run", scene, "-o", "whole", "--quiet")
    broken, steps = tmp_path / "broken", []
    for row in (20, 45):
        command = [limber_program, "run", scene, "-o", broken, "--quiet", "--resume"]
        assert stop_at(command, broken, row, 0, sent, tmp_path), "the program was faster than the test"
        if sent != signal.SIGKILL:
            steps.append(json.loads((broken / "summary.json").read_text())["checkpoint_step"])
    done = limber_cli("run", scene, "-o", "broken", "--json", "--resume").json
    assert 0 < done["resumed_from_step"] < 60
    if steps:
        assert steps[0] < steps[1] == done["resumed_from_step"]
    assert_same_results(tmp_path / "whole", broken)


def test_an_interrupted_run_says_where_it_goes_on(limber_program, limber_cli, long_scene, tmp_path):
    process = subprocess.Popen([limber_program, "run", long_scene("TR-BDF2"), "-o", "out"], cwd=tmp_path, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    try:
        while process.poll() is None and count_rows(tmp_path / "out/energy.csv") < 40:
            time.sleep(0.0005)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[0]
    finally:
        process.kill()
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert summary["checkpoint_step"] > 0 and summary["checkpoint_step"] % 17 == 0
    assert f"goes on from step {summary['checkpoint_step']}" in said


def test_a_second_interrupt_ends_the_program_at_once(limber_program, limber_cli, long_scene, tmp_path):
    scene = long_scene("TR-BDF2")
    process = subprocess.Popen([limber_program, "run", scene, "-o", "out", "--quiet"], cwd=tmp_path)
    try:
        while process.poll() is None and count_rows(tmp_path / "out/energy.csv") < 5:
            time.sleep(0.0005)
        process.send_signal(signal.SIGSTOP)  # both are there before it can answer the first
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        process.wait(timeout=60)
    finally:
        process.kill()
    assert process.returncode in (-signal.SIGINT, -signal.SIGTERM)
    assert not (tmp_path / "out/summary.json").exists()
    assert assert_readable(tmp_path / "out") > 0
    limber_cli("run", scene, "-o", "out", "--resume", "--quiet")


def test_a_damaged_checkpoint_is_refused(limber_program, limber_cli, long_scene, tmp_path):
    scene = long_scene("BE")
    stop_at([limber_program, "run", scene, "-o", "out", "--quiet"], tmp_path / "out", 60, 0, signal.SIGKILL, tmp_path)
    path = tmp_path / "out/checkpoint.bin"
    good = path.read_bytes()
    for bad in (good[:-20], good[:100] + bytes([good[100] ^ 1]) + good[101:], b"something else"):
        path.write_bytes(bad)
        assert "checkpoint" in limber_cli("run", scene, "-o", "out", "--resume", status=2).err
    path.write_bytes(good)
    limber_cli("run", scene, "-o", "out", "--resume")


@pytest.mark.parametrize("method", ["SI", "TR-BDF2", "gen-alpha"])
@pytest.mark.parametrize("young", [1e5, 1e8], ids=["soft", "stiff"])
def test_threads_do_not_change_results(limber_cli, bar, write_scene, tmp_path, method, young):
    scene = write_scene(bar(method={"name": method}, mesh={"shape": "box", "size": [8, 1, 1], "cells": [32, 4, 4]},
                            time={"step": 0.01, "duration": 0.08},
                            material={"model": "stable_neo_hookean", "young": young, "poisson": 0.4, "density": 1000},
                            damping={"stiffness": 0.001}))
    for threads in (1, 2, 3):
        limber_cli("run", scene, "-o", f"t{threads}", "--threads", threads, "--quiet")
    assert_same_results(tmp_path / "t1", tmp_path / "t2")
    assert_same_results(tmp_path / "t1", tmp_path / "t3")
    again = limber.Simulation(limber.Scene.load(str(scene)))
    again.run(0.08)
    with h5py.File(tmp_path / "t1/trajectory.h5") as file:
        assert np.array_equal(file["frames/positions"][8], again.positions)


def smallest_files(bytes_):
    """For the child: no file may grow beyond this, and the attempt is an error instead of a signal."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
    return limit


def test_a_table_that_meets_a_full_disk(limber_cli, bar, write_scene, tmp_path):
    scene = write_scene(bar(mesh={"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]},
                            time={"step": 0.001, "duration": 2},
                            output={"frames_every": 500, "checkpoint_every": 100}))
    done = limber_cli("run", scene, "-o", "out", "--quiet", status=1, preexec_fn=smallest_files(128 * 1024))
    assert "energy.csv" in done.err
    table = (tmp_path / "out/energy.csv").read_text().split("\n")
    assert 100 < len(table) < 2000 and (tmp_path / "out/energy.csv").stat().st_size <= 128 * 1024
    assert assert_readable(tmp_path / "out") >= 1
    limber_cli("check", "out")
    limber_cli("run", scene, "-o", "out", "--quiet", "--resume")
    limber_cli("run", scene, "-o", "whole", "--quiet")
    assert_same_results(tmp_path / "whole", tmp_path / "out")


def test_a_trajectory_that_does_not_fit(limber_cli, long_scene, tmp_path):
    done = limber_cli("run", long_scene("BE"), "-o", "out", "--quiet", status=1, preexec_fn=smallest_files(64 * 1024))
    assert "trajectory" in done.err


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk takes root")
def test_a_disk_that_fills(limber_program, limber_cli, long_scene, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "limber-test", disk], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("no small disk can be mounted here")
    try:
        scene = long_scene("BE")
        done = limber_cli("run", scene, "-o", disk / "out", "--quiet", status=1)
        assert "trajectory.h5" in done.err or "energy.csv" in done.err or "checkpoint" in done.err
        assert 2 <= assert_readable(disk / "out") < STEPS // 2
        limber_cli("check", disk / "out")
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        limber_cli("run", scene, "-o", disk / "out", "--quiet", "--resume")
        limber_cli("run", scene, "-o", "whole", "--quiet")
        assert_same_results(tmp_path / "whole", disk / "out")
    finally:
        subprocess.run(["umount", disk], check=True)
