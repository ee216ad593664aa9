#pragma once  // internal
/// Springs and prescribed motions that a scene asks for. `positions`: 3N of all bodies, placed [m].

#include <memory>
#include <vector>

#include "limber/model/force.hpp"
#include "limber/model/motion.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

Motion keyed_motion(const std::vector<MotionKey>& keys, Interpolation interpolation, const Vec3& pivot,
                    const std::string& where);

std::shared_ptr<Force> make_springs(const SpringsChoice& choice, const Body& body, const Vector& positions);

}  // namespace limber
