"""Barrier, friction smoothing, distances and times of impact against exact rational or 60-digit arithmetic."""

import decimal
import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import limber
import limber.ccd
import limber.distance

decimal.getcontext().prec = 60


# Functions of one variable

def exact_barrier(x, delta):
    x, delta = Decimal(x), Decimal(delta)
    u, log = x - delta, (x / delta).ln()
    return -u * u * log, -2 * u * log - u * u / x, -2 * log - 4 * u / x + u * u / (x * x)


@pytest.mark.parametrize("delta", [1e-6, 1e-3, 0.7, 50.0])
def test_barrier_to_twelve_digits(delta):
    shares = np.concatenate([np.logspace(-12, -1, 23), np.linspace(0.1, 0.99, 30), 1 - np.logspace(-3, -15, 25)])
    x = delta * shares
    ours = limber.barrier(x, delta)
    for i, xi in enumerate(x):
        for value, exact in zip(ours, exact_barrier(float(xi), delta)):
            assert abs(Decimal(float(value[i])) - exact) <= Decimal(1e-13) * abs(exact), (xi, delta)


def test_barrier_outside_and_shapes():
    b, db, ddb = limber.barrier(np.array([[1e-3, 2e-3], [0.0, -1.0]]), 1e-3)
    assert b.shape == db.shape == ddb.shape == (2, 2)
    assert (b[0] == 0).all() and (db[0] == 0).all() and (ddb[0] == 0).all()
    assert (b[1] == np.inf).all()
    scalars = limber.barrier(0.5, 1.0)
    assert len(scalars) == 3 and all(isinstance(s, float) for s in scalars)
    assert scalars[0] == pytest.approx(0.25 * math.log(2), rel=1e-15)
    assert np.isfinite(limber.barrier(np.linspace(0.1, 2, 7), np.linspace(1, 2, 7))[0]).all()


@pytest.mark.parametrize("eps", [1e-5, 1e-3, 2.0])
def test_friction_smoothing(eps):
    x = eps * np.concatenate([[0], np.logspace(-10, -1, 10), np.linspace(0.1, 1 - 1e-12, 20)])
    s, ds = limber.friction_smoothing(x, eps)
    for i, xi in enumerate(x):
        y, e = Fraction(float(xi)), Fraction(eps)
        assert s[i] == pytest.approx(float(2 * y / e - y * y / (e * e)), rel=1e-14)
        assert ds[i] == pytest.approx(float(2 / e - 2 * y / (e * e)), rel=1e-14)
    s, ds = limber.friction_smoothing(np.array([eps, 2 * eps, 1e3 * eps]), eps)
    assert (s == 1).all() and (ds == 0).all()


@pytest.mark.parametrize("width", [0.0, -1.0, np.nan, np.inf])
def test_widths_must_be_positive(width):
    with pytest.raises(limber.InputError, match="delta"):
        limber.barrier(0.5, width)
    with pytest.raises(limber.InputError, match="eps"):
        limber.friction_smoothing(0.5, width)


# Distances, by rational arithmetic: the least over all features

def rational(x):
    return [Fraction(float(c)) for c in x]


def minus(x, y):
    return [a - b for a, b in zip(x, y)]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def along(x, *terms):
    return [c + sum(s * u[i] for s, u in terms) for i, c in enumerate(x)]


def point_edge2(p, a, b):
    u, r = minus(b, a), minus(p, a)
    s = min(Fraction(1), max(Fraction(0), dot(r, u) / dot(u, u))) if any(u) else Fraction(0)
    e = along(r, (-s, u))
    return dot(e, e)


def inner2(r, u, v, allowed):
    """|r + s u + t v|^2 at its stationary point, if it exists and is allowed."""
    A, B, C = dot(u, u), dot(u, v), dot(v, v)
    D = A * C - B * B
    if D == 0:
        return []
    s, t = (B * dot(v, r) - C * dot(u, r)) / D, (B * dot(u, r) - A * dot(v, r)) / D
    e = along(r, (s, u), (t, v))
    return [dot(e, e)] if allowed(s, t) else []


def point_triangle2(p, a, b, c):
    found = [point_edge2(p, x, y) for x, y in itertools.combinations((a, b, c), 2)]
    found += inner2(minus(p, a), minus(a, b), minus(a, c), lambda s, t: s >= 0 and t >= 0 and s + t <= 1)
    return min(found)


def edge_edge2(a, b, c, d):
    found = [point_edge2(a, c, d), point_edge2(b, c, d), point_edge2(c, a, b), point_edge2(d, a, b)]
    found += inner2(minus(a, c), minus(b, a), minus(c, d), lambda s, t: 0 <= s <= 1 and 0 <= t <= 1)
    return min(found)


def root(x):
    return float((Decimal(x.numerator) / Decimal(x.denominator)).sqrt())


PAIRS = [(limber.distance.point_triangle, point_triangle2), (limber.distance.edge_edge, edge_edge2)]


