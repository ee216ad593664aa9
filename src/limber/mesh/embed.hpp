#pragma once
/// Points that move with tetrahedra: x_i = Σ_k w_ik q_{n_ik}, k = 0…3, with barycentric weights in the reference shape,
/// Σ_k w_ik = 1. An affine motion of the tetrahedra moves the points by the same affine motion.

#include <array>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {

struct Embedding {
  std::vector<int> tet;                        // #P: the tetrahedron containing each point, or the nearest one
  std::vector<std::array<int, 4>> nodes;       // #P: its corners
  std::vector<std::array<double, 4>> weights;  // #P, negative if a point is outside its tetrahedron
  double farthest = 0;                         // largest distance of the points from the mesh [m]
};

/// If several tetrahedra contain a point or are equally near, the first one is used. The mesh must not be empty, nor
/// its tetrahedra flat.
Embedding embed(const std::vector<Vec3>& points, const TetMesh& mesh);

/// x from the positions of the nodes, q = (x₀, y₀, z₀, x₁, …), 3 #V [m].
std::vector<Vec3> deform(const Embedding& embedding, const Vector& q);
std::vector<Vec3> deform(const Embedding& embedding, const std::vector<Vec3>& nodes);

}  // namespace limber
