"""Positions and velocities as a simulation hands them out."""

import numpy as _np

from ._limber import InputError as _InputError


class StateArray(_np.ndarray):
    """A copy of the state that cannot be changed entry by entry, since the simulation would not hear of it.

    What is computed from it is a plain array, and so is a.copy(). sim.positions += x works: it sets the positions.
    """

    def __setitem__(self, key, value):
        if not self.flags.writeable:
            raise _InputError("positions, velocities: what a simulation hands out is a copy, and a change of its "
                              "entries would be lost; take x = sim.positions.copy(), change x, and set "
                              "sim.positions = x")
        super().__setitem__(key, value)

    def copy(self, order="C"):
        return _np.array(self, order=order)

    def __array_wrap__(self, array, *_):
        return array.view(_np.ndarray)[()] if array.ndim == 0 else array.view(_np.ndarray)

    def __reduce__(self):
        return self.copy().__reduce__()


def _in_place(name):
    plain, in_place = getattr(_np.ndarray, f"__{name}__"), getattr(_np.ndarray, f"__i{name}__")
    return lambda self, other: (in_place if self.flags.writeable else plain)(self, other)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(StateArray, f"__i{_name}__", _in_place(_name))
