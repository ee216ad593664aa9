"""Runs in which nodes are released go on from a checkpoint before and after that."""

import pytest

from test_resume import arrays_of


@pytest.mark.parametrize("method", ["TR-BDF2", "SBDF2ERE"])
@pytest.mark.parametrize("stop", [4, 8, 12])
def test_resume_before_and_after_a_release(limber_cli, write_scene, bar, tmp_path, method, stop):
    def scene(steps):
        return write_scene(bar(method={"name": method}, mesh={"shape": "box", "size": [1, 0.25, 0.25], "cells": [4, 1, 1]},
                               time={"step": 0.01, "duration": 0.01 * steps}, output={"checkpoint_every": 4},
                               pin=["left", {"nodes": "right", "until": 0.05}, {"nodes": {"box": {"min": [0.4, -1, -1], "max": [0.6, 1, 1]}}, "until": 0.08}]),
                           f"{steps}.json")

    limber_cli("run", scene(20), "-o", "whole", "--quiet")
    limber_cli("run", scene(stop), "-o", "parts", "--quiet")
    limber_cli("run", scene(20), "-o", "parts", "--quiet", "--resume")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert arrays_of(whole / "trajectory.h5") == arrays_of(parts / "trajectory.h5")  # planned shorter, its file has grown
    assert (whole / "trajectory.xdmf").read_bytes() == (parts / "trajectory.xdmf").read_bytes()
