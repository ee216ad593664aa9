#include "limber/verify/obstacle_check.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "limber/core/nodes.hpp"
#include "limber/verify/exact.hpp"
#include "limber/verify/gather.hpp"
#include "limber/verify/sweep.hpp"

namespace limber {
namespace {

constexpr double rounding = rounding_of_distances;

Vector stacked(const std::vector<Vec3>& nodes) {
  Vector q(3 * static_cast<Index>(nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) q.segment<3>(3 * static_cast<Index>(i)) = nodes[i];
  return q;
}

std::vector<Simplex> simplices(const TriMesh& mesh) {
  std::vector<Simplex> all;
  for (const auto& t : mesh.triangles)
    all.push_back({mesh.nodes[ix(t[0])], mesh.nodes[ix(t[1])], mesh.nodes[ix(t[2])]});
  return all;
}

double largest(const std::vector<Vec3>& points) {
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, p.cwiseAbs().maxCoeff());
  return size;
}

/// `count` points of the circle about `centre`.
void add_circle(const Vec3& centre, const Vec3& axis, double radius, int count, std::vector<Vec3>& out) {
  const Vec3 u = axis.unitOrthogonal(), v = axis.normalized().cross(u);
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * k / count;
    out.push_back(centre + radius * (std::cos(angle) * u + std::sin(angle) * v));
  }
}

/// The nodes of each part of the obstacle that hangs together.
std::vector<std::vector<Vec3>> pieces(const MeshObstacle& o, const std::vector<Vec3>& nodes) {
  std::vector<int> piece(nodes.size());
  std::iota(piece.begin(), piece.end(), 0);
  const auto find = [&](int n) {
    while (piece[ix(n)] != n) n = piece[ix(n)] = piece[ix(piece[ix(n)])];
    return n;
  };
  const auto join = [&](int a, int b) { piece[ix(find(a))] = find(b); };
  for (const auto& t : o.mesh.triangles) {
    join(t[0], t[1]);
    join(t[1], t[2]);
  }
  for (const auto& e : o.edges) join(e[0], e[1]);
  std::map<int, std::vector<Vec3>> all;
  for (std::size_t n = 0; n < nodes.size(); ++n) all[find(static_cast<int>(n))].push_back(nodes[n]);
  std::vector<std::vector<Vec3>> list;
  for (auto& [root, some] : all) list.push_back(std::move(some));
  return list;
}

}  // namespace

struct ObstacleChecker::View {
  const Vector& q;
  double t;  // [s]
  RigidMotion pose;
  int number;  // of the obstacle
  std::vector<FrameFlaw>& flaws;

  bool moved() const { return !pose.R_minus_I.isZero(0) || !pose.translation.value.isZero(0); }
  Vec3 world(const Vec3& X) const { return X + pose.R_minus_I * (X - pose.pivot) + pose.translation.value; }
  std::vector<Vec3> world(std::vector<Vec3> points) const {
    for (Vec3& x : points) x = world(x);
    return points;
  }
  Vec3 material(const Vec3& x) const {
    const Vec3 y = x - pose.translation.value - pose.pivot;
    return pose.pivot + y + pose.R_minus_I.transpose() * y;
  }
  Simplex simplex(const Item& item) const {
    Simplex all;
    for (const int n : item.nodes) all.push_back(exact::Positions(q)[n]);
    return all;
  }
  void add(const Item& item, double depth) const {
    FrameFlaw flaw{Flaw::obstacle, {item.body, -1}, {item.nodes}};
    flaw.obstacle = number;
    flaw.depth = depth;
    flaws.push_back(flaw);
  }
};

ObstacleChecker::ObstacleChecker(const TrajectoryHeader& header, std::vector<Part> parts, Surroundings around)
    : parts_(std::move(parts)), around_(std::move(around)) {
  assert(around_.obstacles.empty() || around_.radius.size() == header.bodies.size());
  for (const Part& part : parts_) {
    std::set<int> vertices;
    for (const auto& t : part.surface) {
      items_.push_back({{t.begin(), t.end()}, part.body});
      vertices.insert(t.begin(), t.end());
    }
    for (const auto& t : part.sheet) items_.push_back({{t.begin(), t.end()}, part.body});
    for (const auto& e : part.edges) items_.push_back({{e.begin(), e.end()}, part.body});
    for (const int n : vertices) vertices_.push_back({{n}, part.body});
  }
  for (std::size_t b = 0; b < header.bodies.size(); ++b)
    if (const BodyRange& body = header.bodies[b]; body.tet_count == 0)
      for (int n = body.first_node; n < body.first_node + body.node_count; ++n) {
        items_.push_back({{n}, static_cast<int>(b)});
        vertices_.push_back(items_.back());
      }
}

