#pragma once  // internal
/// Solid bodies that only process 0 makes as a whole, or none does: each process has the elements that it works on.

#include <functional>
#include <optional>

#include "limber/record/trajectory.hpp"
#include "limber/scene/body_part.hpp"
#include "limber/scene/construction/body_shape.hpp"

namespace limber {

struct PartedShape {
  BodyShape shape;  // of the elements of this process
  BodyPart part;
  ShowRest show_rest;  // of the whole body, placed, in body numbering; shows something on process 0 only
};

/// Whether a body is made by parts: a solid of one material, in a scene without anything that asks for whole bodies
/// (contact, stitches, forces other than gravity, a start from another run).
bool made_by_parts(const Scene& scene, const BodyChoice& body, const Communicator& processes);

/// None where it has too few elements for that. Throws InputError on all processes, or OtherProcessFailed where process
/// 0 says why.
std::optional<PartedShape> make_parted_shape(const BodyChoice& body, const Communicator& processes,
                                             std::vector<std::string>& notes);

}  // namespace limber
