#pragma once  // internal
/// Parts of a moving surface with vertices of their own: those that their polygons and lines use, in the order of the
/// surface.

#include "limber/exchange/moving.hpp"

namespace limber {

struct SurfacePart {
  std::string name;
  SurfaceMesh mesh;                   // at rest
  std::vector<std::size_t> vertices;  // which of the surface
  double thickness = 0;               // the diameter of its lines [m]; 0: unknown

  /// Of its vertices, from those of the surface.
  std::vector<Vec3> positions(const std::vector<Vec3>& of_surface) const;
};

/// One for each body that has polygons or lines.
std::vector<SurfacePart> body_parts(const MovingSurface& surface);
/// All bodies in one.
SurfacePart whole_part(const MovingSurface& surface, const std::string& name);

}  // namespace limber
