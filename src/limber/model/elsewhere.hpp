#pragma once  // internal
/// A force that another process evaluates: here it only says what it is.

#include <memory>

#include "limber/model/force.hpp"

namespace limber {

std::shared_ptr<Force> make_elsewhere(const Force& force);

}  // namespace limber
