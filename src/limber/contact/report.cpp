#include "limber/contact/report.hpp"

#include <algorithm>
#include <map>

namespace limber {

namespace {

ContactPoint place(const Collision& c, const Vector& x) {
  ContactPoint p{c.kind, c.objects, c.nodes, c.gap};
  double weight = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.count); ++i)
    if (c.weights()[i] > 0) {
      p.point += c.weights()[i] * x.segment<3>(3 * static_cast<Index>(c.nodes[i]));
      weight += c.weights()[i];
    }
  if (weight > 0) p.point /= weight;
  p.normal = c.normal();
  return p;
}

}  // namespace

std::vector<ContactPoint> contact_points(const Collisions& collisions, const CollisionGaps& gaps, const State& full) {
  const Vector x = collisions.positions(full.q, full.t);
  std::vector<ContactPoint> points;
  // Each pair of primitives has an inequality of its own.
  for (const Collision& c : collisions.near(full.q, full.t, collisions.delta())) {
    points.push_back(place(c, x));
    points.back().normal_force = gaps.normal_force(c);
  }
  return points;
}

std::vector<ContactPoint> contact_points(const Collisions& collisions, const ContactStiffness& stiffness,
                                         const FrictionForce* friction, const State& full) {
  const Vector x = collisions.positions(full.q, full.t);
  std::vector<ContactPoint> points;
  for (const Collision& c : collisions.at(full.q, full.t)) {
    ContactPoint p = place(c, x);
    p.normal_force = stiffness.normal_force(c, collisions.delta(c), mollifier_value(c, x));
    if (friction) p.friction = friction->force_on_first(c, full, x);
    points.push_back(p);
  }
  return points;
}

std::vector<ContactPoint> contact_points(const SmoothContacts& contacts, const ContactStiffness& stiffness,
                                         const SmoothFrictionForce* friction, const State& full) {
  const Vector x = contacts.collisions().positions(full.q, full.t);
  std::vector<ContactPoint> points;
  for (const SmoothContact& c : contacts.at(full.q, full.t)) {
    ContactPoint p{Collision::Kind::smooth, c.objects, {c.node(), -1, -1, -1}, c.gap};
    p.point = x.segment<3>(3 * static_cast<Index>(c.node()));
    p.normal = c.normal();
    p.normal_force = normal_force(c, stiffness, contacts.delta());
    if (friction) p.friction = friction->force_on_point(c, full);
    points.push_back(p);
  }
  return points;
}

std::vector<ContactPair> contact_pairs(const std::vector<ContactPoint>& points) {
  std::map<std::array<int, 2>, ContactPair> pairs;
  for (const ContactPoint& p : points) {
    const bool swap = p.objects[0] > p.objects[1];
    const std::array<int, 2> key{std::min(p.objects[0], p.objects[1]), std::max(p.objects[0], p.objects[1])};
    ContactPair& pair = pairs[key];
    pair.smallest_gap = pair.collisions == 0 ? p.gap : std::min(pair.smallest_gap, p.gap);
    pair.objects = key;
    ++pair.collisions;
    pair.normal_force += (swap ? -1 : 1) * p.normal_force * p.normal;
    pair.friction_force += (swap ? -1 : 1) * p.friction;
  }
  std::vector<ContactPair> list;
  for (const auto& [key, pair] : pairs) list.push_back(pair);
  return list;
}

std::string to_string(Collision::Kind kind) {
  switch (kind) {
    case Collision::Kind::point_triangle:
      return "point-triangle";
    case Collision::Kind::edge_edge:
      return "edge-edge";
    case Collision::Kind::point_edge:
      return "point-edge";
    case Collision::Kind::point_point:
      return "point-point";
    case Collision::Kind::obstacle:
      return "point-obstacle";
    case Collision::Kind::smooth:
      return "point-smooth";
  }
  return "";
}

}  // namespace limber
