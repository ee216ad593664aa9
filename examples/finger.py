"""The pressure that bends a soft finger by 30 degrees: Newton's method on the angle, with its gradient by the pressure.

    python3 examples/finger.py [PICTURE.png]
"""

import sys
import tempfile

import limber
import numpy as np

WANTED = 30.0  # degrees
PATH = "bodies[0].loads[0].pressure"
RADIUS, WALL, LENGTH = 0.01, 0.003, 0.09
scene = {
    "time": {"step": 0.02, "duration": 1.0},
    "method": "BE",  # it damps: the finger comes to rest
    "gravity": [0, 0, 0],
    "bodies": [{
        "name": "finger",
        "mesh": {"shape": "shell", "radius": RADIUS, "length": LENGTH, "thickness": WALL, "offset": -0.002, "layers": 1,
                 "resolution": 0.006},
        "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1070},
        "damping": {"mass": 20, "at": "rest"},
        "pin": {"plane": {"point": [0, 0.045, 0], "normal": [0, -1, 0]}},
    }],
}
sim = limber.Simulation(scene)
rest = sim.positions
surface = sim.bodies[0].surface


def inner_nodes():
    """The nodes of the surface that cannot be reached from the tip along its edges."""
    outside, front = set(), {int(surface[np.argmin(rest[surface].min(axis=1)[:, 1]), 0])}
    neighbours = {}
    for triangle in surface.tolist():
        for a in triangle:
            neighbours.setdefault(a, set()).update(triangle)
    while front:
        outside |= front
        front = {b for a in front for b in neighbours[a]} - outside
    return sorted(set(surface.ravel().tolist()) - outside)


scene["bodies"][0]["loads"] = [{"faces": {"nodes": inner_nodes()}, "pressure": 1e4,
                                "time": {"keys": [[0, 0], [0.3, 1]], "interpolation": "smooth"}}]
low, high = (np.flatnonzero(np.abs(rest[:, 1] - y) < 0.006) for y in (-LENGTH / 2, -LENGTH / 2 + 0.02))


def bend(t, X, V):
    """The angle [degrees] that the end of the finger points away from down, and its derivative by all positions."""
    d = X[-1, low].mean(axis=0) - X[-1, high].mean(axis=0)
    by_d = np.degrees([-d[1], d[0], 0]) / (d[0]**2 + d[1]**2)
    dX = np.zeros(X.shape)
    dX[-1, low], dX[-1, high] = by_d / len(low), -by_d / len(high)
    return np.degrees(np.arctan2(d[0], -d[1])), dX, None


pressure = scene["bodies"][0]["loads"][0]["pressure"]
for k in range(10):
    scene["bodies"][0]["loads"][0]["pressure"] = pressure
    angle, grad = limber.value_and_grad(scene, bend, PATH)
    print(f"{pressure / 1e3:8.4f} kPa: {angle:8.4f} degrees, {1e3 * grad[PATH]:.4f} degrees / kPa", flush=True)
    if abs(abs(angle) - WANTED) < 1e-3:
        break
    pressure += (np.copysign(WANTED, angle) - angle) / grad[PATH]

if len(sys.argv) > 1:
    with tempfile.TemporaryDirectory() as folder:
        scene["camera"] = {"position": [0.02, 0.0, 0.32], "look_at": [0.02, -0.01, 0], "fov": "30 deg"}
        scene["output"] = {"directory": folder + "/run", "fps": 5}
        limber.run(scene, folder + "/run")
        limber.render(folder + "/run", sys.argv[1], size=(640, 480))
