#pragma once  // internal
/// Bodies that process 0 reads or makes, cuts, and hands to the others one part after the other.

#include "limber/scene/construction/parted_shape.hpp"

namespace limber {

std::optional<PartedShape> scatter_shape(const BodyChoice& body, const Communicator& processes,
                                         std::vector<std::string>& notes);

}  // namespace limber
