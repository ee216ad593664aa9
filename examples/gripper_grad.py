"""Two soft fingers close on a block and lift it. How far apart may they stand, so that they press least and the block does not
slip? L-BFGS-B finds it, with gradients through contact and friction.

    python3 examples/gripper_grad.py [PICTURE.png]
"""

import sys
import tempfile
from pathlib import Path

import limber
from limber import objectives

CLOSE, LIFT = 0.006, 0.02  # [m] what the tops of the fingers do
TOP = {"box": {"min": [-1, 0.09, -1], "max": [1, 1, 1]}}


def finger(name, side):
    """side: -1 on the left, 1 on the right."""
    return {
        "name": name,
        "mesh": {"shape": "box", "size": [0.03, 0.08, 0.04], "cells": [2, 4, 2], "origin": [side * 0.0453 - 0.015, 0.012, -0.02]},
        "material": {"model": "neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000},
        "damping": {"stiffness": 0.004, "at": "rest"},
        "position": [0, 0, 0],
        "script": [{"nodes": TOP, "interpolation": "smooth", "keys": [
            {"time": 0}, {"time": 0.2, "translation": [-side * CLOSE, 0, 0]},
            {"time": 0.25, "translation": [-side * CLOSE, 0, 0]}, {"time": 0.5, "translation": [-side * CLOSE, LIFT, 0]}]}],
    }


scene = {
    "time": {"step": 0.005, "duration": 0.6},
    "method": "BE",
    "bodies": [
        finger("left", -1), finger("right", 1), {
            "name": "block",
            "mesh": {"shape": "box", "size": [0.06, 0.06, 0.04], "cells": [2, 2, 2], "origin": [-0.03, 0.0005, -0.02]},
            "material": {"model": "neo_hookean", "young": 2e5, "poisson": 0.3, "density": 1000},
            "damping": {"stiffness": 0.004, "at": "rest"},
        }],
    "contact": {"delta": 0.0005, "stiffness": 1e5, "friction": 0.6, "epsilon": 0.002},
    "obstacles": [{"name": "table", "shape": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}],
    "output": {"probes": [{"name": "block", "body": "block", "point": [0, 0.0305, 0]}]},
}
held = limber.Simulation(scene).select(TOP, "left")
force = objectives.reaction(held, [1, 0, 0], over=(0.3, 0.6))  # the mean while it lifts and holds [N]
height = objectives.probe("block", "y")  # of the middle of the block, at the end [m]
J = force + 1e6 * height.at_least(0.0305 + 0.8 * LIFT)


def say(n, value, values):
    print(f"{n:3}: J = {value:8.4f}, fingers moved by {1e3 * values[LEFT]:7.4f} and {1e3 * values[RIGHT]:7.4f} mm", flush=True)


def measured(scene):
    return [limber.value_and_grad(scene, part, LEFT)[0] for part in (force, height)]


LEFT, RIGHT = "bodies[0].position[0]", "bodies[1].position[0]"
before = measured(scene)
found = limber.minimize(scene, J, {LEFT: (-0.0055, 0), RIGHT: (0, 0.0055)}, tolerance=1e-4, max_evaluations=30, progress=say)
after = measured(found.scene)
print(found.reason)
for name, (F, y) in (("before", before), ("after", after)):
    print(f"{name}: {F:.3f} N, and at the end the block is {1e3 * (y - 0.0305):.2f} mm higher")

if len(sys.argv) > 1:
    with tempfile.TemporaryDirectory() as folder:
        shown = found.scene.to_dict()
        shown["camera"] = {"position": [0.05, 0.11, 0.32], "look_at": [0, 0.055, 0], "fov": "30 deg"}
        shown["output"] = {"directory": folder + "/run", "fps": 20}
        limber.run(shown, Path(folder) / "run")
        limber.render(folder + "/run", sys.argv[1], size=(640, 480))
