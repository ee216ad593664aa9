"""Which files `limber view` opens for its pages, and who may ask it at all."""

import base64
import json
import socket
import struct
import time

import pytest

from view_client import Page, Viewer

SECRET = "root:x:0:0:UtmostSecret" + "q" * 71003
TRACES = ["UtmostSecret", str(len(SECRET)), str(int.from_bytes(b"root", "little")), "qqqq"]
CUBE = "".join(f"v {x} {y} {z}\n" for z in (0, 1) for y in (0, 1) for x in (0, 1)) + "".join(
    f"f {f}\n" for f in ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"])


def scene(**more):
    return {"time": {"step": 0.01, "duration": 1}, "method": "BE",
            "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}, "pin": ["left"],
                        "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000}}],
            **more}


def with_mesh(mesh):
    made = scene()
    made["bodies"][0]["mesh"] = mesh
    return made


def with_obstacle(**keys):
    return scene(obstacles=[{"shape": "mesh", "position": [0, -5, 0], **keys}])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """home/scene/beam.json, and beside scene/ what no page may see."""
    home = tmp_path_factory.mktemp("home").resolve()
    for name in ("scene", "scene/deeper", "secret", "scene-not"):
        (home / name).mkdir()
    (home / "scene/beam.json").write_text(json.dumps(scene()))
    (home / "scene/inside.obj").write_text(CUBE)
    for name in ("mesh.obj", "mesh.msh", "mesh.vtk", "mesh.vtu", "mesh.mesh", "mesh.node", "mesh.ele", "mesh.stl", "mesh.ply",
                 "mesh.glb", "mesh.gltf", "w_1.obj", "w_2.obj", "trajectory.h5", "plain"):
        (home / "secret" / name).write_text(SECRET)
    (home / "scene-not/mesh.obj").write_text(SECRET)
    (home / "scene/link.obj").symlink_to(home / "secret/mesh.obj")
    (home / "scene/way").symlink_to(home / "secret")
    (home / "scene/dead.obj").symlink_to(home / "secret/nothing.obj")
    (home / "scene/half.node").write_text("4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n")
    (home / "scene/half.ele").symlink_to(home / "secret/mesh.ele")
    return home


@pytest.fixture(scope="module")
def page(limber_program, folder):
    with Viewer(limber_program, folder / "scene/beam.json", cwd=folder) as viewer, Page(viewer) as page:
        page.viewer = viewer
        page.ask("next")
        page.until("scene")
        yield page


def answers(page, do, **keys):
    """All that comes back for one request, as text; and whether it was refused."""
    page.ask(do, **keys)
    page.ask("the end")
    texts, refused = [], False
    while True:
        message = page.receive()
        if isinstance(message, bytes):
            texts.append(message.decode("latin-1"))
            continue
        if message["is"] == "error" and message["about"] == "the end":
            return "\n".join(texts), refused
        refused = refused or message["is"] == "error"
        texts.append(json.dumps(message))
        if message["is"] == "tick":
            page.ask("next")


def gltf(uri, image=False):
    """A triangle whose corners stand in a file of that name; or whose image does."""
    own = "data:a/b;base64," + base64.b64encode(struct.pack("<3I", 0, 1, 2)).decode()
    doc = {"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
           "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
           "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"},
                         {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"}],
           "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 1, "byteLength": 12}],
           "buffers": [{"byteLength": 36, "uri": "data:a/b;base64," + base64.b64encode(
               struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)).decode()}, {"byteLength": 12, "uri": own if image else uri}]}
    if image:
        doc["images"] = [{"uri": uri}]
        doc["textures"] = [{"source": 0}]
    return doc


def glb(doc):
    text = json.dumps(doc).encode()
    text += b" " * (-len(text) % 4)
    return b"glTF" + struct.pack("<3I", 2, 20 + len(text), len(text)) + b"JSON" + text


