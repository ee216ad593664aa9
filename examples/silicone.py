"""What a method's own damping does to a measurement: modulus and damping of a filmed silicone beam, fitted with several methods.

    python3 examples/silicone.py [PICTURE.png]      (the picture needs gnuplot)

The beam rests on a support and is let go. With a method that damps, the fit finds too little damping in the material.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile

import limber
import numpy as np

STEPS = {"TR-BDF2": [0.01, 0.005], "SDIRK": [0.01, 0.005], "gen-alpha": [0.01, 0.005],
         "SIERE": [0.01, 0.005], "BE": [0.01, 0.005, 0.0025],
         "SI": [0.01, 0.005, 0.0025]}
YOUNG, DAMPING = "bodies[0].material.young", "bodies[0].damping.stiffness"
TIP = {"box": {"min": [-1e-6, 0, -1e-6], "max": [0, 0.03, 1e-6]}}

scene = {
    "time": {"step": 0.01, "duration": 0.6},
    "gravity": [0, 0, -9.81],
    "bodies": [{
        "name": "beam", "element": "P2",
        "mesh": {"shape": "box", "origin": [-0.1, 0, 0], "size": [0.1, 0.03, 0.03], "cells": [4, 1, 1]},
        "material": {"model": "stable_neo_hookean", "young": 2.5e5, "poisson": 0.49, "density": 1070},
        "damping": {"stiffness": 0.003},
        "masses": [{"nodes": "right", "mass": "2 g"}],  # the markers
        "pin": ["left"],
    }],
    "output": {"velocities": True, "probes": [{"name": n, "body": "beam", "point": p} for n, p in [
        ("m0", [0, 0.015, 0.036]), ("m1", [0, -0.006, 0.024]), ("m2", [0, 0.036, 0.006])]]},
}


def rest_on_its_support(folder):
    """Runs the beam until it rests on its support; returns the time and where the markers are [m]."""
    body = {**scene["bodies"][0], "pin": ["left", TIP], "damping": {"mass": 20}}
    limber.run({**scene, "method": "BE", "time": {"step": 0.05, "duration": 3}, "bodies": [body]}, folder)
    last = np.genfromtxt(pathlib.Path(folder, "probes.csv"), delimiter=",", skip_header=1)[-1]
    return last[0], last[1:].reshape(3, 3)


def filmed(start, places):
    """(t, {marker: positions}): the beam is let go at `start`, 5 ms after the first frame of the film."""
    file = pathlib.Path(__file__).parents[1] / "tests/python/data/silicone_gravity_b.csv"
    rows = np.array([[float(x) for x in row] for row in list(csv.reader(file.open()))[4:]])[1:60]
    moved = 1e-3 * rows[:, 1:].reshape(-1, 3, 3)
    return start - 0.005 + rows[:, 0], {f"m{k}": places[k] + moved[:, k] for k in range(3)}


results = {}
with tempfile.TemporaryDirectory() as folder:
    observed = filmed(*rest_on_its_support(folder + "/rest"))
    scene["start"] = {"run": folder + "/rest"}
    for method, steps in STEPS.items():
        for h in steps:
            scene["method"], scene["time"]["step"] = method, h
            r = limber.fit(scene, observed, vary={YOUNG: (1e5, 1e6), DAMPING: (1e-5, 0.1)})
            results[method, h] = r.values[YOUNG] / 1e3, r.values[DAMPING] * 1e3
            young, damping = results[method, h]
            print(f"{method:10} h = {1e3 * h:4g} ms: E = {young:6.1f} kPa, damping {damping:6.2f} ms, rms {1e3 * r.rms:.3f} mm, "
                  f"{r.evaluations} evaluations", flush=True)

if len(sys.argv) > 1:
    data = "".join(f"$m{k} << E\n" + "".join(f"{1e3 * h} {results[m, h][0]} {results[m, h][1]}\n" for h in STEPS[m]) + "E\n"
                   for k, m in enumerate(STEPS))
    colors = ["#0072b2", "#009e73", "#56b4e9", "#e69f00", "#d55e00", "#cc79a7"]
    lines = lambda column: ", ".join(f"$m{k} using 1:{column} with linespoints lw 2 lc rgb '{colors[k]}' "
                                     f"pt {5 + 2 * k} ps 1.5 title '{m}'" for k, m in enumerate(STEPS))
    subprocess.run(["gnuplot"], check=True, text=True, input=data + f"""
        set terminal pngcairo size 1100,460 font 'DejaVu Sans,12' background 'white'
        set output '{sys.argv[1]}'
        set multiplot layout 1,2; unset key
        set border 3; set tics nomirror; set grid lt 1 lc rgb '#dddddd'
        set xlabel 'time step [ms]'; set xrange [0:11]; set offsets 0, 0, graph 0.1, graph 0.05
        set title "Young's modulus that fits the film [kPa]"; plot {lines(2)}
        set title 'damping that fits the film: factor of K [ms]'; set yrange [-0.1:*]; set key left center; plot {lines(3)}""")
