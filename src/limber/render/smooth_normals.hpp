#pragma once
/// Normals that make triangles look like the smooth surface they stand for, one for each corner: the sum of
/// (b − a) × (c − a), so weighted by area, over the triangles around the vertex that make less than 40° with the
/// corner's own. Edges sharper than that stay edges. Which ones are is settled on one shape and kept while it deforms.

#include <array>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

class SmoothNormals {
 public:
  SmoothNormals(const std::vector<Vec3>& positions, std::vector<std::array<int, 3>> triangles);

  /// 3 #F unit normals, corner k of triangle f at 3 f + k.
  std::vector<Vec3> at(const std::vector<Vec3>& positions) const;

 private:
  std::vector<Vec3> faces(const std::vector<Vec3>& positions) const;  // #F, (b − a) × (c − a)

  std::vector<std::array<int, 3>> triangles_;
  std::vector<std::size_t> first_;  // 3 #F + 1
  std::vector<int> smooth_;         // triangles that corner i shares its normal with: first_[i] to first_[i + 1] − 1
};

}  // namespace limber
