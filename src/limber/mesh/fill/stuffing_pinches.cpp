#include "limber/mesh/fill/stuffing_pinches.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "limber/mesh/fill/stuffing.hpp"
#include "limber/mesh/quality.hpp"

namespace limber {
namespace {

/// Node → its tetrahedra.
struct Stars {
  std::vector<int> begin, tets;

  explicit Stars(const TetMesh& mesh) : begin(mesh.nodes.size() + 1, 0), tets(4 * mesh.tets.size()) {
    for (const auto& t : mesh.tets)
      for (const int i : t) ++begin[i + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<int> at(begin.begin(), begin.end() - 1);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
      for (const int i : mesh.tets[t]) tets[at[i]++] = static_cast<int>(t);
  }
};

bool has(const std::array<int, 4>& tet, int node) { return std::find(tet.begin(), tet.end(), node) != tet.end(); }

bool share_face(const std::array<int, 4>& a, const std::array<int, 4>& b) {
  return std::count_if(a.begin(), a.end(), [&](int i) { return has(b, i); }) == 3;
}

/// The tetrahedra in groups joined by faces, the largest first; of equal ones that with the first tetrahedron.
std::vector<std::vector<int>> groups_by_faces(const TetMesh& mesh, std::vector<int> star) {
  std::vector<std::vector<int>> groups;
  while (!star.empty()) {
    std::vector<int> group{star.front()};
    star.erase(star.begin());
    for (std::size_t k = 0; k < group.size(); ++k)
      for (auto other = star.begin(); other != star.end();)
        if (share_face(mesh.tets[group[k]], mesh.tets[*other])) {
          group.push_back(*other);
          other = star.erase(other);
        } else {
          ++other;
        }
    groups.push_back(std::move(group));
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return groups;
}

/// What has to go for the surface to be one fan around `node`, whose tetrahedra are `star`.
std::vector<int> surplus(const TetMesh& mesh, const std::vector<int>& star, int node) {
  std::vector<int> gone;
  const auto all_but_largest = [&](const std::vector<int>& tets) {
    const auto groups = groups_by_faces(mesh, tets);
    for (std::size_t g = 1; g < groups.size(); ++g) gone.insert(gone.end(), groups[g].begin(), groups[g].end());
  };
  all_but_largest(star);
  if (!gone.empty()) return gone;
  // One group around the node, but perhaps several around one of its edges.
  std::map<int, std::vector<int>> around;
  for (const int t : star)
    for (const int other : mesh.tets[t])
      if (other != node) around[other].push_back(t);
  for (const auto& [other, tets] : around) {
    all_but_largest(tets);
    if (!gone.empty()) return gone;
  }
  // Outside space touches itself through the body.
  return star;
}

}  // namespace

void drop_tets(TetMesh& mesh, const std::vector<char>& dropped) {
  std::vector<int> number(mesh.nodes.size(), -1);
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    if (dropped[t]) continue;
    for (const int i : mesh.tets[t]) number[i] = 0;
    if (!mesh.region.empty()) mesh.region[kept] = mesh.region[t];
    mesh.tets[kept++] = mesh.tets[t];
  }
  mesh.tets.resize(kept);
  if (!mesh.region.empty()) mesh.region.resize(kept);
  int nodes = 0;
  for (std::size_t i = 0; i < number.size(); ++i)
    if (number[i] == 0) {
      number[i] = nodes;
      mesh.nodes[nodes++] = mesh.nodes[i];
    }
  mesh.nodes.resize(nodes);
  for (auto& t : mesh.tets)
    for (int& i : t) i = number[i];
}

std::size_t remove_pinches(TetMesh& mesh) {
  const std::size_t before = mesh.tets.size();
  for (;;) {
    const std::vector<int> pinched = pinched_nodes(boundary_triangles(mesh));
    if (pinched.empty()) return before - mesh.tets.size();
    const Stars stars(mesh);
    std::vector<char> dropped(mesh.tets.size(), 0);
    for (const int node : pinched) {
      std::vector<int> star;
      for (int k = stars.begin[node]; k < stars.begin[node + 1]; ++k)
        if (!dropped[stars.tets[k]]) star.push_back(stars.tets[k]);
      // A neighbour's loss may have mended this one, or changed it: then the next round sees.
      if (static_cast<int>(star.size()) < stars.begin[node + 1] - stars.begin[node]) continue;
      for (const int t : surplus(mesh, star, node)) dropped[t] = 1;
    }
    drop_tets(mesh, dropped);
  }
}

}  // namespace limber
