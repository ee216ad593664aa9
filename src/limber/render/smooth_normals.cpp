#include "limber/render/smooth_normals.hpp"

#include <Eigen/Geometry>

namespace limber {
namespace {

constexpr double crease_cosine = 0.766;  // of 40°

}  // namespace

SmoothNormals::SmoothNormals(const std::vector<Vec3>& positions, std::vector<std::array<int, 3>> triangles)
    : triangles_(std::move(triangles)) {
  std::vector<std::vector<int>> around(positions.size());
  for (std::size_t f = 0; f < triangles_.size(); ++f)
    for (const int i : triangles_[f]) around[static_cast<std::size_t>(i)].push_back(static_cast<int>(f));
  const std::vector<Vec3> normals = faces(positions);
  first_.push_back(0);
  for (std::size_t f = 0; f < triangles_.size(); ++f)
    for (const int i : triangles_[f]) {
      for (const int g : around[static_cast<std::size_t>(i)]) {
        const Vec3 &n = normals[f], &m = normals[static_cast<std::size_t>(g)];
        if (static_cast<std::size_t>(g) == f || n.dot(m) > crease_cosine * n.norm() * m.norm()) smooth_.push_back(g);
      }
      first_.push_back(smooth_.size());
    }
}

std::vector<Vec3> SmoothNormals::faces(const std::vector<Vec3>& positions) const {
  std::vector<Vec3> normals;
  normals.reserve(triangles_.size());
  const auto at = [&](int i) -> const Vec3& { return positions[static_cast<std::size_t>(i)]; };
  for (const auto& [a, b, c] : triangles_) normals.push_back((at(b) - at(a)).cross(at(c) - at(a)));
  return normals;
}

std::vector<Vec3> SmoothNormals::at(const std::vector<Vec3>& positions) const {
  const std::vector<Vec3> normals = faces(positions);
  std::vector<Vec3> corners(3 * triangles_.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) sum += normals[static_cast<std::size_t>(smooth_[k])];
    corners[i] = sum.stableNormalized();
  }
  return corners;
}

}  // namespace limber
