#pragma once
/// A run as pictures show it: the surfaces of its bodies, and the obstacles of its scene, at any time between its first
/// and its last frame; between two frames positions go straight.

#include <optional>

#include "limber/mesh/surface_io.hpp"
#include "limber/model/motion.hpp"
#include "limber/render/smooth_normals.hpp"
#include "limber/render/tracer.hpp"
#include "limber/scene/element_fields.hpp"
#include "limber/scene/exported.hpp"
#include "limber/scene/scene.hpp"

namespace limber::app {

enum class Coloring { body, displacement, stress };

class RenderFrames {
 public:
  /// From the directory of a run, which may still go on. Throws InputError.
  RenderFrames(const std::string& directory, Coloring coloring, const Framing& empty);

  /// Times [s] of the frames; at least one.
  const std::vector<double>& times() const { return times_; }
  /// All that moves, in all frames, and the obstacles near it.
  const Framing& framing() const { return framing_; }
  /// Of what colours show, the largest of all frames: the distance from rest [m] or the von Mises stress [Pa].
  double largest_value() const { return largest_value_; }
  RenderScene at(double t) const;

 private:
  struct Obstacle {
    Motion motion;
    TriMesh mesh;                      // before any motion; empty for a plane
    std::optional<RenderPlane> plane;  // before any motion
  };
  void gather_bodies();
  void gather_obstacles(const Scene& scene);
  void measure();
  void place(const Obstacle& obstacle, double t, RenderScene& scene, std::vector<Vec3>& nodes) const;
  /// What colours show at each vertex; empty where they show bodies.
  std::vector<double> values(const Vector& q) const;

  ExportedSurface surface_;
  Coloring coloring_;
  std::vector<double> times_;
  RenderMesh mesh_;  // of the bodies, at rest
  std::vector<Obstacle> obstacles_;
  std::vector<SmoothNormals> normals_;  // of the bodies, then of each obstacle
  Framing framing_;
  std::optional<ElementFields> fields_;
  double largest_value_ = 0;
};

}  // namespace limber::app
