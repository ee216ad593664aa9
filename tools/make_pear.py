#!/usr/bin/env python3
"""Writes scenes/meshes/pear.obj, a closed surface of quads with texture coordinates, 12 cm high: y = 0.06 (1 - cos t),
r = 0.042 sin t (1 + 0.35 cos t)."""

from math import cos, pi, sin
from pathlib import Path

AROUND, ALONG = 24, 14


def main():
    lines = ["# A pear, 12 cm high; y is up, lengths are metres. Made by tools/make_pear.py.", "o pear"]
    lines.append("v 0 0 0")
    for j in range(1, ALONG):
        t = pi * j / ALONG
        r = .042 * sin(t) * (1 + .35 * cos(t))
        for i in range(AROUND):
            turn = 2 * pi * i / AROUND
            lines.append(f"v {r * sin(turn):.6f} {.06 * (1 - cos(t)):.6f} {r * cos(turn):.6f}")
    lines.append("v 0 0.12 0")
    for j in range(ALONG + 1):
        lines += [f"vt {i / AROUND:.5f} {j / ALONG:.5f}" for i in range(AROUND + 1)]

    def corner(i, j):
        vertex = 1 if j == 0 else 2 + (ALONG - 1) * AROUND if j == ALONG else 2 + (j - 1) * AROUND + i % AROUND
        return f"{vertex}/{1 + j * (AROUND + 1) + i}"

    for j in range(ALONG):
        for i in range(AROUND):
            corners = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]
            if j == 0:
                del corners[1]
            if j == ALONG - 1:
                del corners[2]
            lines.append("f " + " ".join(corners))
    path = Path(__file__).resolve().parents[1] / "scenes/meshes/pear.obj"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
