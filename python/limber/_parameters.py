"""The numbers of a simulation that can be changed while its motion goes on."""

from collections.abc import Mapping as _Mapping


class Parameters(_Mapping):
    """A mapping from keys of the scene, such as "bodies[0].material.young", to numbers or arrays, in SI units.

    Reading gives the present value; arrays are copies that cannot be changed. Assigning changes the running simulation
    from the next step on; update() changes several at once, for values that only go together.
    """

    def __init__(self, simulation):
        self._simulation = simulation

    def __getitem__(self, name):
        return self._simulation._parameter(name)

    def __setitem__(self, name, value):
        self._simulation._set_parameters({name: value})

    def update(self, values=(), **more):
        self._simulation._set_parameters({**dict(values), **more})

    def get(self, name, default=None):
        return self._simulation._parameters().get(name, default)

    def __contains__(self, name):
        return name in self._simulation._parameters()

    def __iter__(self):
        return iter(self._simulation._parameters())

    def __len__(self):
        return len(self._simulation._parameters())

    def items(self):
        return self._simulation._parameters().items()

    def values(self):
        return self._simulation._parameters().values()

    def __repr__(self):
        return f"Parameters({self._simulation._parameters()!r})"
