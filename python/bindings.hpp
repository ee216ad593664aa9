#pragma once
/// The Python module is put together from these parts; limber/__init__.py gives it its public face.

#include <pybind11/eigen.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "limber/core/types.hpp"

namespace limber::python {

namespace py = pybind11;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void add_materials(py::module_& m);
void add_scenes(py::module_& m);
void add_simulation(py::module_& m);
void add_frames(py::module_& m);
void add_analysis(py::module_& m);
void add_integrate(py::module_& m);
void add_contact(py::module_& m);
void add_gradient(py::module_& m);
void add_coarsen(py::module_& m);
void add_advice(py::module_& m);

/// 3N → N × 3, C-ordered.
inline RowMatrix as_rows(const Vector& x) { return Eigen::Map<const RowMatrix>(x.data(), x.size() / 3, 3); }

/// Any array-like of n numbers, as a vector. Throws InputError(name, …) with the shape found.
Vector to_vector(const py::object& x, Index n, const char* name);
/// N × 3, as 3N. Throws InputError(name, …).
Vector to_rows(const py::object& x, Index rows, const char* name);

/// Throws InputError(name, …) unless all numbers are finite. x: 3N, by nodes.
void require_finite(const Vector& x, const char* name);

}  // namespace limber::python
