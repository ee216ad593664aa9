#pragma once  // internal
/// The boundary: faces that belong to one element only.

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace limber {

/// The numbers of the faces whose node set is unique, ascending. faces: their nodes, in any order.
template <std::size_t n>
std::vector<std::size_t> single_faces(const std::vector<std::array<int, n>>& faces) {
  std::vector<std::pair<std::array<int, n>, std::size_t>> all(faces.size());
  for (std::size_t id = 0; id < faces.size(); ++id) {
    all[id] = {faces[id], id};
    std::sort(all[id].first.begin(), all[id].first.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> once;
  for (std::size_t i = 0, j; i < all.size(); i = j) {
    for (j = i + 1; j < all.size() && all[j].first == all[i].first;) ++j;
    if (j == i + 1) once.push_back(all[i].second);
  }
  std::sort(once.begin(), once.end());
  return once;
}

}  // namespace limber
