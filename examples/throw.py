"""Throws a soft ball so that it bounces once and is in a cup after .45 s: the velocity is found by Newton's method, with
gradients through the bounce.

    python3 examples/throw.py [PICTURE.png]      (the picture needs gnuplot)
"""

import subprocess
import sys

import limber
import numpy as np

CUP = np.array([0.6, 0.3, 0.1])
PATH = "bodies[0].velocity"
scene = {
    "time": {"step": 0.0025, "duration": 0.45},
    "method": "TR-BDF2",
    "contact": {"delta": 0.01, "stiffness": 1e3, "friction": 0.1, "epsilon": 0.1},  # a given stiffness: exact gradients
    "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}],
    "bodies": [{
        "name": "ball",
        "mesh": {"shape": "sphere", "radius": 0.06, "resolution": 0.04},
        "material": {"model": "neo_hookean", "young": 5e4, "poisson": 0.4, "density": 300},
        "position": [0, 0.4, 0],
        "velocity": [1, -2, 0],
    }],
}


def throw(velocity, axis):
    """The path of the ball's middle, and the derivative of a coordinate of its end by the velocity."""
    def objective(t, X, V):
        paths.append(X.mean(axis=1))
        dX = np.zeros(X.shape)
        dX[-1, :, axis] = 1 / X.shape[1]
        return X[-1, :, axis].mean(), dX, None

    paths = []
    scene["bodies"][0]["velocity"] = list(velocity)
    _, grad = limber.value_and_grad(scene, objective, PATH)
    return paths[0], grad[PATH]


velocity, step, best = np.array([1.0, -2.0, 0.0]), np.zeros(3), np.inf
shown = []
for k in range(1, 30):
    path, row = throw(velocity + step, 0)
    miss = np.linalg.norm(path[-1] - CUP)
    print(f"throw {k}: velocity {np.round(velocity + step, 4)} m/s misses by {100 * miss:.4f} cm", flush=True)
    if miss > best:  # too far: half of the step
        step = step / 2
        continue
    velocity, best = velocity + step, miss
    shown.append((k, miss, path))
    if miss < 1e-4:
        break
    J = np.array([row, throw(velocity, 1)[1], throw(velocity, 2)[1]])
    step = np.linalg.solve(J, CUP - path[-1])
    step *= min(1, 1 / np.linalg.norm(step))  # no more than 1 m/s at once

if len(sys.argv) > 1:
    data = "".join(f"$p{k} << E\n" + "\n".join(f"{x} {y}" for x, y, _ in path) + "\nE\n" for k, _, path in shown)
    last = shown[-1][0]
    lines = ", ".join(f"$p{k} with lines lw {4 if k == last else 2} lc rgb '{'#d55e00' if k == last else '#9aa7b0'}' "
                      f"title '{f'throw {k}' if k in (1, last) else ''}', "
                      f"'+' using ({path[-1][0]}):({path[-1][1]}) every ::::0 with points pt 7 "
                      f"lc rgb '{'#d55e00' if k == last else '#9aa7b0'}' notitle" for k, _, path in shown)
    d = (path[-1] - path[-2])[:2] / np.linalg.norm((path[-1] - path[-2])[:2])  # the cup is held towards the ball
    corners = [CUP[:2] + a * d + b * np.array([-d[1], d[0]]) for a, b in [(-.06, .09), (.07, .07), (.07, -.07), (-.06, -.09)]]
    data += "$cup << E\n" + "\n".join(f"{x} {y}" for x, y in corners) + "\nE\n"
    subprocess.run(["gnuplot"], check=True, text=True, input=data + f"""
        set terminal pngcairo size 900,560 font 'DejaVu Sans,12' background 'white'
        set output '{sys.argv[1]}'
        set border 3; set tics nomirror; set grid lc rgb '#dddddd'; set size ratio -1; set key top right
        set title 'The path of the middle of the ball [m]'; set xrange [-0.05:0.85]; set yrange [0:0.5]
        plot {lines}, $cup with lines lw 4 lc rgb 'black' title 'cup'""")
