#include "bindings.hpp"
#include "limber/material/catalog.hpp"

namespace limber::python {
namespace {

struct PyMaterial {
  AnyMaterial any;
};

Mat3 gradient(const py::object& F) {
  const Vector x = to_rows(F, 3, "F");
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.data());
}

}  // namespace

void add_materials(py::module_& m) {
  m.def("material_names", [] {
    std::vector<std::string> names;
    for (const auto& info : material_catalog()) names.push_back(info.name);
    return names;
  });
  py::class_<PyMaterial>(
      m, "Material",
      "A hyperelastic material: energy density, stress and their derivative at a deformation gradient F (3 x 3).")
      .def(
          py::init([](const std::string& model, double young, double poisson, const py::kwargs& own) {
            MaterialParameters p{model, young, poisson, {}};
            for (const auto& [key, value] : own)
              if (!value.is_none()) p.own[key.cast<std::string>()] = value.cast<double>();
            return PyMaterial{make_material(p, "material")};
          }),
          py::arg("model"), py::kw_only(), py::arg("young"), py::arg("poisson"),
          "Young's modulus [Pa] and Poisson's ratio, and the model's own parameters by name, such as c10, c01 and bulk "
          "[Pa] of mooney_rivlin (`limber materials` lists them).")
      .def_property_readonly(
          "name", [](const PyMaterial& a) { return std::string(name(a.any)); }, "As the catalog spells it.")
      .def(
          "energy", [](const PyMaterial& a, const py::object& F) { return energy(a.any, gradient(F)); }, py::arg("F"),
          "Energy density [J/m^3], infinite outside the material's domain.")
      .def(
          "stress", [](const PyMaterial& a, const py::object& F) { return RowMatrix(stress(a.any, gradient(F))); },
          py::arg("F"), "First Piola stress [Pa], 3 x 3.")
      .def(
          "hessian",
          [](const PyMaterial& a, const py::object& F, bool psd) {
            return RowMatrix(psd ? hessian_psd(a.any, gradient(F)) : hessian(a.any, gradient(F)));
          },
          py::arg("F"), py::arg("psd") = false,
          "dP/dF [Pa], 9 x 9 on vec(F) column-major; psd: projected to positive semidefinite.")
      .def("__repr__", [](const PyMaterial& a) { return "<limber.Material " + std::string(name(a.any)) + ">"; });
}

}  // namespace limber::python
