#include "limber/scene/made_material.hpp"

#include <fmt/format.h>

#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// What is wrong with a value, as for a number in the scene; empty: nothing.
std::string fault_of(const std::string& key, double value) {
  if (!std::isfinite(value)) return "is not finite";
  if (key == "poisson") return value > -1 && value < 0.5 ? "" : "is outside (-1, 0.5)";
  return key == "c10" || key == "c01" || value > 0 ? "" : "is not positive";
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
  MaterialParameters p{.model = choice.model, .c10 = {}, .c01 = {}, .bulk = {}};
  for (const auto& [key, value] : choice.parameters) {
    if (key == "young") p.young = value;
    if (key == "poisson") p.poisson = value;
    if (key == "c10") p.c10 = value;
    if (key == "c01") p.c01 = value;
    if (key == "bulk") p.bulk = value;
  }
  if (!choice.parameters.count("young") && p.c10 && p.c01 && p.bulk) {  // the same small-strain moduli
    const double mu = 2 * (*p.c10 + *p.c01), kappa = *p.bulk;
    if (!(mu > 0)) throw InputError(choice.where + ".c10", "the shear modulus 2 (c10 + c01) is not positive");
    p.young = 9 * kappa * mu / (3 * kappa + mu);
    p.poisson = (3 * kappa - 2 * mu) / (2 * (3 * kappa + mu));
  }
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
    if (const std::string fault = fault_of(key, values.back()); !fault.empty())
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
