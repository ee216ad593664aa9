#pragma once  // internal
/// Springs, damping and prescribed motions that a scene asks for. `positions`: 3N of all bodies, placed [m].

#include <memory>
#include <vector>

#include "limber/model/force.hpp"
#include "limber/model/motion.hpp"
#include "limber/scene/construction/build.hpp"
#include "limber/scene/construction/placed_body.hpp"

namespace limber {

Motion keyed_motion(const std::vector<MotionKey>& keys, Interpolation interpolation, const Vec3& pivot,
                    const std::string& where);

std::shared_ptr<Force> make_damping(const DampingChoice& choice, const Body& body, const PlacedBody& placed,
                                    const std::vector<NodalMass>& masses, const Vector& positions);

/// What forces that a scene asks for may ask of a body; refers to both.
ForceNodes::Body force_nodes(const BodyChoice& choice, const Body& body, const PlacedBody& placed);

std::shared_ptr<Force> make_springs(const SpringsChoice& choice, const Body& body, const Vector& positions);

}  // namespace limber
