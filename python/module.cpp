#include <fmt/format.h>

#include <chrono>

#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/parallel.hpp"

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

bool no_interrupt() {
  // Inner loops ask often, and the lock may be another thread's for milliseconds.
  using Clock = std::chrono::steady_clock;
  constexpr auto seldom = std::chrono::milliseconds(50);
  thread_local Clock::time_point last{};
  if (Clock::now() - last < seldom) return true;
  py::gil_scoped_acquire gil;
  last = Clock::now();
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  return true;
}

PYBIND11_MODULE(_limber, m) {
  m.doc() = "Limber: simulation of deformable objects";
  py::register_exception<InputError>(m, "InputError", PyExc_ValueError).doc() =
      "Wrong input: names the key, the value and what is allowed";
  py::register_exception<StepFailure>(m, "StepFailure", PyExc_RuntimeError).doc() = "A step that could not be taken";
  py::register_exception<OutputError>(m, "OutputError", PyExc_OSError).doc() = "Results could not be written";
  m.def("set_threads", &set_threads, py::arg("n"),
        "Threads that loops may use (0: all cores). Results do not depend on it.");
  add_materials(m);
  add_scenes(m);
  add_analysis(m);
  add_integrate(m);
  add_contact(m);
  m.attr("__version__") = LIMBER_VERSION;
}

}  // namespace limber::python
