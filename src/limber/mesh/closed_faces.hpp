#pragma once
/// Faces that close around hollow spaces.

#include <cstddef>
#include <vector>

#include "limber/mesh/element_faces.hpp"

namespace limber {

/// How faces may be turned before it is asked whether they close.
enum class FaceSides { as_given, consistent };  // consistent: neighbours are made to look to the same side

struct ClosedFaces {
  /// Those that hang together by edges, which all close, each turned so that it looks away from what it encloses.
  struct Part {
    FaceMesh faces;
    double volume = 0;    // [m³] enclosed, not negative
    bool turned = false;  // as given, they look at what they enclose: the inside of a hollow body
  };
  std::vector<Part> parts;
  std::size_t open_edges = 0;  // of one face only, or of faces that do not fit; then `parts` says nothing
};

/// q: 3N [m]. The volume of tri6 and quad4 is that of the flat triangles between their corners.
ClosedFaces closed_faces(const FaceMesh& faces, const Vector& q, FaceSides sides);

}  // namespace limber
