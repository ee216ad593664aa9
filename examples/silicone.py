"""What a method's own damping does to a measurement: modulus and damping of a filmed silicone beam, fitted with several methods.
Then what the fit says of a film that it has not seen, with 52 g at the tip.

    python3 examples/silicone.py [PICTURE.png [PREDICTION.png]]      (pictures need gnuplot)

The beam rests on a support and is let go. With a method that damps, the fit finds too little damping in the material.
"""

import copy
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

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


def rest_on_its_support(body, folder):
    """Runs the beam until it rests on its support; returns the time and where the markers are [m]."""
    body = {**body, "pin": ["left", TIP], "damping": {"mass": 20}}
    limber.run({**scene, "method": "BE", "time": {"step": 0.05, "duration": 3}, "bodies": [body]}, folder)
    last = markers(folder)
    return last[0][-1], last[1][-1]


def markers(folder):
    """Of a run: times [s] and T x 3 x 3 places [m]."""
    rows = np.genfromtxt(pathlib.Path(folder, "probes.csv"), delimiter=",", skip_header=1)
    return rows[:, 0], rows[:, 1:].reshape(-1, 3, 3)


def filmed(take, start, places):
    """(t, {marker: positions}): the beam is let go at `start`, 5 ms after the first frame of the film."""
    file = pathlib.Path(__file__).parents[1] / f"tests/python/data/silicone_{take}.csv"
    rows = np.array([[float(x) for x in row] for row in list(csv.reader(file.open()))[4:]])[1:60]
    moved = 1e-3 * rows[:, 1:].reshape(-1, 3, 3)
    return start - 0.005 + rows[:, 0], {f"m{k}": places[k] + moved[:, k] for k in range(3)}


def predicted_with_a_load(material, folder):
    """Runs the beam that was fitted with 52 g at the upper edge of its tip. Returns the film's times, counted from the release,
    the motion then, and both takes of it: T x 3 x 3 [m]."""
    body = copy.deepcopy(material)
    body["masses"].append({"nodes": {"box": {"min": [-1e-6, 0, 0.0299], "max": [0, 0.03, 0.0301]}}, "mass": "52 g"})
    start, places = rest_on_its_support(body, folder + "/rest_with_load")
    limber.run({**scene, "bodies": [body], "start": {"run": folder + "/rest_with_load"}}, folder + "/with_load")
    t, x = markers(folder + "/with_load")
    takes = [filmed(name, start, places) for name in ("load52_a", "load52_b")]
    times = takes[0][0]
    motion = np.array([[np.interp(times, t, x[:, m, c]) for c in range(3)] for m in range(3)]).transpose(2, 0, 1)
    return times - start, motion, [np.stack([seen[f"m{m}"] for m in range(3)], axis=1) for _, seen in takes]


def fitted(method, h, observed):
    return limber.fit({**scene, "method": method, "time": {**scene["time"], "step": h}}, observed,
                      vary={YOUNG: (1e5, 1e6), DAMPING: (1e-5, 0.1)})


results = {}
limber.set_threads(1)  # a fit on each core instead
with tempfile.TemporaryDirectory() as folder:
    released = rest_on_its_support(scene["bodies"][0], folder + "/rest")
    observed = filmed("gravity_b", *released)
    scene["start"] = {"run": folder + "/rest"}
    cases = [(method, h) for method, steps in STEPS.items() for h in steps]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for (method, h), r in zip(cases, pool.map(lambda case: fitted(*case, observed), cases)):
            young, damping = results[method, h] = r.values[YOUNG] / 1e3, r.values[DAMPING] * 1e3
            print(f"{method:10} h = {1e3 * h:4g} ms: E = {young:6.1f} kPa, damping {damping:6.2f} ms, rms {1e3 * r.rms:.3f} mm, "
                  f"{r.evaluations} evaluations", flush=True)

    scene["method"] = "TR-BDF2"
    takes = [filmed(name, *released) for name in ("gravity_a", "gravity_b")]
    both = takes[0][0], {m: (takes[0][1][m] + takes[1][1][m]) / 2 for m in takes[0][1]}
    r = fitted("TR-BDF2", 0.01, both)
    print(f"both films without a load: E = {r.values[YOUNG] / 1e3:.1f} kPa, damping {1e3 * r.values[DAMPING]:.2f} ms, "
          f"rms {1e3 * r.rms:.3f} mm")
    t, motion, takes = predicted_with_a_load(r.scene.to_dict()["bodies"][0], folder)
    rms = lambda x: 1e3 * np.sqrt((x**2).mean())
    for name, seen in zip("ab", takes):
        print(f"with 52 g, take {name}: rms {rms(motion - seen):.2f} mm; the tip swings by {1e3 * np.ptp(seen[:, 0, 2]):.1f} mm, "
              f"predicted {1e3 * np.ptp(motion[:, 0, 2]):.1f} mm")
    print(f"the takes are {rms(takes[0] - takes[1]):.2f} mm apart")

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
if len(sys.argv) > 2:
    down = lambda x: 1e3 * (x[:, 0, 2] - motion[0, 0, 2])
    data = "$all << E\n" + "".join(" ".join(f"{v:.6g}" for v in row) + "\n"
                                   for row in zip(t, down(motion), down(takes[0]), down(takes[1]))) + "E\n"
    subprocess.run(["gnuplot"], check=True, text=True, input=data + f"""
        set terminal pngcairo size 900,420 font 'DejaVu Sans,12' background 'white'
        set output '{sys.argv[2]}'
        set border 3; set tics nomirror; set grid lt 1 lc rgb '#dddddd'; set key right top
        set xlabel 'time after the release [s]'; set xrange [0:0.6]
        set title 'the tip with 52 g: height above where it was let go [mm]'
        plot $all using 1:2 with lines lw 2 lc rgb '#0072b2' title 'predicted', '' using 1:3 pt 7 ps 0.7 lc rgb '#d55e00' title 'film, take a', \
             '' using 1:4 pt 6 ps 0.9 lc rgb '#e69f00' title 'take b'""")
