#pragma once
/// A point that moves with the element nearest to it in the rest shape: x = Σ N_a(ξ) x_a, also where ξ is outside. From
/// a sheet it keeps its distance, along the triangle's normal; from a rod or spring it keeps its offset as it is.

#include <string>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

struct Body;

struct Probe {
  std::string name;
  std::vector<int> nodes = {};  // among all nodes known here; three of a sheet
  std::vector<double> weights = {};
  Vec3 offset = Vec3::Zero();  // [m]
  double height = 0;           // [m] along the normal of the first three nodes

  /// Whether this process says where it is: only one does, which holds all of its nodes.
  bool speaks = true;
  bool known_to_all = true;  // its nodes, unless the body is made by parts

  Vec3 at(const Vector& q) const;  // q: 3N
  void find_speaker(const NodeHolders& holders);
};

/// `elements`: of a solid, placed. `parts`: the processes, where each has a part of the body; then all but one have no
/// nodes of the probe. Throws InputError where the point is further from the body than its nearest element is long.
Probe make_probe(const ProbeChoice& choice, const Body& body, const ElementMesh& elements, const Communicator* parts);

}  // namespace limber
