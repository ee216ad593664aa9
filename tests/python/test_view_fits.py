"""`limber view`: fits of a scene to observed positions, as a page asks for them."""

import json
import subprocess
import time

import pytest

from view_client import Page, Topology, Viewer

YOUNG, DENSITY = "bodies[0].material.young", "bodies[0].material.density"
SCENE = {
    "time": {"step": 0.01, "duration": 0.3},
    "method": {"name": "TR-BDF2"},
    "bodies": [{"name": "beam", "velocity": [0, 0, 0], "mesh": {"shape": "box", "size": [0.4, 0.1, 0.1], "cells": [4, 1, 1]},
                "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000},
                "pin": ["left"]}],
    "output": {"probes": [{"name": "tip", "body": "beam", "point": [0.4, 0.05, 0.05]}]},
}


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene" / "beam.json"
    path.parent.mkdir()
    path.write_text(json.dumps(SCENE))
    return path


@pytest.fixture
def table(limber_program, scene, tmp_path):
    """What the beam does with 150 kPa: columns x and y of its tip."""
    run = tmp_path / "measured"
    subprocess.run([limber_program, "run", scene, "--set", f"{YOUNG}=150000", "-o", run, "--quiet"], check=True)
    rows = [line.split(",") for line in (run / "probes.csv").read_text().splitlines()]
    assert rows[0][:3] == ["time", "tip.x", "tip.y"]
    return "\n".join(",".join(row[:3]) for row in rows) + "\n"


@pytest.fixture
def viewer(limber_program, scene, tmp_path):
    with Viewer(limber_program, scene, cwd=tmp_path) as viewer:
        yield viewer
    assert viewer.status == 0, viewer.errors
    assert "Sanitizer" not in viewer.errors, viewer.errors


def opened(viewer):
    page = Page(viewer)
    assert page.receive()["is"] == "hello"
    page.ask("pause")
    page.ask("next")
    page.scene = page.until("scene")
    Topology(page.receive())
    return page


def refused(page, do, **keys):
    page.ask(do, **keys)
    page.ask("next")
    return page.until("error")


def test_what_a_table_holds_and_what_can_be_varied(viewer, table):
    with opened(viewer) as page:
        page.ask("observe", pane=0, name="tip.csv", table=table)
        observed = page.until("observed")
        assert observed["name"] == "tip.csv" and observed["count"] == 62 and observed["all_columns"] == 2
        x, y = observed["columns"]
        assert (x["name"], y["name"]) == ("tip.x", "tip.y") and x["times"] == pytest.approx([.01 * k for k in range(31)])
        assert x["values"][0] == pytest.approx(.4) and min(y["values"]) < 0
        offered = {p["name"]: p for p in observed["parameters"]}
        assert offered[YOUNG] == {"name": YOUNG, "value": 1e5, "low": 1e4, "high": 1e6}
        assert {DENSITY, "bodies[0].damping.mass"} < set(offered) and "contact.friction" not in offered


def test_a_fit_is_shown_as_it_goes_and_its_values_are_set(viewer, table):
    with opened(viewer) as page:
        page.ask("fit", pane=0, name="tip.csv", table=table, vary={YOUNG: ["10 kPa", 1e6]})
        first = page.until("fitting")
        assert first["evaluation"] == 1 and first["values"] == {YOUNG: pytest.approx(1e5)} and first["rms"] > 1e-3
        assert [c["name"] for c in first["motion"]] == ["tip.x", "tip.y"] and len(first["motion"][0]["times"]) == 31
        fitted = page.until("fitted")
        assert fitted["converged"] and fitted["values"][YOUNG] == pytest.approx(150000, rel=1e-4)
        low, high = fitted["confidence"][YOUNG]
        assert low < fitted["values"][YOUNG] < high and fitted["rms"] < 1e-6
        seen = [float(line.split(",")[2]) for line in table.splitlines()[1:]]
        assert fitted["motion"][1]["values"] == pytest.approx(seen, abs=1e-6)
        page.ask("set", set=fitted["values"])
        page.ask("next")
        assert page.until("scene")["panes"][0]["bodies"][0]["young"] == fitted["values"][YOUNG]


def test_a_table_beside_the_scene(viewer, scene, table):
    (scene.parent / "tip.csv").write_text(table)
    with opened(viewer) as page:
        page.ask("observe", pane=0, file="tip.csv")
        assert page.until("observed")["name"] == "tip.csv"
        page.ask("fit", pane=0, file="tip.csv", vary={YOUNG: [1e4, 1e6]})
        assert page.until("fitted")["values"][YOUNG] == pytest.approx(150000, rel=1e-4)


