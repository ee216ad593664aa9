#include "limber/contact/geometry/collisions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

#include "limber/contact/geometry/ccd.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

using Kind = Collision::Kind;

constexpr double kept_gap = .1;             // of each gap, or of δ, on the way of one correction
constexpr double surely_free = .89;         // of a gap: who comes no nearer than this keeps a tenth, rounding included
constexpr double smooth_share = .1;         // of δ, beside smooth surfaces
constexpr double looked_at = 4;             // times the reach of a search: patches that are watched one by one
constexpr std::size_t pairs_a_piece = 512;  // pairs that one piece of work looks at
constexpr double piece_cost = 1.5e4;        // [ns] where most are further apart than they need to be

std::size_t piece_count(std::size_t n) { return (n + pairs_a_piece - 1) / pairs_a_piece; }

/// visit(i, own) for i in 0 … n − 1, in parallel; own: what belongs to the piece of i.
template <class T, class Visit>
void for_pieces_with(std::vector<T>& of_pieces, std::size_t n, const Visit& visit) {
  parallel_for(
      static_cast<Index>(of_pieces.size()),
      [&](Index p) {
        const std::size_t first = static_cast<std::size_t>(p) * pairs_a_piece;
        for (std::size_t i = first; i < std::min(n, first + pairs_a_piece); ++i)
          visit(i, of_pieces[static_cast<std::size_t>(p)]);
      },
      piece_cost);
}

