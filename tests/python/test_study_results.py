"""docs/studies/, the results that are kept: every study has its page, and every file that a page names is there."""

import re
import subprocess
from pathlib import Path

import pytest

RESULTS = Path(__file__).parents[2] / "docs" / "studies"
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")  # without what follows a #


@pytest.fixture(scope="module")
def names(limber_program):
    """All studies, from the list in the program's help."""
    text = subprocess.run([limber_program, "study", "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^  ([a-z-]+) +\S", text.split("Studies:\n")[1].split("\n\n")[0], re.MULTILINE)
    assert len(found) > 10 and found[-1] == "all"
    return found[:-1]


def sound(path):
    """Pictures end as PNG files do, so that none is empty or cut off."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    content = path.read_bytes()
    return path.suffix != ".png" or (content.startswith(b"\x89PNG\r\n\x1a\n") and b"IEND" in content[-12:])


def test_every_study_has_its_page_and_its_section(names):
    whole = (RESULTS / "README.md").read_text(encoding="utf-8")
    sections = re.findall(r"^`limber study ([a-z-]+)`", whole, re.MULTILINE)
    assert sections == names
    for name in names:
        page = (RESULTS / name / "study.md").read_text(encoding="utf-8")
        assert f"`limber study {name}`" in page and "Not finished" not in page


def test_pages_say_the_command_that_writes_them(names):
    for page in [RESULTS / "README.md", *(RESULTS / name / "study.md" for name in names)]:
        text = page.read_text(encoding="utf-8")
        own = f"Made by `limber study {page.parent.name} -o docs/studies`."  # one that was renewed alone
        assert "Made by `limber study all -o docs/studies`." in text or own in text, page


def test_files_that_pages_name_are_there(names):
    for page in [RESULTS / "README.md", *(RESULTS / name / "study.md" for name in names)]:
        links = LINK.findall(page.read_text(encoding="utf-8"))
        assert [link for link in links if not sound(page.parent / link)] == [], page
        assert any(link.endswith(".png") for link in links), page


def test_every_figure_has_its_numbers(names):
    for name in names:
        for picture in (RESULTS / name).glob("*.png"):
            numbers = picture.with_suffix(".csv")
            assert name == "objects" or sound(numbers), picture


@pytest.mark.parametrize("page", ["README.md", "docs/studies.md", "docs/methods.md"])
def test_links_into_the_results_work(page):
    file = RESULTS.parents[1] / page
    links = [link for link in LINK.findall(file.read_text(encoding="utf-8")) if "studies" in link and "//" not in link]
    assert links, page
    assert [link for link in links if not (file.parent / link).exists()] == []
