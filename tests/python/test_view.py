"""`limber view`: what its server gives, and whom it refuses."""

import base64
import csv
import gzip
import json
import os
import random
import socket
import time
from itertools import pairwise

import pytest

from view_client import Frame, Page, Topology, Viewer

SCENE = {
    "time": {"step": 0.01, "duration": 1},
    "method": {"name": "TR-BDF2"},
    "bodies": [{"name": "beam", "mesh": {"shape": "box", "size": [4, 1, 1], "cells": [8, 2, 2]},
                "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000},
                "pin": ["left"]}],
}


@pytest.fixture
def scene(tmp_path):
    path = tmp_path / "scene" / "beam.json"
    path.parent.mkdir()
    path.write_text(json.dumps(SCENE))
    return path


@pytest.fixture
def viewer(limber_program, scene, tmp_path):
    with Viewer(limber_program, scene, cwd=tmp_path) as viewer:
        yield viewer
    assert viewer.status == 0, viewer.errors
    assert "Sanitizer" not in viewer.errors, viewer.errors


def opened(viewer):
    """A page that has its scene and topology and first frame."""
    page = Page(viewer)
    assert page.status == 101
    page.hello = page.receive()
    assert page.hello["is"] == "hello"
    page.ask("next")
    page.scene = page.until("scene")
    page.topology = Topology(page.receive())
    return page


def test_the_page_and_its_files_are_part_of_the_program(viewer):
    status, head, body = viewer.request("/")
    text = body.decode()
    assert status == 200 and "Content-Security-Policy" in head and "<html" in text
    assert "http://" not in text and "https://" not in text.replace("https://www.w3.org", "")
    for name in ("viewer.js", "viewer.css", "favicon.svg"):
        assert f'"{name}?key={viewer.key}"' in text
        assert viewer.request(f"/{name}")[0] == 200


@pytest.mark.parametrize("headers, compressed", [
    ("", False), ("Accept-Encoding: gzip\r\n", True), ("Accept-Encoding: br, GZIP;q=0.5\r\n", True),
    ("Accept-Encoding: *\r\n", True), ("Accept-Encoding: identity\r\n", False),
    ("Accept-Encoding: gzip;q=0, br\r\n", False), ("Accept-Encoding: gzip;q=0.000\r\n", False)])
def test_only_who_takes_gzip_gets_it(viewer, headers, compressed):
    _, plain_head, plain = viewer.request("/viewer.js")
    _, head, body = viewer.request("/viewer.js", headers=headers)
    assert "Content-Encoding" not in plain_head and ("Content-Encoding: gzip" in head) == compressed
    assert (gzip.decompress(body) if compressed else body) == plain


@pytest.mark.parametrize("path", ["/../scene/beam.json", "/..%2f..%2fetc/passwd", "/scene/beam.json", "//etc/passwd",
                                  "/recordings/../scene/beam.json", "/recordings//etc/passwd", "/ws/", "/viewer.js/..",
                                  "/recordings/%2e%2e/x", "/\x00"])
def test_no_other_file_is_given(viewer, path):
    assert viewer.request(path)[0] in (400, 404)


def test_only_get_is_served(viewer):
    assert viewer.request("/", method="POST")[0] == 405
    assert viewer.request("/", method="HEAD")[2] == b""


@pytest.mark.parametrize("origin", [None, "null", "http://example.org", "http://127.0.0.1", "https://127.0.0.1:{port}",
                                    "http://localhost:{port}", "http://127.0.0.1:{port}.example.org"])
def test_a_missing_null_or_foreign_origin_is_refused(viewer, origin):
    with Page(viewer, origin=origin and origin.format(port=viewer.port)) as page:
        assert page.status == 403


def test_another_name_of_this_machine_is_refused(viewer):
    assert viewer.request("/", host=f"evil.example:{viewer.port}")[0] == 403
    with Page(viewer, host=f"evil.example:{viewer.port}") as page:
        assert page.status == 403
    with Page(viewer, host=f"localhost:{viewer.port}") as page:
        assert page.status == 101
    with Page(viewer, path="/other") as page:
        assert page.status == 404