def finer(scene):
    """A scene whose run takes some tenths of a second."""
    body = {**scene["bodies"][0], "mesh": {"shape": "box", "size": [0.4, 0.1, 0.1], "cells": [16, 5, 5]}}
    return {**scene, "bodies": [body]}


def slow(scene):
    """A scene whose run takes many seconds."""
    return {**finer(scene), "time": {"step": 0.001, "duration": 5}}


def test_cancel_keeps_the_best(viewer, table):
    with opened(viewer) as page:
        page.ask("load", name="finer.json", scene=finer(SCENE))
        page.ask("pause")
        page.ask("fit", pane=0, name="tip.csv", table=table,
                 vary={YOUNG: [1e4, 1e6], DENSITY: [100, 10000], "bodies[0].velocity[1]": [-1, 1]})
        best = page.until("fitting")
        page.ask("cancel")
        fitted = page.until("fitted")
        assert fitted["reason"] == "cancelled" and not fitted["converged"]
        assert fitted["rms"] <= best["rms"] and set(fitted["values"]) == {YOUNG, DENSITY, "bodies[0].velocity[1]"}
        assert fitted["motion"]


def test_cancel_in_the_first_run(viewer, table):
    with opened(viewer) as page:
        page.ask("load", name="slow.json", scene=slow(SCENE))
        page.ask("pause")
        page.ask("fit", pane=0, name="tip.csv", table=table, vary={YOUNG: [1e4, 1e6]})
        time.sleep(.5)
        asked = time.monotonic()
        page.ask("cancel")
        page.ask("next")
        fitted = page.until("fitted")
        assert time.monotonic() - asked < 5
        assert fitted["reason"] == "cancelled" and fitted["values"] == {} and fitted["evaluations"] == 0
        page.ask("cancel")  # there is none
        page.ask("observe", pane=0, name="tip.csv", table=table)
        assert page.until("observed")


def test_who_leaves_takes_the_fit_along(viewer, table):
    def busy():
        tasks = f"/proc/{viewer.process.pid}/task"
        times = subprocess.run(f"grep -l '^fit$' {tasks}/*/comm", shell=True, text=True, capture_output=True).stdout.split()
        assert len(times) == 1
        with open(times[0].replace("comm", "stat")) as stat:
            return sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))

    with opened(viewer) as page:
        page.ask("load", name="slow.json", scene=slow(SCENE))
        page.ask("pause")
        page.ask("fit", pane=0, name="tip.csv", table=table, vary={YOUNG: [1e4, 1e6]})
        before, end = busy(), time.monotonic() + 30
        while busy() - before < 20 and time.monotonic() < end:
            time.sleep(.05)
        assert busy() - before >= 20, "the fit does not run"
    time.sleep(1.5)
    before = busy()
    time.sleep(1)
    assert busy() - before < 20, "the fit goes on with nobody to see it"


def test_another_fit_ends_the_one_before(viewer, table):
    with opened(viewer) as page:
        page.ask("load", name="slow.json", scene=slow(SCENE))
        page.ask("pause")
        page.ask("fit", pane=0, name="tip.csv", table=table, vary={YOUNG: [1e4, 1e6]})
        page.ask("load", name="beam.json", scene=SCENE)
        page.ask("pause")
        page.ask("fit", pane=0, name="tip.csv", table=table, vary={YOUNG: [1e4, 1e6]})
        page.ask("next")
        assert page.until("fitted")["reason"] == "cancelled"
        assert page.until("fitted")["values"][YOUNG] == pytest.approx(150000, rel=1e-4)


GOOD = {"name": "tip.csv", "table": "time,tip.y\n0,0\n0.1,-0.01\n"}
VARY = {"vary": {YOUNG: [1e4, 1e6]}}


