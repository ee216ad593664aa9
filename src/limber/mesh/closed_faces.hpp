#pragma once
/// Faces that enclose hollow spaces.

#include <cstddef>
#include <vector>

#include "limber/mesh/element_faces.hpp"

namespace limber {

/// Reorientation of faces before checking whether they are closed. consistent: neighbours are oriented alike.
enum class FaceSides { as_given, consistent };

struct ClosedFaces {
  /// Closed faces connected by edges, oriented away from the enclosed space.
  struct Part {
    FaceMesh faces;
    double volume = 0;    // [m³] enclosed, not negative
    bool turned = false;  // the given faces are oriented towards the enclosed space: the inside of a hollow body
  };
  std::vector<Part> parts;
  std::size_t open_edges = 0;  // with a single face, or with incompatible faces; `parts` is then meaningless
};

/// q: 3N [m]. The volume of tri6 and quad4 faces is that of the flat triangles between their corners.
ClosedFaces closed_faces(const FaceMesh& faces, const Vector& q, FaceSides sides);

}  // namespace limber
