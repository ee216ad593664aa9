#include "limber/contact/geometry/crossings.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <map>

#include "limber/core/nodes.hpp"
#include "limber/mesh/winding.hpp"

namespace limber {
namespace {

template <std::size_t N>
Bounds box_of(const std::array<int, N>& nodes, const Vector& x) {
  Bounds b;
  for (const int n : nodes)
    for (int k = 0; k < 3; ++k) {
      b.low[ix(k)] = std::min(b.low[ix(k)], x[3 * n + k]);
      b.high[ix(k)] = std::max(b.high[ix(k)], x[3 * n + k]);
    }
  return b;
}

double volume6(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) { return (b - a).cross(c - a).dot(d - a); }

/// Clearly, beyond rounding: what only touches is found as a gap of zero.
bool crosses(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const double size = std::max({(q - p).norm(), (b - a).norm(), (c - a).norm(), (a - p).norm()});
  const double rounding = 1e-12 * size * size * size;
  const auto sign = [&](double x) { return x > rounding ? 1 : x < -rounding ? -1 : 0; };
  if (sign(volume6(a, b, c, p)) * sign(volume6(a, b, c, q)) >= 0) return false;
  const int u = sign(volume6(p, q, a, b)), v = sign(volume6(p, q, b, c)), w = sign(volume6(p, q, c, a));
  return u != 0 && u == v && v == w;
}

/// Keeps the deepest crossing of each pair.
class Worst {
 public:
  void add(const Crossing& c) {
    const std::array<int, 2> key{std::min(c.objects[0], c.objects[1]), std::max(c.objects[0], c.objects[1])};
    const auto [it, fresh] = found_.emplace(key, c);
    if (!fresh && c.depth > it->second.depth) it->second = c;
  }
  std::vector<Crossing> list() const {
    std::vector<Crossing> all;
    for (const auto& [key, c] : found_) all.push_back(c);
    return all;
  }

