#pragma once  // internal
/// Boxes that no process makes as a whole.

#include <functional>

#include "limber/record/trajectory.hpp"
#include "limber/scene/body_part.hpp"
#include "limber/scene/build/body_shape.hpp"

namespace limber {

/// Whether a body is made by parts: a box of one material with enough elements, in a scene without anything that asks
/// for whole bodies (contact, stitches, forces other than gravity, a start from another run).
bool made_by_parts(const Scene& scene, const BodyChoice& body, const Communicator& processes);

struct PartedShape {
  BodyShape shape;  // of the elements of this process
  BodyPart part;
};
PartedShape make_box_part(const BodyChoice& body, const Communicator& processes);

/// The rest shape of the whole box, placed, one layer of cells after the other, in body numbering.
void show_box(const BodyChoice& body, const std::function<void(const RestPiece&)>& show);

}  // namespace limber
