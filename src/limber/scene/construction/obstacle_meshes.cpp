#include "limber/scene/construction/obstacle_meshes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/core/nodes.hpp"
#include "limber/scene/construction/obstacle_parts.hpp"

namespace limber {
namespace {

/// How many pieces a circle has, and the half circle that is turned about it.
struct Roundness {
  int around, half_circle;
};
constexpr Roundness fine{96, 48}, coarse{16, 8};

struct ProfilePoint {
  double radius, height;  // [m] from the axis, along it
  bool operator==(const ProfilePoint&) const = default;
};
using Profile = std::vector<ProfilePoint>;

/// The profile turned about the axis, one node for each point on it. A profile may end where it began.
TriMesh revolved(const Profile& profile, const Vec3& centre, const Vec3& axis, int around = fine.around) {
  const Vec3 up = axis.normalized(), across = up.unitOrthogonal(), along = up.cross(across);
  TriMesh mesh;
  std::vector<std::vector<int>> rings;
  const bool ends_at_start = profile.front() == profile.back();
  for (std::size_t p = 0; p < profile.size() - (ends_at_start ? 1 : 0); ++p) {
    const auto& [radius, height] = profile[p];
    std::vector<int>& ring = rings.emplace_back();
    const int first = static_cast<int>(mesh.nodes.size());
    for (int k = 0; k < around; ++k) {
      ring.push_back(radius > 0 ? first + k : first);
      if (k > 0 && !(radius > 0)) continue;
      const double angle = 2 * std::numbers::pi * k / around;
      mesh.nodes.push_back(centre + height * up + radius * (std::cos(angle) * across + std::sin(angle) * along));
    }
  }
  if (ends_at_start) rings.push_back(rings.front());
  const auto add = [&](int a, int b, int c) {
    if (a != b && b != c && c != a) mesh.triangles.push_back({a, b, c});
  };
  for (std::size_t r = 0; r + 1 < rings.size(); ++r)
    for (std::size_t k = 0; k < rings[r].size(); ++k) {
      const std::size_t next = (k + 1) % rings[r].size();
      add(rings[r][k], rings[r][next], rings[r + 1][next]);
      add(rings[r][k], rings[r + 1][next], rings[r + 1][k]);
    }
  return mesh;
}

/// Two half balls at distance `length` and what lies between them.
Profile capsule_profile(double radius, double length, int half_circle = fine.half_circle) {
  Profile profile;
  for (const int side : {-1, 1})
    for (int k = 0; k <= half_circle / 2; ++k) {
      const int step = side < 0 ? k : half_circle / 2 - k;
      const double angle = std::numbers::pi / 2 * (1 - 2.0 * step / half_circle);
      profile.push_back({step == 0 ? 0 : radius * std::cos(angle), side * (length / 2 + radius * std::sin(angle))});
    }
  if (length == 0) profile.erase(profile.begin() + half_circle / 2);
  return profile;
}

Profile cylinder_profile(double radius, double length) {
  Profile profile;
  profile.push_back({0, -length / 2});
  profile.push_back({radius, -length / 2});
  profile.push_back({radius, length / 2});
  profile.push_back({0, length / 2});
  return profile;
}

Profile torus_profile(double major, double minor) {
  Profile profile;
  for (int k = 0; k < fine.half_circle; ++k) {
    const double angle = 2 * std::numbers::pi * k / fine.half_circle;
    profile.push_back({major + minor * std::cos(angle), minor * std::sin(angle)});
  }
  profile.push_back(profile.front());
  return profile;
}

}  // namespace

TriMesh drawn_obstacle(const ObstacleChoice& o) {
  using Shape = ObstacleChoice::Shape;
  const Vec3 axis = o.b - o.a;
  switch (o.shape) {
    case Shape::plane:
    case Shape::half_space:
      return {};
    case Shape::sphere:
      return revolved(capsule_profile(o.radius, 0), o.center, Vec3::UnitY());
    case Shape::capsule:
      return revolved(capsule_profile(o.radius, axis.norm()), (o.a + o.b) / 2,
                      axis.isZero() ? Vec3(Vec3::UnitY()) : axis);
    case Shape::cylinder:
      return revolved(cylinder_profile(o.radius, axis.norm()), (o.a + o.b) / 2, axis);
    case Shape::torus:
      return revolved(torus_profile(o.major, o.minor), o.center, o.axis);
    case Shape::box:
    case Shape::mesh:
      break;
  }
  return obstacle_surface(o).mesh;
}

TriMesh drawn_lines(const std::vector<Vec3>& nodes, const std::vector<std::array<int, 2>>& edges,
                    const std::vector<int>& points, double radius) {
  TriMesh all;
  const auto add = [&](const TriMesh& some) {
    const int first = static_cast<int>(all.nodes.size());
    all.nodes.insert(all.nodes.end(), some.nodes.begin(), some.nodes.end());
    for (const auto& t : some.triangles) all.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  };
  for (const auto& e : edges) {
    const Vec3 &a = nodes[ix(e[0])], &b = nodes[ix(e[1])];
    const double length = std::max((b - a).norm(), 1e-6 * radius);  // never a ball, which has other triangles
    add(revolved(capsule_profile(radius, length, coarse.half_circle), (a + b) / 2,
                 a == b ? Vec3(Vec3::UnitY()) : Vec3(b - a), coarse.around));
  }
  for (const int n : points)
    add(revolved(capsule_profile(radius, 0, coarse.half_circle), nodes[ix(n)], Vec3::UnitY(), coarse.around));
  return all;
}

}  // namespace limber
