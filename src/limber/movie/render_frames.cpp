#include "limber/movie/render_frames.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/resample.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {
namespace {

constexpr double default_fov = 35;  // [degrees]

std::optional<Scene> scene_of(const std::string& directory) {
  const auto file = std::filesystem::path(directory) / run_file::scene;
  if (!std::filesystem::exists(file)) return std::nullopt;
  return load_scene(file.string());
}

}  // namespace

CameraChoice chosen_camera(CameraChoice given, const CameraChoice& of_scene) {
  if (!given.position) given.position = of_scene.position;
  if (!given.look_at) given.look_at = of_scene.look_at;
  if (!given.fov) given.fov = of_scene.fov;
  if (given.look_at && !given.position) throw InputError("--look-at", "needs --camera too");
  return given;
}

RenderFrames::RenderFrames(const std::string& directory, Coloring coloring, BodySurface surface,
                           const CameraChoice& camera, PictureSize size)
    : RenderFrames(directory, scene_of(directory), coloring, surface, camera, size) {}

RenderFrames::RenderFrames(const std::string& directory, const std::optional<Scene>& scene, Coloring coloring,
                           BodySurface surface, const CameraChoice& camera, PictureSize size)
    : surface_(directory, surface),
      camera_(chosen_camera(camera, scene ? scene->camera : CameraChoice{})),
      size_(size),
      coloring_(coloring),
      times_(surface_.trajectory().times()),
      framing_(camera_.fov.value_or(default_fov), size) {
  if (times_.empty()) throw InputError(directory, "has no frames yet");
  gather_bodies();
  if (scene) {
    thicken_lines(*scene);
    for (const ObstacleChoice& o : scene->obstacles) obstacles_.emplace_back(o);
  }
  if (coloring == Coloring::stress) {
    if (!scene) throw InputError(directory, "has no scene.json, which the stress is computed from");
    fields_.emplace(*scene, surface_.trajectory().header());
  }
  measure();
  if (framing_.empty()) throw InputError(directory, "has no frame whose positions are finite");
  line_radius_ = 0.004 * framing_.diagonal();
  for (double& radius : mesh_.line_radius)
    if (radius == 0) radius = line_radius_;
  for (const MovingObstacle& o : obstacles_) {
    const TriMesh mesh = o.drawn(times_.front(), line_radius_);
    normals_.emplace_back(mesh.nodes, mesh.triangles);
  }
}

Camera RenderFrames::camera() const {
  if (camera_.position)
    return {*camera_.position, camera_.look_at.value_or(framing_.centre()), camera_.fov.value_or(default_fov), size_};
  return framing_.camera();
}

void RenderFrames::gather_bodies() {
  mesh_.positions = surface_.mesh().positions;
  auto triangles = surface_.triangles();
  mesh_.triangles = std::move(triangles.corners);
  mesh_.body = std::move(triangles.body);
  mesh_.lines = surface_.mesh().lines;
  mesh_.line_body = surface_.line_body();
  mesh_.line_radius.assign(mesh_.lines.size(), 0);
  normals_.emplace_back(mesh_.positions, mesh_.triangles);
}

void RenderFrames::thicken_lines(const Scene& scene) {
  for (std::size_t l = 0; l < mesh_.lines.size(); ++l)
    if (const auto body = static_cast<std::size_t>(mesh_.line_body[l]); body < scene.bodies.size())
      mesh_.line_radius[l] = scene.bodies[body].thickness / 2;
}

void RenderFrames::measure() {
  for (long k = 0; k < static_cast<long>(times_.size()); ++k) {
    const Vector q = surface_.trajectory().frame(k).q;
    for (const Vec3& x : surface_.positions(q))
      if (x.allFinite()) framing_.include(x);
    for (const double value : values(q))
      if (std::isfinite(value)) largest_value_ = std::max(largest_value_, value);
  }
  if (framing_.empty()) return;
  // A large obstacle must not make the bodies small: what lies far from them may be cut off.
  const Vec3 reach = Vec3::Constant(framing_.diagonal() / 4);
  const Vec3 low = framing_.box_min() - reach, high = framing_.box_max() + reach;
  for (const MovingObstacle& o : obstacles_)
    for (const double t : {times_.front(), times_.back()})
      for (const Vec3& x : o.nodes(t)) framing_.include(x.cwiseMax(low).cwiseMin(high));
}

std::vector<double> RenderFrames::values(const Vector& q) const {
  if (coloring_ == Coloring::body) return {};
  if (coloring_ == Coloring::stress) return surface_.interpolated(fields_->at_nodes(fields_->at(q).von_mises));
  std::vector<double> lengths;
  const std::vector<Vec3> moved = surface_.positions(q);
  for (std::size_t i = 0; i < moved.size(); ++i) lengths.push_back((moved[i] - mesh_.positions[i]).norm());
  return lengths;
}

void RenderFrames::place(const MovingObstacle& o, double t, RenderScene& scene, std::vector<Vec3>& nodes) const {
  if (const auto plane = o.plane(t)) {
    scene.planes.push_back({plane->point, plane->normal});
    return;
  }
  RenderMesh& mesh = scene.mesh;
  const int first = static_cast<int>(mesh.positions.size());
  TriMesh now = o.drawn(t, line_radius_);
  nodes = std::move(now.nodes);
  mesh.positions.insert(mesh.positions.end(), nodes.begin(), nodes.end());
  for (const auto& [a, b, c] : now.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
  mesh.body.resize(mesh.triangles.size(), obstacle_body);
}

RenderScene RenderFrames::at(double t) const {
  RenderScene scene;
  scene.centre = framing_.centre();
  scene.extent = framing_.diagonal();
  scene.mesh = mesh_;
  const Vector q = frame_at(surface_.trajectory(), times_, t).q;
  scene.mesh.positions = surface_.positions(q);
  for (const double value : values(q)) scene.mesh.colors.push_back(viridis(value / std::max(largest_value_, 1e-300)));
  scene.normals = normals_[0].at(scene.mesh.positions);
  for (std::size_t i = 0; i < obstacles_.size(); ++i) {
    std::vector<Vec3> nodes;
    place(obstacles_[i], t, scene, nodes);
    const std::vector<Vec3> normals = normals_[i + 1].at(nodes);
    scene.normals.insert(scene.normals.end(), normals.begin(), normals.end());
  }
  if (!scene.mesh.colors.empty()) scene.mesh.colors.resize(scene.mesh.positions.size(), Color::Zero());
  const bool has_ground =
      std::any_of(scene.planes.begin(), scene.planes.end(), [](const RenderPlane& p) { return p.normal[1] > 0.5; });
  if (!has_ground)
    scene.planes.push_back(
        {{0, framing_.box_min()[1] - mesh_.largest_line_radius() - 1e-3 * scene.extent, 0}, Vec3::UnitY()});
  return scene;
}

}  // namespace limber
