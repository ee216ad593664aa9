#pragma once
/// Derivatives by the parameters of a system (model/parameters.hpp): by central differences of the forces and masses
/// that follow from slightly different values. Forces share their elements with those of the system.

#include <memory>
#include <utility>
#include <vector>

#include "limber/gradient/variation.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

/// Values of a parameter near its present one, and the weight of each in the derivative.
struct DifferencePoint {
  double value, weight;
};
/// On both sides, or above alone, where values below are not allowed. `scale`: over which a function of the parameter
/// changes.
std::vector<DifferencePoint> points_around(double value, double scale);
std::vector<DifferencePoint> points_above(double value, double scale);
/// |value|, and 1 for 0; for Poisson's ratio at least .1, but no more than the distance to ½.
double parameter_scale(const std::string& name, double value);

/// f or f' of a term, from f at any state. f' is a difference of fourth order: its step is large, since f may be a
/// difference itself.
template <class ForceAt>
Vector evaluated(const ForceTerm& term, double length_scale, const ForceAt& force_at) {
  if (!term.is_slope()) return term.c * force_at(term.u);
  constexpr double relative = 3e-4;
  const double size = std::max(term.dq.lpNorm<Eigen::Infinity>(), 1e-300 + 1e-3 * term.dv.lpNorm<Eigen::Infinity>());
  const double s = relative * length_scale / size;
  const auto over = [&](double step) {
    const State ahead{term.u.q + step * term.dq, term.u.v + step * term.dv, term.u.t};
    const State behind{term.u.q - step * term.dq, term.u.v - step * term.dv, term.u.t};
    return Vector((force_at(ahead) - force_at(behind)) / (2 * step));
  };
  return term.c / 3 * (4 * over(s) - over(2 * s));
}

/// to −= c times the accelerations of prescribed nodes, 3N, of a term that is no slope.
void subtract_prescribed_accelerations(const MechanicalSystem& system, const ForceTerm& term, Vector& to);
/// The part of a quantity that a force has, and all of it.
double quantity_of_force(const SystemQuantity& quantity, const Force& force);
double quantity_of(const SystemQuantity& quantity, const MechanicalSystem& system);

/// Throws InputError(name, …) for a parameter that the system does not have.
std::unique_ptr<SystemVariation> make_variation(MechanicalSystem& system, const std::string& parameter);

}  // namespace limber
