"""Distances of two primitives in space; points are three numbers [m]."""

from . import _limber


def point_triangle(p, a, b, c):
    """The distance of the point p from the triangle a, b, c."""
    return _limber.distance_point_triangle(p, a, b, c)


def edge_edge(a, b, c, d):
    """The distance of the edges ab and cd."""
    return _limber.distance_edge_edge(a, b, c, d)
