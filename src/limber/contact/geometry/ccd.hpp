#pragma once
/// Continuous collision detection of points that move on straight lines, x(t) = x₀ + t (x₁ − x₀), t in [0, 1].
/// Conservative for any input: an interval counts as free only where it is proven free, rounding included. The proof is
/// additive: the difference of two primitives is the hull of the differences Fᵢ of their nodes, so with n the direction
/// of the nearest points at t no distance before t + Δ falls below minᵢ n·Fᵢ(t + Δ).

#include <array>
#include <limits>
#include <optional>

#include "limber/core/types.hpp"

namespace limber {

using FourNodes = std::array<Vec3, 4>;  // in the order of distance.hpp

/// The largest s ≤ 1 found such that on [0, s] the distance minus `minimum` (the sum of the half thicknesses [m]) is at
/// least `keep` (in [0, 1)) of what it is at the start, or of `most` [m] where that is less; 0 where the start has
/// d ≤ minimum. It stops where 95 % of what may be lost is lost, or after 256 advances.
double safe_step_point_point(const FourNodes& x0, const FourNodes& x1, double keep, double minimum,
                             double most = std::numeric_limits<double>::infinity());
double safe_step_point_edge(const FourNodes& x0, const FourNodes& x1, double keep, double minimum,
                            double most = std::numeric_limits<double>::infinity());
double safe_step_point_triangle(const FourNodes& x0, const FourNodes& x1, double keep, double minimum,
                                double most = std::numeric_limits<double>::infinity());
double safe_step_edge_edge(const FourNodes& x0, const FourNodes& x1, double keep, double minimum,
                           double most = std::numeric_limits<double>::infinity());

/// The time at which the primitives touch first, or none. Never late; 0 where they touch at the start; early at most by
/// the time that the distance takes to vanish from 1e-3 of its first value, or from 1e-5 of the primitives' size.
std::optional<double> time_of_impact_point_triangle(const FourNodes& x0, const FourNodes& x1);
std::optional<double> time_of_impact_edge_edge(const FourNodes& x0, const FourNodes& x1);

}  // namespace limber
