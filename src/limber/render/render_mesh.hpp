#pragma once
/// What a picture shows: triangles and lines, each of a body or of an obstacle, and infinite planes.

#include <algorithm>
#include <array>
#include <vector>

#include "limber/render/colors.hpp"

namespace limber {

constexpr int obstacle_body = -1;  // drawn in grey

struct RenderMesh {
  std::vector<Vec3> positions;                // #V [m]
  std::vector<std::array<int, 3>> triangles;  // #F
  std::vector<int> body;                      // #F
  std::vector<std::array<int, 2>> lines;      // #L, drawn as rods
  std::vector<int> line_body;                 // #L
  std::vector<double> line_radius;            // #L [m], > 0
  std::vector<Color> colors;                  // #V, or empty: by body

  double largest_line_radius() const {
    return line_radius.empty() ? 0 : *std::max_element(line_radius.begin(), line_radius.end());
  }
};

/// Seen from the side to which its normal (of unit length) points.
struct RenderPlane {
  Vec3 point, normal;
};

}  // namespace limber
