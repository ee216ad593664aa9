#pragma once
/// A closed cavity of volume V = ⅓ ∫ x · c dξ (surface_loads.hpp) and its filling, whose potential depends on V only:
///
///     gas      p V = p₀ V₀ a(t):  W = −p₀ V₀ a ln(V/V₀) + p₀ (V − V₀), p₀: the pressure outside, also inside at
///              the start, where a = 1 and V = V₀. Isothermal.
///     liquid   W = ½ k V₀ (V/V₀ − a(t))²: the volume is a V₀ apart from the compression of the liquid.
///
/// f = −W′ ∂V/∂q;  K = W″ (∂V/∂q)(∂V/∂q)ᵀ + W′ ∂²V/∂q². The first term, a dense matrix of rank one, is kept apart.

#include <memory>
#include <variant>

#include "limber/mesh/element_faces.hpp"
#include "limber/model/force.hpp"
#include "limber/model/time_function.hpp"

namespace limber {

struct CavityGas {
  double ambient = 101325;                                          // p₀ [Pa], positive
  TimeFunction<double> amount = TimeFunction<double>::constant(1);  // a(t), positive
};

struct CavityLiquid {
  double bulk = 2.2e9;                                              // k [Pa], positive
  TimeFunction<double> volume = TimeFunction<double>::constant(1);  // a(t), positive
};

class Cavity : public Force {
 public:
  virtual double volume(const Vector& q) const = 0;            // V [m³] of full positions, 3N
  virtual double pressure(double volume, double t) const = 0;  // [Pa] inside minus outside: −W′
};

/// `faces` must be closed and oriented away from the cavity. rest: 3N [m], the shape with volume V₀ > 0.
std::shared_ptr<Cavity> make_cavity(FaceMesh faces, const Vector& rest, std::variant<CavityGas, CavityLiquid> filling);

}  // namespace limber
