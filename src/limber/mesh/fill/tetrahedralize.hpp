#pragma once
/// From a surface to a body: tetrahedra that fill it. A clean surface goes to TetGen, where Limber has it, and keeps
/// its shape exactly. Every other one is filled by isosurface stuffing of
///   φ(x) = min( s(w(x)) d(x),  d_thin(x) − c ),
/// d the distance, s = ±1 from the winding number w (smooth across holes), d_thin the distance from the triangles where
/// the body would be too thin for the lattice: sheets become plates of the thickness 2c. This always gives a body.

#include <cstddef>
#include <string>
#include <vector>

#include "limber/mesh/tet_mesh.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {

enum class Filling { automatic, tetgen, lattice };
/// "TetGen" or "lattice".
std::string name_of(Filling filling);

struct TetrahedralizeOptions {
  double resolution = 0;  // length that edges should have on average [m]
  std::size_t max_tets = 2'000'000;
  Filling filling = Filling::automatic;
  double drop_pieces = 0;  // pieces of the surface that enclose less than this share of all are left out; in [0, 1)
};

struct Tetrahedralized {
  TetMesh mesh;  // positively oriented, all nodes used, a manifold surface
  Filling filling = Filling::lattice;
  double enclosed = 0;             // [m³] by the surface; 0 where it is not clean, so that this is no measure
  std::vector<std::string> notes;  // what was mended, and why the lattice was taken; sentences without a full stop
};

/// `surface` may have equal vertices, vertices that no triangle uses, triangles of no area, holes, sheets, crossings
/// and triangles that face the wrong way. Throws InputError where nothing has an area, coordinates are not finite, the
/// resolution is not positive or exceeds the size of the surface, about max_tets would be exceeded, nothing is
/// left of the pieces, or Filling::tetgen is asked for and cannot be.
Tetrahedralized tetrahedralize(TriMesh surface, const TetrahedralizeOptions& options);

}  // namespace limber