def ways_out(home):
    """Names of files that lie outside, each in another way."""
    secret = f"{home}/secret"
    return {
        "absolute": f"{secret}/mesh.obj",
        "of the system": "/etc/passwd",
        "parent": "../secret/mesh.obj",
        "many parents": "../" * 40 + f"{secret}/mesh.obj".lstrip("/"),
        "through a folder": "deeper/../../secret/mesh.obj",
        "through no folder": "nothing/../../secret/mesh.obj",
        "with dots": "./././../secret/./mesh.obj",
        "two slashes": f"/{secret}/mesh.obj",
        "link": "link.obj",
        "absolute link": f"{home}/scene/link.obj",
        "link of a folder": "way/mesh.obj",
        "dead link": "dead.obj",
        "out and in again": f"{secret}/../scene/../secret/mesh.obj",
        "a name that begins alike": f"{home}/scene-not/mesh.obj",
        "file URI": f"file://{secret}/mesh.obj",
        "short file URI": f"file:{secret}/mesh.obj",
        "percent": "%2e%2e/secret/mesh.obj",
        "percent all": "%2e%2e%2fsecret%2fmesh.obj",
        "backslashes": "..\\secret\\mesh.obj",
        "zero byte": f"{secret}/mesh.obj\0.obj",
        "zero byte inside": "../secret/plain\0.obj",
        "tilde": "~/../../etc/passwd.obj",
        "nowhere": "../secret/nothing.obj",
        "process": "/proc/self/environ.obj",
    }


URIS = ["../secret/mesh.obj", "/etc/passwd", "{home}/secret/plain", "%2e%2e/secret/plain", "..%2Fsecret%2Fplain",
        "deeper/../../secret/plain", "file://{home}/secret/plain", "..\\secret\\plain", "way/plain", "link.obj",
        "../secret/plain%00.bin", "http://127.0.0.1/x", "inside.obj"]
PATTERNS = ["../secret/*.obj", "../secret/w_?.obj", "{home}/secret/*", "/etc/*", "/*", "way/*.obj", "lin*.obj",
            "deeper/../../secret/w_*.obj", "../*/mesh.obj"]


def check(page, home, do, **keys):
    text, refused = answers(page, do, **keys)
    assert refused, text
    for trace in TRACES:
        assert trace not in text, text
    return "\n".join(line for line in text.split("\n") if '"is": "error"' in line)


@pytest.mark.parametrize("name", list(ways_out("/home")))
def test_a_mesh_outside_the_folders_is_refused(page, folder, name):
    path = ways_out(folder)[name]
    said = [check(page, folder, "load", name="a", scene=with_mesh({"surface": path, "tets": 50})),
            check(page, folder, "load", name="a", scene=with_obstacle(file=path)),
            check(page, folder, "load", name="a",
                  scene=with_obstacle(sequence={"files": ["inside.obj", path], "fps": 10}))]
    # What there is makes no difference to the words.
    if "mesh.obj" in path and "secret" in path:
        other = path.replace("mesh.obj", "mesh_.obj")
        assert check(page, folder, "load", name="a", scene=with_mesh({"surface": other, "tets": 50})) == \
            said[0].replace("mesh.obj", "mesh_.obj")


@pytest.mark.parametrize("kind", ["msh", "vtk", "vtu", "mesh", "node", "ele", "obj", "stl", "ply", "glb", "gltf"])
def test_no_format_leads_out(page, folder, kind):
    for path in (f"../secret/mesh.{kind}", f"way/mesh.{kind}"):
        check(page, folder, "load", name="a", scene=with_mesh({"file": path}))


def test_companions_of_a_mesh_do_not_lead_out(page, folder):
    check(page, folder, "load", name="a", scene=with_mesh({"file": "half.node"}))
    check(page, folder, "load", name="a", scene=with_mesh({"file": "half.ele"}))


@pytest.mark.parametrize("run", ["../secret", "{home}/secret", "way", "/etc", "deeper/../../secret"])
def test_the_start_does_not_lead_out(page, folder, run):
    said = check(page, folder, "load", name="a", scene=scene(start={"run": run.format(home=folder)}))
    assert "start.run" in said and "lies outside" in said


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_does_not_look_outside(page, folder, pattern):
    said = check(page, folder, "load", name="a",
                 scene=with_obstacle(sequence={"files": pattern.format(home=folder), "fps": 10}))
    assert "w_1" not in said and "passwd" not in said and "obstacles[0].sequence.files" in said


@pytest.mark.parametrize("key, make", [
    ("bodies[0].mesh", lambda path: {"surface": path, "tets": 50}), ("obstacles[0].file", lambda path: path),
    ("obstacles", lambda path: [{"shape": "mesh", "sequence": {"files": path[:-8] + "*.obj", "fps": 10}}])])
def test_a_scene_cannot_be_changed_to_what_lies_outside(page, folder, key, make):
    text, refused = answers(page, "load", name="a", scene=with_obstacle(file="inside.obj"))
    assert not refused, text
    for path in ("../secret/mesh.obj", f"{folder}/secret/mesh.obj"):
        check(page, folder, "set", set={key: make(path)})
        check(page, folder, "fork", frame=0, set={key: make(path)})


