#include "limber/contact/collisions.hpp"

#include <algorithm>
#include <cmath>

#include "limber/contact/ccd.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

using Kind = Collision::Kind;

constexpr double kept_gap = .1;             // of each gap, on the way of one correction
constexpr double smooth_share = .1;         // of δ, beside smooth surfaces
constexpr std::size_t pairs_a_piece = 512;  // pairs that one piece of work looks at

/// visit(i, list) for i in 0 … n − 1, in parallel; the lists are joined in the order of i.
template <class T, class Visit>
std::vector<T> collect(std::size_t n, const Visit& visit) {
  const std::size_t pieces = (n + pairs_a_piece - 1) / pairs_a_piece;
  std::vector<std::vector<T>> lists(pieces);
  parallel_for(static_cast<Index>(pieces), [&](Index p) {
    auto& list = lists[static_cast<std::size_t>(p)];
    for (std::size_t i = static_cast<std::size_t>(p) * pairs_a_piece;
         i < std::min(n, (static_cast<std::size_t>(p) + 1) * pairs_a_piece); ++i)
      visit(i, list);
  });
  std::vector<T> all;
  for (auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// The smallest of term(i), i in 0 … n − 1, and 1.
template <class Term>
double smallest(std::size_t n, const Term& term) {
  const std::size_t pieces = (n + pairs_a_piece - 1) / pairs_a_piece;
  std::vector<double> least(pieces, 1);
  parallel_for(static_cast<Index>(pieces), [&](Index p) {
    double& s = least[static_cast<std::size_t>(p)];
    for (std::size_t i = static_cast<std::size_t>(p) * pairs_a_piece;
         i < std::min(n, (static_cast<std::size_t>(p) + 1) * pairs_a_piece); ++i)
      s = std::min(s, term(i));
  });
  return least.empty() ? 1 : *std::min_element(least.begin(), least.end());
}

double furthest(const Vector& a, const Vector& b) {
  double most = 0;
  for (Index i = 0; i < a.size(); i += 3) most = std::max(most, (a.segment<3>(i) - b.segment<3>(i)).squaredNorm());
  return std::sqrt(most);
}

double distance2(Kind kind, const std::array<int, 4>& n, const Vector& x) {
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

Nearest nearest_points(Kind kind, const std::array<int, 4>& n, const Vector& x) {
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

/// In how many pieces obstacles go from t0 to t1, so that none turns by more than a quarter of a radian in one: there
/// the chords of its corners leave it nearly as it is.
int turning_pieces(const std::vector<SurfaceObstacle>& obstacles, double t0, double t1) {
  constexpr double most_turn = .25;  // [rad]
  double turn = 0;
  if (t0 != t1)
    for (const SurfaceObstacle& o : obstacles)
      turn = std::max(turn, (o.motion.rotation.at(t1).value - o.motion.rotation.at(t0).value).norm());
  return static_cast<int>(std::ceil(turn / most_turn));
}

}  // namespace

Collisions::Collisions(ContactScene scene)
    : scene_(std::move(scene)), broad_phase_(scene_.surface, scene_.may_collide) {
  double length = 0;
  for (const auto& e : scene_.surface.edges) length += (point(scene_.rest, e[0]) - point(scene_.rest, e[1])).norm();
  if (!scene_.surface.edges.empty()) length /= static_cast<double>(scene_.surface.edges.size());
  longest_reach_ = std::max(scene_.delta, std::min(20 * scene_.delta, .25 * length));
  obstacle_of_node_.assign(scene_.surface.object.size() - ix(scene_.body_nodes), -1);
  for (std::size_t o = 0; o < scene_.surfaces.size(); ++o)
    for (const int node : scene_.surfaces[o].nodes)
      obstacle_of_node_[ix(node - scene_.body_nodes)] = static_cast<int>(o);
}

bool Collisions::moves() const {
  return std::any_of(scene_.implicit.begin(), scene_.implicit.end(),
                     [](const auto& o) { return !o.shape.is_static(); }) ||
         std::any_of(scene_.surfaces.begin(), scene_.surfaces.end(),
                     [](const auto& o) { return !o.motion.is_constant(); });
}

Vector Collisions::positions(const Vector& q, double t) const {
  if (scene_.surfaces.empty()) return q;
  Vector x(scene_.rest.size());
  x.head(q.size()) = q;
  for (const SurfaceObstacle& o : scene_.surfaces) {
    const RigidMotion now = o.motion.at(t);
    for (std::size_t i = 0; i < o.nodes.size(); ++i) {
      Vec3 y, v, a;
      now.evaluate(o.positions[i], y, v, a);
      x.segment<3>(3 * static_cast<Index>(o.nodes[i])) = y;
    }
  }
  return x;
}

Vec3 Collisions::velocity(int node, const Vector& v, double t) const {
  if (node < scene_.body_nodes) return point(v, node);
  const SurfaceObstacle& o = scene_.surfaces[ix(obstacle_of_node_[ix(node - scene_.body_nodes)])];
  Vec3 x, rate, a;
  o.motion.evaluate(t, point(scene_.rest, node), x, rate, a);
  return rate;
}

double Collisions::delta(const Collision& c) const {
  if (scene_.smooth.empty() || c.kind == Kind::obstacle) return scene_.delta;
  const auto [a, b] = c.objects;
  return scene_.smooth[ix(a)][ix(b)] || scene_.smooth[ix(b)][ix(a)] ? smooth_share * scene_.delta : scene_.delta;
}

std::array<int, 4> Collisions::nodes_of(Kind kind, const Pair& pair) const {
  const ContactSurface& s = scene_.surface;
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

/// All nodes of a primitive belong to one object and have its radius.
double Collisions::thickness(const std::array<int, 4>& n, Kind kind) const {
  const auto& r = scene_.surface.radius;
  return r[ix(n[0])] + r[ix(kind == Kind::edge_edge ? n[2] : n[1])];
}

double Collisions::rest_mollifier(const std::array<int, 4>& n) const {
  const Vec3 u = point(scene_.rest, n[1]) - point(scene_.rest, n[0]),
             v = point(scene_.rest, n[3]) - point(scene_.rest, n[2]);
  return 1e-3 * u.squaredNorm() * v.squaredNorm();
}

std::optional<Collision> Collisions::collide(Kind kind, const Pair& pair, const Vector& x, double within) const {
  const auto n = nodes_of(kind, pair);
  const double xi = thickness(n, kind), far = within + xi;
  if (distance2(kind, n, x) >= far * far) return std::nullopt;
  Collision c;
  c.kind = kind;
  c.nodes = n;
  c.count = node_count(kind);
  c.nearest = nearest_points(kind, n, x);
  c.gap = c.nearest.d - xi;
  if (!(c.gap < within)) return std::nullopt;
  const auto& object = scene_.surface.object;
  c.objects = {object[ix(n[0])], object[ix(kind == Kind::edge_edge ? n[2] : n[1])]};
  if (kind == Kind::edge_edge) c.eps_x = rest_mollifier(n);
  return c;
}

/// Pairs with a gap below 2δ at x, and all that touch on the way to another x for which this holds, are candidates.
bool Collisions::covers(const Vector& x) const {
  return anchor_.size() == x.size() && 2 * furthest(x, anchor_) + 2 * scene_.delta <= reach_;
}

void Collisions::need_candidates(const Vector& x, double about) const {
  if (covers(x)) return;
  // As far as things move: too little makes searches frequent, too much makes lists long.
  if (anchor_.size() == x.size()) about = std::max(about, furthest(x, anchor_));
  reach_ = 2 * scene_.delta + 2 * std::clamp(about, scene_.delta, longest_reach_);
  anchor_ = x;
  broad_phase_.find(x, x, reach_, candidates_);
  each_pair(candidates_, [&](Kind kind, const std::vector<Pair>& pairs) {
    auto& gaps = anchor_gaps_[static_cast<std::size_t>(kind)];
    gaps.resize(pairs.size());
    smallest(pairs.size(), [&](std::size_t i) {
      const auto n = nodes_of(kind, pairs[i]);
      const double gap = std::sqrt(distance2(kind, n, x)) - thickness(n, kind);
      gaps[i] = static_cast<float>(gap - 1e-6 * std::abs(gap));
      return 1.0;
    });
  });
}

std::vector<float> Collisions::moved(const Vector& x) const {
  std::vector<float> way(static_cast<std::size_t>(x.size() / 3));
  for (std::size_t i = 0; i < way.size(); ++i)
    way[i] =
        1.000001f * static_cast<float>((point(x, static_cast<int>(i)) - point(anchor_, static_cast<int>(i))).norm());
  return way;
}

/// Neither primitive has moved by more than its nodes have.
bool Collisions::still_far(Kind kind, std::size_t i, const std::array<int, 4>& nodes, const std::vector<float>& way,
                           double within) const {
  float most = 0;
  for (const int n : nodes)
    if (n >= 0) most = std::max(most, way[ix(n)]);
  return anchor_gaps_[static_cast<std::size_t>(kind)][i] - 2 * most > static_cast<float>(within) * 1.000001f;
}

template <class Visit>
void Collisions::each_pair(const Candidates& c, const Visit& visit) const {
  visit(Kind::point_triangle, c.point_triangle);
  visit(Kind::edge_edge, c.edge_edge);
  visit(Kind::point_edge, c.point_edge);
  visit(Kind::point_point, c.point_point);
}

void Collisions::find(const Candidates& among, const Vector& x, const Vector& q, double t, double within,
                      std::vector<Collision>& found) const {
  found.clear();
  const bool anchored = &among == &candidates_;
  const std::vector<float> way = anchored ? moved(x) : std::vector<float>{};
  each_pair(among, [&](Kind kind, const std::vector<Pair>& pairs) {
    const auto some = collect<Collision>(pairs.size(), [&](std::size_t i, std::vector<Collision>& list) {
      if (anchored && still_far(kind, i, nodes_of(kind, pairs[i]), way, within)) return;
      if (auto c = collide(kind, pairs[i], x, within)) list.push_back(std::move(*c));
    });
    found.insert(found.end(), some.begin(), some.end());
  });
  for (std::size_t o = 0; o < scene_.implicit.size(); ++o) {
    const ImplicitObstacle& obstacle = scene_.implicit[o];
    const PosedShape shape = obstacle.shape.pose(t);
    const auto& points = scene_.surface.points;
    const auto some = collect<Collision>(points.size(), [&](std::size_t i, std::vector<Collision>& list) {
      const int node = points[i];
      if (node >= scene_.body_nodes) return;
      const int body = scene_.surface.object[ix(node)];
      if (!scene_.may_collide[ix(body)][ix(obstacle.object)]) return;
      const double xi = scene_.surface.radius[ix(node)];
      const Vec3 p = point(q, node);
      if (shape.value(p) - xi >= within) return;
      const ImplicitValue phi = shape.at(p);
      Collision c;
      c.nodes[0] = node;
      c.count = 1;
      c.objects = {body, obstacle.object};
      c.obstacle = static_cast<int>(o);
      c.gap = phi.value - xi;
      c.nearest.d = phi.value;
      c.nearest.n = phi.gradient;
      c.nearest.w = {1, 0, 0, 0};
      c.curvature = phi.hessian;
      list.push_back(std::move(c));
    });
    found.insert(found.end(), some.begin(), some.end());
  }
}

const std::vector<Collision>& Collisions::at(const Vector& q, double t) const {
  if (found_t_ == t && found_q_ == q) return found_;
  const Vector x = positions(q, t);
  need_candidates(x, 0);
  find(candidates_, x, q, t, scene_.delta, found_);
  if (!scene_.smooth.empty()) std::erase_if(found_, [&](const Collision& c) { return c.gap >= delta(c); });
  found_q_ = q;
  found_t_ = t;
  return found_;
}

std::optional<Collision> Collisions::nearest(const Vector& q, double t) const {
  const Vector x = positions(q, t);
  need_candidates(x, 0);
  std::vector<Collision> near;
  find(candidates_, x, q, t, reach_, near);
  const auto least =
      std::min_element(near.begin(), near.end(), [](const Collision& a, const Collision& b) { return a.gap < b.gap; });
  return least == near.end() ? std::nullopt : std::optional(*least);
}

std::vector<Collision> Collisions::near(const Vector& q, double t, double within) const {
  const Vector x = positions(q, t);
  Candidates candidates;
  broad_phase_.find(x, x, within, candidates);
  std::vector<Collision> found;
  find(candidates, x, q, t, within, found);
  return found;
}

void Collisions::add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now,
                               std::vector<std::pair<int, int>>& soon) const {
  const auto couple = [&](const std::array<int, 4>& nodes, std::vector<std::pair<int, int>>& pairs) {
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (nodes[a] >= 0 && nodes[b] >= 0 && nodes[a] < scene_.body_nodes && nodes[b] < scene_.body_nodes)
          pairs.emplace_back(nodes[a], nodes[b]);
  };
  for (const Collision& c : at(q, t))
    if (c.kind != Kind::obstacle) couple(c.nodes, now);
  const Vector x = positions(q, t);
  need_candidates(x, 0);  // a step elsewhere may have replaced them since
  const std::vector<float> way = moved(x);
  each_pair(candidates_, [&](Kind kind, const std::vector<Pair>& pairs) {
    for (const Pair& pair : pairs) {
      const auto nodes = nodes_of(kind, pair);
      if (still_far(kind, static_cast<std::size_t>(&pair - pairs.data()), nodes, way, 2 * scene_.delta)) continue;
      const double far = 2 * scene_.delta + thickness(nodes, kind);
      if (distance2(kind, nodes, x) < far * far) couple(nodes, soon);
    }
  });
}

double Collisions::pair_step(Kind kind, const Pair& pair, const Vector& x0, const Vector& x1) const {
  const auto n = nodes_of(kind, pair);
  const double xi = thickness(n, kind);
  const auto a = [&](int i) { return point(x0, n[ix(i)]); };
  const auto b = [&](int i) { return point(x1, n[ix(i)]); };
  switch (kind) {
    case Kind::point_triangle:
      return safe_step_point_triangle({a(0), a(1), a(2), a(3)}, {b(0), b(1), b(2), b(3)}, kept_gap, xi);
    case Kind::edge_edge:
      return safe_step_edge_edge({a(0), a(1), a(2), a(3)}, {b(0), b(1), b(2), b(3)}, kept_gap, xi);
    case Kind::point_edge:
      return safe_step_point_edge({a(0), a(1), a(2)}, {b(0), b(1), b(2)}, kept_gap, xi);
    default:
      return safe_step_point_point({a(0), a(1)}, {b(0), b(1)}, kept_gap, xi);
  }
}

double Collisions::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  if (const int pieces = turning_pieces(scene_.surfaces, t0, t1); pieces > 1) {
    for (int k = 0; k < pieces; ++k) {
      const double from = static_cast<double>(k) / pieces, part = 1.0 / pieces;
      const double begin = t0 + from * (t1 - t0), end = k + 1 == pieces ? t1 : t0 + (from + part) * (t1 - t0);
      const double s = max_step(q + from * dq, part * dq, begin, end);
      if (s < 1) return from + s * part;
    }
    return 1;
  }
  const Vector x0 = positions(q, t0), x1 = positions(q + dq, t1);
  double s = 1;
  // Obstacles first: they are cheap, and a shorter way has fewer candidates.
  for (const ImplicitObstacle& obstacle : scene_.implicit) {
    // In the obstacle's own coordinates it rests: what moves is the point. The straight way between both ends there
    // serves as well as the true one: what counts is that the ends are joined without harm.
    const PosedShape before = obstacle.shape.pose(t0), after = obstacle.shape.pose(t1);
    const bool moves = t0 != t1 && !obstacle.shape.is_static();
    const auto& points = scene_.surface.points;
    s = std::min(s, smallest(points.size(), [&](std::size_t i) {
                   const int node = points[i];
                   if (node >= scene_.body_nodes) return 1.0;
                   if (!scene_.may_collide[ix(scene_.surface.object[ix(node)])][ix(obstacle.object)]) return 1.0;
                   const double xi = scene_.surface.radius[ix(node)];
                   const Vec3 x = point(q, node), dx = point(dq, node);
                   if (moves) return obstacle.shape.safe_way(before.material(x), after.material(x + dx), kept_gap, xi);
                   return dx == Vec3::Zero() ? 1.0 : before.safe_step(x, dx, kept_gap, xi);
                 }));
  }
  const Vector end = s < 1 ? Vector(x0 + s * (x1 - x0)) : x1;
  const Candidates* candidates = &candidates_;
  if (!covers(x0) || !covers(end)) {
    const double furthest_way = furthest(x0, end);
    if (furthest_way <= longest_reach_) anchor_.resize(0);
    if (anchor_.size() == 0) need_candidates(x0, furthest_way);
    if (!covers(x0) || !covers(end)) {
      broad_phase_.find(x0, end, 0, swept_);
      candidates = &swept_;
    }
  }
  double pairs_step = 1;
  const bool anchored = candidates == &candidates_;
  std::vector<float> way;
  if (anchored) {
    way = moved(x0);
    const std::vector<float> later = moved(end);
    for (std::size_t i = 0; i < way.size(); ++i) way[i] = std::max(way[i], later[i]);
  }
  each_pair(*candidates, [&](Kind kind, const std::vector<Pair>& pairs) {
    pairs_step = std::min(pairs_step, smallest(pairs.size(), [&](std::size_t i) {
                            if (anchored && still_far(kind, i, nodes_of(kind, pairs[i]), way, 0)) return 1.0;
                            return pair_step(kind, pairs[i], x0, end);
                          }));
  });
  return s * pairs_step;
}

}  // namespace limber
