#include "limber/material/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "limber/core/errors.hpp"

namespace limber {
namespace {

/// Numbers of a file are rounded; those of complete_from_shear itself are given back to it.
bool nearly(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b) + 1e-9; }

}  // namespace

std::string in_words(double value) { return fmt::format("{}", value); }
std::string in_words(const std::vector<double>& values) { return fmt::format("[{}]", fmt::join(values, ", ")); }

double bulk_modulus(const MaterialParameters& p, double mu) {
  return p.own_or("bulk", 2 * mu * (1 + p.poisson) / (3 * (1 - 2 * p.poisson)));
}

void complete_from_shear(MaterialParameters& p, double mu, const std::string& constants) {
  if (!p.has(constants)) {
    const double bulk = p.lambda() + 2 * p.mu() / 3;
    if (p.young > 0 && p.own.contains("bulk") && !nearly(p.own.at("bulk"), bulk))
      throw InputError("bulk", fmt::format("{} contradicts young and poisson, by which the bulk modulus is {:.6g} Pa",
                                           p.own.at("bulk"), bulk));
    return;
  }
  const double bulk = bulk_modulus(p, mu);
  const double young = 9 * bulk * mu / (3 * bulk + mu), poisson = (3 * bulk - 2 * mu) / (2 * (3 * bulk + mu));
  if (p.young != 0 && !nearly(p.young, young))
    throw InputError(
        "young", fmt::format("{} contradicts {}, by which Young's modulus is {:.6g} Pa", p.young, constants, young));
  // No poisson reads as 0 here.
  if (p.poisson != 0 && !nearly(p.poisson, poisson))
    throw InputError("poisson", fmt::format("{} contradicts {} and bulk, by which Poisson's ratio is {:.6g}", p.poisson,
                                            constants, poisson));
  p.young = young;
  p.poisson = poisson;
}

}  // namespace limber
