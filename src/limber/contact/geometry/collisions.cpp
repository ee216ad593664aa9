#include "limber/contact/geometry/collisions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

#include "limber/contact/geometry/ccd.hpp"
#include "limber/contact/geometry/pair_pieces.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/extremes.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

using Kind = Collision::Kind;

constexpr double kept_gap = .1;      // of each gap, or of δ, on the way of one correction
constexpr double surely_free = .89;  // of a gap: who comes no nearer than this keeps a tenth, rounding included
constexpr double smooth_share = .1;  // of δ, beside smooth surfaces
constexpr double steps_ahead = 6;    // from where a step begins to where such a search is made
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
    : scene_(std::move(scene)), searches_(scene_.surface, scene_.may_collide, scene_.rest, scene_.delta) {
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

Vector Collisions::finite_positions(const Vector& q, double t) const {
  Vector x = positions(q, t);
  const auto finite = [&](int node) { return point(x, node).allFinite(); };
  // Several processes all know the surface, and what they say of it must be the same.
  const auto& points = scene_.surface.points;
  if (!(scene_.processes > 1 ? std::all_of(points.begin(), points.end(), finite) : x.allFinite()))
    throw StepFailure("a position is not finite");
  return x;
}

/// ε_x of two edges whose mollifier is less than 1, else 0.
double Collisions::mollifier_width(const PairNodes& n, const Vector& x) const {
  const Vec3 u = point(scene_.rest, n[1]) - point(scene_.rest, n[0]),
             v = point(scene_.rest, n[3]) - point(scene_.rest, n[2]);
  const double eps_x = 1e-3 * u.squaredNorm() * v.squaredNorm();
  return edge_mollifier_value(point(x, n[0]), point(x, n[1]), point(x, n[2]), point(x, n[3]), eps_x) < 1 ? eps_x : 0;
}

std::optional<Collisions::Met> Collisions::meet(Kind kind, const PairNodes& n, const Vector& x, double within) const {
  const double far = within + thickness(scene_.surface, kind, n);
  if (distance2(kind, n, x) >= far * far) return std::nullopt;
  return Met{kind, n, kind == Kind::edge_edge ? mollifier_width(n, x) : 0};
}

Collision Collisions::collide(const Met& m, const Vector& x) const {
  Collision c;
  c.kind = m.kind;
  c.nodes = m.nodes;
  c.count = node_count(m.kind);
  c.nearest = nearest_points(m.kind, m.nodes, x);
  c.gap = c.nearest.d - thickness(scene_.surface, m.kind, m.nodes);
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

/// The order of their features; equal ones stay in theirs.
std::vector<std::size_t> Collisions::by_features(const std::vector<Shared>& shared) const {
  if (shared.empty()) return {};
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
  const Search& near = searches_.first();
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

std::vector<Bounds> Collisions::body_boxes(const Vector& q) const {
  constexpr double all = Bounds::unbounded();
  std::vector<Bounds> boxes(scene_.may_collide.size());
  for (const int node : scene_.surface.points) {
    if (node >= scene_.body_nodes) continue;
    const double r = scene_.surface.radius[ix(node)];
    const Vec3 x = point(q, node);
    Bounds& box = boxes[ix(scene_.surface.object[ix(node)])];
    if (x.allFinite())
      box.include({{x[0] - r, x[1] - r, x[2] - r}, {x[0] + r, x[1] + r, x[2] + r}});
    else
      box.include({{-all, -all, -all}, {all, all, all}});
  }
  return boxes;
}

std::vector<char> Collisions::far_from(const ImplicitObstacle& obstacle, const PosedShape& shape,
                                       const std::vector<Bounds>& boxes, double within, double times) const {
  std::vector<char> far(boxes.size());
  for (std::size_t o = 0; o < boxes.size(); ++o) {
    const Eigen::Map<const Vec3> low(boxes[o].low.data()), high(boxes[o].high.data());
    const double size = (high - low).norm();
    far[o] = low[0] > high[0] || !scene_.may_collide[o][ix(obstacle.object)] ||
             (size < Bounds::unbounded() &&
              shape.value(.5 * (low + high)) > (1 + 1e-9) * (within + (times + .5) * shape.lipschitz() * size));
  }
  return far;
}

void Collisions::find_at_obstacles(const Vector& q, double t, double within, std::vector<Collision>& found) const {
  if (scene_.implicit.empty()) return;
  const std::vector<Bounds> boxes = body_boxes(q);
  for (std::size_t o = 0; o < scene_.implicit.size(); ++o) {
    const ImplicitObstacle& obstacle = scene_.implicit[o];
    const PosedShape shape = obstacle.shape.pose(t);
    const std::vector<char> far = far_from(obstacle, shape, boxes, within, 0);
    if (std::find(far.begin(), far.end(), 0) == far.end()) continue;
    const auto& points = scene_.surface.points;
    const auto some = collect<Collision>(points.size(), [&](std::size_t i, std::vector<Collision>& list) {
      const int node = points[i];
      if (node >= scene_.body_nodes) return;
      const int body = scene_.surface.object[ix(node)];
      if (far[ix(body)]) return;
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
  searches_.need(x, searches_.least_reach());
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
  const double reach = searches_.need(x, searches_.least_reach()).reach;
  std::vector<Collision> near;
  find(x, q, t, reach, near);
  const auto least =
      std::min_element(near.begin(), near.end(), [](const Collision& a, const Collision& b) { return a.gap < b.gap; });
  return least == near.end() ? std::nullopt : std::optional(*least);
}

std::vector<Collision> Collisions::near(const Vector& q, double t, double within) const {
  const Vector x = positions(q, t);
  // Long lists are not kept: all that asks for near pairs would go through them.
  const bool far = within > searches_.least_reach() + 2 * searches_.longest_reach();
  const Search own = far ? searches_.made(x, within, within) : Search{};
  const Search& close = far ? own : searches_.need(x, within);
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
  const double within = searches_.least_reach();
  const Search& near = searches_.need(x, within);
  const Vector travel = x - near.x();
  for (std::size_t k = 0; k < near.pairs.size(); ++k) {
    const auto kind = static_cast<Kind>(k);
    for (const Candidate& c : near.pairs[k])
      if (c.gap - approach(kind, c.nodes, travel) <= within * (1 + 1e-6) &&
          std::sqrt(distance2(kind, c.nodes, x)) - thickness(scene_.surface, kind, c.nodes) < within)
        couple(c.nodes, scene_.body_nodes, soon);
  }
}

double Collisions::pair_step(Kind kind, const PairNodes& n, const Vector& x0, const Vector& x1) const {
  const double xi = thickness(scene_.surface, kind, n), most = scene_.delta;
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
  std::vector<Bounds> boxes;
  if (!scene_.implicit.empty()) {
    boxes = body_boxes(q);
    const std::vector<Bounds> ends = body_boxes(q + dq);
    for (std::size_t o = 0; o < boxes.size(); ++o) boxes[o].include(ends[o]);
  }
  for (const ImplicitObstacle& obstacle : scene_.implicit) {
    // In the obstacle's own coordinates it rests: what moves is the point. The straight way between both ends there
    // serves as well as the true one: what counts is that the ends are joined without harm.
    const PosedShape before = obstacle.shape.pose(t0), after = obstacle.shape.pose(t1);
    const bool moves = t0 != t1 && !obstacle.shape.is_static();
    // Whoever goes less than half as far as it is away is free to.
    const std::vector<char> far = far_from(obstacle, before, boxes, 0, moves ? Bounds::unbounded() : 2);
    if (std::find(far.begin(), far.end(), 0) == far.end()) continue;
    const auto& points = scene_.surface.points;
    s = std::min(s, smallest(points.size(), [&](std::size_t i) {
                   const int node = points[i];
                   if (node >= scene_.body_nodes) return 1.0;
                   if (far[ix(scene_.surface.object[ix(node)])]) return 1.0;
                   const double xi = scene_.surface.radius[ix(node)];
                   const Vec3 x = point(q, node), dx = point(dq, node);
                   if (moves)
                     return obstacle.shape.safe_share(before.material(x), after.material(x + dx), kept_gap, xi);
                   return dx == Vec3::Zero() ? 1.0 : before.safe_step(x, dx, kept_gap, xi);
                 }));
  }
  const Vector end = s < 1 ? Vector(x0 + s * (x1 - x0)) : x1;
  // Which pairs are looked at must not show in the result: those beyond the boxes and the candidates keep their share.
  if (!searches_.recall(x0, end, searches_.least_reach())) {
    const double travel =
        searches_.patches().spread(searches_.patches().layout(x0, 0, false), end, searches_.least_reach());
    if (travel <= 2 * searches_.longest_reach()) {
      // Of a whole step: what serves some steps ahead serves here as well, and for longer.
      if (t0 != t1 && (!searches_.any() || searches_.first_is_short()))
        searches_.search(x0 + steps_ahead * (end - x0), travel, searches_.least_reach());
      if (!searches_.recall(x0, end, searches_.least_reach())) searches_.search(x0, travel, searches_.least_reach());
    } else {
      const Candidates& boxes_on_way = searches_.on_the_way(x0, end, kept_gap * scene_.delta);
      const auto step = [&](Kind kind, const std::vector<std::array<int, 2>>& pairs) {
        return smallest(pairs.size(), [&](std::size_t i) {
          return pair_step(kind, nodes_of(scene_.surface, kind, pairs[i]), x0, end);
        });
      };
      return s *
             std::min({step(Kind::point_triangle, boxes_on_way.point_triangle),
                       step(Kind::edge_edge, boxes_on_way.edge_edge), step(Kind::point_edge, boxes_on_way.point_edge),
                       step(Kind::point_point, boxes_on_way.point_point)});
    }
  }
  const CandidateSearches::Pairs& candidates = searches_.first().pairs;
  const Vector before = x0 - searches_.first().x(), motion = end - x0;
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
