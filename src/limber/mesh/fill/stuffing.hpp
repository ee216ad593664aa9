#pragma once
/// Isosurface stuffing (Labelle and Shewchuk 2007, uniform): fills {φ < 0} with tetrahedra of a body-centred cubic
/// lattice. Lattice points close to a cut point of the surface are moved onto it, and tetrahedra still cut by the
/// surface are replaced by the parts inside. All dihedral angles are between 10.7° and 164.8°, for any φ.

#include <cstddef>
#include <functional>
#include <limits>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {

/// φ(x) at x [m]: continuous, negative inside. Called from several threads at once.
using ScalarField = std::function<double(const Vec3& x)>;

enum class Keep { all, largest };
enum class Pinches { keep, remove };

struct StuffingOptions {
  Box3 box;            // contains {φ ≤ 0} [m]
  double spacing = 0;  // edge of the lattice's cubes [m]: mesh edges of 1 and √3/2 of it, 12 tetrahedra per cube
  /// If |φ(x) − φ(y)| ≤ lipschitz |x − y| holds, regions entirely inside or outside are skipped quickly.
  double lipschitz = std::numeric_limits<double>::infinity();
  Pinches pinches = Pinches::remove;
  Keep keep = Keep::all;  // components connected by faces; largest: by number of tetrahedra
};

struct Stuffed {
  TetMesh mesh;                // may be empty if {φ < 0} lies between lattice points
  std::size_t components = 0;  // before dropping any
};

/// Measured mean edge of a stuffed mesh [spacing]: 0.92 in the lattice, less at the surface.
inline constexpr double stuffed_mean_edge = 0.9;

/// Tetrahedra with all four corners on the surface are omitted. The surface is watertight. If the shape or a gap in it
/// is thinner than about two spacings, the surface may touch itself at nodes or edges (see remove_pinches), or the
/// shape may break apart. Throws InputError for an invalid spacing or box, or if φ is negative outside the box.
Stuffed stuff(const ScalarField& phi, const StuffingOptions& options);

/// Removes tetrahedra, few at a time, until the surface is a manifold: of parts that meet only at a node or an edge,
/// all but the largest are removed there. Renumbers the nodes if any are removed. Returns the number of removed
/// tetrahedra.
std::size_t remove_pinches(TetMesh& mesh);

}  // namespace limber
