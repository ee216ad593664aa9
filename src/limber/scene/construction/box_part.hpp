#pragma once  // internal
/// Boxes, of which each process makes its own cells.

#include "limber/scene/construction/parted_shape.hpp"

namespace limber {

std::optional<PartedShape> make_box_part(const BodyChoice& body, const Communicator& processes);

}  // namespace limber