def test_the_body_moves_and_energies_come(viewer):
    with opened(viewer) as page:
        assert "frame_times" not in page.scene
        assert page.scene["name"] == "beam" and page.scene["panes"][0]["method"] == "TR-BDF2"
        assert page.scene["panes"][0]["bodies"][0]["young"] == 1e5
        assert len(page.topology.rest) == page.scene["bodies"][0]["vertices"][1]
        held = [x for x, flag in zip(page.topology.rest, page.topology.flags) if flag & 1]
        assert held and all(x[0] == 0 for x in held)
        rows = []
        first = None
        while len(rows) < 30:
            message = page.receive()
            if isinstance(message, bytes):
                frame = Frame(message)
                first = first or frame
            else:
                assert message["is"] == "tick" and message["session"] == page.scene["session"]
                rows += message["panes"][0]["rows"]
                page.ask("next")
        assert min(y for _, y, _ in frame.positions) < min(y for _, y, _ in first.positions) - 1e-3
        times = [row[0] for row in rows]
        assert times == sorted(times) and times[1] == pytest.approx(0.01)
        for row in rows:
            assert row[6] == pytest.approx(sum(row[1:6]), rel=1e-6)


def test_a_pull_moves_the_point_and_its_force_is_told(viewer):
    with opened(viewer) as page:
        triangle = max(range(len(page.topology.triangles)),
                       key=lambda t: sum(page.topology.rest[i][0] for i in page.topology.triangles[t]))
        page.ask("pull", triangle=triangle, weights=[0.5, 0.25, 0.25], to=[4, 0.5, 4], pane=0)
        frames = []
        while len([f for f in frames if f.flags & 4]) < 40:
            message = page.receive()
            if isinstance(message, bytes):
                frames.append(Frame(message))
            elif message["is"] == "tick":
                page.ask("next")
            else:
                raise AssertionError(message)
        pulled = [f for f in frames if f.flags & 4]
        assert pulled[-1].point[2] > pulled[0].point[2] + 0.05
        assert pulled[0].force[2] > 0 and pulled[0].to == (4, 0.5, 4)
        held = [i for i, flag in enumerate(page.topology.flags) if flag & 1]
        for i in held:
            assert pulled[-1].positions[i] == pytest.approx(page.topology.rest[i], abs=1e-6)
        page.ask("release")
        until_free(page)


ROPE = {
    "time": {"step": 0.01, "duration": 1},
    "method": "BE",
    "bodies": [{"name": "rope", "mesh": {"shape": "chain", "from": [0, 0, 0], "to": [1, 0, 0], "segments": 10},
                "thickness": 0.02, "pin": {"nodes": [0]},
                "material": {"model": "neo_hookean", "young": 1e6, "poisson": 0.3, "density": 900}}],
}


def test_a_rope_is_pulled_at_its_lines(viewer):
    with opened(viewer) as page:
        page.ask("load", name="rope.json", scene=ROPE)
        page.ask("play")
        page.ask("next")
        while page.until("scene")["name"] != "rope.json":
            page.ask("next")
        topology = Topology(page.receive())
        assert len(topology.lines) == 10 and not topology.triangles
        assert page.until("tick")
        line = max(range(10), key=lambda k: sum(topology.rest[i][0] for i in topology.lines[k]))
        page.ask("pull", line=line, weights=[0.5, 0.5], to=[0.95, 0, 0.5], pane=0)
        page.ask("next")
        pulled = []
        while len(pulled) < 20:
            message = page.receive()
            if isinstance(message, bytes):
                pulled += [f for f in [Frame(message)] if f.flags & 4]
            elif message["is"] == "tick":
                page.ask("next")
            else:
                raise AssertionError(message)
        assert pulled[-1].point[2] > pulled[0].point[2] + 0.01 and pulled[0].force[2] > 0


@pytest.mark.parametrize("keys, where, words", [
    ({"weights": [1, 0, 0]}, "triangle", "is missing, and so is 'line'"),
    ({"triangle": 0, "line": 0, "weights": [1, 0, 0]}, "line", "stands beside 'triangle'"),
    ({"triangle": 0, "weights": [0.5, 0.5]}, "weights", "are 2; there is one for each of the 3 corners"),
    ({"triangle": 0, "weights": [0.5, 0.25, 0.75]}, "weights", "their sum is 1.5"),
    ({"triangle": 0}, "weights", "is missing, or no list of numbers"),
    ({"triangle": 10**6, "weights": [1, 0, 0]}, "triangle", "the bodies have triangles 0 to"),
    ({"triangle": -1, "weights": [1, 0, 0]}, "triangle", "no whole number from 0"),
    ({"line": 0, "weights": [1, 0]}, "line", "the bodies of this scene have no lines"),
    ({"triangle": 0, "weights": [1, 0, 0], "to": [0, 0]}, "to", "is no list of three numbers"),
])
def test_a_pull_that_names_no_point_is_refused(viewer, keys, where, words):
    with opened(viewer) as page:
        page.ask("pull", **{"to": [4, 0, 0], "pane": 0, **keys})
        error = page.until("error")
        assert error["about"] == "pull" and error["where"] == where and words in error["message"]


