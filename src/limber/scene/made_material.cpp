#include "limber/scene/made_material.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

const MaterialParameter& parameter_called(const std::string& key, const std::string& model) {
  for (const MaterialParameter& p : find_material(model)->parameters)
    if (p.name == key) return p;
  for (const MaterialParameter& p : common_material_parameters())
    if (p.name == key) return p;
  return density_parameter;
}

[[noreturn]] void fail_no_field(const std::string& where, const std::string& name, const CellFields& fields) {
  if (fields.empty())
    throw InputError(
        where,
        fmt::format("the mesh has no field \"{}\", nor any other: fields are cell data of one component in a .vtk "
                    "or .vtu file, or $ElementData of a .msh file",
                    name));
  std::vector<std::string> names;
  for (const auto& entry : fields) names.push_back(entry.first);
  throw InputError(where, fmt::format("the mesh has no field \"{}\"; its fields are {}", name, join(names)));
}

}  // namespace

MadeMaterial made(const MaterialChoice& choice) {
  MaterialParameters p{.model = choice.model, .own = choice.parameters, .lists = choice.lists};
  for (auto& [key, value] : {std::pair{"young", &p.young}, std::pair{"poisson", &p.poisson}})
    if (const auto given = p.own.extract(key)) *value = given.mapped();
  p = complete_parameters(std::move(p), choice.where);
  return {make_material(p, choice.where), p.young, p.poisson, choice.density};
}

std::string warning_of(const MaterialChoice& choice) {
  const auto nu = choice.parameters.find("poisson");
  if (choice.model != "neo_hookean" || nu == choice.parameters.end() || !(nu->second < 0)) return "";
  // ∂ψ/∂J = (λ ln J − μ)/J, which changes its sign where λ < 0.
  return fmt::format(
      "{}.poisson: with {}, neo_hookean does not resist elements being pressed flat beyond det F = {:.2g}; "
      "stable_neo_hookean does",
      choice.where, nu->second, std::exp((1 - 2 * nu->second) / (2 * nu->second)));
}

std::vector<double> field_values(const MaterialChoice& choice, const CellFields& fields, std::size_t element,
                                 std::size_t t) {
  std::vector<double> values;
  for (const auto& [key, name] : choice.fields) {
    const std::string where = choice.where + "." + key;
    const auto field = fields.find(name);
    if (field == fields.end()) fail_no_field(where, name, fields);
    values.push_back(field->second[t]);
    if (const std::string fault = fault_of(parameter_called(key, choice.model), values.back()); !fault.empty())
      throw InputError(where, fmt::format("the field \"{}\" has the value {} at element {}, which {}", name,
                                          values.back(), element, fault));
  }
  return values;
}

MadeMaterial made(const MaterialChoice& choice, const std::vector<double>& values, std::size_t element) {
  if (choice.fields.empty()) return made(choice);
  MaterialChoice numbers = choice;
  numbers.fields.clear();
  std::size_t i = 0;
  for (const auto& entry : choice.fields)
    (entry.first == "density" ? numbers.density : numbers.parameters[entry.first]) = values[i++];
  try {
    return made(numbers);
  } catch (const InputError& e) {
    throw InputError(e.where(), fmt::format("{}, at element {}", e.message(), element));
  }
}

double pressure_wave_speed(const MadeMaterial& m) {
  return std::sqrt(hessian(m.material, Mat3::Identity())(0, 0) / m.density);
}

}  // namespace limber
