"""Runs that go on: extended ones, ones that were killed at the very end, damaged checkpoints; and frames between steps."""

import json
import resource
import signal
import struct
import subprocess
import time

import numpy as np
import pytest

from test_resume import assert_same_results

h5py = pytest.importorskip("h5py")

EVERY = 7  # steps between checkpoints


@pytest.fixture
def scene_of(bar, write_scene):
    """A scene of so many steps, with checkpoints in between, as a file."""

    def make(steps, **keys):
        keys.setdefault("time", {"step": 0.01, "duration": 0.01 * steps})
        keys.setdefault("output", {"velocities": True, "checkpoint_every": EVERY})
        return write_scene(bar(**keys), f"scene_{steps}.json")

    return make


def summary_of(directory):
    summary = json.loads((directory / "summary.json").read_text())
    for key in ("wall_seconds", "resumed_from_step"):
        del summary[key]
    return summary


@pytest.mark.parametrize("keys", [
    {"damping": {"stiffness": 0.01, "mass": 0.1, "at": "frozen"}},
    {"damping": {"stiffness": 0.01, "at": "rest"}, "method": {"name": "SIERE", "modes": 4}},
    {"method": {"name": "ERE"}},
    {"material": {"model": "neo_hookean", "young": 500, "poisson": 0.45, "density": 1000}, "method": {"name": "SI"},
     "gravity": [-30, 0, 0], "time": {"step": 0.1, "duration": 2.1}},  # steps that are taken by the full Newton, with notes
], ids=["frozen-damping", "SIERE", "ERE", "escalated"])
def test_an_extended_run_is_one_that_was_planned_so_long(limber_cli, scene_of, tmp_path, keys):
    long = scene_of(3 * EVERY, **keys)
    step = keys.get("time", {"step": 0.01})["step"]
    first = ("--set", f"time.duration={EVERY * step}")
    limber_cli("run", long, "-o", "whole", "--quiet")
    limber_cli("run", long, "-o", "parts", "--quiet", *first)
    assert json.loads((tmp_path / "parts/summary.json").read_text())["steps"] == EVERY
    limber_cli("run", long, "-o", "parts", "--quiet", "--resume")
    assert_same_results(tmp_path / "whole", tmp_path / "parts", grown=True)
    # Iterations, factorisations and notes are those of the whole run too.
    assert ("SI" == keys.get("method", {}).get("name")) == (len(summary_of(tmp_path / "parts")["notes"]) > 0)
    assert summary_of(tmp_path / "whole") == summary_of(tmp_path / "parts")
    assert (tmp_path / "whole/checkpoint.bin").read_bytes() == (tmp_path / "parts/checkpoint.bin").read_bytes()
    kept = json.loads((tmp_path / "parts/scene.json").read_text())
    assert kept["time"] == json.loads(long.read_text())["time"]
    # Back is no way.
    refused = limber_cli("run", long, "-o", "parts", "--resume", *first, status=2)
    assert f"time.duration: {EVERY * step} s are {EVERY} steps, but parts holds {3 * EVERY} already" in refused.err


def test_what_a_kill_at_the_end_left_out_is_made_good(limber_cli, scene_of, tmp_path):
    scene = scene_of(10)
    limber_cli("run", scene, "-o", "out", "--quiet")
    before, plotted = summary_of(tmp_path / "out"), (tmp_path / "out/energy.png").exists()
    for gone in (["summary.json", "energy.png"], ["energy.png"]):
        for name in gone:
            (tmp_path / "out" / name).unlink(missing_ok=True)
        limber_cli("run", scene, "-o", "out", "--quiet", "--resume")
        assert summary_of(tmp_path / "out") == before
        assert (tmp_path / "out/energy.png").exists() == plotted
    # Killed before its end had been told, or while it was an interrupted one.
    (tmp_path / "out/summary.json").write_text(json.dumps({"end": "interrupted", "steps": 9}))
    limber_cli("run", scene, "-o", "out", "--quiet", "--resume")
    assert summary_of(tmp_path / "out") == before
    assert "nothing to do" in limber_cli("run", scene, "-o", "out", "--resume").out


