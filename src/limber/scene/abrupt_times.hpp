#pragma once  // internal
/// The times [s] at which what a scene prescribes, or its rate, may jump: the keys of linear tables, and the ends of
/// smooth ones.

#include <vector>

#include "limber/scene/load.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

std::vector<double> abrupt_times(std::vector<double> keys, Interpolation interpolation);
std::vector<double> abrupt_times(const TimeFactor& factor);
std::vector<double> abrupt_times(const std::vector<MotionKey>& keys, Interpolation interpolation);
/// Of all scripts, obstacles and forces, ascending.
std::vector<double> abrupt_times(const Scene& scene);

}  // namespace limber
