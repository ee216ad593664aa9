"""What the Python tests share: the program that was built, small scenes, and a way to run it."""

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

# A shell starts jobs in the background with Ctrl-C ignored, and what they start inherits that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[2]

# Files that take more than a few seconds, more than half of the time of all: `pytest -m 'not slow'` leaves them out.
SLOW = {"test_contact_scenes", "test_energy_beam", "test_install", "test_soak", "test_studies", "test_studies_more"}


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.stem in SLOW:
            item.add_marker("slow")


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def limber_program():
    """The command-line program; LIMBER_BUILD_DIR names another build than build/."""
    program = Path(os.environ.get("LIMBER_BUILD_DIR", ROOT / "build")).resolve() / "bin" / "limber"
    assert program.is_file(), f"{program} is not there: build it first, or set LIMBER_BUILD_DIR"
    return program


@dataclass
class Done:
    status: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def limber_cli(limber_program, tmp_path):
    """Runs `limber ARGUMENTS` in an empty folder."""

    def run(*arguments, status=0, **options):
        options = {"cwd": tmp_path, "timeout": 120, **options}
        done = subprocess.run([limber_program, *map(str, arguments)], capture_output=True, text=True, **options)
        said = f"limber {' '.join(map(str, arguments))}: {done.returncode}\n{done.stdout}{done.stderr}"
        assert done.returncode == status, said
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def bar():
    """A bar of 4 x 1 x 1 cells, held at its left end, as a fresh dict. Keys replace those of the scene or its body."""

    def make(**keys):
        body = {
            "name": "bar",
            "mesh": {"shape": "box", "size": [1, 0.25, 0.25], "cells": [4, 1, 1], "split": "five"},
            "material": {"model": "stable_neo_hookean", "young": 2e4, "poisson": 0.3, "density": 1000},
            "pin": ["left"],
        }
        scene = {"time": {"step": 0.01, "duration": 0.1}, "method": {"name": "TR-BDF2"}}
        for key, value in keys.items():
            target = scene if key in ("time", "method", "gravity", "output", "attachments", "wind", "threads") else body
            target[key] = value
            if value is None:
                del target[key]
        scene["bodies"] = [body]
        return scene

    return make


@pytest.fixture
def write_scene(tmp_path):
    """Writes a dict as a scene file and returns its path."""

    def write(scene, name="scene.json"):
        path = tmp_path / name
        path.write_text(json.dumps(scene), encoding="utf-8")
        return path

    return write
