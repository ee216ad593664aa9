"""Processes that must not wait for each other in vain: what they decide and whether they fail is the same on all."""

import json

import pytest

from test_mpi import assert_same_motion, frames, limber, run  # noqa: F401: run is a fixture


def two_blocks(method, **output):
    """One moves and one rests; each is the work of one process."""
    def block(name, height, velocity):
        return {"name": name, "mesh": {"shape": "box", "size": [1, 0.2, 0.2], "cells": [3, 1, 1]}, "pin": ["left"],
                "position": [0, height, 0], "velocity": velocity, "material": {"young": 1e5, "poisson": 0.3}}

    return {"time": {"step": 0.005, "duration": 0.05}, "method": method, "gravity": [0, 0, 0],
            "bodies": [block("moves", 0, [0, 1, 0]), block("rests", 1, [0, 0, 0])], "output": {"velocities": True, **output}}


@pytest.mark.parametrize("freeze", [False, True])
def test_a_tangent_is_frozen_on_all_processes_or_on_none(run, freeze):  # noqa: F811
    scene = two_blocks({"name": "SSDIRK", "freeze": freeze, "linear_tolerance": 1e-13})
    assert_same_motion(run(scene, 1), run(scene, 2), 10)


@pytest.mark.parametrize("method", ["BE", "SIERE"])
@pytest.mark.parametrize("file", ["checkpoint.bin.tmp", "energy.csv", "probes.csv"])
def test_a_full_disk_ends_all_processes(tmp_path, method, file):
    """The name leads to a device that is always full."""
    scene = two_blocks({"name": method}, checkpoint_every=2, probes=[{"name": "p", "body": "moves", "point": [1, 0.1, 0.1]}])
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / file).symlink_to("/dev/full")
    said = limber(2, "run", tmp_path / "scene.json", "-o", tmp_path / "out", "--resume", "--quiet", status=1)
    assert "disk is full" in said
    if file == "checkpoint.bin.tmp":
        assert json.loads((tmp_path / "out" / "summary.json").read_text())["end"] == "failed"
        assert len(frames(tmp_path / "out")["positions"]) >= 2


def test_a_damaged_checkpoint_is_refused_by_all_processes(tmp_path):
    scene = two_blocks({"name": "BE"}, checkpoint_every=2)
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    path = tmp_path / "out"
    limber(2, "run", tmp_path / "scene.json", "-o", path, "--quiet")
    data = bytearray((path / "checkpoint.bin").read_bytes())
    at = data.index(b"start_time") + len(b"start_time")
    data[at:at + 8] = b"\xff" * 8  # not a number
    payload = bytes(data[24:-8])
    checksum = 0xcbf29ce484222325
    for byte in payload:
        checksum = (checksum ^ byte) * 0x100000001b3 % (1 << 64)
    (path / "checkpoint.bin").write_bytes(bytes(data[:24]) + payload + checksum.to_bytes(8, "little"))
    scene["time"]["duration"] = 0.06
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    said = limber(2, "run", tmp_path / "scene.json", "-o", path, "--resume", "--quiet", status=2)
    assert "its entry 'start_time' is" in said
