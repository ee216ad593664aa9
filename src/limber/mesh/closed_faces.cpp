#include "limber/mesh/closed_faces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <tuple>
#include <utility>

#include "limber/core/nodes.hpp"

namespace limber {
namespace {

/// An edge as a face runs through it.
struct FaceSide {
  int low, high, direction;
  std::size_t face;
};

std::vector<FaceSide> sides_of(const FaceMesh& faces) {
  std::vector<FaceSide> sides;
  const std::size_t corners = ix(corner_count(faces.kind));
  for (std::size_t f = 0; f < faces.count(); ++f)
    for (std::size_t k = 0; k < corners; ++k) {
      const int a = faces.face(f)[k], b = faces.face(f)[(k + 1) % corners];
      sides.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1, f});
    }
  std::stable_sort(sides.begin(), sides.end(), [](const FaceSide& a, const FaceSide& b) {
    return std::tie(a.low, a.high) < std::tie(b.low, b.high);
  });
  return sides;
}

/// The ranges of equal edges.
template <class Visit>
void for_edges(const std::vector<FaceSide>& sides, const Visit& visit) {
  for (std::size_t i = 0, j; i < sides.size(); i = j) {
    for (j = i + 1; j < sides.size() && sides[j].low == sides[i].low && sides[j].high == sides[i].high;) ++j;
    visit(i, j);
  }
}

/// The other way round from its first corner.
std::vector<int> turned_face(std::span<const int> face, FaceKind kind) {
  const std::ptrdiff_t corners = corner_count(kind), edges_end = corners + corners * face_type(kind).on_edge;
  std::vector<int> turned(face.begin(), face.end());
  std::reverse(turned.begin() + 1, turned.begin() + corners);
  std::reverse(turned.begin() + corners, turned.begin() + edges_end);
  return turned;
}

double corner_volume(std::span<const int> face, std::size_t corners, const Vec3& o, const Vector& q) {
  double sum = 0;
  const Vec3 a = block(q, face[0]) - o;
  for (std::size_t k = 1; k + 1 < corners; ++k)
    sum += a.dot(Vec3(block(q, face[k]) - o).cross(Vec3(block(q, face[k + 1]) - o))) / 6;
  return sum;
}

}  // namespace

ClosedFaces closed_faces(const FaceMesh& faces, const Vector& q, FaceSides sides) {
  const std::vector<FaceSide> all = sides_of(faces);
  std::vector<std::vector<std::pair<std::size_t, bool>>> next(faces.count());  // neighbour; do they differ in sense
  ClosedFaces out;
  for_edges(all, [&](std::size_t i, std::size_t j) {
    int sum = 0;
    for (std::size_t k = i; k < j; ++k) sum += all[k].direction;
    const bool fits = sides == FaceSides::consistent ? j - i == 2 : sum == 0;
    if (!fits) ++out.open_edges;
    for (std::size_t k = i + 1; k < j; ++k) {
      const bool differs = all[k].direction == all[i].direction && sides == FaceSides::consistent;
      next[all[i].face].emplace_back(all[k].face, differs);
      next[all[k].face].emplace_back(all[i].face, differs);
    }
  });
  if (out.open_edges > 0) return out;

  std::vector<int> sense(faces.count(), 0);  // 0: not met yet
  const std::size_t corners = ix(corner_count(faces.kind));
  for (std::size_t first = 0; first < faces.count(); ++first) {
    if (sense[first] != 0) continue;
    std::vector<std::size_t> group = {first};
    sense[first] = 1;
    for (std::size_t k = 0; k < group.size(); ++k)
      for (const auto& [f, differs] : next[group[k]]) {
        const int wanted = differs ? -sense[group[k]] : sense[group[k]];
        if (sense[f] == 0) {
          sense[f] = wanted;
          group.push_back(f);
        } else if (sense[f] != wanted) {
          ++out.open_edges;  // one side only, as Möbius' band has
        }
      }
    std::sort(group.begin(), group.end());
    const Vec3 o = block(q, faces.face(first)[0]);
    double volume = 0;
    for (const std::size_t f : group) volume += sense[f] * corner_volume(faces.face(f), corners, o, q);
    ClosedFaces::Part part{{faces.kind}, std::abs(volume), volume < 0};
    for (const std::size_t f : group) {
      const auto face = faces.face(f);
      const bool turn = (sense[f] < 0) != part.turned;
      const std::vector<int> nodes = turn ? turned_face(face, faces.kind) : std::vector<int>(face.begin(), face.end());
      part.faces.nodes.insert(part.faces.nodes.end(), nodes.begin(), nodes.end());
    }
    out.parts.push_back(std::move(part));
  }
  return out;
}

}  // namespace limber
