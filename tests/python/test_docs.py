"""Commands in README.md and docs/*.md: the files that they read come with Limber, or an earlier command of the page makes
them; the program is called in one way."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))]
COMMANDS = ["run", "check", "modes", "statics", "mesh", "export", "render", "compare", "sweep", "fit", "coarsen"]  # that read a file
READ = re.compile(r"\.(json|obj|ply|stl|gltf|glb|msh|vtk|vtu|mesh|node|ele)$")
DONE_BEFORE = {"out/stack", "out/mine"}  # the folder of the stack's scene; what the page has written in Python


def commands(text):
    """Whole lines of code, and what stands between backticks, as lists of words."""
    lines = re.findall(r"^    (limber .*)$", text, re.M) + re.findall(r"`(limber [^`]*)`", text)
    for line in lines:
        words = shlex.split(line.split("  #")[0], comments=False)
        if len(words) > 2 and words[1] in COMMANDS:
            yield words[1:]


def inputs(words):
    """What a command reads: its words that are no options, nor values of options or keys."""
    skip = False
    for word in words[1:]:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = "=" not in word and word not in ("--json", "--body", "--wireframe", "--draft", "--resume", "--collect")
        elif not re.match(r"\w+=", word) and (READ.search(word) or word.startswith("out/")):
            yield word


def outputs(words):
    return [b for a, b in zip(words, words[1:]) if a == "-o"]


@pytest.mark.parametrize("page", PAGES)
def test_commands_name_files_that_are_there(root, page):
    text = (root / page).read_text(encoding="utf-8")
    made = {out for words in commands(text) for out in outputs(words)} | DONE_BEFORE
    for words in commands(text):
        for name in inputs(words):
            written_out = f"`{name}`" in text and "```json" in text  # the page shows what is in it
            assert (root / name).exists() or name in made or written_out, f"{page}: limber {' '.join(words)}: no {name}"


def test_some_commands_are_found(root):
    text = (root / "docs/meshes.md").read_text(encoding="utf-8")
    found = [name for words in commands(text) for name in inputs(words)]
    assert {"scenes/meshes/pear.obj", "scenes/pear.json", "out/pear", "part.msh"} <= set(found)


@pytest.mark.parametrize("page", PAGES)
def test_the_program_is_called_in_one_way(root, page):
    text = (root / page).read_text(encoding="utf-8")
    assert not re.search(r"(build/bin/|\./)limber (" + "|".join(COMMANDS) + r")\b", text)


def test_links_between_pages_lead_somewhere(root):
    """Files, and headings by the names that GitHub gives them."""
    def anchors(path):
        for heading in re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M):
            plain = re.sub(r"<!--.*?-->|[`*]", "", heading).strip().lower()
            yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")

    for page in PAGES:
        here = root / page
        for target in re.findall(r"\]\(([^)\s]+)\)", here.read_text(encoding="utf-8")):
            if target.startswith("http"):
                continue
            name, _, anchor = target.partition("#")
            there = (here.parent / name).resolve() if name else here
            assert there.exists(), f"{page}: {target}"
            if anchor and there.suffix == ".md":
                assert anchor in list(anchors(there)), f"{page}: {target}"


def test_the_tutorials_show_the_example_as_it_is(root):
    program = (root / "examples/own_force.cpp").read_text(encoding="utf-8")
    page = (root / "docs/tutorials.md").read_text(encoding="utf-8").partition("\n## A force\n")[2]
    shown = [b for b in re.findall(r"```cpp\n(.*?)```", page, re.S) if b.startswith(("class", "  MethodInfo"))]
    assert len(shown) == 3
    assert all(block in program for block in shown)
