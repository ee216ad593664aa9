#include "bindings.hpp"
#include "limber/analysis/amplification.hpp"
#include "limber/core/errors.hpp"

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
    py::dict parameters;
    for (const auto& p : info.parameters) parameters[p.name.c_str()] = p.standard;
    d["parameters"] = parameters;
    list.append(d);
  }
  return list;
}

}  // namespace

void add_analysis(py::module_& m) {
  m.def("methods", &list_methods, "The time integration methods: a list of dicts with name, order, kind, stages, ...");
  m.def("damping_curve", [](const std::string& method, const Vector& theta, const MethodParameters& parameters) {
    return damping_curve(find_method(method), parameters, theta);
  });
  m.def("spectral_radius",
        [](const std::string& method, const Vector& theta, bool in_modes, const MethodParameters& parameters) {
          const auto& info = find_method(method);
          if (in_modes) throw InputError("in_modes", info.name + " does not split off modes");
          Vector rho(theta.size());
          for (Index i = 0; i < theta.size(); ++i) rho[i] = spectral_radius(info, parameters, theta[i]);
          return rho;
        });
  m.def("amplification_matrix", [](const std::string& method, double theta, const MethodParameters& parameters) {
    return RowMatrix(amplification_matrix(find_method(method), parameters, theta));
  });
}

}  // namespace limber::python
