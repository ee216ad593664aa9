#include "limber/contact/geometry/tree_pairs.hpp"

namespace limber {

std::vector<TreePairs::NodePair> TreePairs::parts(std::size_t wanted) const {
  std::vector<NodePair> parts;
  if (a_.empty() || b_.empty() || !needed({0, 0})) return parts;
  parts.push_back({0, 0});
  for (bool opened = true; opened && parts.size() < wanted;) {
    opened = false;
    std::vector<NodePair> next;
    for (const NodePair p : parts) {
      if (is_leaf(p)) {
        next.push_back(p);
      } else {
        opened = true;
        split(p, next);
      }
    }
    parts.swap(next);
  }
  return parts;
}

}  // namespace limber