def test_without_a_checkpoint_it_starts_anew_and_says_so(limber_cli, scene_of, tmp_path):
    scene = scene_of(10)
    said = "note: there is no checkpoint in out: the run starts from the beginning"
    assert said in limber_cli("run", scene, "-o", "out", "--resume").err
    (tmp_path / "out/checkpoint.bin").unlink()
    assert said in limber_cli("run", scene, "-o", "out", "--resume").err
    limber_cli("run", scene, "-o", "whole", "--quiet")
    assert_same_results(tmp_path / "whole", tmp_path / "out")


class Checkpoint:
    """checkpoint.bin, as docs/output.md describes it."""

    def __init__(self, data):
        assert data[:8] == b"LIMBERCP" and struct.unpack_from("<q", data, 8) == (2,)
        self.rest, self.at = data[24:-8], 0
        self.counts = [self.integer() for _ in range(3)]
        self.history = [[self.number(), self.vector(), self.vector(), self.vector()] for _ in range(self.integer())]
        self.numbers = {self.text(): self.number() for _ in range(self.integer())}
        self.vectors = {self.text(): self.vector() for _ in range(self.integer())}
        self.texts = {self.text(): self.text() for _ in range(self.integer())}
        self.scene = self.text()
        assert self.at == len(self.rest)

    def integer(self):
        self.at += 8
        return struct.unpack_from("<q", self.rest, self.at - 8)[0]

    def number(self):
        self.at += 8
        return struct.unpack_from("<d", self.rest, self.at - 8)[0]

    def text(self):
        size = self.integer()
        self.at += size
        return self.rest[self.at - size:self.at]

    def vector(self):
        size = self.integer()
        self.at += 8 * size
        return np.frombuffer(self.rest[self.at - 8 * size:self.at], "<f8")

    def bytes(self):
        def text(x):
            return struct.pack("<q", len(x)) + x

        def vector(x):
            return struct.pack("<q", len(x)) + np.asarray(x, "<f8").tobytes()

        def table(entries, put):
            return struct.pack("<q", len(entries)) + b"".join(text(k) + put(x) for k, x in sorted(entries.items()))

        payload = b"".join(struct.pack("<q", n) for n in self.counts) + struct.pack("<q", len(self.history))
        for t, q, v, a in self.history:
            payload += struct.pack("<d", t) + vector(q) + vector(v) + vector(a)
        payload += table(self.numbers, lambda x: struct.pack("<d", x)) + table(self.vectors, vector)
        payload += table(self.texts, text) + text(self.scene)
        checksum = 0xcbf29ce484222325
        for byte in payload:
            checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
        return b"LIMBERCP" + struct.pack("<qq", 2, len(payload)) + payload + struct.pack("<Q", checksum)


