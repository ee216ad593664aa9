#pragma once
/// Distances of points, segments and triangles in floating point, to about 1e-15 of the coordinates: for what is round
/// or thick, where an exact answer has no meaning. Written for this room only.

#include <vector>

#include "limber/core/types.hpp"

namespace limber {

/// One, two or three points: a point, a segment or a triangle, which may be degenerate.
using Simplex = std::vector<Vec3>;

/// Whether they have a point in common, exactly.
bool simplices_meet(const Simplex& a, const Simplex& b);

/// The smallest distance [m]; 0 if they meet.
double distance_of(const Simplex& a, const Simplex& b);
/// Overlaps of less than this × the coordinates are let pass.
inline constexpr double rounding_of_distances = 1e-12;

/// How often the surface winds around p, by solid angles; of a surface with holes, a fraction. triangles: 3 points
/// each.
double solid_winding(const Vec3& p, const std::vector<Simplex>& triangles);

}  // namespace limber
