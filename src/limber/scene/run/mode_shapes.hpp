#pragma once
/// Mode shapes as an animated trajectory: each mode in turn swings through one cycle about the start,
///
///     q(j) = q₀ + a sin(2π j / frames) x / max |xᵢ|,   one second a mode, in ParaView or wherever runs are shown.

#include <string>

#include "limber/linalg/modes/modes.hpp"
#include "limber/record/directory.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {

struct ModeAnimation {
  double amplitude = 0;  // a [m]; 0: a tenth of the smallest body's diagonal
  int frames = 40;       // a cycle
};

/// Writes trajectory.h5, trajectory.xdmf and modes.csv (mode, λ, frequency, first and last frame) into the directory.
/// Returns the number of frames. Throws InputError, OutputError.
long write_mode_shapes(const Model& model, const Modes& modes, const std::string& directory, Existing existing,
                       const ModeAnimation& animation);

/// √λ/2π [Hz], negative for λ < 0.
double mode_frequency(double lambda);

}  // namespace limber