@pytest.mark.parametrize("keys, where, words", [
    ({**VARY}, "table", "one of 'table'"),
    ({**GOOD, "file": "tip.csv", **VARY}, "table", "one of 'table'"),
    ({"table": "time,tip.y\n0,0\n", **VARY}, "name", "is missing, or no text"),
    ({"name": "a", "table": 5, **VARY}, "table", "is missing, or no text"),
    ({"name": "a", "table": "", **VARY}, "a", "the file is empty"),
    ({"name": "a", "table": "time,tip.y\n0,what\n", **VARY}, "a:2", 'found "what", expected a position in m'),
    ({"name": "a", "table": "time,tipp.y\n0,0\n", **VARY}, "a", "did you mean \"tip\"?"),
    ({"name": "a", "table": "time,tip.y\n0,0\n7,0\n", **VARY}, "a", "t = 7 s lies outside the run"),
    ({"file": 5, **VARY}, "file", "is missing, or no text"),
    ({"file": "nothing.csv", **VARY}, "nothing.csv", ""),
    ({**GOOD}, "vary", "is no object of key paths"),
    ({**GOOD, "vary": {}}, "vary", "is no object of key paths"),
    ({**GOOD, "vary": {YOUNG: 5}}, YOUNG, "its bounds are no list of two"),
    ({**GOOD, "vary": {YOUNG: [1, 2, 3]}}, YOUNG, "its bounds are no list of two"),
    ({**GOOD, "vary": {YOUNG: ["much", 2]}}, YOUNG, "is not a number"),
    ({**GOOD, "vary": {YOUNG: [2, 1]}}, YOUNG, "is not one from low to high"),
    ({**GOOD, "vary": {"bodies[0].material.yong": [1, 2]}}, "bodies[0].material.yong", "did you mean " + YOUNG),
    ({**GOOD, "vary": {"time.step": [1e-3, 1e-2]}}, "time.step", "time step"),
    ({**GOOD, "vary": {f"bodies[{k}].x": [1, 2] for k in range(51)}}, "vary", "50 at most"),
    ({**GOOD, **VARY, "evaluations": 0}, "evaluations", "is no whole number from 1 to 1000"),
    ({**GOOD, **VARY, "evaluations": 1001}, "evaluations", "is no whole number from 1 to 1000"),
    ({**GOOD, **VARY, "starts": 1e9}, "starts", "is no whole number from 1 to 100"),
    ({**GOOD, **VARY, "pane": 1}, "pane", "there are 1"),
])
def test_what_is_refused(viewer, keys, where, words):
    with opened(viewer) as page:
        error = refused(page, "fit", **keys)
        assert error["about"] == "fit" and error["where"].endswith(where) and words in error["message"], error


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "link.csv", "x/../../secret.csv"])
def test_no_table_from_elsewhere(viewer, scene, name):
    secret = scene.parent.parent / "secret.csv"
    secret.write_text("time,tip.y\n0,0.123\n")
    (scene.parent / "link.csv").symlink_to(secret)
    with opened(viewer) as page:
        error = refused(page, "observe", pane=0, file=name)
        assert error["about"] == "observe" and "lies outside the folders of the scene" in error["message"], error
        assert "0.123" not in json.dumps(error)


def test_more_than_can_be_fitted(viewer):
    rows = "".join(f"{k * 2.9e-6:.9f},{-1e-6 * k:.6f}\n" for k in range(100001))
    with opened(viewer) as page:
        error = refused(page, "fit", pane=0, name="long.csv", table="time,tip.y\n" + rows,
                        vary={f"bodies[0].x{k}": [1, 2] for k in range(41)})
        assert error["where"] == "long.csv" and "more than can be fitted here" in error["message"]
        page.ask("observe", pane=0, name="long.csv", table="time,tip.y\n" + rows)
        observed = page.until("observed")
        assert observed["count"] == 100001 and len(observed["columns"][0]["times"]) <= 400
        page.ask("load", name="long.json", scene={**SCENE, "time": {"step": 1e-9, "duration": 100}})
        page.ask("pause")
        error = refused(page, "fit", pane=0, **GOOD, **VARY)
        assert error["where"] == "time.duration"


def test_scenes_without_probes_and_recorded_runs(viewer, limber_program, scene, tmp_path):
    with opened(viewer) as page:
        page.ask("load", name="bare.json", scene={**SCENE, "output": {}})
        error = refused(page, "observe", pane=0, **GOOD)
        assert error["where"] == "output.probes"
    subprocess.run([limber_program, "run", scene, "-o", tmp_path / "run", "--quiet"], check=True)
    with Viewer(limber_program, tmp_path / "run", cwd=tmp_path) as replay, opened(replay) as page:
        error = refused(page, "fit", pane=0, **GOOD, **VARY)
        assert "fork it to fit its scene" in error["message"]


def test_a_failing_run_is_told(viewer, table):
    """No run succeeds where the lightest bodies cannot be stepped."""
    hard = {**SCENE, "method": {"name": "RK4"}, "time": {"step": 0.1, "duration": 0.3}}
    with opened(viewer) as page:
        page.ask("load", name="hard.json", scene=hard)
        page.ask("pause")
        page.ask("fit", pane=0, name="tip.csv", table=table, vary={YOUNG: [1e8, 1e9]})
        page.ask("next")
        error = page.until("error")
        assert error["about"] == "fit" and YOUNG in error["message"]
