"""Reads trajectory.xdmf with Python's XML parser and what it refers to with h5py, and says what a viewer would show.

usage: check_trajectory.py FILE.xdmf   prints, for each listed frame: its time and the sum of its coordinates
Exits with 1 where an entry does not fit the array that it names, with 77 where h5py is missing.
"""

import os
import sys
import xml.etree.ElementTree as ElementTree

try:
    import h5py
    import numpy
except ImportError:
    sys.exit(77)


def numbers(text):
    return [int(word) for word in text.split()]


def read_array(item, directory):
    """The array of a DataItem, in the shape that it announces."""
    shape = numbers(item.get("Dimensions"))
    if item.get("ItemType") == "HyperSlab":
        selection, source = item.findall("DataItem")
        start, stride, count = numpy.reshape(numbers(selection.text), (3, -1))
        whole = read_array(source, directory)
        assert len(start) == whole.ndim and all(start + (count - 1) * stride < whole.shape), "selection out of range"
        return whole[tuple(slice(a, a + n * s, s) for a, s, n in zip(start, stride, count))].reshape(shape)
    name, path = item.text.strip().split(":")
    array = h5py.File(os.path.join(directory, name), "r")[path]
    assert list(array.shape) == shape, f"{path} is {array.shape}, not {shape}"
    assert array.dtype == {"Int": numpy.int32, "Float": numpy.float64}[item.get("NumberType")]
    return array[...]


def check_grid(grid, directory):
    points = read_array(grid.find("Geometry/DataItem"), directory)
    topology = grid.find("Topology")
    cells = read_array(topology.find("DataItem"), directory)
    assert cells.shape == (int(topology.get("NumberOfElements")), 4 if topology.get("TopologyType") == "Tetrahedron" else 2)
    assert cells.min() >= 0 and cells.max() < len(points)
    for attribute in grid.findall("Attribute"):
        values = read_array(attribute.find("DataItem"), directory)
        assert len(values) == {"Node": len(points), "Cell": len(cells)}[attribute.get("Center")]
    return points.sum()


def main(path):
    collection = ElementTree.parse(path).getroot().find("Domain/Grid")
    assert collection.get("CollectionType") == "Temporal"
    for frame in collection.findall("Grid"):
        grids = [frame] if frame.get("GridType") == "Uniform" else frame.findall("Grid")
        sums = {check_grid(grid, os.path.dirname(path)) for grid in grids}
        assert len(sums) == 1
        print(repr(float(frame.find("Time").get("Value"))), f"{sums.pop():.9e}")


if __name__ == "__main__":
    main(sys.argv[1])
