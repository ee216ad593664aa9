#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "limber/core/errors.hpp"
#include "limber/mesh/shape_checks.hpp"
#include "limber/mesh/shapes/shapes.hpp"

namespace limber {
namespace {

/// A disk of radius 1: a node in the middle and 6k on ring k of n.
struct Disk {
  std::vector<Eigen::Vector2d> nodes;
  std::vector<std::array<int, 3>> triangles;  // counterclockwise

  explicit Disk(int rings) {
    nodes.push_back({0, 0});
    for (int k = 1; k <= rings; ++k)
      for (int i = 0; i < 6 * k; ++i) {
        const double angle = std::numbers::pi / 3 * i / k;
        nodes.push_back(static_cast<double>(k) / rings * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
      }
    for (int k = 1; k <= rings; ++k)
      for (int sector = 0; sector < 6; ++sector)
        for (int i = 0; i < k; ++i) {
          const int a = on_ring(k, sector * k + i), b = on_ring(k, sector * k + i + 1);
          const int c = on_ring(k - 1, sector * (k - 1) + i);
          triangles.push_back({a, b, c});
          if (i + 1 < k) triangles.push_back({c, b, on_ring(k - 1, sector * (k - 1) + i + 1)});
        }
  }
  static int on_ring(int k, int i) { return k == 0 ? 0 : 1 + 3 * k * (k - 1) + i % (6 * k); }
};

/// A cross-section: the disk's axes, times its radius, and its middle.
struct Section {
  Vec3 middle, x, y;
};
enum class Ends { open, joined };

/// The disk through all sections; x × y points along the sweep.
TetMesh swept(const Disk& disk, const std::vector<Section>& sections, Ends ends) {
  TetMesh mesh;
  const int columns = static_cast<int>(disk.nodes.size()), count = static_cast<int>(sections.size());
  mesh.nodes.reserve(static_cast<std::size_t>(columns) * count);
  for (const Section& s : sections)
    for (const auto& p : disk.nodes) mesh.nodes.push_back(s.middle + p[0] * s.x + p[1] * s.y);

  const int layers = ends == Ends::joined ? count : count - 1;
  mesh.tets.reserve(3 * disk.triangles.size() * layers);
  for (int l = 0; l < layers; ++l) {
    const int low = l * columns, high = (l + 1) % count * columns;
    for (auto [a, b, c] : disk.triangles) {
      // The diagonals rise from the column that comes first, in every second layer from the one that comes last.
      const bool rising = l % 2 == 0;
      const auto before = [&](int i, int j) { return rising ? i < j : j < i; };
      while (before(b, a) || before(c, a)) std::tie(a, b, c) = std::tuple(b, c, a);
      const bool flipped = before(c, b);
      if (flipped) std::swap(b, c);
      const std::array<std::array<int, 4>, 3> tets{{{low + a, low + b, low + c, high + c},
                                                    {low + a, low + b, high + c, high + b},
                                                    {low + a, high + a, high + b, high + c}}};
      for (auto t : tets) {
        if (flipped) std::swap(t[2], t[3]);
        mesh.tets.push_back(t);
      }
    }
  }
  return mesh;
}

void require_round(const std::string& radius_name, double radius, double resolution) {
  require_positive(radius_name, radius);
  require_positive("resolution", resolution);
  require_between("resolution", resolution, 0, radius, fmt::format("it must not exceed the {}", radius_name));
}

/// Tetrahedra of a rod, before it is built.
void require_rod(double radius, double length, double resolution, std::size_t max_tets) {
  const double cell = resolution / cut_cell_mean_edge;
  require_count(18 * std::pow(radius / cell, 2) * std::max(1., length / cell), max_tets, resolution);
}

/// Through p₁ and p₂ for u in [0, 1], with tangents from their neighbours (Catmull and Rom, centripetal).
Vec3 spline(const Vec3& p0, const Vec3& p1, const Vec3& p2, const Vec3& p3, double u) {
  const double t1 = std::sqrt((p1 - p0).norm()), t2 = t1 + std::sqrt((p2 - p1).norm()),
               t3 = t2 + std::sqrt((p3 - p2).norm()), t = t1 + u * (t2 - t1);
  const auto mix = [t](const Vec3& a, const Vec3& b, double ta, double tb) -> Vec3 {
    return a + (t - ta) / (tb - ta) * (b - a);
  };
  const Vec3 a1 = mix(p0, p1, 0, t1), a2 = mix(p1, p2, t1, t2), a3 = mix(p2, p3, t2, t3);
  return mix(mix(a1, a2, 0, t2), mix(a2, a3, t1, t3), t1, t2);
}

/// The smooth curve through the path, as points at equal distances along it.
std::vector<Vec3> curve_points(const std::vector<Vec3>& path, double resolution) {
  std::vector<Vec3> fine;
  std::vector<double> along{0};
  constexpr int pieces = 64;
  const std::size_t n = path.size();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const Vec3 before = i > 0 ? path[i - 1] : Vec3(2 * path[0] - path[1]);
    const Vec3 after = i + 2 < n ? path[i + 2] : Vec3(2 * path[n - 1] - path[n - 2]);
    for (int k = 0; k < pieces; ++k)
      fine.push_back(spline(before, path[i], path[i + 1], after, static_cast<double>(k) / pieces));
  }
  fine.push_back(path.back());
  for (std::size_t i = 1; i < fine.size(); ++i) along.push_back(along.back() + (fine[i] - fine[i - 1]).norm());