/// visit(i, list) for i in 0 … n − 1, in parallel; the lists are joined in the order of i.
template <class T, class Visit>
std::vector<T> collect(std::size_t n, const Visit& visit) {
  std::vector<std::vector<T>> lists(piece_count(n));
  for_pieces_with(lists, n, visit);
  std::vector<T> all;
  for (auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// The smallest of term(i), i in 0 … n − 1, and 1.
template <class Term>
double smallest(std::size_t n, const Term& term) {
  std::vector<double> least(piece_count(n), 1);
  for_pieces_with(least, n, [&](std::size_t i, double& s) { s = min_or_nan(s, term(i)); });
  return least.empty() ? 1 : smallest_of(least);
}

/// How far two primitives can have come nearer, when their nodes have moved by `travel`: no two points of theirs have
/// moved further relative to each other than two of their nodes.
double approach(Kind kind, const std::array<int, 4>& n, const Vector& travel) {
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

/// The features that two primitives are nearest at; {−1, −1, −1}: within a triangle or two edges, which they alone are.
std::array<int, 3> nearest_features(Kind kind, const std::array<int, 4>& n, const Nearest& at) {
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

/// All pairs of these nodes, those of obstacles left out.
void couple(const std::array<int, 4>& nodes, int body_nodes, std::vector<std::pair<int, int>>& pairs) {
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (nodes[a] >= 0 && nodes[b] >= 0 && nodes[a] < body_nodes && nodes[b] < body_nodes)
        pairs.emplace_back(nodes[a], nodes[b]);
}

/// In how many pieces obstacles go from t0 to t1, so that none turns by more than a quarter of a radian in one: there
/// the chords of its corners leave it nearly as it is.
int turning_pieces(const std::vector<SurfaceObstacle>& obstacles, double t0, double t1) {
  constexpr double most_turn = .25;  // [rad]
  double angle = 0;
  if (t0 != t1)
    for (const SurfaceObstacle& o : obstacles)
      angle = std::max(angle, (o.motion.rotation.at(t1).value - o.motion.rotation.at(t0).value).norm());
  return static_cast<int>(std::ceil(angle / most_turn));
}

}  // namespace

Collisions::Collisions(ContactScene scene)
    : scene_(std::move(scene)),
      broad_phase_(scene_.surface, scene_.may_collide),
      patches_(scene_.surface, scene_.may_collide, scene_.rest) {
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
         std::any_of(scene_.surfaces.begin(), scene_.surfaces.end(), [](const auto& o) { return !o.is_static(); });
}

Vector Collisions::positions(const Vector& q, double t) const {
  if (scene_.surfaces.empty()) return q;
  Vector x(scene_.rest.size());
  x.head(q.size()) = q;
  for (const SurfaceObstacle& o : scene_.surfaces) {
    const RigidMotion now = o.motion.at(t);
    const std::vector<Vec3> shape = o.sequence ? o.sequence->at(t) : std::vector<Vec3>{};
    for (std::size_t i = 0; i < o.nodes.size(); ++i) {
      Vec3 y, v, a;
      now.evaluate(o.sequence ? shape[i] : o.positions[i], y, v, a);
      x.segment<3>(3 * static_cast<Index>(o.nodes[i])) = y;
    }
  }
  return x;
}

Vec3 Collisions::velocity(int node, const Vector& v, double t) const {
  if (node < scene_.body_nodes) return point(v, node);
  const SurfaceObstacle& o = scene_.surfaces[ix(obstacle_of_node_[ix(node - scene_.body_nodes)])];
  Vec3 x, rate, a;
  if (!o.sequence) {
    o.motion.evaluate(t, point(scene_.rest, node), x, rate, a);
    return rate;
  }
  const RigidMotion now = o.motion.at(t);
  const int own = node - o.nodes[0];
  const Vec3 reshaping = o.sequence->rate(own, t);
  now.evaluate(o.sequence->at(own, t), x, rate, a);
  return rate + reshaping + now.R_minus_I * reshaping;
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

Vector Collisions::finite_positions(const Vector& q, double t) const {
  Vector x = positions(q, t);
  const auto finite = [&](int node) { return point(x, node).allFinite(); };
  // Several processes all know the surface, and what they say of it must be the same.
  const auto& points = scene_.surface.points;
  if (!(scene_.processes > 1 ? std::all_of(points.begin(), points.end(), finite) : x.allFinite()))
    throw StepFailure("a position is not finite");
  return x;
}

/// All nodes of a primitive belong to one object and have its radius.
double Collisions::thickness(const std::array<int, 4>& n, Kind kind) const {
  const auto& r = scene_.surface.radius;
  return r[ix(n[0])] + r[ix(kind == Kind::edge_edge ? n[2] : n[1])];
}

/// ε_x of two edges whose mollifier is less than 1, else 0.
double Collisions::mollifier_width(const Nodes& n, const Vector& x) const {
  const Vec3 u = point(scene_.rest, n[1]) - point(scene_.rest, n[0]),
             v = point(scene_.rest, n[3]) - point(scene_.rest, n[2]);
  const double eps_x = 1e-3 * u.squaredNorm() * v.squaredNorm();
  return edge_mollifier_value(point(x, n[0]), point(x, n[1]), point(x, n[2]), point(x, n[3]), eps_x) < 1 ? eps_x : 0;
}

std::optional<Collisions::Met> Collisions::meet(Kind kind, const Nodes& n, const Vector& x, double within) const {
  const double far = within + thickness(n, kind);
  if (distance2(kind, n, x) >= far * far) return std::nullopt;
  return Met{kind, n, kind == Kind::edge_edge ? mollifier_width(n, x) : 0};
}

Collision Collisions::collide(const Met& m, const Vector& x) const {
  Collision c;
  c.kind = m.kind;
  c.nodes = m.nodes;
  c.count = node_count(m.kind);
  c.nearest = nearest_points(m.kind, m.nodes, x);
  c.gap = c.nearest.d - thickness(m.nodes, m.kind);
  c.eps_x = m.eps_x;
  const auto& object = scene_.surface.object;
  c.objects = {object[ix(m.nodes[0])], object[ix(m.nodes[m.kind == Kind::edge_edge ? 2 : 1])]};
  return c;
}

Collision Collisions::reduced(const Collision& c, const Features& to) const {
  Collision r = c;
  r.nodes = {to[0], to[1], to[2], -1};
  r.kind = to[2] < 0 ? Kind::point_point : Kind::point_edge;
  r.count = node_count(r.kind);
  r.objects = {scene_.surface.object[ix(to[0])], scene_.surface.object[ix(to[1])]};
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

Collisions::Candidates4 Collisions::closer(const Candidates& among, const Vector& x, double within) const {
  Candidates4 close;
  const std::array<const std::vector<Pair>*, 4> lists{&among.point_triangle, &among.edge_edge, &among.point_edge,
                                                      &among.point_point};
  for (std::size_t k = 0; k < lists.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    const std::vector<Pair>& pairs = *lists[k];
    close[k] = collect<Candidate>(pairs.size(), [&](std::size_t i, std::vector<Candidate>& list) {
      const Nodes n = nodes_of(kind, pairs[i]);
      const double gap = std::sqrt(distance2(kind, n, x)) - thickness(n, kind);
      if (gap < within) list.push_back({n, static_cast<float>(gap - 1e-6 * std::abs(gap))});
    });
  }
  return close;
}

bool Collisions::recall(const Vector& x, const Vector& y, double within) const {
  const auto covers = [&](Search& s, const Vector& at) {
    if (s.x().size() != at.size()) return false;
    if (within <= s.covered_within && s.covered == at) return true;
    // Gaps of a long list that is old say little: each has to be looked at.
    if (!(is_short(s) ? patches_.keep_apart(s.at, at, within, s.reach)
                      : patches_.spread(s.at, at, within) + within <= s.reach))
      return false;
    s.covered = at;
    s.covered_within = within;
    return true;
  };
  for (Search& s : searches_) {
    if (!covers(s, x) || (&x != &y && !covers(s, y))) continue;
    if (&s != &searches_[0]) std::swap(s, searches_[0]);
    return true;
  }
  return false;
}

Collisions::Search Collisions::made(const Vector& x, double reach) const {
  broad_phase_.find(x, x, reach, boxes_);
  return {patches_.layout(x, looked_at * reach), reach, closer(boxes_, x, reach * (1 + 1e-6))};
}

void Collisions::search(const Vector& x, double about, double within) const {
  // As far as things move: too little makes searches frequent, too much makes lists long, unless hardly anything is
  // near.
  const double least = is_short(searches_[0]) ? std::max(longest_reach_, 2 * scene_.delta) : 2 * scene_.delta;
  std::swap(searches_[0], searches_[1]);
  searches_[0] = made(x, within + std::max(least, std::min(about, 2 * longest_reach_)));
}

bool Collisions::is_short(const Search& s) const {
  std::size_t sum = 0;
  for (const auto& list : s.pairs) sum += list.size();
  return sum <= scene_.surface.points.size();
}

const Collisions::Search& Collisions::need_candidates(const Vector& x, double within) const {
  if (recall(x, x, within)) return searches_[0];
  const Search& last = searches_[0];
  search(x, last.x().size() == x.size() ? patches_.spread(last.at, x, within) : 0, within);
  return searches_[0];
}

/// The order of their features; equal ones stay in theirs.
std::vector<std::size_t> Collisions::by_features(const std::vector<Shared>& shared) const {
  std::vector<std::size_t> end(scene_.surface.object.size() + 1, 0);  // of those that have this node first
  for (const Shared& s : shared) ++end[ix(s.features[0]) + 1];
  for (std::size_t i = 1; i < end.size(); ++i) end[i] += end[i - 1];
  std::vector<std::size_t> order(shared.size());
  for (std::size_t k = 0; k < shared.size(); ++k) order[end[ix(shared[k].features[0])]++] = k;
  in_pieces(
      end.size() - 1, pairs_a_piece,
      [&](std::size_t node) {
        const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
        std::sort(at(node == 0 ? 0 : end[node - 1]), at(end[node]), [&](std::size_t a, std::size_t b) {
          return std::tie(shared[a].features, a) < std::tie(shared[b].features, b);
        });
      },
      10);
  return order;
}

/// First those that stand alone, in the order of the candidates, then the shared ones in the order of their features.
void Collisions::find(const Vector& x, const Vector& q, double t, double within, std::vector<Collision>& found) const {
  const Search& near = searches_[0];
  const Vector travel = x - near.x();
  std::vector<Met> alone;
  std::vector<Shared> shared;
  for (std::size_t k = 0; k < near.pairs.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    const auto& list = near.pairs[k];
    const auto some = collect<Shared>(list.size(), [&](std::size_t i, std::vector<Shared>& out) {
      const Candidate& c = list[i];
      if (c.gap > within && c.gap - approach(kind, c.nodes, travel) > within * (1 + 1e-6)) return;
      const auto met = meet(kind, c.nodes, x, within);
      if (!met) return;
      // A mollifier is that of two edges alone.
      out.push_back(
          {met->eps_x != 0 ? Features{-1, -1, -1} : nearest_features(kind, c.nodes, nearest_points(kind, c.nodes, x)),
           *met});
    });
    for (const Shared& s : some)
      if (s.features[0] < 0)
        alone.push_back(s.met);
      else
        shared.push_back(s);
  }
  const std::vector<std::size_t> order = by_features(shared);
  std::vector<std::size_t> first;  // in this order, of those that share their features
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || shared[order[i]].features != shared[order[i - 1]].features) first.push_back(i);
  first.push_back(order.size());
  const std::size_t count = alone.size();
  found.resize(count + first.size() - 1);
  in_pieces(
      found.size(), pairs_a_piece,
      [&](std::size_t i) {
        if (i < count) {
          found[i] = collide(alone[i], x);
          return;
        }
        const Shared& one = shared[order[first[i - count]]];
        found[i] = reduced(collide(one.met, x), one.features);
        found[i].pairs = static_cast<int>(first[i - count + 1] - first[i - count]);
      },
      200);
  std::erase_if(found, [&](const Collision& c) { return !(c.gap < within); });
  find_at_obstacles(q, t, within, found);
}

void Collisions::find_at_obstacles(const Vector& q, double t, double within, std::vector<Collision>& found) const {
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
  const Vector x = finite_positions(q, t);
  need_candidates(x, least_reach());
  find(x, q, t, scene_.delta, found_);
  if (!scene_.smooth.empty()) std::erase_if(found_, [&](const Collision& c) { return c.gap >= delta(c); });
  found_q_ = q;
  found_t_ = t;
  own_.clear();
  if (scene_.processes > 1)  // by its nodes, so that a collision stays with its process
    std::copy_if(found_.begin(), found_.end(), std::back_inserter(own_), [&](const Collision& c) {
      return std::accumulate(c.nodes.begin(), c.nodes.begin() + c.count, 0) % scene_.processes == scene_.process;
    });
  return found_;
}

const std::vector<Collision>& Collisions::own(const Vector& q, double t) const {
  const auto& all = at(q, t);
  return scene_.processes > 1 ? own_ : all;
}

std::optional<Collision> Collisions::nearest(const Vector& q, double t) const {
  const Vector x = positions(q, t);
  const double reach = need_candidates(x, least_reach()).reach;
  std::vector<Collision> near;
  find(x, q, t, reach, near);
  const auto least =
      std::min_element(near.begin(), near.end(), [](const Collision& a, const Collision& b) { return a.gap < b.gap; });
  return least == near.end() ? std::nullopt : std::optional(*least);
}

std::vector<Collision> Collisions::near(const Vector& q, double t, double within) const {
  const Vector x = positions(q, t);
  // Long lists are not kept: all that asks for near pairs would go through them.
  const bool far = within > least_reach() + 2 * longest_reach_;
  const Search own = far ? made(x, within) : Search{};
  const Search& close = far ? own : need_candidates(x, within);
  const Vector travel = x - close.x();
  std::vector<Collision> found;
  for (std::size_t k = 0; k < close.pairs.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    const auto some = collect<Collision>(close.pairs[k].size(), [&](std::size_t i, std::vector<Collision>& out) {
      const Candidate& c = close.pairs[k][i];
      if (c.gap > within && c.gap - approach(kind, c.nodes, travel) > within * (1 + 1e-6)) return;
      if (const auto met = meet(kind, c.nodes, x, within)) out.push_back(collide(*met, x));
    });
    found.insert(found.end(), some.begin(), some.end());
  }
  std::erase_if(found, [&](const Collision& c) { return !(c.gap < within); });
  find_at_obstacles(q, t, within, found);
  return found;
}

void Collisions::add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now) const {
  for (const Collision& c : at(q, t)) couple(c.nodes, scene_.body_nodes, now);
}

void Collisions::add_couplings_soon(const Vector& q, double t, std::vector<std::pair<int, int>>& soon) const {
  const Vector x = positions(q, t);
  const double within = least_reach();
  const Search& near = need_candidates(x, within);
  const Vector travel = x - near.x();
  for (std::size_t k = 0; k < near.pairs.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    for (const Candidate& c : near.pairs[k])
      if (c.gap - approach(kind, c.nodes, travel) <= within * (1 + 1e-6) &&
          std::sqrt(distance2(kind, c.nodes, x)) - thickness(c.nodes, kind) < within)
        couple(c.nodes, scene_.body_nodes, soon);
  }
}

double Collisions::pair_step(Kind kind, const Nodes& n, const Vector& x0, const Vector& x1) const {
  const double xi = thickness(n, kind), most = scene_.delta;
  const auto a = [&](int i) { return point(x0, n[ix(i)]); };
  const auto b = [&](int i) { return point(x1, n[ix(i)]); };
  switch (kind) {
    case Kind::point_triangle:
      return safe_step_point_triangle({a(0), a(1), a(2), a(3)}, {b(0), b(1), b(2), b(3)}, kept_gap, xi, most);
    case Kind::edge_edge:
      return safe_step_edge_edge({a(0), a(1), a(2), a(3)}, {b(0), b(1), b(2), b(3)}, kept_gap, xi, most);
    case Kind::point_edge:
      return safe_step_point_edge({a(0), a(1), a(2)}, {b(0), b(1), b(2)}, kept_gap, xi);
    default:
      return safe_step_point_point({a(0), a(1)}, {b(0), b(1)}, kept_gap, xi, most);
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
  const Vector x0 = finite_positions(q, t0), x1 = finite_positions(q + dq, t1);
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
                   if (moves)
                     return obstacle.shape.safe_share(before.material(x), after.material(x + dx), kept_gap, xi);
                   return dx == Vec3::Zero() ? 1.0 : before.safe_step(x, dx, kept_gap, xi);
                 }));
  }
  const Vector end = s < 1 ? Vector(x0 + s * (x1 - x0)) : x1;
  // Which pairs are looked at must not show in the result: those beyond the boxes and the candidates keep their share.
  if (!recall(x0, end, least_reach())) {
    const double travel = patches_.spread(patches_.layout(x0, 0), end, least_reach());
    if (travel <= 2 * longest_reach_) {
      search(x0, travel, least_reach());
    } else {
      broad_phase_.find(x0, end, kept_gap * scene_.delta, boxes_);
      const auto step = [&](Kind kind, const std::vector<Pair>& pairs) {
        return smallest(pairs.size(),
                        [&](std::size_t i) { return pair_step(kind, nodes_of(kind, pairs[i]), x0, end); });
      };
      return s * std::min({step(Kind::point_triangle, boxes_.point_triangle), step(Kind::edge_edge, boxes_.edge_edge),
                           step(Kind::point_edge, boxes_.point_edge), step(Kind::point_point, boxes_.point_point)});
    }
  }
  const Candidates4& candidates = searches_[0].pairs;
  const Vector before = x0 - searches_[0].x(), motion = end - x0;
  const double slack = 64 * std::numeric_limits<double>::epsilon() * x0.lpNorm<Eigen::Infinity>();  // of distances
  double pairs_step = 1;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    const auto& list = candidates[k];
    pairs_step = std::min(pairs_step, smallest(list.size(), [&](std::size_t i) {
                            const Candidate& c = list[i];
                            const double gap = c.gap - approach(kind, c.nodes, before) - slack;
                            if (approach(kind, c.nodes, motion) <= surely_free * gap) return 1.0;
                            return pair_step(kind, c.nodes, x0, end);
                          }));
  }
  return s * pairs_step;
}

}  // namespace limber
