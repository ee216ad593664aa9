"""The generator of `make soak`: a few of its scenes and kills, and that its judge finds what is wrong."""

import json
import random
import sys

import pytest

h5py = pytest.importorskip("h5py")
np = pytest.importorskip("numpy")


@pytest.fixture(scope="module")
def tools(root):
    sys.path.insert(0, str(root / "tests" / "soak"))
    import scenes
    import soak
    sys.path.pop(0)
    return scenes, soak


@pytest.fixture
def small_soak(tools, limber_program, tmp_path):
    return tools[1].Soak(limber_program, 7, tmp_path)


def test_twenty_scenes(tools, small_soak, capsys):
    wrong, good = tools[1].run_scenes(small_soak, range(20), 2, "soak.py")
    assert wrong == 0 and len(good) >= 8, capsys.readouterr().out


def test_kills(tools, small_soak, capsys):
    assert tools[1].run_kills(small_soak, range(20), 4, 2, "soak.py") == 0, capsys.readouterr().out


def test_scenes_are_the_same_every_time(tools, small_soak):
    draws = [[tools[0].draw(3, i, small_soak.names) for i in range(40)] for _ in range(2)]
    assert draws[0] == draws[1] and len({d.text for d in draws[0]}) == 40
    assert 0 < sum(d.damage != "" for d in draws[0]) < 20


def test_every_method_has_its_turn(tools, small_soak):
    methods = small_soak.names.methods
    drawn = {tools[0].draw(3, i, small_soak.names).scene["method"]["name"] for i in range(len(methods))}
    assert drawn == {m["name"] for m in methods}


def finished_run(limber_cli, write_scene, bar, tmp_path):
    scene = bar(time={"step": 0.01, "duration": 0.05})
    done = limber_cli("run", write_scene(scene), "-o", "out")
    return scene, done, tmp_path / "out", json.loads((tmp_path / "out/summary.json").read_text())


def test_the_judge_sees_what_is_wrong(tools, limber_cli, write_scene, bar, tmp_path):
    soak = tools[1]
    scene, done, out, summary = finished_run(limber_cli, write_scene, bar, tmp_path)
    soak.check_summary(summary, scene["time"])
    assert not soak.check_energies(out, summary, done, scene)
    soak.check_frames(out, summary)
    table = (out / "energy.csv").read_text()
    rows = table.splitlines()
    numbers = rows[3].split(",")
    for column, number in ((1, "nan"), (5, "1e9"), (15, "5")):  # kinetic, total, put_in
        changed = numbers[:column] + [number] + numbers[column + 1:]
        (out / "energy.csv").write_text("\n".join(rows[:3] + [",".join(changed)] + rows[4:]) + "\n")
        with pytest.raises(soak.Wrong, match="not finite|energy rises|nothing puts in"):
            soak.check_energies(out, summary, done, scene)
    with h5py.File(out / "trajectory.h5", "r+") as file:
        file["frames/positions"][2, 0, 0] = np.nan
    with pytest.raises(soak.Wrong, match="positions is not finite"):
        soak.check_frames(out, summary)
    with pytest.raises(soak.Wrong):
        soak.check_summary({**summary, "energy": {"kinetic": None}}, scene["time"])
    with pytest.raises(soak.Wrong, match="planned"):
        soak.check_summary({**summary, "steps_planned": None}, scene["time"])


def test_the_judge_sees_a_bit(tools, limber_cli, write_scene, bar, tmp_path):
    scene = write_scene(bar(time={"step": 0.01, "duration": 0.05}))
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        limber_cli("run", scene, "-o", "out", "--quiet", cwd=tmp_path / name)
    one, other = tmp_path / "one/out", tmp_path / "other/out"
    assert tools[1].first_difference(one, other) == ""
    for name in ("trajectory.h5", "checkpoint.bin", "trajectory.xdmf", "scene.json"):
        good = (other / name).read_bytes()
        at = random.Random(name).randrange(len(good))
        (other / name).write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1:])
        assert name in tools[1].first_difference(one, other)
        (other / name).write_bytes(good)
    (other / "energy.csv").write_text((other / "energy.csv").read_text().replace("0.02,", "0.021,"))
    assert "row 3, time" in tools[1].first_difference(one, other)
    (other / "x.tmp").touch()
    assert "x.tmp" in tools[1].first_difference(one, other)
