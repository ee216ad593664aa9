#pragma once
/// Do segments and triangles meet? Exact answers for closed sets: touching is meeting. Segments may be points, and
/// triangles may have no area.

#include <array>
#include <vector>

#include "limber/core/types.hpp"

namespace limber::exact {

using Triangle = std::array<int, 3>;  // nodes

/// The nodes' positions [m], 3 × #V.
class Positions {
 public:
  explicit Positions(const Vector& q) : q_(q) {}
  Vec3 operator[](int node) const { return q_.segment<3>(3 * node); }

 private:
  const Vector& q_;
};

bool segments_meet(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b);

bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c);

bool triangles_meet(const std::array<Vec3, 3>& s, const std::array<Vec3, 3>& t);

/// Do two different triangles have more in common than the nodes and the edge that they share?
bool meet_beyond_shared(const Triangle& s, const Triangle& t, const Positions& x);

/// How often the closed, oriented surface winds around p; 0 is outside. On the surface itself either answer may come.
int winding_number(const Vec3& p, const std::vector<Triangle>& surface, const Positions& x);

}  // namespace limber::exact