def test_planes_that_move_are_told(viewer):
    floor = {"shape": "plane", "point": [0, -3, 0], "normal": [0, 1, 0]}
    lift = {**floor, "motion": {"keys": [{"time": 0}, {"time": 1, "translation": [0, 1, 0]}]}}
    with opened(viewer) as page:
        assert "planes" not in page.until("tick")
        page.ask("load", name="lift.json", scene={**SCENE, "obstacles": [floor, lift]})
        page.ask("play")
        page.ask("next")
        while (scene := page.until("scene"))["name"] != "lift.json":
            page.ask("next")
        assert [plane["point"] for plane in scene["planes"]] == [[0, -3, 0]] * 2
        tick = page.until("tick")
        while tick["frame_time"] < 0.3:
            page.ask("next")
            tick = page.until("tick")
        still, moved = tick["planes"]
        assert still == {"point": [0, -3, 0], "normal": [0, 1, 0]}
        assert -3 < moved["point"][1] < -2 and moved["normal"] == [0, 1, 0]
        page.ask("seek", frame=0)
        page.ask("next")
        while (tick := page.until("tick"))["frame"] != 0:
            page.ask("next")
        assert tick["planes"][1]["point"] == [0, -3, 0]


def until_free(page):
    while True:
        message = page.receive()
        if isinstance(message, bytes):
            if message[:4] == b"LMBF" and not Frame(message).flags & 4:
                return
        elif message["is"] == "tick":
            page.ask("next")


def test_a_page_that_goes_away_lets_go(viewer):
    with opened(viewer) as page:
        page.ask("pull", triangle=0, weights=[1, 0, 0], to=[1, 2, 3], pane=0)
        page.until("tick")
        with opened(viewer) as other:
            page.socket.close()
            until_free(other)


def test_changes_go_on_from_the_state_and_errors_name_the_key(viewer):
    with opened(viewer) as page:
        page.until("tick")
        page.ask("set", set={"bodies[0].material.poisson": 0.7})
        error = page.until("error")
        assert error["where"] == "bodies[0].material.poisson" and "0.7" in error["message"]
        page.ask("set", set={"method.name": "SIERE", "method.modes": 4}, pane=0)
        page.ask("next")
        scene = page.until("scene")
        assert scene["panes"][0]["method"] == "SIERE" and scene["panes"][0]["modes"] == 4
        page.ask("panes", methods=["BE", "SIERE", "TR-BDF2"])
        page.ask("next")
        while len(scene["panes"]) != 3:
            scene = page.until("scene")
        page.ask("panes", methods=["BE"] * 5)
        assert page.until("error")["where"] == "methods"
        page.ask("save", pane=1)
        assert page.until("saved")["scene"]["method"] == {"name": "SIERE", "modes": 4}


def test_the_damping_curve_has_the_bodys_modes(viewer):
    with opened(viewer) as page:
        page.ask("set", set={"method.name": "SIERE", "method.modes": 3})
        page.ask("curve", pane=0)
        curve = page.until("curve")
        assert curve["method"] == "SIERE" and len(curve["points"]) > 50
        assert [m["split"] for m in curve["modes"]][:3] == [True] * 3 and not curve["modes"][-1]["split"]
        for mode in curve["modes"]:
            assert mode["theta"] == pytest.approx(2 * 3.14159265 * mode["frequency"] * curve["step"], rel=1e-6)
        assert curve["modes"][0]["ratio"] == pytest.approx(0, abs=1e-9) and curve["modes"][-1]["ratio"] > 1e-3


