#include "limber/movie/render_frames.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/resample.hpp"
#include "limber/scene/build/build.hpp"
#include "limber/scene/build/obstacle_meshes.hpp"
#include "limber/scene/build/obstacle_parts.hpp"

namespace limber {
namespace {

Vec3 moved(const RigidMotion& pose, const Vec3& X) {
  Vec3 x, v, a;
  pose.evaluate(X, x, v, a);
  return x;
}

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
  if (scene) gather_obstacles(*scene);
  if (coloring == Coloring::stress) {
    if (!scene) throw InputError(directory, "has no scene.json, which the stress is computed from");
    fields_.emplace(*scene, surface_.trajectory().header());
  }
  measure();
  if (framing_.empty()) throw InputError(directory, "has no frame whose positions are finite");
  if (!(mesh_.line_radius > 0)) mesh_.line_radius = 0.004 * framing_.diagonal();
  for (const Obstacle& o : obstacles_) {
    const TriMesh mesh = drawn(o, times_.front());
    normals_.emplace_back(mesh.nodes, mesh.triangles);
  }
}

Camera RenderFrames::camera() const {
  if (camera_.position)
    return {*camera_.position, camera_.look_at.value_or(framing_.centre()), camera_.fov.value_or(default_fov), size_};
  return framing_.camera();
}

void RenderFrames::gather_bodies() {
  const SurfaceMesh& surface = surface_.mesh();
  mesh_.positions = surface.positions;
  for (std::size_t p = 0; p < surface.polygons(); ++p)
    for (std::size_t c = surface.first_corner[p]; c + 2 < surface.first_corner[p + 1]; ++c) {
      mesh_.triangles.push_back(
          {surface.corners[surface.first_corner[p]], surface.corners[c + 1], surface.corners[c + 2]});
      mesh_.body.push_back(surface_.polygon_body()[p]);
    }
  mesh_.lines = surface.lines;
  mesh_.line_body = surface_.line_body();
  normals_.emplace_back(mesh_.positions, mesh_.triangles);
}

void RenderFrames::gather_obstacles(const Scene& scene) {
  for (const ObstacleChoice& o : scene.obstacles) {
    Obstacle obstacle;
    if (o.shape == ObstacleChoice::Shape::mesh) {
      ObstacleSurface surface = obstacle_surface(o);
      obstacle.mesh = std::move(surface.mesh);
      obstacle.edges = std::move(surface.edges);
      obstacle.points = std::move(surface.points);
      obstacle.sequence = std::move(surface.sequence);
      obstacle.radius = o.thickness / 2;
    } else {
      obstacle.mesh = drawn_obstacle(o);
      if (obstacle.mesh.triangles.empty()) obstacle.plane = RenderPlane{o.point, o.normal.normalized()};
    }
    obstacle.motion = obstacle_motion(o, obstacle_centre(o, obstacle.mesh));
    obstacles_.push_back(std::move(obstacle));
  }
  for (const BodyChoice& body : scene.bodies)
    if (body.thickness > 0) mesh_.line_radius = body.thickness / 2;
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
  for (const Obstacle& o : obstacles_)
    for (const double t : {times_.front(), times_.back()})
      for (const Vec3& x : nodes_of(o, t)) framing_.include(x.cwiseMax(low).cwiseMin(high));
}

std::vector<double> RenderFrames::values(const Vector& q) const {
  if (coloring_ == Coloring::body) return {};
  if (coloring_ == Coloring::stress) return surface_.interpolated(fields_->at_nodes(fields_->at(q).von_mises));
  std::vector<double> lengths;
  const std::vector<Vec3> moved = surface_.positions(q);
  for (std::size_t i = 0; i < moved.size(); ++i) lengths.push_back((moved[i] - mesh_.positions[i]).norm());
  return lengths;
}

std::vector<Vec3> RenderFrames::nodes_of(const Obstacle& o, double t) {
  const RigidMotion pose = o.motion.at(t);
  std::vector<Vec3> nodes = o.sequence ? o.sequence->at(t) : o.mesh.nodes;
  for (Vec3& x : nodes) x = moved(pose, x);
  return nodes;
}

TriMesh RenderFrames::drawn(const Obstacle& o, double t) const {
  TriMesh mesh{nodes_of(o, t), o.mesh.triangles};
  const TriMesh lines = drawn_lines(mesh.nodes, o.edges, o.points, o.radius > 0 ? o.radius : mesh_.line_radius);
  const int first = static_cast<int>(mesh.nodes.size());
  mesh.nodes.insert(mesh.nodes.end(), lines.nodes.begin(), lines.nodes.end());
  for (const auto& [a, b, c] : lines.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
  return mesh;
}

void RenderFrames::place(const Obstacle& o, double t, RenderScene& scene, std::vector<Vec3>& nodes) const {
  if (o.plane) {
    const RigidMotion pose = o.motion.at(t);
    const Vec3 at = moved(pose, o.plane->point);
    scene.planes.push_back({at, (moved(pose, o.plane->point + o.plane->normal) - at).normalized()});
    return;
  }
  RenderMesh& mesh = scene.mesh;
  const int first = static_cast<int>(mesh.positions.size());
  TriMesh now = drawn(o, t);
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
        {{0, framing_.box_min()[1] - mesh_.line_radius * (mesh_.lines.empty() ? 0 : 1) - 1e-3 * scene.extent, 0},
         Vec3::UnitY()});
  return scene;
}

}  // namespace limber
