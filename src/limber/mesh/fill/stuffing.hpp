#pragma once
/// Isosurface stuffing (Labelle and Shewchuk 2007, uniform): fills {φ < 0} with tetrahedra of a body-centred cubic
/// lattice. Lattice points with a cut point of the surface nearby move onto it, the tetrahedra that the surface still
/// cuts are replaced by the parts inside. All dihedral angles are between 10.7° and 164.8°, whatever φ is.

#include <cstddef>
#include <functional>
#include <limits>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {

/// φ(x) at x [m]: continuous, negative inside. Called from several threads at a time.
using ScalarField = std::function<double(const Vec3& x)>;

enum class Keep { all, largest };
enum class Pinches { keep, remove };

struct StuffingOptions {
  Box3 box;            // holds {φ ≤ 0} [m]
  double spacing = 0;  // edge of the lattice's cubes [m]: edges of 1 and √3/2 of it, 12 tetrahedra per cube
  /// Where |φ(x) − φ(y)| ≤ lipschitz |x − y| holds, space that is all inside or all outside is not looked at closely.
  double lipschitz = std::numeric_limits<double>::infinity();
  Pinches pinches = Pinches::remove;
  Keep keep = Keep::all;  // of the components joined by faces, largest by the number of tetrahedra
};

struct Stuffed {
  TetMesh mesh;                // may be empty, where the lattice misses all of {φ < 0}
  std::size_t components = 0;  // before any were dropped
};

/// The mean edge of a stuffed mesh [spacing], measured: 0.92 in the lattice, less at the surface.
inline constexpr double stuffed_mean_edge = 0.9;

/// Tetrahedra whose four corners all lie on the surface are left out. The surface is watertight. Where the shape or a
/// gap in it is thinner than about two spacings, the surface may touch itself at nodes or edges (see remove_pinches),
/// or the shape may come apart. Throws InputError where the spacing or the box make no sense, or φ is negative outside
/// the box.
Stuffed stuff(const ScalarField& phi, const StuffingOptions& options);

/// Takes away tetrahedra, few at a time, until the surface is a manifold: where parts touch at a node or an edge only,
/// all but the largest part around it. The nodes are renumbered if any go. Returns how many tetrahedra went.
std::size_t remove_pinches(TetMesh& mesh);

}  // namespace limber
