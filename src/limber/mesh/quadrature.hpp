#pragma once  // internal
/// Quadrature rules on reference elements and faces.

#include "limber/mesh/element_type.hpp"

namespace limber {

/// n³ points on the tetrahedron for polynomials of degree 2n − 1, by mapping a cube onto it.
Quadrature conical(int n);
/// n³ points on the cube, for polynomials of degree 2n − 1 in each variable.
Quadrature cube_rule(int n);
/// Four points of degree 2 on the tetrahedron for straight sides, eight of degree 3 for curved ones.
Quadrature tetrahedron_orbits(Sides sides);
/// One point of degree 1 on the triangle.
Quadrature triangle_centre();
/// n² points on the triangle and on the square.
Quadrature triangle_rule(int n);
Quadrature square_rule(int n);

}  // namespace limber
