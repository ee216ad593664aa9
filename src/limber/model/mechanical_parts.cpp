/// MechanicalSystem's parts that nothing couples, and how each moves as a whole.
#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "limber/core/nodes.hpp"
#include "limber/model/mechanical_system.hpp"

namespace limber {

void MechanicalSystem::find_parts(const std::vector<std::pair<int, int>>& coupled) {
  std::vector<int> root(free_index_.size());
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
  std::vector<int> name(root.size());
  for (int i = 0; i < static_cast<int>(root.size()); ++i) {
    root[ix(i)] = find(i);
    name[ix(i)] = holders_.scene_number(root[ix(i)]);
  }
  if (space_.shared()) unite_names(root, name);
  const auto names_of = [&](auto&& nodes) {  // on all processes, also where one holds nothing of a part
    std::set<int> names;
    for (const int node : nodes)
      if (holders_.holds(node)) names.insert(name[ix(node)]);
    if (!space_.shared()) return names;
    for (const auto& list : space_.processes().allgather({names.begin(), names.end()}))
      names.insert(list.begin(), list.end());
    return names;
  };
  std::vector<int> guided_nodes;
  for (const GuidedNode& g : guided_) guided_nodes.push_back(g.node);
  const std::set<int> held = names_of(prescribed_nodes_), guided = names_of(guided_nodes);
  std::map<int, std::vector<int>> parts;
  for (const int part : names_of(unknown_nodes_)) parts[part];
  for (int i = 0; i < ties_.unknowns(); ++i) parts[name[ix(unknown_nodes_[ix(i)])]].push_back(i);
  parts_.clear();
  guided_parts_.clear();
  loose_parts_.clear();
  for (auto& [part, nodes] : parts) {
    parts_.push_back(nodes);
    guided_parts_.push_back(guided.contains(part) ? 1 : 0);
    if (!held.contains(part)) loose_parts_.push_back(std::move(nodes));
  }
}

void MechanicalSystem::unite_names(const std::vector<int>& root, std::vector<int>& name) const {
  const Communicator& all = space_.processes();
  std::vector<std::vector<int>> with(ix(all.size()));  // nodes held by another process too
  for (int i = 0; i < nodes(); ++i) {
    const auto first = holders_.holder.begin() + holders_.start[ix(i)],
               last = holders_.holder.begin() + holders_.start[ix(i) + 1];
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
    changed = !space_.all(!changed);
  }
  for (std::size_t i = 0; i < name.size(); ++i) name[i] = name[ix(root[i])];
}

Matrix MechanicalSystem::rigid_motions(const State& u) const {
  Matrix R = Matrix::Zero(size(), 6 * static_cast<Index>(loose_parts_.size()));
  Index column = 0;
  for (const auto& part : loose_parts_) {
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    for (const int i : part)
      if (space_.owns(i)) sum += Eigen::Vector4d(u.q[3 * i], u.q[3 * i + 1], u.q[3 * i + 2], 1);
    space_.processes().sum({sum.data(), 4});
    const Vec3 centre = sum.head<3>() / sum[3];
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3 e = Vec3::Unit(axis);
      for (const int i : part) {
        R.block<3, 1>(3 * i, column + axis) = e;
        R.block<3, 1>(3 * i, column + 3 + axis) = e.cross(Vec3(block(u.q, i) - centre));
      }
    }
    column += 6;
  }
  return R;
}

}  // namespace limber
