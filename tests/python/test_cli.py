"""The command line: help, JSON, every kind of bad input, what a run writes, and what it refuses to write."""

import csv
import io
import json
import shutil
import subprocess
import xml.etree.ElementTree

import numpy as np
import pytest

import limber

COMMANDS = ["run", "check", "methods", "materials", "schema", "modes", "statics", "mesh", "damping-curve", "render",
            "sweep", "bench", "completion"]
FILES = ["energy.csv", "scene.json", "summary.json", "trajectory.h5", "trajectory.xdmf"]


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


# Help and listings

@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(limber_cli, command):
    done = limber_cli(command, "--help")
    assert "Example" in done.out and f"limber {command}" in done.out


def test_top_level(limber_cli):
    done = limber_cli("--help")
    assert all(command in done.out for command in COMMANDS)
    assert limber_cli("--version").out.splitlines()[0] == f"limber {limber.__version__}"


def test_the_small_program_alone(limber_program, tmp_path):
    """`make demo` builds bin/limber alone, which hands what it lacks to bin/limber-all beside it."""
    program = tmp_path / "limber"
    program.symlink_to(limber_program)  # beside the file that it is, not the link
    assert subprocess.run([program, "study", "--help"], capture_output=True).returncode == 0
    program.unlink()
    shutil.copy(limber_program, program)
    told = subprocess.run([program, "--help"], capture_output=True, text=True)
    assert told.returncode == 0 and "  run " in told.stdout and "  view " not in told.stdout
    assert "limber-all" in told.stdout and "make build" in told.stdout
    lacks = subprocess.run([program, "view"], capture_output=True, text=True)
    assert lacks.returncode == 2 and "'view'" in lacks.stderr and "make build" in lacks.stderr
    assert subprocess.run([program, "methods", "--names"], capture_output=True).returncode == 0


@pytest.mark.parametrize("arguments", [["nonsense"], ["run"], ["methods", "--colour"],
                                       ["run", "a.json", "--threads", "-3"],
                                       ["run", "a.json", "--resume", "--overwrite"]])
def test_wrong_options(limber_cli, arguments):
    assert limber_cli(*arguments, status=2).err


def test_methods_and_materials(limber_cli):
    methods = limber_cli("methods", "--json").json
    assert [(m["name"], m["order"], m["kind"], m["stages"]) for m in methods] == \
        [(m["name"], m["order"], m["kind"], m["stages"]) for m in limber.methods()]
    assert limber_cli("methods", "--names").out.split() == [m["name"] for m in methods]
    assert [m["name"] for m in limber_cli("materials", "--json").json] == limber.materials()
    table = limber_cli("methods").out
    assert all(m["name"] in table and m["stability"] in table for m in methods)
    assert all(name in limber_cli("materials").out for name in limber.materials())


def test_methods_of_this_version(limber_cli):
    names = set(limber_cli("methods", "--names").out.split())
    assert names >= set("BE SI BDF2 SBDF2 TR STR blend midpoint TR-BDF2 STR-SBDF2 SDIRK SSDIRK newmark gen-alpha HHT "
                        "S-midpoint S-newmark S-gen-alpha S-HHT symplectic-euler verlet RK4".split())


def test_completion_is_bash(limber_cli, tmp_path):
    script = limber_cli("completion").out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    ask = "\nCOMP_WORDS=(limber run --re); COMP_CWORD=2; _limber; echo ${COMPREPLY[@]}"
    answer = subprocess.run(["bash", "-c", script + ask], text=True, capture_output=True, check=True).stdout
    assert answer.split() == ["--resume"]


# Looking at a scene

def test_check(limber_cli, write_scene, bar):
    scene = write_scene(bar())
    facts = limber_cli("check", scene, "--json").json
    assert facts["method"] == "TR-BDF2" and facts["steps"] == 10 and facts["bodies"][0]["mass"] == pytest.approx(62.5)
    text = limber_cli("check", scene).out
    assert "62.5 kg" in text and "Hz" in text and "ready to run" in text


