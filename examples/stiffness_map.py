"""A map of stiffness from a deformed shape: Young's modulus of each element of a plate, so that it stretches as it was seen to.

    python3 examples/stiffness_map.py [PICTURE.png]      (the picture needs gnuplot)

A square plate with two stiff inclusions lies on a table and is pulled to the right, and then sideways. How the nodes of its upper face move is known, with
errors of .2 % of the largest displacement. The unknowns are the logarithms of 400 moduli; differences of neighbours are kept small.
"""

import subprocess
import sys

import limber
import numpy as np
import scipy.optimize

CELLS, SIDE, SOFT, SMOOTH = 20, 0.1, 2e5, 1e-3
PATH = "bodies[0].element.young"
across = np.arange(CELLS)
cell = np.array([(i, j) for j in across for i in across])  # of each element


def nodes_and_hexes():
    n = CELLS + 1
    nodes = [[SIDE * i / CELLS, SIDE * j / CELLS, SIDE / CELLS * k] for k in range(2) for j in range(n) for i in range(n)]
    corner = lambda i, j, k: i + n * (j + n * k)
    return nodes, [[corner(i + a, j + b, k) for k in range(2) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))] for i, j in cell.tolist()]


NODES, HEXES = nodes_and_hexes()
X = np.array(NODES)
LEFT, RIGHT = np.flatnonzero(X[:, 0] < 1e-9), np.flatnonzero(X[:, 0] > SIDE - 1e-9)
LOWER, TOP = np.flatnonzero(X[:, 2] < 1e-9), np.flatnonzero(X[:, 2] > 1e-9)


def plate(young, force):
    """Each element is a region with a material of its own."""
    return {"time": {"step": 0.01, "duration": 0.01}, "gravity": [0, 0, 0], "bodies": [{
        "name": "plate", "mesh": {"nodes": NODES, "hexes": HEXES, "region": list(range(len(HEXES)))}, "element": "hex",
        "materials": {str(e): {"model": "neo_hookean", "young": E, "poisson": 0.4, "density": 1000} for e, E in enumerate(young)},
        "pin": [{"nodes": LEFT.tolist()}, {"nodes": {"nodes": LOWER.tolist()}, "axes": "z"}], "loads": [{"nodes": {"nodes": RIGHT.tolist()}, "force": (np.array(force) / len(RIGHT)).tolist()}]}]}


def true_moduli():
    at = (cell + 0.5) / CELLS
    inside = (np.linalg.norm((at - [0.35, 0.65]) / [0.15, 0.12], axis=1) < 1) | (np.abs(at - [0.7, 0.3]).max(axis=1) < 0.1)
    return np.where(inside, 5 * SOFT, SOFT)


truth, forces = true_moduli(), [[8, 0, 0], [0, 1.5, 0]]
random = np.random.default_rng(1)
seen = []
for force in forces:
    x = limber.statics(plate(truth, force))[TOP]
    seen.append(x + 0.002 * np.abs(x - X[TOP]).max() * random.standard_normal(x.shape))

pairs = np.array([(a, b) for a in range(len(cell)) for b in range(a) if np.abs(cell[a] - cell[b]).sum() == 1])
evaluations = 0


def misfit(log_young):
    """In thousandths of the moves that were seen, all squared, with what keeps neighbours alike; and its derivative by the logarithms."""
    global evaluations
    evaluations += 1
    young = np.exp(log_young)
    J, dJ = 0.0, np.zeros(len(young))
    for force, to in zip(forces, seen):
        scale = ((to - X[TOP])**2).sum() / 1000

        def distance(x):
            dx = np.zeros(x.shape)
            dx[TOP] = (x[TOP] - to) / scale
            return ((x[TOP] - to)**2).sum() / scale / 2, dx

        value, grad = limber.statics_value_and_grad(plate(young, force), distance, PATH)
        J += value
        dJ += grad[PATH] * young
    jump = log_young[pairs[:, 0]] - log_young[pairs[:, 1]]
    size = np.sqrt(jump**2 + 0.01)  # edges of inclusions may be sharp
    J += SMOOTH * (size - 0.1).sum()
    for side, sign in ((0, 1), (1, -1)):
        np.add.at(dJ, pairs[:, side], sign * SMOOTH * jump / size)
    return J, dJ


start = np.full(len(HEXES), np.log(1.5 * SOFT))
found = scipy.optimize.minimize(misfit, start, jac=True, method="L-BFGS-B", options={"maxiter": 150, "ftol": 1e-6})
young = np.exp(found.x)
print(f"{evaluations} evaluations: the misfit went from {misfit(start)[0]:.2e} to {found.fun:.2e}")
for name, these in (("soft part", truth == SOFT), ("inclusions", truth > SOFT)):
    print(f"{name}: true {truth[these][0] / 1e3:.0f} kPa, found {np.median(young[these]) / 1e3:.0f} kPa (median)")

if len(sys.argv) > 1:
    rows = lambda E: "\n".join(" ".join(f"{x / 1e3:g}" for x in row) for row in E.reshape(CELLS, CELLS)) + "\ne\n"
    subprocess.run(["gnuplot"], check=True, text=True, input=f"""
set terminal pngcairo size 1000,440 font "sans,12"
set output "{sys.argv[1]}"
set multiplot layout 1,2
set palette defined (0 "#0d1b4c", .35 "#2a7f9e", .7 "#e9c46a", 1 "#e76f51")
set cbrange [150:1100]
set logscale cb
set cblabel "Young's modulus [kPa]"
set cbtics (200, 400, 1000)
set size ratio -1
unset tics
set cbtics (200, 400, 1000)
set xrange [-.5:{CELLS - .5}]
set yrange [-.5:{CELLS - .5}]
set title "true"
plot "-" matrix with image notitle
{rows(truth)}set title "found from how the upper face moves"
plot "-" matrix with image notitle
{rows(young)}unset multiplot
""")
