#include "limber/movie/render_frames.hpp"

#include <algorithm>
#include <filesystem>

#include "limber/core/errors.hpp"
#include "limber/record/directory.hpp"
#include "limber/scene/build.hpp"
#include "limber/scene/obstacle_meshes.hpp"
#include "limber/scene/obstacle_parts.hpp"

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

RenderFrames::RenderFrames(const std::string& directory, Coloring coloring, const CameraChoice& camera,
                           PictureSize size)
    : RenderFrames(directory, scene_of(directory), coloring, camera, size) {}

RenderFrames::RenderFrames(const std::string& directory, const std::optional<Scene>& scene, Coloring coloring,
                           const CameraChoice& camera, PictureSize size)
    : surface_(directory),
      camera_(chosen_camera(camera, scene ? scene->camera : CameraChoice{})),
      size_(size),
      coloring_(coloring),
      times_(surface_.trajectory().times()),
      framing_(camera_.fov.value_or(default_fov), size) {
  if (times_.empty()) throw InputError(directory, "has no frames yet");
  gather_bodies();
  if (scene) gather_obstacles(*scene);
  measure();
  if (framing_.empty()) throw InputError(directory, "has no frame whose positions are finite");
  if (!(mesh_.line_radius > 0)) mesh_.line_radius = 0.004 * framing_.diagonal();
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
    obstacle.mesh = drawn_obstacle(o);
    obstacle.motion = obstacle_motion(o, obstacle_centre(o, obstacle.mesh));
    if (obstacle.mesh.triangles.empty()) obstacle.plane = RenderPlane{o.point, o.normal.normalized()};
    normals_.emplace_back(obstacle.mesh.nodes, obstacle.mesh.triangles);
    obstacles_.push_back(std::move(obstacle));
  }
  for (const BodyChoice& body : scene.bodies)
    if (body.thickness > 0) mesh_.line_radius = body.thickness / 2;
}

void RenderFrames::measure() {
  for (long k = 0; k < static_cast<long>(times_.size()); ++k) {
    const std::vector<Vec3> moved = surface_.positions(k);
    for (std::size_t i = 0; i < mesh_.positions.size(); ++i) {
      const Vec3& x = moved[i];
      if (!x.allFinite()) continue;
      framing_.include(x);
      largest_displacement_ = std::max(largest_displacement_, (x - mesh_.positions[i]).norm());
    }
  }
  if (framing_.empty()) return;
  // A large obstacle must not make the bodies small: what lies far from them may be cut off.
  const Vec3 reach = Vec3::Constant(framing_.diagonal() / 4);
  const Vec3 low = framing_.box_min() - reach, high = framing_.box_max() + reach;
  for (const Obstacle& o : obstacles_)
    for (const double t : {times_.front(), times_.back()}) {
      const RigidMotion pose = o.motion.at(t);
      for (const Vec3& X : o.mesh.nodes) framing_.include(moved(pose, X).cwiseMax(low).cwiseMin(high));
    }
}

std::vector<Vec3> RenderFrames::positions(double t) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), t);
  if (after == times_.begin()) return surface_.positions(0);
  const long k = after - times_.begin() - 1;
  const double start = times_[static_cast<std::size_t>(k)];
  Vector q = surface_.trajectory().frame(k).q;
  if (after == times_.end() || t == start) return surface_.positions(q);
  q += (t - start) / (*after - start) * (surface_.trajectory().frame(k + 1).q - q);
  return surface_.positions(q);
}

void RenderFrames::place(const Obstacle& o, double t, RenderScene& scene, std::vector<Vec3>& nodes) const {
  const RigidMotion pose = o.motion.at(t);
  if (o.plane) {
    const Vec3 at = moved(pose, o.plane->point);
    scene.planes.push_back({at, (moved(pose, o.plane->point + o.plane->normal) - at).normalized()});
    return;
  }
  RenderMesh& mesh = scene.mesh;
  const int first = static_cast<int>(mesh.positions.size());
  for (const Vec3& X : o.mesh.nodes) nodes.push_back(moved(pose, X));
  mesh.positions.insert(mesh.positions.end(), nodes.begin(), nodes.end());
  for (const auto& [a, b, c] : o.mesh.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
  mesh.body.resize(mesh.triangles.size(), obstacle_body);
}

RenderScene RenderFrames::at(double t) const {
  RenderScene scene;
  scene.centre = framing_.centre();
  scene.extent = framing_.diagonal();
  scene.mesh = mesh_;
  scene.mesh.positions = positions(t);
  if (coloring_ == Coloring::displacement)
    for (std::size_t i = 0; i < mesh_.positions.size(); ++i) {
      const double length = (scene.mesh.positions[i] - mesh_.positions[i]).norm();
      scene.mesh.colors.push_back(viridis(length / std::max(largest_displacement_, 1e-300)));
    }
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
