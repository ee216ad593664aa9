#pragma once  // internal
/// Rigid parts of a body: the nodes of each move by one affine map, which an energy keeps a rotation
/// (force/rigid_shapes.hpp; docs/scene.md says with which stiffness it begins).

#include <memory>
#include <string>
#include <vector>

#include "limber/force/elastic.hpp"
#include "limber/force/rigid_shapes.hpp"
#include "limber/model/ties.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

/// What parts are made of: the body in its place.
struct RigidGround {
  const ElementMesh& elements;
  const TetMesh& pieces;  // the elements as linear tetrahedra, with their regions
  const std::vector<Vec3>& meshed;
  int first_node;
  const std::vector<AnyMaterial>& materials;
  const std::vector<int>& of_element;  // #E: its material
  const std::vector<double>& density;  // #E [kg/m³]
  Vec3 gravity;                        // [m/s²]
};

struct RigidParts {
  std::vector<bool> inside;               // #E: whether an element belongs to a part
  std::vector<AffinePart> parts;          // of all nodes' numbers
  std::shared_ptr<RigidShapes> shape;     // keeps them in shape
  std::shared_ptr<ElasticForce> elastic;  // of the corners' tetrahedra: knows det A
  std::vector<std::string> notes;
};

/// Throws InputError: no element, a region that is not there, nodes in two parts, in one plane, pinned or scripted.
RigidParts rigid_parts(const BodyChoice& body, const RigidGround& ground);

/// Leaves the elements that are outside of all parts, and their materials.
void take_out(const std::vector<bool>& inside, ElementMesh& elements, std::vector<int>& of_element);

}  // namespace limber
