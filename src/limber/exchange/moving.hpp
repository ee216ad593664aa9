#pragma once
/// What moves, as files of other programs take it: a mesh that stays the same and its places at growing times. Frames
/// are made when a writer asks for them, so that a long run needs no more memory than a short one.

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/surface_mesh.hpp"

namespace limber {

struct MovingSurface {
  SurfaceMesh mesh;                                         // of all bodies, at rest
  std::vector<std::string> bodies;                          // names
  std::vector<int> polygon_body;                            // #P, which of them
  std::vector<int> line_body;                               // #L
  std::vector<double> times;                                // [s]
  std::function<std::vector<Vec3>(std::size_t)> positions;  // #V [m] at times[k], finite as floats too
  std::vector<double> thickness = {};                       // of bodies, the diameter of lines [m]; empty or 0: unknown
};

struct CellFrame {
  std::vector<Vec3> positions;         // #V [m]
  std::vector<Vec3> velocities;        // #V [m/s], or empty
  std::vector<double> von_mises;       // #cells [Pa], or empty
  std::vector<double> energy_density;  // #cells [J/m³], or empty
};

struct MovingCells {
  std::vector<Vec3> rest;                     // #V [m]
  std::vector<std::array<int, 4>> tets;       // cells are these,
  std::vector<std::array<int, 3>> triangles;  // then these,
  std::vector<std::array<int, 2>> lines;      // then these
  std::vector<int> body;                      // #cells
  std::vector<double> times;                  // [s]
  std::function<CellFrame(std::size_t)> frame;
};

/// Frames per second, where the times are evenly spaced; 24 of a single frame. Throws InputError if they are not.
double even_rate(const std::vector<double>& times);

}  // namespace limber