 private:
  std::map<std::array<int, 2>, Crossing> found_;
};

void edges_through_triangles(const ContactScene& scene, const Vector& x, Worst& worst) {
  const ContactSurface& s = scene.surface;
  std::vector<Bounds> edge_boxes, triangle_boxes;
  std::vector<int> edge_objects, triangle_objects;
  for (const auto& e : s.edges) {
    edge_boxes.push_back(box_of(e, x));
    edge_objects.push_back(s.object[ix(e[0])]);
  }
  for (const auto& t : s.triangles) {
    triangle_boxes.push_back(box_of(t, x));
    triangle_objects.push_back(s.object[ix(t[0])]);
  }
  BoxTree edges, triangles;
  edges.build(edge_boxes, edge_objects);
  triangles.build(triangle_boxes, triangle_objects);
  if (edges.empty() || triangles.empty()) return;
  ObjectTable may{{}, scene.may_collide.size()};
  for (const auto& row : scene.may_collide) may.may.insert(may.may.end(), row.begin(), row.end());
  const TreePairs pairs(edges, triangles, may);
  for (const auto& part : pairs.parts(1))
    pairs.visit(part, [&](const std::array<int, 2>* some, int count) {
      for (int i = 0; i < count; ++i) {
        const auto& e = s.edges[ix(some[i][0])];
        const auto& t = s.triangles[ix(some[i][1])];
        if (std::any_of(t.begin(), t.end(), [&](int n) { return n == e[0] || n == e[1]; })) continue;
        const Vec3 p = point(x, e[0]), q = point(x, e[1]);
        if (!crosses(p, q, point(x, t[0]), point(x, t[1]), point(x, t[2]))) continue;
        Crossing c;
        c.objects = {s.object[ix(e[0])], s.object[ix(t[0])]};
        c.where = .5 * (p + q);
        c.node = e[0];
        worst.add(c);
      }
    });
}

/// The surface of one object, where it has triangles.
struct Skin {
  int object = 0;
  TriMesh mesh;
  Box3 box{};
};

std::vector<Skin> skins(const ContactScene& scene, const Vector& x) {
  std::map<int, Skin> all;
  std::map<int, std::map<int, int>> number;
  for (const auto& t : scene.surface.triangles) {
    const int object = scene.surface.object[ix(t[0])];
    Skin& skin = all[object];
    skin.object = object;
    std::array<int, 3> mine;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [it, fresh] = number[object].emplace(t[k], static_cast<int>(skin.mesh.nodes.size()));
      if (fresh) skin.mesh.nodes.push_back(point(x, t[k]));
      mine[k] = it->second;
    }
    skin.mesh.triangles.push_back(mine);
  }
  std::vector<Skin> list;
  for (auto& [object, skin] : all) {
    skin.box = bounding_box(skin.mesh.nodes);
    list.push_back(std::move(skin));
  }
  return list;
}

/// What is less deep only touches, and is found as a gap of zero [m].
double touching(const Vector& x) { return 1e-12 * x.lpNorm<Eigen::Infinity>(); }

bool outside(const Box3& box, const Vec3& p) {
  return (p.array() < box.min.array()).any() || (p.array() > box.max.array()).any();
}

/// The nodes of others that lie inside a closed surface.
void nodes_inside(const ContactScene& scene, const Vector& x, const Skin& skin, const WindingTree& tree, Worst& worst) {
  for (const int node : scene.surface.points) {
    const int object = scene.surface.object[ix(node)];
    if (object == skin.object || !scene.may_collide[ix(object)][ix(skin.object)]) continue;
    const Vec3 p = point(x, node);
    if (outside(skin.box, p) || tree.winding(p) < .5) continue;
    const double depth = tree.distance(p);
    if (depth <= 1e-12 * skin.box.diagonal()) continue;  // touches
    Crossing c;
    c.objects = {object, skin.object};
    c.where = p;
    c.node = node;
    c.depth = depth;
    worst.add(c);
  }
}

/// Points of the surface φ = 0: those of a lattice over its box, moved to it along the gradient.
std::vector<Vec3> surface_points(const PosedShape& shape) {
  constexpr int n = 9;
  std::vector<Vec3> points;
  const auto box = shape.bounds();
  if (!box) return points;
  for (int k = 0; k < n * n * n; ++k) {
    const Vec3 share = Eigen::Vector3i(k % n, k / n % n, k / n / n).cast<double>() / (n - 1);
    Vec3 p = box->min + share.cwiseProduct(box->max - box->min);
    for (int round = 0; round < 6; ++round) {
      const ImplicitValue f = shape.at(p);
      p -= f.value * f.gradient;
    }
    if (std::abs(shape.value(p)) < 1e-3 * box->diagonal()) points.push_back(p);
  }
  return points;
}

/// Implicit obstacles that reach into a closed surface, whether or not a node of it is inside them.
void obstacles_inside(const ContactScene& scene, double t, const Skin& skin, const WindingTree& tree, Worst& worst) {
  for (const ImplicitObstacle& o : scene.implicit) {
    if (!scene.may_collide[ix(skin.object)][ix(o.object)]) continue;
    for (const Vec3& p : surface_points(o.shape.pose(t))) {
      if (outside(skin.box, p) || tree.winding(p) < .5) continue;
      Crossing c;
      c.objects = {o.object, skin.object};
      c.where = p;
      c.depth = tree.distance(p);
      if (c.depth > 1e-3 * scene.delta) worst.add(c);
    }
  }
}

/// Body nodes inside an implicit obstacle.
void nodes_in_implicit(const ContactScene& scene, const Vector& x, double t, Worst& worst) {
  const double negligible = touching(x);
  for (const ImplicitObstacle& o : scene.implicit) {
    const PosedShape shape = o.shape.pose(t);
    for (const int node : scene.surface.points) {
      if (node >= scene.body_nodes) continue;
      const int object = scene.surface.object[ix(node)];
      if (!scene.may_collide[ix(object)][ix(o.object)]) continue;
      const Vec3 p = point(x, node);
      Crossing c;
      c.depth = scene.surface.radius[ix(node)] - shape.value(p);
      if (c.depth <= negligible) continue;
      c.objects = {object, o.object};
      c.where = p;
      c.node = node;
      c.out = shape.at(p).gradient;
      worst.add(c);
    }
  }
}

/// One point or one segment.
bool is_round(const ContactScene& scene, const SurfaceObstacle& o) {
  const auto& edges = scene.surface.edges;
  return o.nodes.size() == 1 || (o.nodes.size() == 2 && std::find(edges.begin(), edges.end(),
                                                                  std::array{o.nodes[0], o.nodes[1]}) != edges.end());
}

/// Body nodes inside a sphere or capsule: a point or segment with a radius.
void nodes_in_round(const ContactScene& scene, const Vector& x, Worst& worst) {
  const double negligible = touching(x);
  for (const SurfaceObstacle& o : scene.surfaces) {
    const double radius = scene.surface.radius[ix(o.nodes[0])];
    if (radius == 0 || !is_round(scene, o)) continue;
    const int round = scene.surface.object[ix(o.nodes[0])];
    const Vec3 a = point(x, o.nodes.front()), along = point(x, o.nodes.back()) - a;
    for (const int node : scene.surface.points) {
      if (node >= scene.body_nodes || !scene.may_collide[ix(scene.surface.object[ix(node)])][ix(round)]) continue;
      const Vec3 p = point(x, node);
      const double square = along.squaredNorm();
      const Vec3 from = p - a - (square > 0 ? std::clamp(along.dot(p - a) / square, 0., 1.) : 0.) * along;
      Crossing c;
      c.depth = radius + scene.surface.radius[ix(node)] - from.norm();
      if (c.depth <= negligible) continue;
      c.objects = {scene.surface.object[ix(node)], round};
      c.where = p;
      c.node = node;
      c.out = from.norm() > 0 ? Vec3(from.normalized()) : Vec3::UnitY();
      worst.add(c);
    }
  }
}

}  // namespace

std::vector<Crossing> find_crossings(const Collisions& collisions, const Vector& q, double t) {
  const ContactScene& scene = collisions.scene();
  const Vector x = collisions.positions(q, t);
  Worst worst;
  edges_through_triangles(scene, x, worst);
  for (const Skin& skin : skins(scene, x)) {
    if (!is_closed(skin.mesh)) continue;
    const WindingTree tree(skin.mesh);
    nodes_inside(scene, x, skin, tree, worst);
    obstacles_inside(scene, t, skin, tree, worst);
  }
  nodes_in_implicit(scene, x, t, worst);
  nodes_in_round(scene, x, worst);
  return worst.list();
}

}  // namespace limber
