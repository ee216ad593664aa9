"""`limber study`: files, figures and facts, with --quick."""

import csv
import json
import math
import re
import signal
import subprocess

import pytest


@pytest.fixture(scope="module")
def study(limber_program):
    def run(*arguments, status=0):
        done = subprocess.run([limber_program, "study", *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == status, done.stderr
        return done

    return run


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def results(study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    names = ["damping", "stiff-dirk", "barrier", "friction", "soft-energy", "soft-eigs"]
    report = json.loads(study(*names, "--quick", "--json", "-o", folder).stdout)
    return folder, {s["name"]: s for s in report["studies"]}


def test_every_figure_has_its_three_files_with_axes_and_a_legend(results):
    folder, studies = results
    for name, found in studies.items():
        assert found["figures"], name
        for figure in found["figures"]:
            svg = (folder / name / f"{figure}.svg").read_text()
            assert len(re.findall(r"<path", svg)) > 5
            assert (folder / name / f"{figure}.png").read_bytes()[:4] == b"\x89PNG"
            header = (folder / name / f"{figure}.csv").read_text().splitlines()[0]
            labels = [cell.strip('"') for cell in next(csv.reader([header]))]
            texts = re.findall(r"<tspan[^>]*>([^<]*)</tspan>|<text[^>]*>([^<]+)", svg)
            drawn = " ".join(a or b for a, b in texts)
            for label in labels:
                if label != "curve":
                    assert label.replace("'", "’").split(" ")[0] in drawn, (figure, label)


def test_damping_curves_are_the_closed_forms(results):
    folder, _ = results
    rows = table(folder / "damping" / "damping.csv")
    assert len(rows) > 100
    for row in rows:
        theta = float(row["ω h"])
        assert float(row["BE"]) == pytest.approx(math.log(1 + theta**2) / theta, abs=1e-10)
        s = theta**2
        tr_bdf2 = (1 + 25 * s / 144) / ((1 + s / 16) * (1 + s / 9))
        assert float(row["TR-BDF2"]) == pytest.approx(-math.log(tr_bdf2) / theta, abs=1e-10)
        assert float(row["TR"]) == pytest.approx(0, abs=1e-10)


def test_soft_energy_orders_the_methods(results):
    folder, _ = results
    lost = {row["method"].split(",")[0]: float(row["lost [J]"]) for row in table(folder / "soft-energy" / "energies.csv")}
    assert lost["BE"] > lost["SIERE"] > lost["TR-BDF2"] > 0
    assert lost["STR-SBDF2ERE-printed"] < -1000


def test_stiff_dirk_stops_where_it_must(results):
    _, studies = results
    claims = studies["stiff-dirk"]["claims"]
    assert [c["agrees"] for c in claims] == [True, True]
    assert "-0.004731" in claims[0]["seen"]  # BDF2's second step, (4/101 - 1)/203


def test_softness_lets_modes_cross(results):
    _, studies = results
    assert studies["soft-eigs"]["claims"][2]["agrees"]


def test_several_studies_give_one_page(results):
    folder, studies = results
    page = (folder / "index.html").read_text()
    for name in studies:
        assert f'id="{name}"' in page
    assert "http" not in page
    assert page.count("data:image/svg+xml") == sum(len(s["figures"]) for s in studies.values())
    for picture in re.findall(r"\]\(([^)]*)\)", (folder / "README.md").read_text()):
        assert (folder / picture).exists(), picture


def test_unknown_names_and_foreign_folders_are_refused(study, tmp_path):
    assert "did you mean damping?" in study("dampin", "-o", tmp_path, status=2).stderr
    (tmp_path / "barrier").mkdir()
    (tmp_path / "barrier" / "mine.txt").write_text("keep")
    assert "holds something else" in study("barrier", "-o", tmp_path, status=2).stderr
    assert (tmp_path / "barrier" / "mine.txt").read_text() == "keep"


def test_missing_programs_are_told_before_the_work(limber_cli, tmp_path):
    said = limber_cli("study", "all", "-o", "out", status=1, env={"PATH": str(tmp_path)}).err
    assert "gnuplot was not found; install it to get plots" in said
    assert not (tmp_path / "out").exists()


def test_an_interrupted_study_says_so(limber_program, tmp_path):
    process = subprocess.Popen(
        [limber_program, "study", "barrier", "work-precision", "--quick", "-o", tmp_path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline().startswith("barrier")  # the next one takes longer
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "interrupted in work-precision" in said
    assert (tmp_path / "barrier" / "barrier.svg").exists()