  const int layers = cells_for(along.back(), resolution);
  std::vector<Vec3> points{fine.front()};
  for (int l = 1; l < layers; ++l) {
    const double s = along.back() * l / layers;
    const auto i = static_cast<std::size_t>(std::upper_bound(along.begin(), along.end(), s) - along.begin());
    points.push_back(fine[i - 1] + (s - along[i - 1]) / (along[i] - along[i - 1]) * (fine[i] - fine[i - 1]));
  }
  points.push_back(fine.back());
  return points;
}

/// Frames that turn about the curve no more than they must.
std::vector<Section> sections_along(const std::vector<Vec3>& points, double radius) {
  std::vector<Section> sections;
  Vec3 x;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 tangent = (points[std::min(i + 1, points.size() - 1)] - points[i > 0 ? i - 1 : 0]).normalized();
    if (i == 0) x = std::abs(tangent[1]) < 0.9 ? Vec3::UnitY() : Vec3::UnitZ();
    x = (x - x.dot(tangent) * tangent).normalized();
    sections.push_back({points[i], radius * x, radius * tangent.cross(x)});
  }
  return sections;
}

void require_gentle_bends(const std::vector<Vec3>& points, double radius) {
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const Vec3 a = points[i] - points[i - 1], b = points[i + 1] - points[i];
    const double turn = std::atan2(a.cross(b).norm(), a.dot(b)), bend = (a.norm() + b.norm()) / 2 / turn;
    if (bend < 1.5 * radius)
      throw InputError("path",
                       fmt::format("at ({:.4g}, {:.4g}, {:.4g}) it bends with a radius of {:.4g}; at least {:.4g}, "
                                   "1.5 times the rope's radius, is needed",
                                   points[i][0], points[i][1], points[i][2], bend, 1.5 * radius));
  }
}

}  // namespace

TetMesh cylinder_mesh(const CylinderShape& shape) {
  require_round("radius", shape.radius, shape.resolution);
  require_positive("length", shape.length);
  require_rod(shape.radius, shape.length, shape.resolution, shape.max_tets);
  const int layers = cells_for(shape.length, shape.resolution);
  std::vector<Section> sections;
  for (int l = 0; l <= layers; ++l)
    sections.push_back(
        {shape.length * l / layers * Vec3::UnitY(), shape.radius * Vec3::UnitZ(), shape.radius * Vec3::UnitX()});
  return swept(Disk(cells_for(shape.radius, shape.resolution)), sections, Ends::open);
}

TetMesh torus_mesh(const TorusShape& shape) {
  const double R = shape.major_radius, r = shape.minor_radius;
  require_positive("major_radius", R);
  require_round("minor_radius", r, shape.resolution);
  require_between("minor_radius", r, 0, 0.7 * R, "it must not exceed 0.7 times the major radius");
  require_rod(r, 2 * std::numbers::pi * R, shape.resolution, shape.max_tets);
  const int count = std::max(3, cells_for(2 * std::numbers::pi * R, shape.resolution));
  std::vector<Section> sections;
  for (int l = 0; l < count; ++l) {
    const double angle = 2 * std::numbers::pi * l / count;
    const Vec3 out(std::sin(angle), 0, std::cos(angle));
    sections.push_back({R * out, r * Vec3::UnitY(), r * out});
  }
  return swept(Disk(cells_for(r, shape.resolution)), sections, Ends::joined);
}

TetMesh rope_mesh(const RopeShape& shape) {
  require_round("radius", shape.radius, shape.resolution);
  std::vector<Vec3> path = shape.path;
  if (path.empty()) {
    require_positive("length", shape.length);
    path = {Vec3::Zero(), {shape.length, 0, 0}};
  }
  if (path.size() < 2) throw InputError("path", "1 point; at least 2 are needed");
  double length = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!path[i].allFinite()) throw InputError(fmt::format("path[{}]", i), "its coordinates must be finite");
    if (i == 0) continue;
    if (!((path[i] - path[i - 1]).norm() > 0))
      throw InputError(fmt::format("path[{}]", i), "the same point as the one before");
    length += (path[i] - path[i - 1]).norm();
  }
  require_rod(shape.radius, length, shape.resolution, shape.max_tets);
  const std::vector<Vec3> points = curve_points(path, shape.resolution);
  require_gentle_bends(points, shape.radius);
  return swept(Disk(cells_for(shape.radius, shape.resolution)), sections_along(points, shape.radius), Ends::open);
}

}  // namespace limber