def test_modes(limber_cli, write_scene, bar):
    scene = write_scene(bar())
    found = limber_cli("modes", scene, "-n", 4, "--json").json
    lam, _ = limber.modes(limber.Scene(bar()), 4)
    np.testing.assert_allclose(found["lambda"], lam, rtol=1e-12)
    np.testing.assert_allclose(found["frequency"], np.sqrt(lam) / (2 * np.pi), rtol=1e-12)
    assert "Hz" in limber_cli("modes", scene).out
    limber_cli("modes", scene, "-n", 0, status=2)


def test_statics(limber_cli, write_scene, bar, tmp_path):
    scene = write_scene(bar())
    x = limber.statics(limber.Scene(bar()))
    np.testing.assert_allclose(limber_cli("statics", scene, "--json").json["positions"], x, atol=1e-9)
    limber_cli("statics", scene, "-o", "sag.csv")
    table = rows(tmp_path / "sag.csv")
    np.testing.assert_allclose([[float(r[c]) for c in "xyz"] for r in table], x, atol=1e-9)
    limber_cli("statics", scene, "-o", "sag.json")
    printed = limber_cli("statics", scene, "--json").json
    assert json.loads((tmp_path / "sag.json").read_text())["positions"] == printed["positions"]
    assert limber_cli("statics", scene, "-o", "/dev/null/x.csv", status=1).err


def test_damping_curve(limber_cli, tmp_path):
    printed = limber_cli("damping-curve", "BE", "tr-bdf2", "--points", 5, "--from", 0.1, "--to", 10).out
    table = list(csv.DictReader(io.StringIO(printed)))
    theta = np.array([float(r["theta"]) for r in table])
    np.testing.assert_allclose(theta, np.geomspace(0.1, 10, 5))
    np.testing.assert_allclose([float(r["BE"]) for r in table], np.log(1 + theta**2) / theta, atol=1e-10)
    np.testing.assert_allclose([float(r["TR-BDF2"]) for r in table], limber.damping_curve("TR-BDF2", theta), atol=1e-12)
    limber_cli("damping-curve", "gen-alpha", "--set", "rho_inf=0.8", "-o", "curve.csv")
    curve = rows(tmp_path / "curve.csv")
    assert len(curve) == 81
    expected = limber.damping_curve("gen-alpha", [float(r["theta"]) for r in curve], rho_inf=0.8)
    np.testing.assert_allclose([float(r["gen-alpha"]) for r in curve], expected, atol=1e-12)
    assert "rho_inf" in limber_cli("damping-curve", "gen-alpha", "--set", "rho_inf=2", status=2).err
    assert "SDIRK" in limber_cli("damping-curve", "XX", status=2).err


# Bad input: status 2, the key or the line, and nothing written

CUBE = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
FLAT = {"nodes": [*CUBE, [0.5, 0.5, 0], [0.2, 0.3, 0]],
        "tets": [[0, 1, 2, 3], [1, 2, 3, 4], [0, 1, 2, 5], [0, 1, 2, 6]]}
DENSE = {"young": 1e5, "poisson": 0.3, "density": 1000}

