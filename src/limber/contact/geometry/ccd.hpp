#pragma once
/// Continuous collision detection of points on straight paths, x(t) = x₀ + t (x₁ − x₀), t in [0, 1]. Conservative for
/// any input: an interval counts as free only if proven free, rounding included. The proof is additive: the difference
/// of two primitives is the hull of the differences Fᵢ of their nodes, so with n the direction of the nearest points at
/// t, no distance before t + Δ falls below minᵢ n·Fᵢ(t + Δ).

#include <array>
#include <limits>
#include <optional>

#include "limber/core/types.hpp"

namespace limber {

using FourNodes = std::array<Vec3, 4>;  // in the order of distance.hpp

/// The largest s ≤ 1 found such that on [0, s] the distance minus `minimum` (the sum of the half thicknesses [m]) is at
/// least `keep` (in [0, 1)) times the smaller of its initial value and `most` [m]; 0 if d ≤ minimum at the start. Stops
/// when 95 % of the permitted loss is used, or after 256 advances.
double safe_step_point_point(const FourNodes& x0, const FourNodes& x1, double keep, double minimum,
                             double most = std::numeric_limits<double>::infinity());
double safe_step_point_edge(const FourNodes& x0, const FourNodes& x1, double keep, double minimum,
                            double most = std::numeric_limits<double>::infinity());
double safe_step_point_triangle(const FourNodes& x0, const FourNodes& x1, double keep, double minimum,
                                double most = std::numeric_limits<double>::infinity());
double safe_step_edge_edge(const FourNodes& x0, const FourNodes& x1, double keep, double minimum,
                           double most = std::numeric_limits<double>::infinity());

/// The time of first contact, or none. Never late; 0 if the primitives touch at the start; early by at most the time
/// that the distance takes to vanish from 1e-3 of its initial value, or from 1e-5 of the primitives' size.
std::optional<double> time_of_impact_point_triangle(const FourNodes& x0, const FourNodes& x1);
std::optional<double> time_of_impact_edge_edge(const FourNodes& x0, const FourNodes& x1);

}  // namespace limber
