"""docs/scene.schema.json accepts the good sample scenes and refuses the wrong ones whose form is wrong."""

import copy
import json
import pathlib

import pytest

jsonschema = pytest.importorskip("jsonschema")

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "tests" / "scene" / "samples"


@pytest.fixture(scope="module")
def validator():
    schema = json.loads((ROOT / "docs" / "scene.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def parent_of(document, pointer):
    """The container and the last key that a JSON pointer names."""
    *steps, last = pointer.split("/")[1:]
    for step in steps:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document, int(last) if isinstance(document, list) else last


def wrong_scene(case):
    scene = copy.deepcopy(load(SAMPLES / "good" / "full.json"))
    for pointer, value in case.get("put", {}).items():
        container, key = parent_of(scene, pointer)
        container[key] = value
    for pointer in case.get("drop", []):
        container, key = parent_of(scene, pointer)
        del container[key]
    return scene


GOOD = sorted((SAMPLES / "good").glob("*.json")) + sorted((ROOT / "scenes").rglob("*.json"))
BAD = [(path.stem, case) for path in sorted((SAMPLES / "bad").glob("*.json")) for case in load(path)]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_accepts(validator, path):
    assert [error.message for error in validator.iter_errors(load(path))] == []


@pytest.mark.parametrize("case", [case for _, case in BAD], ids=[f"{stem}-{case['key']}" for stem, case in BAD])
def test_judges_wrong_scenes(validator, case):
    """Values that only the reader can judge (a unit of another dimension, an order of times) pass the schema."""
    assert validator.is_valid(wrong_scene(case)) == (case["schema"] == "accepts")