BAD = {
    "unknown key": (dict(dampnig={}), ["bodies[0].dampnig", "did you mean 'damping'"]),
    "unknown key in the material": (dict(material={**DENSE, "yuong": 3}), ["bodies[0].material.yuong", "young"]),
    "wrong type": (dict(gravity="down"), ["gravity", "down"]),
    "wrong type of a number": (dict(time={"step": [1], "duration": 1}), ["time.step"]),
    "missing key": (dict(time={"step": 0.1}), ["time.duration"]),
    "Young's modulus": (dict(material={**DENSE, "young": 0}), ["bodies[0].material.young", "0"]),
    "negative modulus": (dict(material={**DENSE, "young": -1e5}), ["bodies[0].material.young", "-100000"]),
    "Poisson's ratio of a half": (dict(material={**DENSE, "poisson": 0.5}),
                                  ["bodies[0].material.poisson: 0.5 is outside (-1, 0.5)"]),
    "Poisson's ratio of minus one": (dict(material={**DENSE, "poisson": -1}),
                                     ["bodies[0].material.poisson", "(-1, 0.5)"]),
    "density": (dict(material={**DENSE, "density": 0}), ["bodies[0].material.density"]),
    "step": (dict(time={"step": 0, "duration": 1}), ["time.step"]),
    "negative step": (dict(time={"step": -0.1, "duration": 1}), ["time.step", "-0.1"]),
    "method": (dict(method="TRBDF2"), ["method", "TR-BDF2", "SDIRK", "gen-alpha"]),
    "parameter of another method": (dict(method={"name": "BE", "rho_inf": 0.5}), ["method.rho_inf"]),
    "parameter out of range": (dict(method={"name": "gen-alpha", "rho_inf": 2}), ["method.rho_inf", "2"]),
    "material": (dict(material={**DENSE, "model": "rubber"}), ["bodies[0].material.model", "neo_hookean", "arap"]),
    "missing mesh": (dict(mesh={"file": "nowhere.msh"}), ["nowhere.msh", "no such file"]),
    "index out of range": (dict(mesh={"nodes": CUBE, "tets": [[0, 1, 2, 7]]}, pin=None),
                           ["bodies[0].mesh.tets[0]", "7"]),
    "tetrahedra without volume": (dict(mesh=FLAT, pin=None),
                                  ["bodies[0].mesh: 2 of 4 tetrahedra have zero volume", "tetrahedron 2"]),
    "node in no element": (dict(mesh={"nodes": CUBE, "tets": [[0, 1, 2, 3]]}, pin=None), ["bodies[0].mesh", "4"]),
    "no free node": (dict(pin=["all"]), ["bodies[0]", "free"]),
    "empty selection": (dict(pin=[{"box": {"min": [5, 5, 5], "max": [6, 6, 6]}}]), ["bodies[0].pin[0]"]),
    "unit of another dimension": (dict(material={**DENSE, "young": "3 kg"}), ["bodies[0].material.young", "3 kg"]),
    "frames": (dict(output={"frames_every": 0}), ["output.frames_every"]),
}


def refuse(limber_cli, tmp_path, scene, *expected, arguments=()):
    before = sorted(tmp_path.rglob("*"))
    errors = []
    for command in (["run", scene, "-o", "out", *arguments], ["check", scene, *arguments]):
        done = limber_cli(*command, status=2)
        errors.append(done.err)
        assert done.out == ""
        for text in expected:
            assert any(part in done.err for part in text.split("|")), f"{text!r} is not in {done.err!r}"
    assert sorted(tmp_path.rglob("*")) == before
    return errors


@pytest.mark.parametrize("case", BAD)
def test_bad_input(limber_cli, write_scene, bar, tmp_path, case):
    keys, expected = BAD[case]
    refuse(limber_cli, tmp_path, write_scene(bar(**keys)), *expected)
    with pytest.raises(limber.InputError) as caught:
        limber.Simulation(limber.Scene(bar(**keys), str(tmp_path)))
    for text in expected:
        assert any(part in str(caught.value) for part in text.split("|"))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_numbers_that_are_none(limber_cli, tmp_path, bar, number):
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps(bar()).replace("20000.0", number))
    assert number in scene.read_text()
    refuse(limber_cli, tmp_path, scene, str(scene) + "|bodies[0].material.young")
    with pytest.raises(limber.InputError, match=r"bodies\[0\].material.young"):
        limber.Scene(bar(material={**DENSE, "young": float(number)}))


def test_text_that_is_not_json(limber_cli, tmp_path):
    scene = tmp_path / "scene.json"
    scene.write_text('{\n  "time": {"step": 0.1,\n  "duration" 1}\n}\n')
    refuse(limber_cli, tmp_path, scene, "scene.json", "3")
    refuse(limber_cli, tmp_path, tmp_path / "none.json", "none.json")


