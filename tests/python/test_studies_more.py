"""Five studies as a user runs them: files are there, and the numbers in them say what the studies are about."""

import csv
import json
import subprocess

import pytest

NAMES = ["one-newton", "si-diverges", "velocity-contact", "refresh", "accuracy"]


@pytest.fixture(scope="module")
def studies(limber_program, tmp_path_factory):
    """The folder, and the summary of each study by its name."""
    folder = tmp_path_factory.mktemp("studies")
    done = subprocess.run([limber_program, "study", *NAMES, "--quick", "--json", "-o", folder], capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads(done.stdout)
    assert not summary["failed"]
    return folder, {s["name"]: s for s in summary["studies"]}


def table(folder, study, name):
    with open(folder / study / f"{name}.csv", encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def agrees(study, words):
    """The verdict on the one claim that has these words."""
    found = [c["agrees"] for c in study["claims"] if words in c["claim"]]
    assert len(found) == 1, study["claims"]
    return found[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_is_there(studies, name):
    folder, summaries = studies
    figures = summaries[name]["figures"]
    assert figures and summaries[name]["claims"]
    for figure in figures:
        assert (folder / name / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (folder / name / f"{figure}.svg").read_text(encoding="utf-8")
        assert len((folder / name / f"{figure}.csv").read_text(encoding="utf-8").splitlines()) > 2
    assert (folder / name / "study.md").stat().st_size > 1000


def test_si_diverges_and_backward_euler_does_not(studies):
    folder, summaries = studies
    rows = {r["method"]: r for r in table(folder, "si-diverges", "methods")}
    grown = {m: float(r["alone: largest energy over that at the start"]) for m, r in rows.items()}
    assert grown["SI"] > 1e3
    assert grown["BE"] < 1.1 and grown["TR-BDF2"] < 1.1
    assert int(rows["SI"]["driver: steps by full Newton"]) > 0
    assert float(rows["SI"]["driver: largest energy over that at the start"]) < 1.1
    assert agrees(summaries["si-diverges"], "diverges wildly")


def test_what_an_iteration_leaves_does_not_depend_on_the_modes(studies):
    folder, _ = studies
    rows = table(folder, "one-newton", "iterations")
    left = "left by one iteration / motion in a step"
    error = "error of the converged step / motion in a step"
    for method in ("BDF2ERE", "TR-BDF2ERE"):
        for young in ("100000", "1e+07"):
            series = [r for r in rows if (r["method"], r["E [Pa]"], r["h [s]"]) == (method, young, "0.01")]
            assert [int(r["s"]) for r in series][0] == 0 and len(series) == 6
            leaves = [float(r[left]) for r in series]
            errors = [float(r[error]) for r in series]
            assert max(leaves) < 1.3 * min(leaves)
            assert errors[-1] < 0.5 * errors[0]
            assert leaves[0] < errors[0]
            assert float(series[1]["suffices in [%] of the steps"]) >= 90


def test_an_iteration_leaves_less_with_a_smaller_step(studies):
    folder, _ = studies
    rows = table(folder, "one-newton", "iterations")
    left = {(r["method"], r["E [Pa]"], r["s"], r["h [s]"]): float(r["left by one iteration / motion in a step"])
            for r in rows}
    for (method, young, s, h), value in left.items():
        if h == "0.01":
            assert value < 0.7 * left[method, young, s, "0.03333"]


def test_velocity_based_contact_hovers(studies):
    folder, summaries = studies
    rows = {(r["formulation"], r["δ [mm]"], float(r["h [s]"])): r for r in table(folder, "velocity-contact", "slide")}
    if not any(f == "velocity" for f, _, _ in rows):
        pytest.skip("built without IPOPT")
    gap = {k: float(r["mean gap [mm]"]) for k, r in rows.items()}
    error = {k: float(r["error of the end [mm]"]) for k, r in rows.items()}
    assert gap["velocity", "2", 0.01] > 3 * gap["nonpenetration", "2", 0.01]
    assert min(gap.values()) > -1e-4
    for f in ("nonpenetration", "barrier"):
        assert error[f, "0.02", 0.0025] < 0.2 * error[f, "0.02", 0.04]
    assert agrees(summaries["velocity-contact"], "reject plausible steps")


def test_modes_of_a_stiff_beam_can_be_kept(studies):
    folder, summaries = studies
    rows = {(r["beam"], r["method"], r["policy"]): r for r in table(folder, "refresh", "policies")}
    error = {k: float(r["error / motion"]) for k, r in rows.items()}
    for method in ("SIERE", "STR-SBDF2ERE"):
        assert error["stiff", method, "once"] < 1.1 * error["stiff", method, "every step"]
        assert float(rows["soft", method, "every step"]["steps per refresh"]) == 1
        change = [float(rows["soft", method, p]["change against every step / motion"])
                  for p in ("every step", "every 2", "every 10", "once")]
        assert change == sorted(change) and change[0] == 0
    lost = {p: float(rows["soft", "SIERE", p]["energy lost [J]"]) for p in ("once", "every step")}
    assert lost["once"] > lost["every step"]
    assert agrees(summaries["refresh"], "only once")


def test_old_modes_diverge_in_large_motion(studies):
    folder, _ = studies
    ends = {r["policy"]: r["ends"] for r in table(folder, "refresh", "stability")}
    assert ends["once"].startswith("diverges")
    assert ends["every step"] == "stays bounded"


def test_the_accuracy_that_is_asked_for_is_kept(studies):
    folder, summaries = studies
    rows = table(folder, "accuracy", "scenes")
    assert {r["kind"] for r in rows} == {"smooth", "contact", "rest and impact"}
    for row in rows:
        assert 0 < float(row["true/asked"]) < 3 and int(row["steps"]) > 0
    assert agrees(summaries["accuracy"], "within three times what was asked")
    assert agrees(summaries["accuracy"], "ten times")