@pytest.mark.parametrize("uri", URIS)
def test_an_uploaded_glb_opens_no_other_file(page, folder, uri):
    uri = uri.format(home=folder)
    for name in ("a.glb", "A.GLB"):
        for data in (glb(gltf(uri)), json.dumps(gltf(uri)).encode()):
            check(page, folder, "surface", name=name, data=base64.b64encode(data).decode())


@pytest.mark.parametrize("uri", URIS[:-1])
def test_a_gltf_file_of_the_folder_opens_nothing_outside(page, folder, uri):
    (folder / "scene/model.gltf").write_text(json.dumps(gltf(uri.format(home=folder))))
    check(page, folder, "load", name="a", scene=with_mesh({"surface": "model.gltf", "tets": 50}))


def test_what_is_not_read_is_not_opened(page, folder):
    """Images of glTF, materials of OBJ: the surface is read, nothing of them is."""
    (folder / "scene/model.gltf").write_text(json.dumps(gltf("../secret/plain", image=True)))
    text, refused = answers(page, "load", name="a", scene=with_obstacle(file="model.gltf", form="triangles"))
    assert not refused, text
    (folder / "scene/model.obj").write_text("mtllib ../secret/plain\nmtllib /etc/passwd\nusemtl root\n" + CUBE)
    more, refused = answers(page, "load", name="a", scene=with_obstacle(file="model.obj"))
    assert not refused, more
    for trace in TRACES:
        assert trace not in text + more


def test_an_upload_has_the_extension_of_one_file(page, folder):
    for name in ("a.gltf", "a.json", "a.msh", "../../a.obj.gltf", "a", "a.obj\0.gltf"):
        check(page, folder, "surface", name=name, data=base64.b64encode(json.dumps(gltf("x")).encode()).decode())


def test_files_of_the_folder_are_read(page):
    for path in ("inside.obj", "./inside.obj", "deeper/../inside.obj"):
        text, refused = answers(page, "load", name="a", scene=with_obstacle(file=path))
        assert not refused, text
    text, refused = answers(page, "load", name="a", scene={**scene(), "contact": {"surface": "triangles"}})
    assert not refused, text


@pytest.mark.parametrize("path", ["/", "/viewer.js", "/favicon.svg", "/recordings/recording1.mp4", "/nothing", "/ws"])
@pytest.mark.parametrize("key", [None, "", "0" * 32, "short"])
def test_a_stranger_without_the_key_gets_403(page, path, key):
    viewer = page.viewer
    status, _, body = viewer.request(path, key=key)
    assert status == 403 and viewer.key.encode() not in body
    assert viewer.request(path, key=key, method="POST")[0] == 403


def test_the_key_is_checked_as_a_whole(page):
    viewer = page.viewer
    for wrong in (viewer.key[:-1], viewer.key + "0", viewer.key.upper() + "", viewer.key[:-1] + "x", "x" + viewer.key[1:]):
        if wrong != viewer.key:
            assert viewer.request("/", key=wrong)[0] == 403
            with Page(viewer, viewer_key=wrong) as other:
                assert other.status == 403
    for path in (f"/?x=1&key={viewer.key}", f"/?key={viewer.key}&x=1"):
        assert viewer.request(path, key=None)[0] == 200
    assert viewer.request("/", key=None, headers=f"Cookie: key={viewer.key}\r\n")[0] == 403
    with Page(viewer, viewer_key=None) as other:
        assert other.status == 403


def test_strangers_do_not_keep_out_who_has_the_key(page):
    """Connections that say nothing, or no whole request, may be as many as anyone likes."""
    idle = []
    for i in range(150):
        idle.append(page.viewer.connect())
        idle[-1].sendall(b"GET / HTTP/1.1\r\n"[:i % 16])
    try:
        for _ in range(3):
            assert page.viewer.request("/favicon.svg")[0] == 200
            with Page(page.viewer) as other:
                assert other.receive()["is"] == "hello"
    finally:
        for connection in idle:
            connection.close()


def test_each_server_has_a_key_of_its_own(limber_program, folder):
    keys = set()
    for _ in range(3):
        with Viewer(limber_program, folder / "scene/beam.json", cwd=folder) as viewer:
            assert len(viewer.key) == 32 and int(viewer.key, 16) >= 0
            keys.add(viewer.key)
    assert len(keys) == 3