def test_advice_is_given_and_taken(viewer):
    with opened(viewer) as page:
        page.ask("advise", pane=0, wish="accuracy", amount="1 kg")
        error = page.until("error")
        assert error["where"] == "accuracy" and error["about"] == "advise"
        page.ask("advise", pane=0, wish="wealth", amount="1 mm")
        assert "none of accuracy" in page.until("error")["message"]
        for amount in (5, None, ["1 mm"], {"a": 1}):
            page.ask("advise", pane=0, wish="accuracy", amount=amount)
            assert page.until("error")["where"] == "amount"
        page.ask("advise", pane=7, wish="real_time")
        assert page.until("error")["where"] == "pane"
        page.ask("advise", pane=0, wish="accuracy", amount="5 mm")
        page.ask("next")
        assert page.until("advising")["method"]
        advice = page.until("advice")
        best = advice["suggestions"][0]
        assert best["meets"] and best["error"] == pytest.approx(5e-3) and best["seconds"] > 0
        keys = best["scene"]
        page.ask("set", set={"method.name": keys["method"], "time.step": {"accuracy": 5e-3}}, pane=0)
        page.ask("save", pane=0)
        saved = page.until("saved")["scene"]
        assert saved["time"]["step"] == {"accuracy": 5e-3}
        assert saved["method"] == {"name": keys["method"]}


def test_frames_can_be_sought_and_a_fork_drops_what_came_later(viewer):
    with opened(viewer) as page:
        while page.until("tick")["frames"] < 20:
            page.ask("next")
        page.ask("seek", frame=5)
        page.ask("next")
        tick = page.until("tick")
        while tick["frame"] != 5:
            page.ask("next")
            tick = page.until("tick")
        assert not tick["playing"] and tick["frame_time"] == pytest.approx(0.05)
        page.ask("fork", frame=5, set={"method.name": "BE"})
        page.ask("next")
        scene = page.until("scene")
        tick = page.until("tick")
        assert scene["panes"][0]["method"] == "BE" and tick["frames"] == 6 and tick["reset"]
        assert tick["time"] == pytest.approx(0.05)
        page.ask("seek", frame=6)
        assert page.until("error")["where"] == "frame"


def test_scenes_and_surfaces_that_are_sent(viewer, tmp_path):
    with opened(viewer) as page:
        page.ask("load", name="bad.json", scene={**SCENE, "time": {"step": -1, "duration": 1}})
        error = page.until("error")
        assert error["where"] == "time.step" and error["about"] == "load"
        page.ask("load", name="out.json", scene={**SCENE, "bodies": [{**SCENE["bodies"][0],
                                                                     "mesh": {"file": "/etc/passwd"}}]})
        assert page.until("error")["where"] == "bodies[0].mesh.file"
        corners = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
        faces = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"]
        cube = "".join(f"v {x} {y} {z}\n" for x, y, z in corners) + "".join(f"f {f}\n" for f in faces)
        page.ask("surface", name="cube.obj", data=base64.b64encode(cube.encode()).decode())
        page.ask("next")
        scene = page.until("scene")
        assert scene["name"] == "cube.obj" and scene["planes"]
        page.ask("surface", name="cube.txt", data="")
        assert page.until("error")["where"] == "name"
        page.ask("surface", name="cube.obj", data=base64.b64encode(b"no surface").decode())
        assert "surface.obj" in page.until("error")["where"]


def test_an_oversized_message_ends_the_connection_only(viewer):
    with opened(viewer) as page:
        with pytest.raises((ConnectionError, socket.timeout)):
            page.send_frame(1, b" " * (page.hello["max_message"] + 1))
            while True:
                page.receive()
    with opened(viewer) as page:
        assert page.scene["is"] == "scene"


