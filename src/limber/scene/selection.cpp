#include "limber/scene/selection.hpp"

#include <limits>
#include <sstream>

#include "limber/core/errors.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/scene/body_part.hpp"

namespace limber {
namespace {

struct NodeExtent {
  Vec3 min = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 max = -min;

  explicit NodeExtent(const std::vector<Vec3>& nodes) {
    for (const Vec3& x : nodes) min = min.cwiseMin(x), max = max.cwiseMax(x);
  }
  explicit NodeExtent(const Box3& box) : min(box.min), max(box.max) {}
  double tolerance() const { return 1e-6 * (max - min).norm(); }
};

template <class Inside>
std::vector<int> where_true(const std::vector<Vec3>& nodes, const Inside& inside) {
  std::vector<int> chosen;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (inside(nodes[i])) chosen.push_back(static_cast<int>(i));
  return chosen;
}

struct Choose {
  const std::vector<Vec3>& nodes;
  const NodeExtent extent;
  const BodyPart* part;
  const std::string& where;

  std::vector<int> operator()(Side side) const {
    if (side == Side::all) return where_true(nodes, [](const Vec3&) { return true; });
    const int axis = static_cast<int>(side) / 2;
    const bool low = static_cast<int>(side) % 2 == 0;
    const double reach = extent.tolerance();
    return where_true(nodes, [&](const Vec3& x) {
      return low ? x[axis] <= extent.min[axis] + reach : x[axis] >= extent.max[axis] - reach;
    });
  }

  std::vector<int> operator()(const NodeList& list) const {
    const auto count = part ? static_cast<std::size_t>(part->nodes) : nodes.size();
    for (std::size_t k = 0; k < list.nodes.size(); ++k)
      if (static_cast<std::size_t>(list.nodes[k]) >= count)
        throw InputError(where + ".nodes[" + std::to_string(k) + "]",
                         std::to_string(list.nodes[k]) + " is out of range: the body has " + std::to_string(count) +
                             " nodes, 0 to " + std::to_string(count - 1));
    if (!part) return list.nodes;
    std::vector<int> chosen;
    for (const int number : list.nodes)
      if (const int i = part->here(number); i >= 0) chosen.push_back(i);
    return chosen;
  }

  std::vector<int> operator()(const InBox& box) const {
    const double reach = extent.tolerance();
    return where_true(nodes, [&](const Vec3& x) {
      return ((x - box.min).array() >= -reach).all() && ((box.max - x).array() >= -reach).all();
    });
  }

  std::vector<int> operator()(const BehindPlane& plane) const {
    const Vec3 normal = plane.normal.stableNormalized();
    const double reach = extent.tolerance();
    return where_true(nodes, [&](const Vec3& x) { return (x - plane.point).dot(normal) <= reach; });
  }
};

std::string range(const NodeExtent& extent) {
  const Eigen::IOFormat list(6, Eigen::DontAlignCols, ", ", ", ", "", "", "[", "]");
  std::ostringstream text;
  text << extent.min.format(list) << " to " << extent.max.format(list) << " m";
  return text.str();
}

std::vector<int> resolve_among(const Selection& selection, const std::vector<Vec3>& nodes, const NodeExtent& extent,
                               const BodyPart* of_body) {
  std::vector<bool> taken(nodes.size(), false);
  std::vector<int> all;
  for (const SelectionPart& part : selection.parts) {
    const auto chosen = std::visit(Choose{nodes, extent, of_body, part.where}, part.what);
    const auto count = static_cast<double>(chosen.size());
    if ((of_body ? of_body->sum(count) : count) == 0)
      throw InputError(part.where, "catches no node; the shape extends over " + range(extent));
    for (const int i : chosen)
      if (!taken[static_cast<std::size_t>(i)]) taken[static_cast<std::size_t>(i)] = true, all.push_back(i);
  }
  return all;
}

}  // namespace

std::vector<int> resolve(const Selection& selection, const std::vector<Vec3>& nodes) {
  return resolve_among(selection, nodes, NodeExtent(nodes), nullptr);
}

std::vector<int> resolve(const Selection& selection, const std::vector<Vec3>& nodes, const BodyPart& part) {
  return resolve_among(selection, nodes, NodeExtent(part.extent), &part);
}

std::vector<Vec3> picked(const std::vector<int>& nodes, const std::vector<Vec3>& from) {
  std::vector<Vec3> points;
  for (const int i : nodes) points.push_back(from[static_cast<std::size_t>(i)]);
  return points;
}

Vec3 middle(const std::vector<Vec3>& points) { return bounding_box(points).middle(); }

}  // namespace limber
