#pragma once
/// A trajectory at any time between its first and its last frame: from one stored frame to the next everything goes
/// straight. `stored` are the times of its frames [s], at least one.

#include <vector>

#include "limber/record/trajectory.hpp"

namespace limber {

/// Times [s], 1/fps apart, from `first` on, none after `last`.
std::vector<double> times_at_rate(double first, double last, double fps);

/// Positions, and velocities where they are stored.
Frame frame_at(const TrajectoryReader& trajectory, const std::vector<double>& stored, double t);

/// Velocities from the stored positions before and after t (3 #V, [m/s]): central differences at a stored frame. Needs
/// two frames.
Vector difference_velocities(const TrajectoryReader& trajectory, const std::vector<double>& stored, double t);

}  // namespace limber
