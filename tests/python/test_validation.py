"""scenes/validation/: what a user sees who runs these scenes by hand, and the page that is kept."""

import csv
import json

import pytest


@pytest.fixture(scope="module")
def scenes(root):
    return root / "scenes" / "validation"


@pytest.fixture(scope="module")
def kept(root):
    """The tables of docs/studies/validation/, by name."""
    folder = root / "docs" / "studies" / "validation"
    return {path.stem: list(csv.DictReader(path.open(encoding="utf-8"))) for path in folder.glob("*.csv")}


def test_tapered_membrane_by_hand(limber_cli, scenes):
    """NAFEMS FV32, mode 1: 44.623 Hz."""
    found = limber_cli("modes", scenes / "tapered_membrane.json", "-n", "1", "--json").json
    assert found["frequency"][0] == pytest.approx(44.623, rel=0.01)


def test_meshes_are_refined_by_set(limber_cli, scenes):
    """NAFEMS FV5: 42.649 Hz after one rigid motion along the beam; the finer mesh comes nearer."""
    off = []
    for cells in ("[5,1,1]", "[10,2,2]"):
        found = limber_cli("modes", scenes / "deep_beam.json", "-n", "2", "--set", f"bodies[0].mesh.cells={cells}", "--json").json
        off.append(abs(found["frequency"][1] / 42.649 - 1))
    assert off[1] < off[0] / 2 < 0.01


def test_cook_by_hand(limber_cli, scenes, tmp_path):
    """The middle of the free side goes up by 23.97 on fine meshes."""
    limber_cli("statics", scenes / "cook.json", "-o", "cook.csv")
    nodes = json.loads((scenes / "cook.json").read_text(encoding="utf-8"))["bodies"][0]["mesh"]["nodes"]
    middle = nodes.index([48.0, 52.0, 0.0])
    rows = list(csv.DictReader((tmp_path / "cook.csv").open()))
    assert float(rows[middle]["y"]) - 52 == pytest.approx(23.97, rel=0.03)


def test_kept_page_has_its_scenes_and_sources(kept, scenes, root):
    named = {row["scene"].strip("`") for row in kept["cases"]}
    filmed = {"scenes/validation/silicone_beam.json"}  # test_silicone.py
    assert named | filmed == {str(path.relative_to(root)) for path in scenes.glob("*.json")}
    assert all(len(row["source"]) > 20 for row in kept["cases"])


@pytest.mark.parametrize("name, least, share", [("numbers", 40, 0.95), ("materials", 40, 0.95), ("experiments", 24, 0)])
def test_kept_verdicts_follow_from_the_numbers(kept, name, least, share):
    """What was measured on a body has errors of its own: of experiments no share has to agree."""
    rows = kept[name]
    assert len(rows) >= least
    for row in rows:
        off = abs(float(row["Limber"]) / float(row["source"]) - 1)
        allowed = float(row["allowed"].split()[0]) / 100
        assert (row["verdict"] == "agrees") == (off <= allowed + 5e-5), row  # printed with five digits
    assert sum(row["verdict"] == "agrees" for row in rows) >= share * len(rows)


@pytest.mark.parametrize("name, exact", [("bouncing-bar", [5, 1]), ("released-rod", [0.5, 1, 0.5])])
def test_kept_impacts_have_every_method(kept, name, exact):
    """Each cell is a number and its deviation from the exact one, which the first row has; the last column counts."""
    import limber

    first, *rows = kept[name]
    assert [row["method"] for row in rows] == [m["name"] for m in limber.methods() if not m["name"].endswith("-printed")]
    columns = list(first)[1:-1]
    assert sorted({float(first[c]) for c in columns}) == sorted(set(exact))
    for row in rows:
        good = 0
        for c in columns:
            value, off = row[c].rstrip(" %)").split(" (")
            assert float(off) == pytest.approx(100 * (float(value) / float(first[c]) - 1), abs=0.06, rel=0.06), (row, c)
            good += abs(float(off)) <= 1
        assert row[list(first)[-1]] == f"{good} of {len(columns)}"
