#pragma once
/// Triangle surfaces.

#include <array>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

struct TriMesh {
  std::vector<Vec3> nodes;                    // #V [m], each in a triangle
  std::vector<std::array<int, 3>> triangles;  // #F, outwards by the right-hand rule if the file says so
};

/// 2·area > 1e-14 × (longest edge)².
bool has_area(const Vec3& a, const Vec3& b, const Vec3& c);
/// Drops triangles of zero area, then unused nodes. Returns the number of triangles dropped.
std::size_t drop_degenerate(TriMesh& mesh);

/// Whether each edge belongs to two triangles that traverse it in opposite directions.
bool is_closed(const TriMesh& mesh);
/// ⅓ ∮ x·n dA about the centre of the bounding box [m³]; negative if the triangles face inwards.
double enclosed_volume(const TriMesh& mesh);
/// Reverses all triangles if the enclosed volume is negative; returns whether it did.
bool orient_outwards(TriMesh& mesh);

}  // namespace limber