def test_a_checkpoint_without_an_entry_or_of_wrong_length_is_refused(limber_cli, scene_of, tmp_path):
    long = scene_of(2 * EVERY, method={"name": "SIERE", "modes": 3})
    limber_cli("run", long, "-o", "out", "--quiet", "--set", f"time.duration={0.01 * EVERY}")
    path = tmp_path / "out/checkpoint.bin"
    good = path.read_bytes()
    assert Checkpoint(good).bytes() == good

    def refused(change, entry, words):
        checkpoint = Checkpoint(good)
        change(checkpoint)
        path.write_bytes(checkpoint.bytes())
        err = limber_cli("run", long, "-o", "out", "--resume", "--quiet", status=2).err
        assert err.startswith("limber: out/checkpoint.bin: cannot be resumed from: ") and "--overwrite" in err
        assert f"its entry '{entry}' {words}" in err, err

    for name in (b"supply", b"damping_power", b"modes.age", b"count.newton_iterations"):
        refused(lambda c, n=name: c.numbers.pop(n), name.decode(), "is missing")
    for name in (b"forces", b"account", b"modes.X"):
        refused(lambda c, n=name: c.vectors.pop(n), name.decode(), "is missing")
    refused(lambda c: c.texts.clear(), "notes", "is missing")
    account = len(Checkpoint(good).vectors[b"account"])
    refused(lambda c: c.vectors.update({b"account": c.vectors[b"account"][:-1]}), "account",
            f"has {account - 1} numbers, expected {account}")
    refused(lambda c: c.vectors.update({b"forces": c.vectors[b"forces"][:-1]}), "forces", "")
    refused(lambda c: c.vectors.update({b"forces": np.append(c.vectors[b"forces"], 1)}), "forces", "")
    refused(lambda c: c.vectors.update({b"modes.X": c.vectors[b"modes.X"][:-1]}), "modes.X", "has ")
    refused(lambda c: c.vectors.update({b"modes.X": c.vectors[b"modes.X"][:-9]}), "modes.X", "has ")
    n = len(Checkpoint(good).history[0][1])
    refused(lambda c: c.history[0].__setitem__(2, np.zeros(n - 1)), "history[0].v", f"has {n - 1} numbers, expected {n}")
    t = Checkpoint(good).history[0][0]
    refused(lambda c: c.history.__setitem__(slice(None), [[t, np.zeros(3), np.zeros(3), np.zeros(0)]]),
            "modes.X", f"has {n} numbers, expected 3")
    refused(lambda c: c.history[0].__setitem__(0, t + 1), "history[0].t", "is ")

    def other_system(c):
        c.history[:] = [[t, np.zeros(3), np.zeros(3), np.zeros(0)]]
        for name in (b"modes.X", b"modes.lambda"):
            del c.vectors[name]

    refused(other_system, "history[0].q", f"has 3 numbers, but the system has {n} unknowns")
    refused(lambda c: c.history.clear(), "history", "has no state")
    path.write_bytes(good)
    limber_cli("run", long, "-o", "out", "--resume", "--quiet")


@pytest.mark.parametrize("contact", [False, True])
@pytest.mark.parametrize("mass", ["lumped", "consistent"])  # of the latter reactions need a solve, which such frames ended
@pytest.mark.parametrize("method", ["BE", "TR"])
def test_frames_between_steps_are_not_inverted(limber_program, limber_cli, bar, write_scene, tmp_path, method, mass,
                                               contact):
    # A soft bar that is pushed together: the cubic through two steps turned hundreds of elements over.
    scene = bar(method={"name": method}, gravity=[-30, 0, 0], time={"step": 0.1, "duration": 0.8}, mass=mass,
                material={"model": "neo_hookean", "young": 1e3, "poisson": 0.3, "density": 1000}, output={"fps": 200})
    if contact:
        scene["contact"] = {}
    limber_cli("run", write_scene(scene), "-o", "out", "--quiet")
    # Without contact its triangles may meet.
    done = subprocess.run([limber_program, "check", "out", "--json"], cwd=tmp_path, capture_output=True)
    found = json.loads(done.stdout)
    assert done.returncode == 0 or not contact
    assert found["frames"] == 161 and found["inverted"] == 0 and found["min_det_F"] > 0
    with h5py.File(tmp_path / "out/trajectory.h5") as file:
        x = file["frames/positions"][:]
    # More than the nine steps are shown: where it may be, frames are still interpolated.
    assert np.any(np.diff(x, axis=0) != 0, axis=(1, 2)).sum() > 20


def test_ten_million_planned_frames_take_no_room_before_they_come(limber_program, bar, write_scene, tmp_path):
    scene = write_scene(bar(time={"step": 1e-4, "duration": 1000}, method={"name": "symplectic-euler"},
                            mesh={"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}))

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))

    command = [limber_program, "run", scene, "-o", "out", "--quiet", "--threads", "1"]
    process = subprocess.Popen(command, cwd=tmp_path, preexec_fn=limit)
    try:
        deadline = time.monotonic() + 60
        table = tmp_path / "out/energy.csv"
        while process.poll() is None and time.monotonic() < deadline:
            if table.exists() and table.read_bytes().count(b"\n") > 50:
                break
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    assert json.loads((tmp_path / "out/summary.json").read_text())["steps_planned"] == 10_000_000
    assert sum(f.stat().st_blocks * 512 for f in (tmp_path / "out").iterdir()) < 50e6
