#pragma once  // internal
/// Where a body is one element thick.

#include <vector>

#include "limber/scene/construction/body_shape.hpp"

namespace limber {

/// Elements that have no corner inside the body, and none in common with an element that has: #E. Faces whose nodes are
/// all held across them are planes of symmetry and no surface. A shape without nodes has none.
std::vector<bool> thin_elements(const BodyChoice& body, const BodyShape& shape);

}  // namespace limber
