#pragma once
/// Pairs of primitives of the contact surface, points, edges and triangles, given by their up to four nodes.

#include <array>

#include "limber/contact/geometry/distance.hpp"
#include "limber/contact/geometry/surface.hpp"

namespace limber {

enum class CollisionKind { point_triangle, edge_edge, point_edge, point_point, obstacle, smooth };

using PairNodes = std::array<int, 4>;  // −1: unused

int node_count(CollisionKind kind);
/// The nodes of a pair that is given by its numbers in the surface's lists.
PairNodes nodes_of(const ContactSurface& surface, CollisionKind kind, const std::array<int, 2>& pair);
/// The radii of both primitives [m]. All nodes of a primitive belong to one object and have its radius.
double thickness(const ContactSurface& surface, CollisionKind kind, const PairNodes& n);
double distance2(CollisionKind kind, const PairNodes& n, const Vector& x);
Nearest nearest_points(CollisionKind kind, const PairNodes& n, const Vector& x);
/// How far two primitives can have come nearer, when their nodes have moved by `travel`: no two points of theirs have
/// moved further relative to each other than two of their nodes.
double approach(CollisionKind kind, const PairNodes& n, const Vector& travel);
/// The features that two primitives are nearest at: a vertex and an edge, ascending, or two vertices, ascending (the
/// last entry is then −1); {−1, −1, −1}: within a triangle or two edges, which they alone are.
std::array<int, 3> nearest_features(CollisionKind kind, const PairNodes& n, const Nearest& at);

}  // namespace limber