@pytest.mark.parametrize("name, text, line", [
    ("bad.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 x 0 0\n$EndNodes\n", 7),
    ("bad.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n1\n0 0 zero 0\nEnd\n", 5),
    ("bad.vtk", "not a mesh at all\n", 1),
    ("bad.node", "4 3 0 0\n0 0 0 0\n1 1 0 zero\n2 0 1 0\n3 0 0 1\n", 3),
])
def test_malformed_meshes_are_named_with_their_line(limber_cli, write_scene, bar, tmp_path, name, text, line):
    (tmp_path / name).write_text(text)
    if name.endswith(".node"):
        (tmp_path / "bad.ele").write_text("1 4 0\n0 0 1 2 3\n")
    refuse(limber_cli, tmp_path, write_scene(bar(mesh={"file": name}, pin=None)), f"{name}:{line}")


def test_wrongly_ordered_tetrahedra_are_only_noted(limber_cli, write_scene, bar):
    scene = write_scene(bar(mesh={"nodes": CUBE, "tets": [[0, 2, 1, 3], [1, 2, 3, 4]]}, pin=[{"nodes": [0]}]))
    assert "order" in limber_cli("check", scene).out
    done = limber_cli("run", scene, "-o", "out")
    assert "order" in done.err
    volume = 1 / 6 + 2 / 6
    assert limber_cli("check", scene, "--json").json["bodies"][0]["mass"] == pytest.approx(1000 * volume)


def test_directories_that_cannot_be_written(limber_cli, write_scene, bar, tmp_path):
    scene = write_scene(bar())
    assert "output.directory" in limber_cli("run", scene, "-o", "/dev/null/x", status=2).err
    (tmp_path / "file").write_text("")
    assert "file" in limber_cli("run", scene, "-o", "file", status=2).err
    assert "file" in limber_cli("run", scene, "-o", "file/inside", status=2).err
    assert "output.directory" in limber_cli("run", scene, status=2).err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "scene.json"]


# What a run writes

def test_files_of_a_run(limber_cli, write_scene, bar, tmp_path):
    h5py = pytest.importorskip("h5py")
    summary = limber_cli("run", write_scene(bar(output={"directory": "out", "velocities": True})), "--json").json
    assert summary["end"] == "finished" and summary["steps"] == 10 and summary["frames"] == 11
    out = tmp_path / "out"
    assert set(FILES) <= {p.name for p in out.iterdir()}
    stored = json.loads((out / "summary.json").read_text())
    assert stored == {k: v for k, v in summary.items() if k != "directory"}

    sim = limber.Simulation(limber.Scene(bar()))
    with h5py.File(out / "trajectory.h5") as file:
        assert file.attrs["format"] in ("limber-trajectory", b"limber-trajectory") and file.attrs["format_version"] == 2
        assert file["frames_written"][0] == 11
        assert file["rest/tets"].shape == (20, 4) and file["rest/tets"].dtype == np.int32
        assert file["rest/region"].shape == (20,) and file["rest/edges"].shape == (0, 2)
        assert np.array_equal(file["rest/nodes"][:], sim.positions)
        assert file["rest/prescribed"][:].tolist() == list(sim.pinned)
        assert file["bodies/names"].asstr()[:].tolist() == ["bar"]
        assert file["bodies/nodes"][:].tolist() == [[0, 20]] and file["bodies/tets"][:].tolist() == [[0, 20]]
        np.testing.assert_allclose(file["frames/times"][:], np.arange(11) * 0.01, atol=1e-15)
        for k in range(11):
            assert np.array_equal(file["frames/positions"][k], sim.positions)
            assert np.array_equal(file["frames/velocities"][k], sim.velocities)
            assert file["frames/min_det_F"][k] == sim.min_det_F()
            np.testing.assert_allclose(file["frames/reactions"][k], sim.reactions(), rtol=1e-12)
            sim.step()
        for name in ("rest/nodes", "frames/positions", "frames/velocities", "frames/times", "frames/reactions"):
            assert "units" in file[name].attrs

    tree = xml.etree.ElementTree.parse(out / "trajectory.xdmf")
    times = [float(t.get("Value")) for t in tree.iter("Time")]
    np.testing.assert_allclose(times, np.arange(11) * 0.01)

    check = limber_cli("check", "out", "--json").json
    assert check["frames"] == check["frames_planned"] == 11 and check["nodes"] == 20 and check["bad_frames"] == 0
    assert "11 of 11 frames" in limber_cli("check", "out").out


