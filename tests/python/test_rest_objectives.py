"""Objectives that depend on the rest positions of a body at fixed states: reactions and frequencies."""

import limber
import numpy as np
import pytest
from limber import objectives

NODES = np.array([[0, 0, 0], [.4, 0, 0], [0, .2, 0], [0, 0, .25], [.4, .22, .24]])
TETS = [[0, 1, 2, 3], [1, 4, 2, 3]]


def scene(nodes):
    return {
        "time": {"step": .005, "duration": .03}, "method": "TR-BDF2",
        "bodies": [{
            "name": "body", "mesh": {"nodes": nodes.tolist(), "tets": TETS}, "pin": [{"nodes": [0, 2, 3]}],
            "material": {"model": "neo_hookean", "young": 2e5, "poisson": .3, "density": 1000}}],
    }


@pytest.mark.parametrize("objective", [objectives.reaction([0, 2, 3], [.3, 1, -.2]), objectives.frequency(1),
                                       objectives.frequency(2)], ids=["reaction", "first", "second"])
def test_equals_differences(objective):
    _, grad = limber.value_and_grad(scene(NODES), objective, "bodies[0].rest")

    def slope(node, axis, step):
        value = []
        for side in (1, -1):
            nodes = NODES.copy()
            nodes[node, axis] += side * step
            value.append(limber.value_and_grad(scene(nodes), objective, "gravity")[0])
        return (value[0] - value[1]) / (2 * step)

    largest = np.abs(grad["bodies[0].rest"]).max()
    for node, axis in [(1, 0), (4, 1), (2, 2), (0, 0)]:
        expected = (4 * slope(node, axis, 5e-5) - slope(node, axis, 1e-4)) / 3
        assert grad["bodies[0].rest"][node, axis] == pytest.approx(expected, rel=1e-6, abs=1e-7 * largest)


def test_elastic_energy_is_refused():
    with pytest.raises(limber.InputError, match="rest"):
        limber.value_and_grad(scene(NODES), objectives.energy("elastic"), "bodies[0].rest")
