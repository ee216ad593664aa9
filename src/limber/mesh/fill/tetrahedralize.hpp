#pragma once
/// Fills a surface with tetrahedra. A clean surface is meshed by TetGen, if Limber has it, and keeps its shape exactly.
/// All others are filled by isosurface stuffing of
///   φ(x) = min( s(w(x)) d(x),  d_thin(x) − c ),
/// with the distance d, s = ±1 from the winding number w (smooth across holes), and the distance d_thin from triangles
/// where the body is too thin for the lattice: sheets become plates of thickness 2c. This always gives a body.

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
  double resolution = 0;  // desired mean edge length [m]
  std::size_t max_tets = 2'000'000;
  Filling filling = Filling::automatic;
  double drop_pieces = 0;  // drops pieces of the surface that enclose less than this fraction of the total; in [0, 1)
};

struct Tetrahedralized {
  TetMesh mesh;  // positively oriented, all nodes used, manifold surface
  Filling filling = Filling::lattice;
  double enclosed = 0;  // [m³] by the surface; 0 if the surface is not clean, since the volume is then undefined
  std::vector<std::string> notes;  // repairs made, and why the lattice was used; sentences without a full stop
};

/// `surface` may have duplicate vertices, unused vertices, triangles of zero area, holes, sheets, self-crossings and
/// wrongly oriented triangles. Throws InputError if no triangle has an area, coordinates are not finite, the resolution
/// is not positive or exceeds the size of the surface, about max_tets would be exceeded, no pieces remain, or
/// Filling::tetgen is requested and impossible.
Tetrahedralized tetrahedralize(TriMesh surface, const TetrahedralizeOptions& options);

}  // namespace limber
