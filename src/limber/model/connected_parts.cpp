#include "limber/model/connected_parts.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "limber/core/nodes.hpp"

namespace limber {
namespace {

/// Merges groups of nodes that may continue on other processes: each group is named by its smallest node on any
/// process.
void unite_names(const UnknownMap& map, const std::vector<int>& root, std::vector<int>& name) {
  const NodeHolders& holders = map.holders();
  const Communicator& all = map.space().processes();
  std::vector<std::vector<int>> with(ix(all.size()));  // nodes held by another process too
  for (int i = 0; i + 1 < static_cast<int>(holders.start.size()); ++i) {
    const auto first = holders.holder.begin() + holders.start[ix(i)],
               last = holders.holder.begin() + holders.start[ix(i) + 1];
    if (std::find(first, last, all.rank()) == last) continue;
    for (auto process = first; process != last; ++process)
      if (*process != all.rank()) with[ix(*process)].push_back(i);
  }
  for (bool changed = true; changed;) {
    std::vector<std::vector<double>> messages(with.size());
    for (std::size_t p = 0; p < with.size(); ++p)
      for (const int i : with[p]) messages[p].push_back(name[ix(root[ix(i)])]);
    const auto theirs = all.alltoall(messages);
    changed = false;
    for (std::size_t p = 0; p < with.size(); ++p)
      for (std::size_t k = 0; k < with[p].size(); ++k) {
        int& here = name[ix(root[ix(with[p][k])])];
        changed = changed || theirs[p][k] < here;
        here = std::min(here, static_cast<int>(theirs[p][k]));
      }
    changed = !map.space().all(!changed);
  }
  for (std::size_t i = 0; i < name.size(); ++i) name[i] = name[ix(root[i])];
}

}  // namespace

ConnectedParts connected_parts(const UnknownMap& map, const std::vector<std::pair<int, int>>& coupled) {
  const NodeHolders& holders = map.holders();
  const Space& space = map.space();
  std::vector<int> root(static_cast<std::size_t>(map.nodes()));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[ix(i)] != i) i = root[ix(i)] = root[ix(root[ix(i)])];
    return i;
  };
  const auto unite = [&](int a, int b) {
    const int x = find(a), y = find(b);
    root[ix(std::max(x, y))] = std::min(x, y);  // the smallest node names the part
  };
  for (const auto& [a, b] : coupled) unite(a, b);
  for (const Tie& t : map.layout().ties)
    for (const auto& term : t.terms) unite(t.node, term.node);
  std::vector<int> name(root.size());
  for (int i = 0; i < static_cast<int>(root.size()); ++i) {
    root[ix(i)] = find(i);
    name[ix(i)] = holders.scene_number(root[ix(i)]);
  }
  unite_names(map, root, name);
  const auto names_of = [&](auto&& nodes) {  // called on all processes, also those without nodes of a part
    std::set<int> names;
    for (const int node : nodes)
      if (holders.holds(node)) names.insert(name[ix(node)]);
    for (const auto& list : space.processes().allgather({names.begin(), names.end()}))
      names.insert(list.begin(), list.end());
    return names;
  };
  std::vector<int> guided_nodes;
  for (const GuidedNode& g : map.guided_nodes()) guided_nodes.push_back(g.node);
  const std::set<int> held = names_of(map.prescribed_nodes()), guided = names_of(guided_nodes);
  std::map<int, std::vector<int>> parts;
  for (const int part : names_of(map.unknown_nodes())) parts[part];
  for (int i = 0; i < map.ties().unknowns(); ++i) parts[name[ix(map.unknown_nodes()[ix(i)])]].push_back(i);
  ConnectedParts found;
  for (auto& [part, nodes] : parts) {
    found.parts.push_back(nodes);
    found.guided.push_back(guided.contains(part) ? 1 : 0);
    if (!held.contains(part)) found.loose.push_back(std::move(nodes));
  }
  return found;
}

Matrix rigid_motions(const UnknownMap& map, const std::vector<std::vector<int>>& parts, const Vector& q) {
  const Space& space = map.space();
  Matrix R = Matrix::Zero(map.size(), 6 * static_cast<Index>(parts.size()));
  Index column = 0;
  for (const auto& part : parts) {
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    for (const int i : part)
      if (space.owns(i)) sum += Eigen::Vector4d(q[3 * i], q[3 * i + 1], q[3 * i + 2], 1);
    space.processes().sum({sum.data(), 4});
    const Vec3 centre = sum.head<3>() / sum[3];
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 e = Vec3::Unit(axis);
      for (const int i : part) {
        R.block<3, 1>(3 * i, column + axis) = e;
        R.block<3, 1>(3 * i, column + 3 + axis) = e.cross(Vec3(block(q, i) - centre));
      }
    }
    column += 6;
  }
  return R;
}

}  // namespace limber
