#include "bindings.hpp"
#include "limber/analysis/amplification.hpp"
#include "limber/core/errors.hpp"
#include "limber/linalg/exponential/phi1.hpp"
#include "threads.hpp"

namespace limber::python {
namespace {

py::list list_methods() {
  py::list list;
  for (const auto& info : method_catalog()) {
    py::dict d;
    d["name"] = info.name;
    d["order"] = info.order;
    d["kind"] = to_string(info.kind);
    d["stages"] = info.stages;
    d["stability"] = info.stability;
    d["good_for"] = info.good_for;
    d["error_estimate"] = to_string(info.estimate);
    py::dict parameters;
    for (const auto& p : info.parameters) parameters[p.name.c_str()] = p.standard;
    d["parameters"] = parameters;
    list.append(d);
  }
  return list;
}

ModePlace place(bool in_modes) { return in_modes ? ModePlace::split_off : ModePlace::outside; }

py::tuple phi1_of(const py::object& J, const Vector& b, double h, double tolerance) {
  Phi1Options options;
  options.tolerance = tolerance;
  Phi1Report report;
  Vector y;
  if (PyCallable_Check(J.ptr()) != 0) {
    const LinearOperator apply = [f = Callback(J)](const Vector& in, Vector& out) {
      out = f([&](const py::object& x) { return to_vector(x, in.size(), "J"); }, in);
    };
    y = computed([&] { return phi1(apply, b, h, options, report); });
  } else if (py::hasattr(J, "tocsc")) {
    y = phi1(J.cast<SparseMatrix>(), b, h, options, report);
  } else {
    y = phi1(J.cast<Matrix>(), b, h, options, report);
  }
  return py::make_tuple(y, report.products, report.substeps, report.error);
}

}  // namespace

void add_analysis(py::module_& m) {
  m.def("methods", &list_methods, "The time integration methods: a list of dicts with name, order, kind, stages, ...");
  m.def("damping_curve",
        [](const std::string& method, const Vector& theta, bool in_modes, const MethodParameters& parameters) {
          return damping_curve(find_method(method), parameters, theta, place(in_modes));
        });
  m.def("spectral_radius",
        [](const std::string& method, const Vector& theta, bool in_modes, const MethodParameters& parameters) {
          const auto& info = find_method(method);
          Vector rho(theta.size());
          for (Index i = 0; i < theta.size(); ++i)
            rho[i] = spectral_radius(info, parameters, theta[i], place(in_modes));
          return rho;
        });
  m.def("amplification_matrix",
        [](const std::string& method, double theta, bool in_modes, const MethodParameters& parameters) {
          return RowMatrix(amplification_matrix(find_method(method), parameters, theta, place(in_modes)));
        });
  m.def("phi1", &phi1_of);
}

}  // namespace limber::python
