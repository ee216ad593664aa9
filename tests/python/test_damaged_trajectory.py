"""Trajectories that someone has changed: every reader says which array is wrong, and none looks outside the file."""

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")

SECRET = b"the words of someone else, which are none of a reader's business"


@pytest.fixture
def finished(limber_cli, write_scene, bar, tmp_path):
    """A run of twelve frames with a checkpoint after the eighth step, and its scene, which is to go on."""
    keys = {"mesh": {"shape": "box", "size": [1, 0.25, 0.25], "cells": [4, 1, 1]},
            "output": {"velocities": True, "checkpoint_every": 4}}
    short = write_scene(bar(time={"step": 0.01, "duration": 0.08}, **keys), "short.json")
    limber_cli("run", short, "-o", "out", "--quiet")
    (tmp_path / "secret").write_bytes(SECRET)
    return write_scene(bar(time={"step": 0.01, "duration": 0.12}, **keys), "long.json")


def change(name, values):
    def do(file, _):
        file[name][...] = values(file[name][...])
    return do


def put(index, number):
    def change_one(array):
        array[index] = number
        return array
    return change_one


def replaced(name, make):
    def do(file, folder):
        old = file[name][...]
        del file[name]
        make(file, name, old, folder)
    return do


def link_elsewhere(file, name, old, folder):
    with h5py.File(folder / "other.h5", "w") as other:
        other["array"] = old
    file[name] = h5py.ExternalLink("other.h5", "/array")


def store_elsewhere(file, name, old, folder):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_external(str(folder / "secret").encode(), 0, h5py.h5f.UNLIMITED)
    space = h5py.h5s.create_simple(old.shape)
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.NATIVE_DOUBLE, space, plist)


def huge(file, name, old, _):
    file.create_dataset(name, (1 << 40, *old.shape[1:]), chunks=(64, *old.shape[1:]), dtype=old.dtype, compression=1)


def attribute(name, value):
    def do(file, _):
        del file.attrs[name]
        file.attrs[name] = value
    return do


DAMAGES = {
    "a node that is none": (change("rest/tets", put((3, 1), 1000)), "/rest/tets names node 1000"),
    "a negative node": (change("rest/tets", put((0, 0), -1)), "/rest/tets names node -1"),
    "a pinned node that is none": (change("rest/prescribed", put(0, 1 << 30)), "/rest/prescribed names node"),
    "too many nodes in a body": (change("bodies/nodes", put((0, 1), 2 ** 31 - 1)), "/bodies"),
    "a body before the first": (change("bodies/tets", put((0, 0), -4)), "/bodies"),
    "no pieces": (change("bodies/pieces", put(0, 0)), "/bodies/pieces"),
    "regions for some": (replaced("rest/region", lambda f, n, old, _: f.create_dataset(n, data=old[:-1])), "/rest/region"),
    "frames of fewer nodes": (replaced("frames/positions", lambda f, n, old, _: f.create_dataset(n, data=old[:, 1:])),
                              "/frames/positions"),
    "no times": (replaced("frames/times", lambda *_: None), "/frames/times is missing"),
    "a link": (replaced("frames/positions", link_elsewhere), "/frames/positions does not lie in the file"),
    "a file of others": (replaced("rest/nodes", store_elsewhere), "/rest/nodes does not lie in the file"),
    "more than there is room for": (replaced("frames/positions", huge), "/frames/positions does not lie in the file"),
    "frames that are not written": (change("frames_written", put(0, 1 << 40)), "/frames_written"),
    "many versions": (attribute("format_version", np.full(4096, 1, "i4")), "trajectory format"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_trajectory_is_refused(limber_cli, finished, tmp_path, name):
    damage, said = DAMAGES[name]
    with h5py.File(tmp_path / "out" / "trajectory.h5", "r+") as file:
        damage(file, tmp_path)
    for command in (["check", "out"], ["export", "out", "-o", "x.obj"], ["run", finished, "-o", "out", "--resume"]):
        done = limber_cli(*command, status=2)
        assert said in done.err, command
        for part in (SECRET[:8], str(np.frombuffer(SECRET[:8])[0]).encode()):
            assert part not in (done.err + done.out).encode()


def test_a_version_that_is_a_list_is_no_text(limber_cli, finished, tmp_path):
    with h5py.File(tmp_path / "out" / "trajectory.h5", "r+") as file:
        attribute("limber_version", np.array(["1.2.3"] * 4096, "S5"))(file, tmp_path)
    limber_cli("check", "out")
    limber_cli("run", finished, "-o", "out", "--resume")
