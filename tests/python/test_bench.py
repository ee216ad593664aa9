"""`limber bench`: what it prints in three forms, what is chosen by options, and what wrong ones are told."""

import csv
import io

import pytest

FRICTION = ["bench", "--quick", "--filter", "friction/", "--rounds", 2, "--threads", 1]


def test_a_table_with_ratios(limber_cli):
    lines = limber_cli(*FRICTION).out.splitlines()
    assert "medians of 2 rounds" in lines[0] and "processor time" in lines[0]
    head, row = lines[-3:-1]
    assert head.split()[:2] == ["case", "ms"] and "ratio" in head and "frictionless [ms]" in head
    name, ms, reference, ratio, *_ = row.split()
    assert name == "friction/slope" and float(ms) > 0
    assert 0.3 < float(ratio) / (float(ms) / float(reference)) < 3  # the median ratio is not that of the medians


def test_json_and_csv_say_the_same_of_each_row(limber_cli):
    choice = ["bench", "--quick", "--filter", "step/2560/soft", "--methods", "si,BDF2", "--rounds", 1, "--threads", 1]
    whole = limber_cli(*choice, "--json").json
    assert whole["threads"] == 1 and whole["rounds"] == 1 and whole["cores"] >= 1
    assert [row["name"] for row in whole["rows"]] == ["step/2560/soft/SI", "step/2560/soft/BDF2"]
    for row in whole["rows"]:
        assert [over["reference"] for over in row["over"]] == ["factor+solve", "product"]
        for over in row["over"]:
            assert over["low"] == over["ratio"] == over["high"] == pytest.approx(row["ms"] / over["ms"])
        assert set(row["counts"]) == {"Newton", "factors", "iterations"}
    table = list(csv.DictReader(io.StringIO(limber_cli(*choice, "--csv").out)))
    assert [(r["name"], r["reference"]) for r in table] == \
        [(row["name"], over["reference"]) for row in whole["rows"] for over in row["over"]]
    assert all(float(r["ratio"]) > 0 for r in table)


def test_names(limber_cli):
    names = limber_cli("bench", "--list").out.split()
    assert len(names) == len(set(names)) and "step/160k/stiff/TR-BDF2" in names
    quick = limber_cli("bench", "--list", "--quick").out.split()
    assert {"step/2560/soft/SI", "elements/arap/energy"} <= set(quick) and "step/20k/soft/SI" not in quick
    assert limber_cli("bench", "--list", "--filter", "20k/soft/SI$", "--threads", 2).out.split() == \
        ["step/20k/soft/SI", "threads/20k/soft/SI"]
    methods = set(limber_cli("methods", "--names").out.split())
    every = limber_cli("bench", "--list", "--methods", "all", "--filter", "^step/2560/soft").out.split()
    assert {name.split("/")[-1] for name in every} < methods


@pytest.mark.parametrize("arguments, said", [
    (["--filter", "("], ["--filter", "'('", "regular expression"]),
    (["--filter", "nothing"], ["--filter", "'nothing'", "elements, step", "--list"]),
    (["--filter", "20k", "--quick"], ["--filter", "'20k'", "--quick"]),
    (["--filter", "^threads", "--threads", 1], ["--filter", "one thread"]),
    (["--methods", "SI,verlet"], ["--methods", "'verlet'", "TR-BDF2"]),
    (["--threads", -3], ["--threads", "-3", "0 to 1024"]),
    (["--rounds", 0], ["--rounds", "0", "1 to 1000"]),
    (["--rounds", "many"], ["--rounds", "many"]),
    (["--json", "--csv"], ["--json", "--csv"]),
    (["--quik"], ["--quik"]),
])
def test_wrong_options(limber_cli, arguments, said):
    error = limber_cli("bench", *arguments, status=2).err
    assert all(word in error for word in said), error
