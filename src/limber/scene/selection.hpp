#pragma once
/// Nodes of a body, chosen on its shape as meshed (before scale, rotation and position): by side, by index, by box or
/// by half-space, or the union of several. left/right: smallest/largest x; bottom/top: y; back/front: z.

#include <string>
#include <variant>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

struct BodyPart;

enum class Side { left, right, bottom, top, back, front, all };

struct NodeList {
  std::vector<int> nodes;  // not negative, no index twice
};
struct InBox {
  Vec3 min, max;  // [m], faces included
};
/// (x − point) · normal ≤ 0
struct BehindPlane {
  Vec3 point, normal;  // [m], not zero
};

struct SelectionPart {
  std::string where;  // path of the key, for errors found when the nodes are known
  std::variant<Side, NodeList, InBox, BehindPlane> what;
};

struct Selection {
  std::string where;
  std::vector<SelectionPart> parts;
  bool empty() const { return parts.empty(); }
};

/// The nodes of all parts, each once, in the order of the parts; within a part ascending, but node lists as written.
/// Sides, boxes and planes reach 1e-6 of the shape's diagonal further, against rounding.
/// Throws InputError for a part that catches no node and for an index out of range.
std::vector<int> resolve(const Selection& selection, const std::vector<Vec3>& nodes);

/// The like among the nodes of a part of a body, all processes together: those that are here.
std::vector<int> resolve(const Selection& selection, const std::vector<Vec3>& nodes, const BodyPart& part);

/// The points of these numbers, and the middle of the box around points.
std::vector<Vec3> picked(const std::vector<int>& nodes, const std::vector<Vec3>& from);
Vec3 middle(const std::vector<Vec3>& points);

}  // namespace limber
