#pragma once  // internal
#include <string>
#include <vector>

#include "limber/scene/construction/placed_body.hpp"

namespace limber {

/// Of the pins and scripts of a body, whose nodes begin with `first`. Throws InputError where two of them hold a node
/// in the same direction, and where nothing is free.
std::vector<Prescription> prescriptions(const BodyChoice& body, const PlacedBody& placed, int first,
                                        const TimeSettings& time, std::vector<std::string>& notes);

}  // namespace limber
