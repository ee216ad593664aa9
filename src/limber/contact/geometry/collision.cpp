#include "limber/contact/geometry/collision.hpp"

#include <algorithm>

#include "limber/core/nodes.hpp"

namespace limber {
namespace {

using Kind = Collision::Kind;

/// ε_x of two edges whose mollifier is less than 1, else 0.
double mollifier_width(const ContactScene& scene, const PairNodes& n, const Vector& x) {
  const Vec3 u = point(scene.rest, n[1]) - point(scene.rest, n[0]),
             v = point(scene.rest, n[3]) - point(scene.rest, n[2]);
  const double eps_x = 1e-3 * u.squaredNorm() * v.squaredNorm();
  return edge_mollifier_value(point(x, n[0]), point(x, n[1]), point(x, n[2]), point(x, n[3]), eps_x) < 1 ? eps_x : 0;
}

}  // namespace

std::optional<MetPair> meet(const ContactScene& scene, Kind kind, const PairNodes& n, const Vector& x, double within) {
  const double far = within + thickness(scene.surface, kind, n);
  if (distance2(kind, n, x) >= far * far) return std::nullopt;
  return MetPair{kind, n, kind == Kind::edge_edge ? mollifier_width(scene, n, x) : 0};
}

Collision collide(const ContactScene& scene, const MetPair& m, const Vector& x) {
  Collision c;
  c.kind = m.kind;
  c.nodes = m.nodes;
  c.count = node_count(m.kind);
  c.nearest = nearest_points(m.kind, m.nodes, x);
  c.gap = c.nearest.d - thickness(scene.surface, m.kind, m.nodes);
  c.eps_x = m.eps_x;
  const auto& object = scene.surface.object;
  c.objects = {object[ix(m.nodes[0])], object[ix(m.nodes[m.kind == Kind::edge_edge ? 2 : 1])]};
  return c;
}

Collision reduced(const ContactScene& scene, const Collision& c, const PairFeatures& to) {
  Collision r = c;
  r.nodes = {to[0], to[1], to[2], -1};
  r.kind = to[2] < 0 ? Kind::point_point : Kind::point_edge;
  r.count = node_count(r.kind);
  r.objects = {scene.surface.object[ix(to[0])], scene.surface.object[ix(to[1])]};
  r.nearest.w = {};
  r.nearest.dw = {};
  double sign = 1;
  for (std::size_t i = 0; i < ix(r.count); ++i) {
    const auto from = static_cast<std::size_t>(std::find(c.nodes.begin(), c.nodes.end(), to[i]) - c.nodes.begin());
    if (i == 0 && c.nearest.w[from] < 0) sign = -1;  // e leads to the first node
    r.nearest.w[i] = sign * c.nearest.w[from];
    for (std::size_t j = 0; j < ix(c.nearest.k); ++j) r.nearest.dw[j][i] = sign * c.nearest.dw[j][from];
  }
  r.nearest.n *= sign;
  r.nearest.E *= sign;
  return r;
}

}  // namespace limber