std::vector<FrameFlaw> ObstacleChecker::check(const Vector& q, double t) const {
  std::vector<FrameFlaw> flaws;
  for (std::size_t k = 0; k < around_.obstacles.size(); ++k) {
    const CheckedObstacle& o = around_.obstacles[k];
    const View view{q, t, o.motion.at(t), static_cast<int>(k), flaws};
    std::visit([&](const auto& shape) { look(view, shape); }, o.shape);
  }
  return flaws;
}

/// phi(X) [m]: signed distance in the obstacle's own coordinates.
template <class Phi>
void ObstacleChecker::look_at_vertices(const View& s, const Phi& phi) const {
  struct Hit {
    std::size_t vertex;
    double depth;
  };
  const auto hits =
      gather<Hit>(static_cast<Index>(vertices_.size()), [&](Index first, Index last, std::vector<Hit>& found) {
        for (Index i = first; i < last; ++i) {
          const Item& item = vertices_[static_cast<std::size_t>(i)];
          const Vec3 x = exact::Positions(s.q)[item.nodes[0]], X = s.material(x);
          const double depth = radius(item.body) - phi(X);
          if (depth > rounding * std::max(x.cwiseAbs().maxCoeff(), X.cwiseAbs().maxCoeff()))
            found.push_back({static_cast<std::size_t>(i), depth});
        }
      });
  for (const Hit& h : hits) s.add(vertices_[h.vertex], h.depth);
}

void ObstacleChecker::look(const View& s, const PlaneObstacle& o) const {
  const Vec3 n = o.normal.normalized();
  look_at_vertices(s, [&](const Vec3& X) { return n.dot(X - o.point); });
  if (s.moved()) return;
  // What rounding left open; a triangle is behind a plane only if one of its corners is.
  std::set<int> known;
  for (const FrameFlaw& f : s.flaws)
    if (f.obstacle == s.number) known.insert(f.cells[0][0]);
  for (const Item& v : vertices_)
    if (radius(v.body) == 0 && !known.count(v.nodes[0]) &&
        exact::side(o.point, o.normal, exact::Positions(s.q)[v.nodes[0]]) <= 0)
      s.add(v, 0);
}

void ObstacleChecker::look(const View& s, const RoundObstacle& o) const {
  const Simplex core = o.a == o.b ? Simplex{s.world(o.a)} : Simplex{s.world(o.a), s.world(o.b)};
  for (const Item& item : items_) {
    const double least = o.radius + radius(item.body);
    const Simplex cell = s.simplex(item);
    if (!overlap(box_around(cell, 0, least), box_around(core, 0))) continue;
    const double depth = least - distance_of(cell, core);
    if (depth > rounding * std::max(least, std::max(largest(cell), largest(core)))) s.add(item, depth);
  }
  look_inside_bodies(s, {s.world(std::vector{o.a, o.b})});
}

void ObstacleChecker::look(const View& s, const CylinderObstacle& o) const {
  const Vec3 middle = (o.a + o.b) / 2, axis = (o.b - o.a).normalized();
  const double half = (o.b - o.a).norm() / 2;
  look_at_vertices(s, [&](const Vec3& X) {
    const double along = std::abs(axis.dot(X - middle)) - half;
    const double across = axis.cross(X - middle).norm() - o.radius;
    if (along <= 0 && across <= 0) return std::max(along, across);
    return std::hypot(std::max(along, 0.), std::max(across, 0.));
  });
  std::vector<Vec3> rims;
  for (const Vec3& end : {o.a, o.b}) add_circle(end, axis, o.radius, 8, rims);
  look_inside_bodies(s, {s.world(rims)});
}

void ObstacleChecker::look(const View& s, const TorusObstacle& o) const {
  const Vec3 axis = o.axis.normalized();
  look_at_vertices(s, [&](const Vec3& X) {
    const double along = axis.dot(X - o.centre), across = axis.cross(X - o.centre).norm();
    return std::hypot(across - o.major, along) - o.minor;
  });
  std::vector<Vec3> samples;
  for (const double side : {-1., 1.}) {
    add_circle(o.centre, axis, o.major + side * o.minor, 16, samples);
    add_circle(o.centre + side * o.minor * axis, axis, o.major, 16, samples);
  }
  look_inside_bodies(s, {s.world(samples)});
}

