#include "limber/scene/made_material.hpp"

#include <cmath>

namespace limber {

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
    p.young = 9 * kappa * mu / (3 * kappa + mu);
    p.poisson = (3 * kappa - 2 * mu) / (2 * (3 * kappa + mu));
  }
  return {make_material(p, choice.where), p.young, p.poisson, choice.density};
}

double pressure_wave_speed(const MadeMaterial& m) {
  return std::sqrt(hessian(m.material, Mat3::Identity())(0, 0) / m.density);
}

}  // namespace limber
