#pragma once
/// The surface of a run, frame by frame. One object for each body.

#include <string>
#include <vector>

#include "limber/scene/construction/build.hpp"
#include "limber/scene/run/bodies_surface.hpp"

namespace limber {

/// Writes into the directory of a run the surfaces that move with its bodies, as they lie at the start. Throws
/// OutputError.
void write_body_surfaces(const Model& model, const std::string& directory);

/// The same read again, of each body that has one.
std::vector<std::optional<SurfaceMesh>> written_body_surfaces(const std::string& directory, std::size_t bodies);

/// Of a body that was filled from a surface: that surface, or the boundary of what is simulated.
enum class BodySurface { given, simulated };

class ExportedSurface : public BodiesSurface {
 public:
  /// From the directory of a run, which may still go on. Throws InputError.
  explicit ExportedSurface(const std::string& directory, BodySurface which = BodySurface::given);

  long frames() const { return reader_.frames(); }
  const TrajectoryReader& trajectory() const { return reader_; }
  /// #V of mesh() [m]; frame < frames().
  std::vector<Vec3> positions(long frame) const { return positions(reader_.frame(frame).q); }
  using BodiesSurface::positions;

 private:
  ExportedSurface(TrajectoryReader reader, const std::string& directory, BodySurface which);

  TrajectoryReader reader_;
};

}  // namespace limber
