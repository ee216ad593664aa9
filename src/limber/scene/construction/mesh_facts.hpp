#pragma once
/// What a user should know of a mesh before simulating it: counts, size, quality, flaws, and how fast its fastest
/// motion is. ω ≈ 2 c/d, c = √((λ + 2μ)/ρ): pressure waves through the thinnest element, whose thickness d makes it
/// exact for that element alone, with lumped mass, where each component of the displacement obeys the wave equation of
/// speed c. Of a tetrahedron d = 1/√(largest eigenvalue of Σ n nᵀ/a²), over its four altitudes a with directions n.

#include <optional>
#include <string>
#include <vector>

#include "limber/mesh/hex_quality.hpp"
#include "limber/mesh/quality.hpp"
#include "limber/scene/document.hpp"

namespace limber {

/// One text where a body is larger than 1 km or smaller than 1 µm, else none.
std::vector<std::string> size_warnings(const Box3& box);

/// c [m/s] from E [Pa], ν and ρ [kg/m³].
double pressure_wave_speed(double young, double poisson, double density);

/// The smallest d [m] of all tetrahedra: at most the smallest altitude, at least half of it. 0 if one is flat.
double smallest_thickness(const TetMesh& mesh);
/// d [m] = 2/√(largest eigenvalue of M⁻¹K), K_ab = ∫ ∇N_a·∇N_b by the points of integration, M_a = ∫ N_a: the edge of
/// a cube, about the shortest edge of others. 0 if one is folded.
double smallest_thickness(const HexMesh& mesh);

/// A field of the mesh with its range; values that are not numbers do not count.
struct FieldFacts {
  std::string name;
  double smallest, largest;
};

struct MeshFacts {
  MeshReport report;  // of hexahedra: of their tetrahedra, but volumes and edges are theirs
  std::optional<HexQuality> hexes;
  Box3 box;                           // [m]
  double wave_speed = 0;              // c [m/s]
  double thickness = 0;               // d [m]
  std::vector<std::string> flaws;     // for people to judge: components, non-manifold edges, …
  std::string refused;                // why no body can be made of it; empty: one can
  std::vector<std::string> warnings;  // of its size
  std::vector<FieldFacts> fields;

  double largest_omega() const { return 2 * wave_speed / thickness; }  // ω [rad/s]; infinite if one is flat
  double explicit_step() const { return thickness / wave_speed; }      // 2/ω [s]
};

/// Throws InputError(where, …) where an index is out of range or a coordinate is not finite.
MeshFacts gather_mesh_facts(const TetMesh& mesh, double wave_speed, const std::string& where);
MeshFacts gather_mesh_facts(const HexMesh& mesh, double wave_speed, const std::string& where);
std::string describe(const MeshFacts& facts);
Document to_json(const MeshFacts& facts);

}  // namespace limber
