#include "limber/render/surface.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr double wire_width = 1.1;  // pixels
constexpr float body_shine = 1, obstacle_shine = 0.5f;

double smooth_step(double from, double to, double x) {
  const double s = std::clamp((x - from) / (to - from), 0., 1.);
  return s * s * (3 - 2 * s);
}

}  // namespace

Surfaces::Surfaces(const RenderScene& scene, const Camera& camera, Wireframe wireframe)
    : scene_(scene), camera_(camera), wireframe_(wireframe), body_colors_{from_hex(0xa4a8ad)} {
  int bodies = 0;
  for (const auto* list : {&scene.mesh.body, &scene.mesh.line_body})
    for (const int body : *list) bodies = std::max(bodies, body + 1);
  for (int body = 0; body < bodies; ++body) body_colors_.push_back(body_color(static_cast<std::size_t>(body)));
}

Color Surfaces::body(int body) const { return body_colors_[static_cast<std::size_t>(body - obstacle_body)]; }

/// Distances on the picture, so that the wire is as wide everywhere.
bool Surfaces::on_wire(const std::array<int, 3>& corners, const Vec3& point) const {
  const Vec2 x = camera_.project(point);
  std::array<Vec2, 3> p;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& corner = scene_.mesh.positions[static_cast<std::size_t>(corners[k])];
    if ((corner - camera_.eye()).dot(camera_.forward()) <= 0) return false;
    p[k] = camera_.project(corner);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec2 edge = p[(k + 1) % 3] - p[k], d = x - p[k];
    if (std::abs(edge[0] * d[1] - edge[1] * d[0]) < wire_width / 2 * edge.norm()) return true;
  }
  return false;
}

Surface Surfaces::triangle(const RaySceneHit& hit, const Vec3& point) const {
  const RenderMesh& mesh = scene_.mesh;
  const auto f = static_cast<std::size_t>(hit.triangle);
  const auto& corners = mesh.triangles[f];
  const std::array<double, 3> weights = {1 - hit.b - hit.c, hit.b, hit.c};
  Surface s{point, Vec3::Zero(), Vec3::Zero(), hit.normal, Color::Zero()};
  for (std::size_t k = 0; k < 3; ++k) s.normal += weights[k] * scene_.normals[3 * f + k];
  s.normal.normalize();
  if (s.normal.dot(s.face) < 0) s.face = -s.face;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto v = static_cast<std::size_t>(corners[k]);
    const Vec3& n = scene_.normals[3 * f + k];
    s.sunward += weights[k] * (point - std::min(0., (point - mesh.positions[v]).dot(n)) * n);
    if (!mesh.colors.empty()) s.color += static_cast<float>(weights[k]) * mesh.colors[v];
  }
  if (mesh.colors.empty() || mesh.body[f] == obstacle_body) s.color = body(mesh.body[f]);
  if (wireframe_ == Wireframe::on && mesh.body[f] != obstacle_body && on_wire(corners, point)) s.color *= 0.22f;
  s.shine = mesh.body[f] == obstacle_body ? obstacle_shine : body_shine;
  return s;
}

Surface Surfaces::line(const RaySceneHit& hit, const Vec3& point) const {
  const RenderMesh& mesh = scene_.mesh;
  const auto l = static_cast<std::size_t>(hit.line);
  Surface s{point, point, hit.normal, hit.normal, body(mesh.line_body[l])};
  if (!mesh.colors.empty()) {
    const Color &a = mesh.colors[static_cast<std::size_t>(mesh.lines[l][0])],
                &b = mesh.colors[static_cast<std::size_t>(mesh.lines[l][1])];
    s.color = a + static_cast<float>(hit.b) * (b - a);
  }
  s.shine = body_shine;
  return s;
}

Surface Surfaces::plane(const RaySceneHit& hit, const Vec3& point) const {
  Surface s{point, point, hit.normal, hit.normal, Color(0.60f, 0.60f, 0.60f)};
  s.fade = static_cast<float>(smooth_step(1.0 * scene_.extent, 6.0 * scene_.extent, (point - scene_.centre).norm()));
  return s;
}

Surface Surfaces::at(const RaySceneHit& hit, const Vec3& origin, const Vec3& direction) const {
  const Vec3 point = origin + hit.distance * direction;
  Surface s = hit.triangle >= 0 ? triangle(hit, point) : hit.line >= 0 ? line(hit, point) : plane(hit, point);
  if (s.face.dot(direction) > 0) {
    s.face = -s.face;
    s.normal = -s.normal;
    s.sunward = point;
  }
  return s;
}

}  // namespace limber
