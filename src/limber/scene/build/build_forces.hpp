#pragma once  // internal
/// The forces and motions that a scene asks for beside elasticity, gravity and Rayleigh damping.
/// `meshed`: nodes before placement, which selections refer to; `positions`: 3N of all bodies, placed [m].

#include <memory>
#include <vector>

#include "limber/model/force.hpp"
#include "limber/model/motion.hpp"
#include "limber/scene/build/build.hpp"

namespace limber {

Motion keyed_motion(const std::vector<MotionKey>& keys, Interpolation interpolation, const Vec3& pivot,
                    const std::string& where);
Motion scripted_motion(const Script& script, const std::vector<Vec3>& meshed, const std::vector<Vec3>& placed);

/// Springs, loads and targets of one body.
std::vector<std::shared_ptr<Force>> body_forces(const BodyChoice& choice, const Body& body,
                                                const std::vector<Vec3>& meshed, const Vector& positions);

/// Attachments between bodies, and wind.
std::vector<std::shared_ptr<Force>> scene_forces(const Scene& scene, const std::vector<Body>& bodies,
                                                 const std::vector<std::vector<Vec3>>& meshed, const Vector& positions);

}  // namespace limber
