"""Ready-made objectives for `limber.value_and_grad`, `limber.minimize` and `limber.fit`.

Each is a number that depends on the motion of a scene. They can be added and multiplied by numbers, and functions
(t, X, V) -> (J, dJ/dX, dJ/dV) may stand among them:

    J = objectives.last_shape(target) + 1e-3 * objectives.energy("elastic", over=True)
    J = objectives.frequency(1).at_least(20) + 2 * objectives.probe("tip", "y").near(-0.1)

Times are in seconds; what looks at one state takes that of the step nearest to `time`, by default the last.
"""

import numbers as _numbers

from . import _limber

__all__ = ["Objective", "energy", "frequencies", "frequency", "last_shape", "probe", "probes", "reaction"]


def _number(x):
    return isinstance(x, _numbers.Real) and not isinstance(x, bool)


class Objective:
    """A number that a motion is judged by."""

    __slots__ = ("_made",)

    def __init__(self, function):
        """function(t, X, V) -> (J, dJ/dX, dJ/dV), as `limber.value_and_grad` takes it; or an objective."""
        if isinstance(function, Objective):
            self._made = function._made
        elif isinstance(function, _limber.Objective):
            self._made = function
        elif callable(function):
            self._made = _limber.function_objective(function)
        else:
            raise _limber.InputError(f"objective: expected one of limber.objectives or a function, got {type(function)}")

    @classmethod
    def _sum(cls, parts, constant=0.0):
        return cls(_limber.sum_of([(weight, part._made) for weight, part in parts], constant))

    def __add__(self, other):
        if _number(other):
            return self._sum([(1.0, self)], float(other))
        if isinstance(other, Objective) or callable(other):
            return self._sum([(1.0, self), (1.0, Objective(other))])
        return NotImplemented

    __radd__ = __add__

    def __mul__(self, factor):
        return self._sum([(float(factor), self)]) if _number(factor) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, factor):
        return self * (1 / factor) if _number(factor) else NotImplemented

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        if _number(other):
            return self + -other
        return self + -Objective(other) if isinstance(other, Objective) or callable(other) else NotImplemented

    def __rsub__(self, other):
        return -self + other

    def near(self, value):
        """(J - value)**2"""
        return Objective(_limber.squared_distance(self._made, "equal", value))

    def at_least(self, value):
        """(value - J)**2 where J is less, else 0."""
        return Objective(_limber.squared_distance(self._made, "at_least", value))

    def at_most(self, value):
        """(J - value)**2 where J is more, else 0."""
        return Objective(_limber.squared_distance(self._made, "at_most", value))


def _when(time, over):
    if over is None or over is False:
        return (False, None, time)
    if time is not None:
        raise _limber.InputError("over: give either time or over")
    if over is True:
        return (True, None, None)
    try:
        first, last = over
    except (TypeError, ValueError):
        raise _limber.InputError("over: must be True or (from, to) [s]") from None
    return (True, float(first), float(last))


def probes(observed, weights=None):
    """The mean of the squared distances, along each observed axis, of probes from where they were observed [m^2].

    observed: as for `limber.fit`: the path of a CSV table (time,tip.x,tip.y,...), or (t, {probe: T x 3}), NaN where
    nothing was seen. Times need not be those of steps. weights: {probe: weight}, 1 by default.
    """
    return Objective(_limber.probes_objective(observed, dict(weights or {})))


def probe(name, axis, time=None):
    """A coordinate of a probe [m]; axis: "x", "y" or "z"."""
    if axis not in ("x", "y", "z"):
        raise _limber.InputError(f'axis: expected "x", "y" or "z", got {axis!r}')
    return Objective(_limber.probe_objective(name, "xyz".index(axis), time))


def last_shape(target, nodes=None, weights=None, time=None):
    """The mean of |x - target|^2 over all nodes or some [m^2].

    target: N x 3, or one row for each of `nodes`, a list of node numbers. weights: one for each row.
    """
    return Objective(_limber.shape_objective(target, nodes, weights, time))


def energy(part, time=None, over=None):
    """"elastic" or "kinetic" energy [J]; over=(from, to) or over=True, the whole run: its integral over time [J s]."""
    return Objective(_limber.energy_objective(part, *_when(time, over)))


def reaction(nodes, direction, time=None, over=None):
    """direction . the force that holds these pinned or scripted nodes, in all [N]; over=(from, to) or True: its mean.

    It is that of the state at the end of a step.
    """
    return Objective(_limber.reaction_objective(nodes, direction, *_when(time, over)))


def frequency(first, last=None):
    """The frequency [Hz] of a mode of the scene at rest at its start, counted from 1, rigid motions left out; or the mean of
    the modes first to last.

    A mode that is one of several with one frequency has no derivative of its own; it is then given that of their mean.
    """
    return Objective(_limber.frequency_objective(first, first if last is None else last))


def frequencies(wanted):
    """The mean of (f / wanted - 1)^2 over the lowest modes of the scene at rest at its start, rigid motions left out.

    wanted: frequencies [Hz] in their order; an entry may be (frequency, n), a block of n modes of which the mean is
    wanted. Equal neighbours are one block: pairs, as those of a square beam, have derivatives together only.
    """
    blocks = []
    try:
        for entry in wanted:
            hertz, modes = (float(entry), 1) if _number(entry) else (float(entry[0]), int(entry[1]))
            if _number(entry) and blocks and blocks[-1][1] == hertz:
                blocks[-1] = (blocks[-1][0] + 1, hertz)
            else:
                blocks.append((modes, hertz))
    except (TypeError, ValueError, IndexError):
        raise _limber.InputError("frequencies: expected a list of numbers or of (frequency, number of modes)") from None
    return Objective(_limber.frequencies_objective(blocks))
