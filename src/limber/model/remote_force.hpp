#pragma once  // internal
/// Placeholder for a force that another process evaluates: it has the traits of the force and contributes nothing.

#include <memory>

#include "limber/model/force.hpp"

namespace limber {

std::shared_ptr<Force> make_remote_force(const Force& force);

}  // namespace limber
