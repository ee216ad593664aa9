#pragma once
/// Triangulated spheres and boxes, facing outwards.

#include <cmath>
#include <map>

#include "limber/mesh/tri_mesh.hpp"

namespace limber::test {

/// Six faces of n × n squares, each cut in two, on the cube [−1, 1]³.
inline TriMesh cube_surface(int n) {
  TriMesh mesh;
  std::map<std::array<int, 3>, int> number;
  const auto node = [&](const std::array<int, 3>& at) {
    const auto [entry, is_new] = number.try_emplace(at, static_cast<int>(mesh.nodes.size()));
    if (is_new) mesh.nodes.push_back(2.0 / n * Vec3(at[0], at[1], at[2]) - Vec3::Ones());
    return entry->second;
  };
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          std::array<int, 4> corner;
          for (int c = 0; c < 4; ++c) {
            std::array<int, 3> at;
            at[axis] = side * n;
            at[(axis + 1) % 3] = i + (c == 1 || c == 2);
            at[(axis + 2) % 3] = j + (c >= 2);
            corner[c] = node(at);
          }
          if (side == 0) std::swap(corner[1], corner[3]);
          mesh.triangles.push_back({corner[0], corner[1], corner[2]});
          mesh.triangles.push_back({corner[0], corner[2], corner[3]});
        }
  return mesh;
}

/// Nodes on the sphere of radius 1; nearly even triangles.
inline TriMesh sphere_surface(int n) {
  TriMesh mesh = cube_surface(n);
  for (Vec3& x : mesh.nodes) x = (M_PI / 4 * x).array().tan().matrix().normalized();
  return mesh;
}

}  // namespace limber::test
