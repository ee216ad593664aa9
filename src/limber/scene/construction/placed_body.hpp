#pragma once  // internal
/// A body of a scene while a model is made of it: its mesh where it is placed, its masses, and what of it this process
/// has.

#include <limits>
#include <optional>
#include <vector>

#include "limber/core/nodes.hpp"
#include "limber/force/mass.hpp"
#include "limber/model/mechanical_system.hpp"
#include "limber/scene/body_part.hpp"
#include "limber/scene/construction/body_materials.hpp"
#include "limber/scene/construction/body_shape.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/construction/shares.hpp"
#include "limber/scene/made_material.hpp"

namespace limber {

struct PlacedBody {
  BodyShape shape;                            // as meshed
  std::optional<BodyPart> part;               // where these are the elements of one process
  std::vector<Vec3> nodes;                    // placed
  std::vector<NodalMass> masses;              // of all processes, unless it is a part
  std::optional<std::vector<NodalMass>> own;  // of this one, if those are fewer
  BodyMaterials materials;                    // of a solid
  std::optional<MadeMaterial> thin;           // of a sheet or a rod
  std::vector<AffinePart> rigid;              // parts, of all nodes' numbers
  int process = 0;                            // that takes what is not cut: sheets, rods and springs
  std::vector<int> all_corners;  // of all elements, where those of the shape are fewer: rigid or of one process

  const std::vector<NodalMass>& masses_here() const { return own ? *own : masses; }
  /// All elements of the body.
  ElementMesh elements() const {
    return {shape.elements.kind, nodes, all_corners.empty() ? shape.elements.corners : all_corners};
  }
  FaceMesh faces() const {
    return shape.mesh.tets.empty() ? triangle_faces(shape.triangles) : boundary_faces(elements());
  }
  std::vector<int> chosen(const Selection& selection) const {
    return part ? resolve(selection, shape.mesh.nodes, *part) : resolve(selection, shape.mesh.nodes);
  }
  int node_number(int i) const { return part ? part->number[ix(i)] : i; }
  /// The box around these nodes, and around all.
  Box3 box_around(const std::vector<int>& these) const { return box_around(picked(these, nodes)); }
  Box3 box() const { return box_around(nodes); }
  Box3 box_around(const std::vector<Vec3>& points) const {
    if (!part) return bounding_box(points);
    const Vec3 far = Vec3::Constant(std::numeric_limits<double>::infinity());
    return part->united(points.empty() ? Box3{far, -far} : bounding_box(points));
  }
};

/// The mesh where it is placed, of p.shape, and p.part where there is one.
void take_shape(const BodyChoice& choice, Body& body, PlacedBody& p);
/// The edges of its springs, in place of those of rods.
void take_spring_edges(const BodyChoice& choice, const PlacedBody& p, Body& body);
/// The masses of a body with materials that one process has as a whole, by p.materials or p.thin.
void weigh(const BodyChoice& choice, const Body& body, PlacedBody& p);

/// Makes the body, adds it to the model, and its elasticity, masses and prescriptions to the parts of the system; what
/// is of one body only. `velocities`: of all nodes so far.
PlacedBody add_body(const BodyChoice& choice, Making making, const Vec3& gravity, const TimeSettings& time,
                    Shares& shares, Model& model, MechanicalSystem::Parts& parts, std::vector<Vec3>& velocities);

}  // namespace limber
