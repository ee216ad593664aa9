#include "limber/contact/geometry/primitives.hpp"

#include <algorithm>
#include <cmath>

#include "limber/core/nodes.hpp"

namespace limber {

using Kind = CollisionKind;

double approach(Kind kind, const PairNodes& n, const Vector& travel) {
  const auto apart2 = [&](int i, int j) { return (point(travel, i) - point(travel, j)).squaredNorm(); };
  switch (kind) {
    case Kind::point_triangle:
      return std::sqrt(std::max({apart2(n[0], n[1]), apart2(n[0], n[2]), apart2(n[0], n[3])}));
    case Kind::edge_edge:
      return std::sqrt(std::max({apart2(n[0], n[2]), apart2(n[0], n[3]), apart2(n[1], n[2]), apart2(n[1], n[3])}));
    case Kind::point_edge:
      return std::sqrt(std::max(apart2(n[0], n[1]), apart2(n[0], n[2])));
    default:
      return std::sqrt(apart2(n[0], n[1]));
  }
}

double distance2(Kind kind, const PairNodes& n, const Vector& x) {
  switch (kind) {
    case Kind::point_triangle:
      return point_triangle_distance2(point(x, n[0]), point(x, n[1]), point(x, n[2]), point(x, n[3]));
    case Kind::edge_edge:
      return edge_edge_distance2(point(x, n[0]), point(x, n[1]), point(x, n[2]), point(x, n[3]));
    case Kind::point_edge:
      return point_edge_distance2(point(x, n[0]), point(x, n[1]), point(x, n[2]));
    default:
      return point_point_distance2(point(x, n[0]), point(x, n[1]));
  }
}

Nearest nearest_points(Kind kind, const PairNodes& n, const Vector& x) {
  switch (kind) {
    case Kind::point_triangle:
      return point_triangle(point(x, n[0]), point(x, n[1]), point(x, n[2]), point(x, n[3]));
    case Kind::edge_edge:
      return edge_edge(point(x, n[0]), point(x, n[1]), point(x, n[2]), point(x, n[3]));
    case Kind::point_edge:
      return point_edge(point(x, n[0]), point(x, n[1]), point(x, n[2]));
    default:
      return point_point(point(x, n[0]), point(x, n[1]));
  }
}

int node_count(Kind kind) {
  switch (kind) {
    case Kind::point_triangle:
    case Kind::edge_edge:
      return 4;
    case Kind::point_edge:
      return 3;
    case Kind::point_point:
      return 2;
    default:
      return 1;
  }
}

std::array<int, 3> nearest_features(Kind kind, const PairNodes& n, const Nearest& at) {
  if (at.k == 2) return {-1, -1, -1};
  const std::size_t own = kind == Kind::edge_edge ? 2 : 1;  // nodes of the first primitive
  std::array<int, 3> nodes{-1, -1, -1};
  std::array<int, 2> side{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < ix(node_count(kind)); ++i)
    if (at.w[i] != 0) {
      ++side[i < own ? 0 : 1];
      nodes[count++] = n[i];
    }
  if (side[0] == 2) std::rotate(nodes.begin(), nodes.begin() + 2, nodes.end());  // the vertex first
  const auto edge = nodes.begin() + (count == 3 ? 1 : 0);
  if (edge[0] > edge[1]) std::swap(edge[0], edge[1]);
  return nodes;
}

PairNodes nodes_of(const ContactSurface& s, Kind kind, const std::array<int, 2>& pair) {
  switch (kind) {
    case Kind::point_triangle: {
      const auto& t = s.triangles[ix(pair[1])];
      return {s.points[ix(pair[0])], t[0], t[1], t[2]};
    }
    case Kind::edge_edge: {
      const auto &e = s.edges[ix(pair[0])], &f = s.edges[ix(pair[1])];
      return {e[0], e[1], f[0], f[1]};
    }
    case Kind::point_edge: {
      const auto& e = s.edges[ix(pair[1])];
      return {s.points[ix(pair[0])], e[0], e[1], -1};
    }
    default:
      return {s.points[ix(pair[0])], s.points[ix(pair[1])], -1, -1};
  }
}

double thickness(const ContactSurface& surface, Kind kind, const PairNodes& n) {
  const auto& r = surface.radius;
  return r[ix(n[0])] + r[ix(kind == Kind::edge_edge ? n[2] : n[1])];
}

}  // namespace limber
