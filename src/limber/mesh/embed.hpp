#pragma once
/// Points that move with tetrahedra: x_i = Σ_k w_ik q_{n_ik}, k = 0…3, with the barycentric weights of the reference
/// shape, Σ_k w_ik = 1. Affine motions of the tetrahedra move the points by the same affine motion.

#include <array>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {

struct Embedding {
  std::vector<int> tet;                        // #P: the tetrahedron that each point is in, or the nearest one
  std::vector<std::array<int, 4>> nodes;       // #P: its corners
  std::vector<std::array<double, 4>> weights;  // #P, negative where a point is outside of its tetrahedron
  double farthest = 0;                         // distance of the points from the mesh, the largest [m]
};

/// Of several tetrahedra that a point is in, or equally near to, it gets the first. The mesh must not be empty, and its
/// tetrahedra not flat.
Embedding embed(const std::vector<Vec3>& points, const TetMesh& mesh);

/// x from the positions of the nodes, q = (x₀, y₀, z₀, x₁, …), 3 #V [m].
std::vector<Vec3> deform(const Embedding& embedding, const Vector& q);
std::vector<Vec3> deform(const Embedding& embedding, const std::vector<Vec3>& nodes);

}  // namespace limber
