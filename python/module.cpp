#include <fmt/format.h>

#include <cmath>

#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "limber/version.hpp"
#include "threads.hpp"

namespace limber::python {
namespace {

Vector flat(const py::object& x, const char* name) {
  const auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(x);
  if (!array) {
    PyErr_Clear();
    throw InputError(name, "expected an array of numbers, got " + py::repr(py::type::of(x)).cast<std::string>());
  }
  return Eigen::Map<const Vector>(array.data(), array.size());
}

std::string shape(const py::object& x) { return py::str(py::array::ensure(x).attr("shape")); }

}  // namespace

Vector to_vector(const py::object& x, Index n, const char* name) {
  Vector v = flat(x, name);
  if (v.size() != n) throw InputError(name, fmt::format("expected {} numbers, got shape {}", n, shape(x)));
  return v;
}

Vector to_rows(const py::object& x, Index rows, const char* name) {
  Vector v = flat(x, name);
  const auto array = py::array::ensure(x);
  if (array.ndim() != 2 || array.shape(0) != rows || array.shape(1) != 3)
    throw InputError(name, fmt::format("expected shape ({}, 3), got {}", rows, shape(x)));
  return v;
}

void require_finite(const Vector& x, const char* name) {
  for (Index i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]))
      throw InputError(name, fmt::format("node {} has {} in column {}, must be finite", i / 3, x[i], i % 3));
}

/// With what is known about the step: t, h, residual, iterations.
void raise(const py::handle& type, const StepFailure& failure) {
  const py::object e = type(failure.what());
  const auto or_none = [&](double x) { return failure.h != 0 ? py::object(py::float_(x)) : py::none(); };
  e.attr("t") = or_none(failure.t);
  e.attr("h") = or_none(failure.h);
  e.attr("residual") = failure.residual;
  e.attr("iterations") = failure.iterations;
  PyErr_SetObject(type.ptr(), e.ptr());
}

void add_step_failure(py::module_& m) {
  static const py::handle type = py::exception<StepFailure>(m, "StepFailure", PyExc_RuntimeError).release();
  type.doc() =
      "A step that could not be taken. t [s]: where it began; h [s]: the length that was tried last; iterations and "
      "residual: of the last solve (0 where there was none). Without a step, as in statics, t and h are None.";
  for (const char* name : {"t", "h"}) type.attr(name) = py::none();
  type.attr("residual") = 0.0;
  type.attr("iterations") = 0;
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const StepFailure& failure) {
      raise(type, failure);
    }
  });
}

PYBIND11_MODULE(_limber, m) {
  m.doc() = "Limber: simulation of deformable objects";
  py::register_exception<InputError>(m, "InputError", PyExc_ValueError).doc() =
      "Wrong input: names the key, the value and what is allowed";
  add_step_failure(m);
  py::register_exception<OutputError>(m, "OutputError", PyExc_OSError).doc() = "Results could not be written";
  add_threads(m);
  add_materials(m);
  add_scenes(m);
  add_simulation(m);
  add_frames(m);
  add_analysis(m);
  add_integrate(m);
  add_contact(m);
  add_gradient(m);
  add_coarsen(m);
  add_advice(m);
  m.attr("__version__") = LIMBER_VERSION;
}

}  // namespace limber::python
