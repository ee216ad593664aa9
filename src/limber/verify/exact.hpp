#pragma once  // internal
/// On which side a point lies, without rounding: signs of determinants of the numbers as they are stored, for any
/// finite input. Every exact answer in this room is built on these.

#include "limber/core/types.hpp"

namespace limber::exact {

/// Sign of det(b − a, c − a, d − a): −1, 0 or 1.
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Two of the three coordinates of a point.
struct Point2 {
  double x = 0, y = 0;
};

/// Sign of det(b − a, c − a): 1 if a, b, c turn left.
int orientation(const Point2& a, const Point2& b, const Point2& c);

/// Sign of n · (x − p): on which side of the plane through p with the normal n.
int side(const Vec3& p, const Vec3& n, const Vec3& x);

}  // namespace limber::exact
