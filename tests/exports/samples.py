"""Small scenes whose runs are exported: a bar, and a ball with an artist's surface, a sheet and a rod together."""

import math


def ball_obj(around=12, along=6):
    """A ball of radius 1 as OBJ: quads, triangles at the poles, and a seam where a vertex has two texture coordinates."""
    def vertex(i, j):
        if j in (0, along):
            return 1 if j == 0 else 2
        return 3 + (j - 1) * around + i % around

    lines = ["o skin", "v 0 1 0", "v 0 -1 0"]
    for j in range(1, along):
        for i in range(around):
            polar, turn = math.pi * j / along, 2 * math.pi * i / around
            lines.append("v %r %r %r" % (math.sin(polar) * math.cos(turn), math.cos(polar),
                                         -math.sin(polar) * math.sin(turn)))
    lines += ["vt %r %r" % (i / around, 1 - j / along) for j in range(along + 1) for i in range(around + 1)]
    for j in range(along):
        lines += [f"usemtl {'north' if j == 0 else 'south'}"] if j in (0, along // 2) else []
        for i in range(around):
            corners = [(i, j), (i, j + 1), (i + 1, j + 1), (i + 1, j)]
            corners = [c for k, c in enumerate(corners) if not (j == 0 and k == 3) and not (j == along - 1 and k == 2)]
            lines.append("f " + " ".join(f"{vertex(*c)}/{c[1] * (around + 1) + c[0] + 1}" for c in corners))
    return "\n".join(lines) + "\n"


def bar(frames=10, **keys):
    return {
        "time": {"step": 0.01, "duration": 0.01 * frames}, "method": {"name": "TR-BDF2"},
        "output": {"velocities": True},
        "bodies": [{
            "name": "bar", "mesh": {"shape": "box", "size": [1, 0.25, 0.25], "cells": [4, 1, 1], "split": "five"},
            "material": {"model": "stable_neo_hookean", "young": 2e4, "poisson": 0.3, "density": 1000},
            "pin": ["left"], **keys}]}


def mixed(surface, frames=10):
    """`surface` is the path of ball_obj()."""
    rubber = {"young": 2e4, "poisson": 0.3, "density": 1000}
    return {
        "time": {"step": 0.01, "duration": 0.01 * frames}, "method": {"name": "TR-BDF2"},
        "bodies": [
            {"name": "ball 1", "mesh": {"surface": str(surface), "nodes": 150}, "scale": 0.1, "material": rubber,
             "angular_velocity": [0, 0, 5]},
            {"name": "cloth", "mesh": {"shape": "sheet", "size": [0.2, 0.2], "cells": [3, 3]}, "position": [0.3, 0, 0],
             "thickness": 0.002, "material": rubber, "pin": ["left"]},
            {"name": "rod", "mesh": {"nodes": [[0.1 * i, 0.5, 0] for i in range(6)],
                                     "edges": [[i, i + 1] for i in range(5)]},
             "thickness": 0.01, "material": rubber, "pin": [{"nodes": [0]}]}]}
