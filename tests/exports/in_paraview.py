"""Run by ParaView's Python: pvpython in_paraview.py RUN PVD RESULT.npz

Opens RUN/trajectory.xdmf and the .pvd, and saves their times, points and fields at each time.
"""

import sys

import numpy
from paraview.simple import PVDReader, XDMFReader
from paraview import servermanager
from vtk.util.numpy_support import vtk_to_numpy

run, pvd, result = sys.argv[1:]
saved = {}


def grids(block):
    """The unstructured grids of what a reader gives."""
    if not block.IsA("vtkCompositeDataSet"):
        return [block]
    iterator = block.NewIterator()
    found = []
    while not iterator.IsDoneWithTraversal():
        found.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return found


def save(name, reader):
    reader.UpdatePipelineInformation()
    times = numpy.atleast_1d(reader.TimestepValues)
    saved[f"{name}_times"] = times
    for k, t in enumerate(times):
        reader.UpdatePipeline(t)
        pieces = grids(servermanager.Fetch(reader))
        saved[f"{name}_pieces"] = len(pieces)
        for i, grid in enumerate(pieces):
            saved[f"{name}_{k}_{i}_points"] = vtk_to_numpy(grid.GetPoints().GetData())
            saved[f"{name}_{k}_{i}_cells"] = grid.GetNumberOfCells()
            for data in (grid.GetPointData(), grid.GetCellData()):
                for a in range(data.GetNumberOfArrays()):
                    saved[f"{name}_{k}_{i}_{data.GetArrayName(a)}"] = vtk_to_numpy(data.GetArray(a))


save("xdmf", XDMFReader(FileNames=[f"{run}/trajectory.xdmf"]))
save("pvd", PVDReader(FileName=pvd))
numpy.savez(result, **saved)