def test_energy_table(limber_cli, write_scene, bar, tmp_path):
    limber_cli("run", write_scene(bar(damping={"stiffness": 0.01})), "-o", "out", "--quiet")
    header = (tmp_path / "out/energy.csv").read_text().splitlines()[0]
    assert header.startswith("time,kinetic,elastic,gravitational,damping_loss,total,newton_iterations,wall_ms")
    table = rows(tmp_path / "out/energy.csv")
    assert len(table) == 11 and float(table[0]["time"]) == 0 and float(table[0]["kinetic"]) == 0
    sim = limber.Simulation(limber.Scene(bar(damping={"stiffness": 0.01})))
    for row in table:
        energies = sim.energies()
        assert float(row["time"]) == sim.time
        for name in ("kinetic", "elastic", "gravitational", "total", "damping_loss"):
            assert float(row[name]) == energies[name]
        sim.step()
    assert all(int(float(row["newton_iterations"])) >= 2 for row in table[1:])


def test_scene_json_can_be_run_again(limber_cli, write_scene, bar, tmp_path):
    scene = write_scene(bar())
    changes = ["--set", "method=BDF2", "--set", 'bodies[0].material.young="30 kPa"', "--set", "time.duration=0.05"]
    assert limber_cli("run", scene, "-o", "first", "--json", *changes).json["method"] == "BDF2"
    limber_cli("run", "first/scene.json", "-o", "second")
    limber_cli("run", scene, "-o", "third")
    trajectory = [(tmp_path / name / "trajectory.h5").read_bytes() for name in ("first", "second", "third")]
    assert trajectory[0] == trajectory[1] != trajectory[2]
    as_run = json.loads((tmp_path / "first/scene.json").read_text())
    assert as_run["bodies"][0]["material"]["young"] == "30 kPa" and as_run["method"] == "BDF2"


def test_scene_json_finds_its_mesh_from_anywhere(limber_cli, bar, tmp_path):
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes/tet.mesh").write_text(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
        "Tetrahedra\n1\n1 2 3 4 0\nEnd\n")
    (tmp_path / "scenes/scene.json").write_text(json.dumps(bar(mesh={"file": "tet.mesh"}, pin=["left"])))
    limber_cli("run", "scenes/scene.json", "-o", "first")
    elsewhere = tmp_path / "a/b"
    elsewhere.mkdir(parents=True)
    limber_cli("run", "../../first/scene.json", "-o", "../../second", cwd=elsewhere)
    assert (tmp_path / "first/trajectory.h5").read_bytes() == (tmp_path / "second/trajectory.h5").read_bytes()


@pytest.mark.parametrize("change, word", [
    ("bodies[0].material.yuong=3", "yuong"), ("bodies[7].name=x", "[7]"), ("time.step=-1", "time.step"),
    ("method=XX", "method"), ("nothing", "nothing"),
])
def test_wrong_changes_are_refused(limber_cli, write_scene, bar, tmp_path, change, word):
    refuse(limber_cli, tmp_path, write_scene(bar()), word, arguments=["--set", change])


@pytest.mark.parametrize("output, times", [
    ({"frames_every": 3}, [0, 0.03, 0.06, 0.09]),
    ({"fps": 50}, [0, 0.02, 0.04, 0.06, 0.08, 0.1]),
    ({"fps": "30 Hz"}, [0, 1 / 30, 2 / 30, 0.1]),
])
def test_frames(limber_cli, write_scene, bar, tmp_path, output, times):
    h5py = pytest.importorskip("h5py")
    limber_cli("run", write_scene(bar(output=output)), "-o", "out")
    every = write_scene(bar(time={"step": 0.01 / 3, "duration": 0.1}), "fine.json")
    limber_cli("run", every, "-o", "fine")
    with h5py.File(tmp_path / "out/trajectory.h5") as file, h5py.File(tmp_path / "fine/trajectory.h5") as fine:
        np.testing.assert_allclose(file["frames/times"][:], times, atol=1e-12)
        # Frames between steps are interpolated: compared with a run that steps on them.
        for k, t in enumerate(times):
            np.testing.assert_allclose(file["frames/positions"][k], fine["frames/positions"][round(t * 300)], atol=2e-4)


