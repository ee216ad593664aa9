"""`limber view` on recorded runs: their energies, their times, and how low they hang; and recordings beside a simulation."""

import csv
import json
import os
from pathlib import Path

import pytest

from view_client import Frame, Page, Viewer

SCENE = {
    "time": {"step": 0.01, "duration": 0.4},
    "method": {"name": "BE"},
    "bodies": [{"name": "beam", "mesh": {"shape": "box", "size": [1, 0.1, 0.1], "cells": [6, 1, 1]},
                "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000},
                "damping": {"mass": 0.5}, "pin": ["left"]}],
    "output": {"fps": 10, "velocities": True},
}


@pytest.fixture
def run(limber_cli, write_scene, tmp_path):
    """The directory of a run with five frames and 41 rows of energies."""
    limber_cli("run", write_scene(SCENE), "-o", "run", "--quiet")
    return tmp_path / "run"


@pytest.fixture
def shown(limber_program, tmp_path):
    """The scene and the first tick of a page on `limber view ARGUMENTS`."""

    def show(*arguments, then=lambda page: None):
        with Viewer(limber_program, *arguments, cwd=tmp_path) as viewer, Page(viewer) as page:
            page.ask("next")
            scene, tick = page.until("scene"), page.until("tick")
            then(page)
        assert viewer.status == 0, viewer.errors
        return scene, tick

    return show


def energies(run):
    with open(run / "energy.csv") as file:
        rows = [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]
    names = ("time", "kinetic", "elastic", "gravitational", "contact", "external", "total")
    return [[row[n] for n in names] + [row["damping_loss"] + row["friction_loss"], row["wall_ms"]] for row in rows]


def test_a_replay_has_the_energies_and_the_time_of_its_run(run, shown):
    expected = energies(run)
    assert len(expected) == 41 and expected[20][1] > 0 and expected[-1][7] > 0
    scene, tick = shown(run)
    assert scene["replay"] and scene["frame_times"] == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert tick["time"] == pytest.approx(0.4)  # that of the run, not of the first frame
    rows = tick["panes"][0]["rows"]
    assert rows == [pytest.approx(row, rel=1e-7, abs=1e-12) for row in expected]
    assert all(b[0] > a[0] for a, b in zip(rows, rows[1:]))


def edit(run, change):
    path = run / "energy.csv"
    path.write_bytes(change(path.read_bytes()))


HUGE = b"time,kinetic\n" + b"0" * 300000 + b",1\n"


@pytest.mark.parametrize("change, count, note", [
    (lambda text: b"", 0, "energy.csv cannot be read, or is empty"),
    (lambda text: text[:text.index(b"\n", 2000) + 20], None, ""),  # cut off within a line: the run goes on, or was killed
    (lambda text: b"a,b\n1,2\n", 0, "energy.csv has no column 'time'"),
    (lambda text: os.urandom(100000).replace(b"\n", b" "), 0, "energy.csv cannot be read, or is empty"),
    (lambda text: text + b"1,2\nx" + b"," * 30 + b"\n" + text[text.index(b"\n") + 1:], 41, "energy.csv: 43 lines are no rows"),
    (lambda text: HUGE, 0, "energy.csv: a line is too long"),
    (lambda text: b"time,kinetic\nnan,1\ninf,2\n-inf,3\n1e999,4\n0,nan\n1,1e308\n2,x\n", 3, "energy.csv: 4 lines are no rows"),
    (lambda text: text.replace(b"\n", b"\r\n"), 41, ""),
], ids=["empty", "cut", "columns", "noise", "bad rows", "long line", "not finite", "line ends"])
def test_a_replay_needs_no_good_energies(run, shown, change, count, note):
    whole = len(energies(run))
    edit(run, change)
    scene, tick = shown(run, then=seek_all)
    rows = tick["panes"][0]["rows"]
    assert len(rows) == count if count is not None else 0 < len(rows) < whole
    if note:
        assert any(note in said for said in scene["notes"]), scene["notes"]
    else:
        assert not any("energy.csv" in said for said in scene["notes"])


def shown_at(page, frame):
    """The pictures that come until this frame of a run is shown; the last one is that of the frame."""
    page.ask("seek", frame=frame)
    pictures = []
    while True:
        page.ask("next")
        tick = page.until("tick")
        pictures += [Frame(m) for m in page.passed if isinstance(m, bytes)]
        if tick["frame"] == frame:
            return pictures


def seek_all(page):
    for frame in range(1, 5):
        assert shown_at(page, frame)[-1].time == pytest.approx(0.1 * frame)