def test_on_all_addresses_names_of_others_are_refused(limber_program, folder):
    with Viewer(limber_program, folder / "scene/beam.json", "--host", "0.0.0.0", cwd=folder) as viewer:
        assert viewer.request("/", host=f"{socket.gethostname()}:{viewer.port}")[0] == 200
        for host in ("evil.example", "127.0.0.1.example.org", "10.1.2.3", "8.8.8.8", "[::2]", ""):
            assert viewer.request("/", host=f"{host}:{viewer.port}")[0] == 403, host
            with Page(viewer, host=f"{host}:{viewer.port}") as other:
                assert other.status == 403
        for origin in (None, "null", "http://evil.example", f"http://localhost:{viewer.port}"):
            with Page(viewer, origin=origin) as other:
                assert other.status == 403
        with Page(viewer) as own:
            assert own.status == 101
        assert viewer.request("/", key=None)[0] == 403
    assert "has the key in the address below" in viewer.errors


def test_an_address_that_was_asked_for_is_the_only_name(limber_program, folder):
    with Viewer(limber_program, folder / "scene/beam.json", "--host", "127.0.0.2", cwd=folder) as viewer:
        viewer.connect = lambda: socket.create_connection(("127.0.0.2", viewer.port), timeout=20)
        assert viewer.address.startswith("http://127.0.0.2:")
        assert viewer.request("/", host=f"127.0.0.2:{viewer.port}")[0] == 200
        for host in ("127.0.0.3", "evil.example"):
            assert viewer.request("/", host=f"{host}:{viewer.port}")[0] == 403


def test_what_is_named_on_the_command_line_may_lie_anywhere(limber_program, limber_cli, tmp_path):
    for name in ("scenes", "meshes"):
        (tmp_path / name).mkdir()
    (tmp_path / "meshes/cube.obj").write_text(CUBE)
    (tmp_path / "scenes/a.json").write_text(json.dumps(
        {**with_mesh({"surface": "../meshes/cube.obj", "tets": 300}), "time": {"step": 0.01, "duration": 0.1},
         "output": {"velocities": True}}))
    with Viewer(limber_program, tmp_path / "scenes/a.json", cwd=tmp_path) as viewer, Page(viewer) as page:
        page.ask("next")
        assert page.until("scene")["name"] == "a"
        text, refused = answers(page, "restart")
        assert not refused, text
        text, refused = answers(page, "panes", methods=["BE", "TR-BDF2"])
        assert not refused, text
        check(page, tmp_path, "load", name="b", scene=with_obstacle(file="../meshes/other.obj"))
    limber_cli("run", tmp_path / "scenes/a.json", "-o", tmp_path / "run")
    for gone in (False, True):
        if gone:
            (tmp_path / "meshes/cube.obj").unlink()
        with Viewer(limber_program, tmp_path / "run", cwd=tmp_path) as viewer, Page(viewer) as page:
            page.ask("next")
            replay = page.until("scene")
            assert replay["replay"] and len(replay["frame_times"]) == 11 and not replay["notes"][1:]
            text, refused = answers(page, "fork", frame=3)
            assert refused == gone, text


def test_a_page_that_does_not_read_is_let_go_by_bytes(limber_program, folder):
    """A scene of 7 MB comes back twice in each answer; 64 MB may wait."""
    with Viewer(limber_program, folder / "scene/beam.json", cwd=folder) as viewer:
        with Page(viewer) as page:
            page.ask("load", name="long", scene=scene(description="x" * 7_000_000))
            for _ in range(12):
                page.ask("save", pane=0)
            time.sleep(2)
            saved = 0
            with pytest.raises(ConnectionError):
                while True:
                    message = page.receive()
                    saved += isinstance(message, dict) and message["is"] == "saved"
            assert saved < 8
        with Page(viewer) as other:
            assert other.receive()["is"] == "hello"


def test_a_scene_too_large_for_the_memory_is_an_error_of_the_page(limber_program, folder):
    """With 6 GB of addresses a box of 4·10⁸ cells cannot be made."""
    with Viewer(limber_program, folder / "scene/beam.json", "--threads", "1", cwd=folder, most_memory=6 << 30) as viewer, \
            Page(viewer) as page:
        page.ask("next")
        page.until("scene")
        text = check(page, folder, "load", name="a",
                     scene=with_mesh({"shape": "box", "size": [1, 1, 1], "cells": [900, 700, 600]}))
        assert "there is not enough memory for this" in text
        assert not answers(page, "load", name="a", scene=scene())[1]
        assert viewer.process.poll() is None