void ObstacleChecker::look(const View& s, const MeshObstacle& o) const {
  const TriMesh posed{s.world(o.sequence ? o.sequence->at(s.t) : o.mesh.nodes), o.mesh.triangles};
  std::vector<Simplex> primitives = simplices(posed);
  for (const auto& e : o.edges) primitives.push_back({posed.nodes[ix(e[0])], posed.nodes[ix(e[1])]});
  for (const int n : o.points) primitives.push_back({posed.nodes[ix(n)]});
  const SweepBox whole = box_around(posed.nodes, 0, o.radius);
  std::vector<SweepBox> boxes;
  std::vector<Simplex> cells(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) {
    cells[i] = s.simplex(items_[i]);
    const SweepBox box = box_around(cells[i], static_cast<int>(i), radius(items_[i].body));
    if (overlap(box, whole)) boxes.push_back(box);
  }
  if (boxes.empty()) return look_inside_bodies(s, pieces(o, posed.nodes));
  const int first = static_cast<int>(items_.size());
  for (std::size_t k = 0; k < primitives.size(); ++k)
    boxes.push_back(box_around(primitives[k], first + static_cast<int>(k), o.radius));
  const Sweep sweep(std::move(boxes));
  const auto depth = [&](int item, int primitive, double least) {
    const Simplex &cell = cells[ix(item)], &p = primitives[ix(primitive)];
    if (simplices_meet(cell, p)) return least;
    return least > 0 ? least - distance_of(cell, p) : -1;
  };
  using Hit = std::pair<int, double>;
  auto hits = gather<Hit>(sweep.size(), [&](Index begin, Index end, std::vector<Hit>& found) {
    for (Index i = begin; i < end; ++i)
      sweep.visit_after(i, [&](int a, int b) {
        if ((a < first) == (b < first)) return;
        const int item = std::min(a, b), primitive = std::max(a, b) - first;
        const double least = o.radius + radius(items_[ix(item)].body), d = depth(item, primitive, least);
        if (least > 0 ? d > rounding * std::max(least, largest(cells[ix(item)])) : d == 0) found.push_back({item, -d});
      });
  });
  std::sort(hits.begin(), hits.end());  // of each item the deepest first
  for (std::size_t i = 0; i < hits.size(); ++i)
    if (i == 0 || hits[i].first != hits[i - 1].first) s.add(items_[ix(hits[i].first)], -hits[i].second);
  if (!posed.triangles.empty() && is_closed(posed)) look_for_parts_inside(s, posed);
  look_inside_bodies(s, pieces(o, posed.nodes));
}

void ObstacleChecker::look(const View& s, const GridObstacle& o) const {
  const std::vector<Simplex> triangles = simplices(o.mesh);
  double thickest = 0;
  for (const double r : around_.radius) thickest = std::max(thickest, r);
  const SweepBox whole = box_around(o.mesh.nodes, 0, std::max(0., thickest - o.cell));
  look_at_vertices(s, [&](const Vec3& X) {
    constexpr double far = std::numeric_limits<double>::infinity();
    if (!overlap(whole, box_around({X}, 0))) return far;
    const bool inside = std::abs(solid_winding(X, triangles)) > .5;
    if (!inside && thickest <= o.cell) return far;
    double d = far;
    for (const Simplex& t : triangles) d = std::min(d, distance_of({X}, t));
    return (inside ? -d : d) + o.cell;
  });
  look_inside_bodies(s, {s.world(o.mesh.nodes)});
}

void ObstacleChecker::look_for_parts_inside(const View& s, const TriMesh& posed) const {
  const Vector nodes = stacked(posed.nodes);
  const SweepBox whole = box_around(posed.nodes, 0);
  std::set<int> crossing;  // nodes
  for (const FrameFlaw& f : s.flaws)
    if (f.obstacle == s.number) crossing.insert(f.cells[0].begin(), f.cells[0].end());
  for (const Part& part : parts_) {
    const auto crosses = [&](const auto& cell) {
      return std::any_of(cell.begin(), cell.end(), [&](int n) { return crossing.count(n) > 0; });
    };
    if (crosses(part.samples) || std::any_of(part.surface.begin(), part.surface.end(), crosses) ||
        std::any_of(part.sheet.begin(), part.sheet.end(), crosses) ||
        std::any_of(part.edges.begin(), part.edges.end(), crosses))
      continue;
    for (const int n : part.samples) {
      const Vec3 p = exact::Positions(s.q)[n];
      if (!overlap(whole, box_around({p}, 0)) ||
          exact::winding_number(p, posed.triangles, exact::Positions(nodes)) == 0)
        continue;
      s.add({{n}, part.body}, 0);
      break;
    }
  }
}

void ObstacleChecker::look_inside_bodies(const View& s, const std::vector<std::vector<Vec3>>& pieces) const {
  const exact::Positions x(s.q);
  for (const Part& part : parts_) {
    if (part.surface.empty()) continue;
    std::vector<Vec3> corners;
    for (const auto& t : part.surface)
      for (const int n : t) corners.push_back(x[n]);
    const SweepBox box = box_around(corners, 0);
    const auto inside = [&](const Vec3& p) {
      return overlap(box, box_around({p}, 0)) && exact::winding_number(p, part.surface, x) != 0;
    };
    const auto held = std::find_if(pieces.begin(), pieces.end(),
                                   [&](const auto& piece) { return std::all_of(piece.begin(), piece.end(), inside); });
    if (held == pieces.end()) continue;
    FrameFlaw flaw{Flaw::obstacle, {part.body, -1}, {}};
    flaw.obstacle = s.number;
    flaw.place = held->front();
    s.flaws.push_back(flaw);
  }
}

}  // namespace limber
