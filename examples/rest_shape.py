"""The rest shape of a soft crook that looks as drawn once its weight acts: rest positions of all nodes, by the gradient of an equilibrium.

    python3 examples/rest_shape.py [PICTURE.png]

The drawn crook, made as it is, would hang. The sum of squares of the distances between its equilibrium and the drawing is minimised
over the rest positions of all nodes but those in the ground, by L-BFGS.
"""

import sys
import tempfile

import limber
import numpy as np

PATH = "bodies[0].rest"
LENGTH, CELLS, ACROSS, WIDTH = 1.5, 60, 2, 0.08
material = {"model": "stable_neo_hookean", "young": 1e7, "poisson": 0.4, "density": 1000}

# A stem that rises and curls: hexahedra across a line whose curvature grows.
s = np.linspace(0, LENGTH, CELLS + 1)
heading = np.pi / 2 - 4.4 * np.maximum(s / LENGTH - 0.3, 0)**1.5 * 1.7
middle = np.cumsum(np.vstack([[0, 0], np.diff(s)[:, None] * np.c_[np.cos(heading), np.sin(heading)][:-1]]), axis=0)
offset = np.linspace(-WIDTH / 2, WIDTH / 2, ACROSS + 1)
drawn = np.array([[m[0] + u * np.sin(h), m[1] - u * np.cos(h), v] for m, h in zip(middle, heading) for u in offset for v in offset])
corner = lambda i, j, k: ((ACROSS + 1) * i + j) * (ACROSS + 1) + k
hexes = [[corner(i + a, j + b, k + c) for c in (0, 1) for a, b in ((0, 0), (0, 1), (1, 1), (1, 0))]
         for i in range(CELLS) for j in range(ACROSS) for k in range(ACROSS)]
ground = np.arange((ACROSS + 1)**2)
free = np.arange(len(ground), len(drawn))


def scene(rest, gravity=-9.81):
    return {"time": {"step": 0.01, "duration": 0.01}, "gravity": [0, gravity, 0],
            "bodies": [{"mesh": {"nodes": rest.tolist(), "hexes": hexes}, "material": material, "pin": {"nodes": ground.tolist()}}]}


def with_free(x):
    rest = drawn.copy()
    rest[free] = x.reshape(-1, 3)
    return rest


evaluations = 0


def miss(x):
    """Half the sum of squares [m^2] and its derivative by the rest positions of the free nodes."""
    global evaluations
    evaluations += 1
    distance = lambda X: (((X - drawn)**2).sum() / 2, X - drawn)
    try:
        value, grad = limber.statics_value_and_grad(scene(with_free(x)), distance, PATH)
    except (limber.StepFailure, limber.InputError):  # elements turned inside out: a shorter step will do
        return np.inf, None
    return value, grad[PATH][free].ravel()


def lbfgs(f, x, iterations):
    """The method of Liu and Nocedal with 20 pairs; steps are halved until f decreases."""
    value, g = f(x)
    pairs = []
    for _ in range(iterations):
        d, factors = -g, []
        for s, y in reversed(pairs):
            factors.append(s @ d / (s @ y))
            d = d - factors[-1] * y
        if pairs:
            s, y = pairs[-1]
            d = d * (s @ y) / (y @ y)
        for (s, y), factor in zip(pairs, reversed(factors)):
            d = d + (factor - y @ d / (s @ y)) * s
        step = 1.0
        while step > 1e-6:
            new_value, new_g = f(x + step * d)
            if new_value <= value + 1e-4 * step * (g @ d):
                break
            step /= 2
        else:
            return x
        s, y = step * d, new_g - g
        if s @ y > 0:
            pairs = pairs[-19:] + [(s, y)]
        x, value, g = x + s, new_value, new_g
        if np.sqrt(2 * value / len(x)) < 1e-6:  # [m]
            return x
    return x


hanging = limber.statics(scene(drawn))
sag = np.linalg.norm(hanging - drawn, axis=1).max()
start = limber.statics(scene(drawn, gravity=9.81))  # its weight turned upside down bends it about the right way
rest = with_free(lbfgs(miss, start[free].ravel(), 150))
standing = limber.statics(scene(rest))
left = np.linalg.norm(standing - drawn, axis=1).max()
print(f"{len(drawn)} nodes, {evaluations} equilibria")
print(f"as drawn it would hang by {1e3 * sag:.1f} mm; from the rest shape that was found it comes to the drawing but for {1e3 * left:.3f} mm")

if len(sys.argv) > 1:
    with tempfile.TemporaryDirectory() as folder:
        show = {"time": {"step": 0.01, "duration": 0.01}, "gravity": [0, 0, 0], "output": {"fps": 100},
                "camera": {"position": [1.15, 0.7, 3.4], "look_at": [1.15, 0.42, 0], "fov": "22 deg"},
                "bodies": [{"name": name, "mesh": {"nodes": x.tolist(), "hexes": hexes}, "material": material,
                            "position": [0.9 * k, 0, 0]} for k, (name, x) in enumerate([("hanging", hanging), ("rest", rest), ("standing", standing)])]}
        limber.run(show, folder + "/run")
        limber.render(folder + "/run", sys.argv[1], size=(1000, 430))
