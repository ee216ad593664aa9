"""Throws a soft ball so that it bounces once and ends in a cup: the velocity is found by the gradient of where it ends.

    python3 examples/throw.py [PICTURE.png]      (half a minute; the picture needs gnuplot)
"""

import subprocess
import sys

import limber
import numpy as np
import scipy.optimize

CUP = np.array([1.2, 0.25, 0.1])
PATH = "bodies[0].velocity"
scene = {
    "time": {"step": 0.005, "duration": 0.7},
    "method": "TR-BDF2",
    "contact": {"delta": 0.005, "stiffness": 1e6, "friction": 0.3, "epsilon": 0.02},
    "obstacles": [{"name": "floor", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}],
    "bodies": [{
        "name": "ball",
        "mesh": {"shape": "sphere", "radius": 0.06, "resolution": 0.04},
        "material": {"model": "neo_hookean", "young": 5e4, "poisson": 0.4, "density": 300},
        "damping": {"stiffness": 0.001, "at": "rest"},
        "position": [0, 0.4, 0],
        "velocity": [1, 0, 0],
    }],
}
throws = []


def miss(velocity):
    """Half the squared distance [cm^2] of the ball's middle from the cup at the end, and its derivative by the velocity."""
    def objective(t, X, V):
        paths = X.mean(axis=1)
        d = 100 * (paths[-1] - CUP)
        dX = np.zeros(X.shape)
        dX[-1] = 100 * d / X.shape[1]
        throws.append((np.linalg.norm(d), paths))
        return d @ d / 2, dX, None

    scene["bodies"][0]["velocity"] = list(velocity)
    value, grad = limber.value_and_grad(scene, objective, PATH)
    print(f"throw {len(throws)}: velocity {np.round(velocity, 4)} m/s, misses by {throws[-1][0]:.3f} cm")
    return value, grad[PATH]


found = scipy.optimize.minimize(miss, [1, 0, 0], jac=True, method="BFGS", options={"gtol": 1e-2})
print(f"{found.x} m/s after {len(throws)} throws")

if len(sys.argv) > 1:
    show = sorted({0, 1, 2, len(throws) // 2, len(throws) - 1})
    data = "".join(f"$p{k} << E\n" + "\n".join(f"{x} {y}" for x, y, _ in throws[k][1]) + "\nE\n" for k in show)
    lines = ", ".join(f"$p{k} with lines lw {4 if k == show[-1] else 2} lc rgb '{'#d55e00' if k == show[-1] else '#9aa7b0'}' "
                      f"title 'throw {k + 1}: misses by {throws[k][0]:.2g} cm'" for k in show)
    x, y = CUP[:2]
    subprocess.run(["gnuplot"], check=True, text=True, input=data + f"""
        set terminal pngcairo size 1000,560 font 'DejaVu Sans,12' background 'white'
        set output '{sys.argv[1]}'
        set border 3; set tics nomirror; set grid lc rgb '#dddddd'; set size ratio -1; set key outside below horizontal
        set xlabel 'x [m]'; set ylabel 'y [m]'; set xrange [-0.1:1.7]; set yrange [0:0.8]
        set arrow from {x - .08},{y + .05} to {x - .06},{y - .08} nohead lw 3
        set arrow from {x - .06},{y - .08} to {x + .06},{y - .08} nohead lw 3
        set arrow from {x + .06},{y - .08} to {x + .08},{y + .05} nohead lw 3
        plot {lines}""")