def adversarial(random):
    """Four points: general, far from the origin, nearly flat, with a tiny feature, nearly parallel, degenerate."""
    x = random.uniform(-1, 1, (4, 3))
    yield x
    yield x + random.uniform(-1e6, 1e6, 3)
    yield np.column_stack([x[:, :2], 10.0 ** random.uniform(-7, 0) * x[:, 2]])
    yield np.vstack([x[:2], x[2], x[2] + 10.0 ** random.uniform(-9, 0) * x[3]])
    yield np.vstack([x[:3], x[2] + (x[1] - x[0]) * random.uniform(-2, 2) + 10.0 ** random.uniform(-15, -2) * x[3]])
    yield np.vstack([x[:3], x[2] + (x[1] - x[0])])
    yield np.vstack([x[:3], 0.25 * x[1] + 0.75 * x[2]])
    yield np.vstack([x[0], x[1], x[1], x[3]])
    yield np.vstack([x[0], x[1], x[1], x[1]])


@pytest.mark.parametrize("ours, exact2", PAIRS)
def test_distances_to_twelve_digits(ours, exact2):
    random = np.random.default_rng(1)
    for _ in range(120):
        for x in adversarial(random):
            exact = root(exact2(*map(rational, x)))
            size = np.ptp(x, axis=0).max()
            if exact > 1e-9 * size:
                assert ours(*x) == pytest.approx(exact, rel=1e-12, abs=0), x.tolist()
            else:
                assert ours(*x) <= 2e-9 * size


def test_distances_take_lists_and_return_floats():
    d = limber.distance.point_triangle([0, 0, 2], [0, 0, 0], [1, 0, 0], [0, 1, 0])
    assert isinstance(d, float) and d == 2
    assert limber.distance.edge_edge((0, 0, 1), (1, 0, 1), (0, 0, 0), (0, 1, 0)) == 1
    assert limber.distance.point_triangle([0.25, 0.25, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]) == 0


@pytest.mark.parametrize("wrong", [[0, 0], [0, 0, np.nan], [0, np.inf, 0], "abc", [[0, 0, 0], [1, 1, 1]]])
def test_points_must_be_three_finite_numbers(wrong):
    o, x, y, z = np.vstack([np.zeros(3), np.eye(3)])
    with pytest.raises(limber.InputError, match="b"):
        limber.distance.point_triangle(o, x, wrong, y)
    with pytest.raises(limber.InputError, match="c1"):
        limber.ccd.edge_edge(o, x, y, z, o, x, wrong, z)


# Times of impact

def test_known_times():
    triangle = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    hit = limber.ccd.point_triangle([0.2, 0.2, 1], *triangle, [0.2, 0.2, -1], *triangle)
    assert isinstance(hit, float) and 0.49 <= hit <= 0.5
    assert limber.ccd.point_triangle([0.2, 0.2, 1], *triangle, [0.2, 0.2, 0.01], *triangle) is None
    assert limber.ccd.point_triangle([0.2, 0.2, 0], *triangle, [0.2, 0.2, 1], *triangle) == 0.0
    one, other = [[-1, 0, 0], [1, 0, 0]], np.array([[0, -1, 1], [0, 1, 1]])
    assert 0.24 <= limber.ccd.edge_edge(*one, *other, *one, *(other - [0, 0, 4])) <= 0.25
    assert limber.ccd.edge_edge(*one, *other, *one, *(other + [5, 0, -4])) is None
    assert limber.ccd.edge_edge(*one, *(other - [0, 0, 1]), *one, *other) == 0.0


@pytest.mark.parametrize("ours, exact2, pair", [(limber.ccd.point_triangle, point_triangle2, "PT"),
                                                (limber.ccd.edge_edge, edge_edge2, "EE")])
def test_never_late_and_hardly_early(ours, exact2, pair):
    """Touching at k/16 by construction, in whole numbers: exact. Before the answer nothing may touch."""
    random = np.random.default_rng(2)
    for _ in range(300):
        y, v = 16 * random.integers(-5, 6, (4, 3)), random.integers(-5, 6, (4, 3))
        s = random.integers(0, 17)
        t = random.integers(0, 17 - s)
        if pair == "PT":
            y[0] = ((16 - s - t) * y[1] + s * y[2] + t * y[3]) // 16
        else:
            y[3] = y[2] + random.integers(1, 4) * (((16 - s) * y[0] + s * y[1]) // 16 - y[2])
        k = random.integers(0, 17)
        x0, x1 = (y - k * v).astype(float), (y + (16 - k) * v).astype(float)
        hit = ours(*x0, *x1)
        assert hit is not None and 0 <= hit <= k / 16

        def distance(t):
            return root(exact2(*[along(rational(a), (t, minus(rational(b), rational(a)))) for a, b in zip(x0, x1)]))

        # the answer is early by .01 at most, or the pair is within 1 % of its first distance there
        first = distance(Fraction(0))
        assert first == 0 or distance(Fraction(hit)) <= 0.01 * first or hit >= k / 16 - 0.01
