#pragma once
/// What a picture shows: triangles and lines, each of a body or of an obstacle, and infinite planes.

#include <array>
#include <vector>

#include "limber/render/colors.hpp"

namespace limber {

constexpr int obstacle_body = -1;  // drawn in grey

struct RenderMesh {
  std::vector<Vec3> positions;                // #V [m]
  std::vector<std::array<int, 3>> triangles;  // #F
  std::vector<int> body;                      // #F
  std::vector<std::array<int, 2>> lines;      // #L, drawn as rods of the radius below
  std::vector<int> line_body;                 // #L
  double line_radius = 0;                     // [m], > 0 where there are lines
  std::vector<Color> colors;                  // #V, or empty: by body
};

/// Seen from the side to which its normal (of unit length) points.
struct RenderPlane {
  Vec3 point, normal;
};

}  // namespace limber