def test_random_messages_and_abrupt_disconnects(viewer):
    chance = random.Random(7)
    words = ["play", "pause", "step", "restart", "speed", "set", "fork", "seek", "live", "pull", "release", "curve", "save",
             "next", "show", "load", "surface", "panes", "open", "observe", "fit", "cancel", "", "do", "\ud83d"]

    def value(depth=0):
        kinds = [lambda: chance.choice(words), lambda: chance.randint(-5, 5), lambda: chance.uniform(-1e300, 1e300),
                 lambda: None, lambda: chance.random() < 0.5]
        if depth < 3:
            kinds += [lambda: [value(depth + 1) for _ in range(chance.randint(0, 4))],
                      lambda: {chance.choice(["do", "set", "frame", "pane", "to", "weights", "triangle", "line", "methods",
                                              "factor", "scene", "name", "data", "color", "table", "file", "vary", "starts",
                                              "evaluations"]): value(depth + 1)
                               for _ in range(chance.randint(0, 4))}]
        return chance.choice(kinds)()

    def bytes_of_a_message():
        kind = chance.random()
        if kind < 0.2:
            return chance.randbytes(chance.randint(0, 300))
        if kind < 0.3:
            return b"[" * chance.randint(1, 5000)
        message = value()
        if isinstance(message, dict) and kind < 0.9:
            message["do"] = chance.choice(words[:-3])
        return json.dumps(message).encode()[:chance.choice([10, 100, 10**6])]

    sent = 0
    while sent < int(os.environ.get("LIMBER_FUZZ_MESSAGES", 10000)):
        with Page(viewer) as page:
            page.socket.settimeout(60)
            try:
                for _ in range(500):
                    page.send_frame(chance.choice([1, 1, 1, 1, 2]), bytes_of_a_message())
                    sent += 1
                    page.socket.setblocking(False)
                    try:
                        while page.socket.recv(1 << 20):
                            pass
                    except BlockingIOError:
                        pass
                    page.socket.setblocking(True)
            except OSError:  # not UTF-8, for example: refused
                sent += 1
    for i in range(200):
        connection = viewer.connect()
        if i % 4:
            connection.sendall(b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\n"[:chance.randint(1, 40)])
        if i % 2:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        connection.close()
        page = Page(viewer)
        for _ in range(3):
            page.ask("next")
        page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        page.socket.close()
    time.sleep(0.2)
    assert viewer.process.poll() is None
    with Page(viewer) as page:
        assert page.receive()["is"] == "hello"
        page.ask("load", name="again.json", scene=SCENE)
        page.ask("play")
        page.ask("next")
        while page.until("scene")["name"] != "again.json":
            page.ask("next")
        while page.until("tick")["frames"] < 5:
            page.ask("next")


def test_a_scene_with_an_error_is_shown_on_the_page(limber_program, tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({**SCENE, "bodies": [{**SCENE["bodies"][0], "pins": ["left"]}]}))
    with Viewer(limber_program, path, cwd=tmp_path) as viewer, Page(viewer) as page:
        page.receive()
        error = page.until("error")
        assert error["where"] == "bodies[0].pins" and "did you mean 'pin'" in error["message"]


def test_bad_arguments(limber_cli, limber_program, scene, tmp_path):
    assert "does not exist" in limber_cli("view", "nothing.json", "--no-open", status=2).err
    assert "is not the directory of a run" in limber_cli("view", tmp_path, "--no-open", status=2).err
    with Viewer(limber_program, scene, cwd=tmp_path) as viewer:
        said = limber_cli("view", scene, "--no-open", "--port", viewer.port, status=2).err
        assert f"--port: {viewer.port} is in use by another program" in said
    assert "--host: 'nowhere' is no address" in limber_cli("view", scene, "--no-open", "--host", "nowhere", status=2).err


def test_a_recording_is_a_run(viewer, limber_cli, limber_program, tmp_path):
    with opened(viewer) as page:
        while page.until("tick")["frames"] < 12:
            page.ask("next")
        page.ask("set", set={"time.step": 0.02})
        page.ask("next")
        while page.until("tick")["frames"] < 20:
            page.ask("next")
        page.ask("pause")
        page.ask("record", format="run")
        folder = page.until("recorded")["file"]
        page.ask("record", format="glb")
        made = page.until("recorded")
        status, _, body = viewer.request(made["url"])
        assert status == 200 and body[:4] == b"glTF"
    assert limber_cli("check", folder).status == 0
    folder = tmp_path / folder
    with open(folder / "energy.csv") as file:
        rows = [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]
    assert len(rows) >= 20 and rows[0]["time"] == 0 and rows[0]["kinetic"] == 0 and rows[-1]["kinetic"] > 0
    with Viewer(limber_program, folder, cwd=tmp_path) as replay, opened(replay) as page:
        assert page.scene["replay"] and page.scene["frame_times"] == [row["time"] for row in rows]
        steps = [b - a for a, b in pairwise(page.scene["frame_times"])]
        assert steps[0] == pytest.approx(0.01) and steps[-1] == pytest.approx(0.02)
        tick = page.until("tick")
        assert tick["frames"] == len(rows)
        assert [row[6] for row in tick["panes"][0]["rows"]] == pytest.approx([row["total"] for row in rows])