@pytest.mark.parametrize("make", [lambda path: None, os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")],
                         ids=["missing", "pipe", "folder", "endless"])
def test_a_replay_takes_only_a_file_for_its_energies(run, shown, make):
    (run / "energy.csv").unlink()
    make(run / "energy.csv")
    scene, tick = shown(run)
    assert tick["panes"][0]["rows"] == [] and "the run has no energy.csv" in scene["notes"]


def test_columns_that_are_missing_are_not_taken_for_zero(run, shown):
    (run / "energy.csv").write_text("time,total,damping_loss\n0,1,0\n0.4,2,0.5\n")
    _, tick = shown(run)
    assert tick["panes"][0]["rows"] == [[0, None, None, None, None, None, 1, 0, None],
                                        [0.4, None, None, None, None, None, 2, 0.5, None]]


def test_of_very_many_energies_some_are_shown_and_the_last(run, shown):
    count = 100000
    (run / "energy.csv").write_text("time,total\n" + "".join(f"{k / count},{k}\n" for k in range(count)))
    _, tick = shown(run)
    rows = tick["panes"][0]["rows"]
    assert 10000 <= len(rows) <= 20000
    steps = [b[6] - a[6] for a, b in zip(rows, rows[1:-1])]
    assert rows[0][6] == 0 and rows[-1][6] == count - 1 and min(steps) == max(steps)


def test_several_methods_on_a_run_start_from_what_it_shows(run, shown):
    def fork(page):
        page.ask("next")
        page.ask("fork", frame=2, set={})
        assert [pane["method"] for pane in page.until("scene")["panes"]] == ["BE", "TR-BDF2"]

    scene, tick = shown(run, "--methods", "BE,TR-BDF2", then=fork)
    assert len(scene["panes"]) == len(tick["panes"]) == 2
    assert tick["panes"][0]["rows"] == tick["panes"][1]["rows"] != []


def test_a_replay_tells_how_low_it_hangs(limber_cli, write_scene, shown, tmp_path):
    rope = {"time": {"step": 0.01, "duration": 0.5}, "method": "BE", "output": {"fps": 20},
            "bodies": [{"name": "rope", "thickness": "1 cm", "pin": [{"nodes": [0]}],
                        "mesh": {"shape": "chain", "from": [0, 0, 0], "to": [1, 0, 0], "segments": 10},
                        "material": {"young": 1e6, "poisson": 0.3, "density": 1000}}]}
    path = write_scene(rope)
    limber_cli("run", path, "-o", "rope", "--quiet")
    heights = []

    def look(page):
        for frame in range(1, 11):
            heights.extend(y for _, y, _ in shown_at(page, frame)[-1].positions)

    scene, _ = shown("rope", then=look)
    assert scene["lowest"] < -0.5 and scene["lowest"] == pytest.approx(min(heights), rel=1e-6)
    assert "lowest" not in shown(path)[0]  # of a simulation nobody knows


def processor_times(viewer):
    """Seconds that each thread has computed, by name."""
    times = {}
    for task in Path(f"/proc/{viewer.process.pid}/task").iterdir():
        name, _, rest = (task / "stat").read_text().partition("(")[2].rpartition(")")
        user, system = rest.split()[11:13]
        times[name] = times.get(name, 0) + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return times


def test_a_recording_gets_its_share_beside_a_simulation(limber_program, write_scene, tmp_path):
    """Counted in the time of the processor that the two threads took, which does not depend on what else it does."""
    scene = json.loads(json.dumps(SCENE))
    scene["bodies"][0]["mesh"]["cells"] = [16, 4, 4]  # a step takes some milliseconds
    with Viewer(limber_program, write_scene(scene), "--threads", "1", cwd=tmp_path) as viewer, Page(viewer) as page:
        page.ask("next")
        page.ask("speed", factor=0)
        while page.until("tick")["frames"] < 7:
            page.ask("next")
        page.ask("next")
        page.ask("record", format="mp4")
        before, shares, simulated = None, [], []
        while True:
            message = page.receive()
            if not isinstance(message, dict):
                continue
            assert message["is"] != "error", message
            if message["is"] == "tick":
                page.ask("next")
                simulated.append(message["time"])
            if message["is"] == "recording":
                before = before or processor_times(viewer)
                shares.append(message["done"])
            if message["is"] == "recorded":
                break
        after = processor_times(viewer)
    taken = {name: after[name] - before[name] for name in ("simulation", "recording")}
    assert shares == sorted(shares) and shares[-1] == 1
    assert taken["recording"] > 0.2, taken
    assert taken["simulation"] < 0.6 * taken["recording"], taken
    assert simulated[-1] > simulated[0]  # it does go on
