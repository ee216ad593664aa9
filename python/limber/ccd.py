"""Continuous collision detection: points move on straight lines from their place at time 0 to that at time 1.

The time of impact is never late; it is 0.0 where the primitives touch at the start, and None where they stay apart.
"""

from . import _limber


def point_triangle(p0, a0, b0, c0, p1, a1, b1, c1):
    """When the point p meets the triangle a, b, c, or None."""
    return _limber.ccd_point_triangle(p0, a0, b0, c0, p1, a1, b1, c1)


def edge_edge(a0, b0, c0, d0, a1, b1, c1, d1):
    """When the edge ab meets the edge cd, or None."""
    return _limber.ccd_edge_edge(a0, b0, c0, d0, a1, b1, c1, d1)
