#pragma once
/// A run as pictures show it: the surfaces of its bodies, and the obstacles of its scene, at any time between its first
/// and its last frame; between two frames positions go straight.

#include <optional>

#include "limber/render/smooth_normals.hpp"
#include "limber/render/tracer.hpp"
#include "limber/scene/construction/element_fields.hpp"
#include "limber/scene/construction/moving_obstacles.hpp"
#include "limber/scene/run/exported.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

enum class Coloring { body, displacement, stress };

/// Each of its parts as given, else as the scene has it. Throws InputError("--look-at", …) where no camera would stand.
CameraChoice chosen_camera(CameraChoice given, const CameraChoice& of_scene);

class RenderFrames {
 public:
  /// From the directory of a run, which may still go on. `camera` goes before the scene's. Throws InputError.
  RenderFrames(const std::string& directory, Coloring coloring, BodySurface surface, const CameraChoice& camera,
               PictureSize size);

  /// Times [s] of the frames; at least one.
  const std::vector<double>& times() const { return times_; }
  /// All that moves, in all frames, and the obstacles near it.
  const Framing& framing() const { return framing_; }
  /// Makes the framing wide enough for another run too; the ground goes below both.
  void include(const Framing& other) { framing_.include(other); }
  /// As chosen; what is not chosen, so that all of the framing is seen.
  Camera camera() const;
  /// Of what colours show, the largest of all frames: the distance from rest [m] or the von Mises stress [Pa].
  double largest_value() const { return largest_value_; }
  RenderScene at(double t) const;

 private:
  RenderFrames(const std::string& directory, const std::optional<Scene>& scene, Coloring coloring, BodySurface surface,
               const CameraChoice& camera, PictureSize size);
  void gather_bodies();
  /// How thick lines are, as the scene says.
  void thicken_lines(const Scene& scene);
  void measure();
  void place(const MovingObstacle& obstacle, double t, RenderScene& scene, std::vector<Vec3>& nodes) const;
  /// What colours show at each vertex; empty where they show bodies.
  std::vector<double> values(const Vector& q) const;

  ExportedSurface surface_;
  CameraChoice camera_;
  PictureSize size_;
  Coloring coloring_;
  std::vector<double> times_;
  RenderMesh mesh_;         // of the bodies, at rest
  double line_radius_ = 0;  // [m] where the scene does not say
  std::vector<MovingObstacle> obstacles_;
  std::vector<SmoothNormals> normals_;  // of the bodies, then of each obstacle
  Framing framing_;
  std::optional<ElementFields> fields_;
  double largest_value_ = 0;
};

}  // namespace limber
