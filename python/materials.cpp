#include <pybind11/stl.h>

#include <optional>

#include "bindings.hpp"
#include "limber/core/errors.hpp"
#include "limber/material/catalog.hpp"
#include "limber/material/presets.hpp"

namespace limber::python {
namespace {

struct PyMaterial {
  AnyMaterial any;
};

Mat3 gradient(const py::object& F) {
  const Vector x = to_rows(F, 3, "F");
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(x.data());
}

void take(const std::string& key, const py::handle& value, MaterialParameters& p) {
  if (py::isinstance<py::sequence>(value) && !py::isinstance<py::str>(value))
    p.lists[key] = value.cast<std::vector<double>>();
  else
    p.own[key] = value.cast<double>();
}

double taken_out(std::map<std::string, double>& numbers, const std::string& key) {
  const auto node = numbers.extract(key);
  return node ? node.mapped() : 0;
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
          py::init([](const std::optional<std::string>& model, const std::optional<std::string>& preset,
                      const std::optional<double>& young, const std::optional<double>& poisson, const py::kwargs& own) {
            MaterialParameters p;
            if (young) p.own["young"] = *young;
            if (poisson) p.own["poisson"] = *poisson;
            for (const auto& [key, value] : own)
              if (!value.is_none()) take(key.cast<std::string>(), value, p);
            const MaterialPreset* substance = preset ? &find_preset(*preset, "material.preset") : nullptr;
            if (!model && !substance) throw InputError("material.model", "is missing, or a preset");
            p.model = model ? *model : substance->parameters.model;
            const MaterialInfo* info = find_material(p.model);
            if (substance && info) {
              const MaterialParameters said = p;
              add_constants(
                  *substance, info->name, [&](const std::string& key) { return said.has(key); }, "material", p.own,
                  p.lists);
            }
            if (const std::string key = info ? missing_key(*info, [&](const auto& k) { return p.has(k); }) : "";
                !key.empty())
              throw InputError("material." + key, "is missing");
            p.young = taken_out(p.own, "young");
            p.poisson = taken_out(p.own, "poisson");
            return PyMaterial{make_material(p, "material")};
          }),
          py::arg("model") = py::none(), py::kw_only(), py::arg("preset") = py::none(), py::arg("young") = py::none(),
          py::arg("poisson") = py::none(),
          "Young's modulus [Pa] and Poisson's ratio, and the model's own parameters by name, such as c10, c01 and bulk "
          "[Pa] of mooney_rivlin, or lists mu and alpha of ogden (`limber materials` lists them, and docs/materials.md "
          "says which take the place of young and poisson). preset: a substance by name, as scenes have it; what else "
          "is given takes the place of its own.")
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