def test_quiet_and_plain_progress(limber_cli, write_scene, bar):
    scene = write_scene(bar())
    done = limber_cli("run", scene, "-o", "quiet", "--quiet")
    assert done.out == "" and done.err == ""
    done = limber_cli("run", scene, "-o", "plain")
    assert "62.5 kg" in done.err and "\r" not in done.err and "step 10 of 10" in done.err and "plain" in done.out
    done = limber_cli("run", scene, "-o", "json", "--json")
    assert done.err == "" and done.json["directory"] == "json"


def test_a_directory_in_use_is_not_touched(limber_cli, write_scene, bar, tmp_path):
    scene = write_scene(bar())
    (tmp_path / "out").mkdir()
    limber_cli("run", scene, "-o", "out", "--resume")  # an empty one is started
    first = (tmp_path / "out/trajectory.h5").read_bytes()
    stamps = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "out").iterdir()}
    done = limber_cli("run", scene, "-o", "out", status=2)
    assert "--resume" in done.err and "--overwrite" in done.err
    assert "nothing to do" in limber_cli("run", scene, "-o", "out", "--resume").out
    assert limber_cli("run", scene, "-o", "out", "--resume", "--json").json["end"] == "already finished"
    assert {p.name: p.stat().st_mtime_ns for p in (tmp_path / "out").iterdir()} == stamps
    (tmp_path / "out/mine.txt").write_text("keep")
    limber_cli("run", scene, "-o", "out", "--overwrite", "--set", "time.duration=0.05")
    assert (tmp_path / "out/mine.txt").read_text() == "keep"
    assert (tmp_path / "out/trajectory.h5").read_bytes() != first


def test_resume_with_another_scene_is_refused(limber_cli, write_scene, bar, tmp_path):
    scene = write_scene(bar())
    limber_cli("run", scene, "-o", "out")
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()}
    assert "--resume" in limber_cli("run", scene, "-o", "out", "--resume", "--set", "method=BE", status=2).err
    assert {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir()} == before


def test_a_simulation_that_cannot_go_on(limber_cli, write_scene, bar, tmp_path):
    """Two ends of a neo-Hookean bar are pushed through each other: status 1, and what was written is readable."""
    h5py = pytest.importorskip("h5py")
    scene = bar(material={"model": "neo_hookean", "young": 1e5, "poisson": 0.3, "density": 1000},
                time={"step": 0.02, "duration": 0.4},
                script=[{"nodes": "right", "keys": [{"time": 0}, {"time": 0.2, "translation": [-1.5, 0, 0]}]}])
    done = limber_cli("run", write_scene(scene), "-o", "out", status=1)
    assert "t = " in done.err and "Try" in done.err
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert summary["end"] == "failed" and summary["reason"]
    with h5py.File(tmp_path / "out/trajectory.h5") as file:
        n = file["frames_written"][0]
        assert 2 <= n < 21
        assert np.isfinite(file["frames/positions"][:n]).all() and np.isnan(file["frames/times"][n:]).all()
    assert len(rows(tmp_path / "out/energy.csv")) == n
    assert limber_cli("check", "out", "--json").json["frames"] == n


def test_check_of_a_directory_without_a_run(limber_cli, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "trajectory.h5" in limber_cli("check", "empty", status=2).err


@pytest.mark.parametrize("name", ["attached", "balloon", "beam", "bridge", "cloth_on_sphere", "jelly_brick", "pear", "rope",
                                  "inflated", "soft_gripper", "spring_network", "stitched",
                                  "stiff_and_soft", "targets", "twist", "two_materials", "wind"])
def test_shipped_scenes_run(limber_cli, root, tmp_path, name):
    scene = root / "scenes" / f"{name}.json"
    limber_cli("check", scene)
    summary = limber_cli("run", scene, "-o", "out", "--set", "time.duration=0.05", "--json").json
    assert summary["end"] == "finished" and summary["halved_steps"] == 0
