#include "limber/contact/smooth/smooth_contacts.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <map>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr double least_kept = .1;           // of each gap, at the end of one correction
constexpr double own_surroundings = 3;      // in radii, at rest
constexpr std::size_t points_a_piece = 64;  // points that one piece of work looks at

Vec3 centroid(const std::array<int, 3>& t, const Vector& x) {
  return (point(x, t[0]) + point(x, t[1]) + point(x, t[2])) / 3;
}

}  // namespace

SmoothContacts::SmoothContacts(std::shared_ptr<const Collisions> collisions) : collisions_(std::move(collisions)) {
  const ContactScene& scene = collisions_->scene();
  std::vector<std::vector<std::array<int, 3>>> triangles(scene.objects.size());
  for (const auto& t : scene.surface.triangles) triangles[ix(scene.surface.object[ix(t[0])])].push_back(t);
  for (std::size_t o = 0; o < scene.smooth_radius.size(); ++o) {
    if (scene.smooth_radius[o] == 0) continue;
    std::vector<Vec3> rest;
    for (const auto& t : triangles[o]) rest.push_back(centroid(t, scene.rest));
    surfaces_.push_back({static_cast<int>(o), scene.surface.radius[ix(triangles[o][0][0])], triangles[o],
                         std::move(rest), SmoothSurface(triangles[o], scene.rest, scene.smooth_radius[o])});
  }
}

double SmoothContacts::radii(int node, const Surface& s) const {
  return collisions_->scene().surface.radius[ix(node)] + s.radius;
}

SmoothSurface::Filter SmoothContacts::filter(int node, const Surface& s) const {
  const ContactScene& scene = collisions_->scene();
  if (scene.surface.object[ix(node)] != s.object) return {};
  const double far = own_surroundings * s.phi.radius();
  return [rest = point(scene.rest, node), &s, far](int t) { return (rest - s.rest[ix(t)]).squaredNorm() >= far * far; };
}

std::array<int, 2> SmoothContacts::objects(const Pair& p) const {
  return {collisions_->scene().surface.object[ix(p.node)], surfaces_[ix(p.surface)].object};
}

/// What is looked at shows in no result: pairs that are too far, and triangles, are left out when φ is evaluated.
void SmoothContacts::need_pairs(const Vector& x) const {
  if (pairs_x_.size() == x.size()) {
    const Vector way = x - pairs_x_;
    const Eigen::Map<const Eigen::Matrix3Xd> ways(way.data(), 3, way.size() / 3);
    const double spread = (ways.rowwise().maxCoeff() - ways.rowwise().minCoeff()).norm();
    if (std::all_of(surfaces_.begin(), surfaces_.end(), [&](const Surface& s) {
          return spread <= (SmoothSurface::slack - SmoothSurface::soon) * s.phi.radius();
        }))
      return;
  }
  const ContactScene& scene = collisions_->scene();
  pairs_.clear();
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    Surface& s = surfaces_[k];
    Eigen::AlignedBox3d box;
    for (const auto& t : s.triangles)
      for (const int node : t) box.extend(point(x, node));
    const double reach = (1 + SmoothSurface::slack) * s.phi.radius();
    std::vector<Pair> some;
    for (const int node : scene.surface.points)
      if (scene.smooth[ix(s.object)][ix(scene.surface.object[ix(node)])] &&
          box.squaredExteriorDistance(point(x, node)) < reach * reach)
        some.push_back({node, static_cast<int>(k), {}});
    if (some.empty()) continue;
    s.phi.update(x);
    in_pieces(some.size(), points_a_piece,
              [&](std::size_t i) { some[i].triangles = s.phi.near(point(x, some[i].node), filter(some[i].node, s)); });
    for (Pair& p : some)
      if (!p.triangles.empty()) pairs_.push_back(std::move(p));
  }
  pairs_x_ = x;
}

const std::vector<SmoothContacts::Near>& SmoothContacts::near(const Vector& x) const {
  if (near_x_.size() == x.size() && near_x_ == x) return near_;
  need_pairs(x);
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    if (i == 0 || pairs_[i].surface != pairs_[i - 1].surface) surfaces_[ix(pairs_[i].surface)].phi.move(x);
  near_.resize(pairs_.size());
  in_pieces(pairs_.size(), points_a_piece, [&](std::size_t i) {
    const Pair& p = pairs_[i];
    const Surface& s = surfaces_[ix(p.surface)];
    const auto phi = s.phi.value(point(x, p.node), p.triangles);
    near_[i] = {&p, phi ? *phi - radii(p.node, s) : std::numeric_limits<double>::infinity()};
  });
  std::erase_if(near_, [&](const Near& n) { return !(n.gap < 2 * delta()); });
  near_x_ = x;
  return near_;
}

const std::vector<SmoothContact>& SmoothContacts::at(const Vector& q, double t) const {
  if (found_t_ == t && found_q_ == q) return found_;
  std::vector<Near> list = near(collisions_->positions(q, t));
  std::erase_if(list, [&](const Near& n) { return !(n.gap < delta()); });
  found_.resize(list.size());  // each keeps its memory
  in_pieces(list.size(), points_a_piece / 8, [&](std::size_t i) {
    const Pair& p = *list[i].pair;
    const Surface& s = surfaces_[ix(p.surface)];
    SmoothContact& c = found_[i];
    c.objects = objects(p);
    s.phi.evaluate(p.node, p.triangles, c.local);
    c.gap = c.local.d - radii(p.node, s);
  });
  found_q_ = q;
  found_t_ = t;
  return found_;
}

std::vector<SmoothContacts::Gap> SmoothContacts::gaps(const Vector& q, double t) const {
  std::vector<Gap> list;
  for (const Near& n : near(collisions_->positions(q, t)))
    if (n.gap < delta()) list.push_back({objects(*n.pair), n.gap});
  return list;
}

void SmoothContacts::couple(const std::vector<std::vector<int>>& groups,
                            std::vector<std::pair<int, int>>& pairs) const {
  const std::size_t N = ix(collisions_->scene().body_nodes);
  std::vector<std::vector<std::size_t>> of_node(N);
  for (std::size_t k = 0; k < groups.size(); ++k)
    for (const int node : groups[k])
      if (ix(node) < N) of_node[ix(node)].push_back(k);
  std::vector<int> last(N, -1);  // that the node was paired with
  for (int a = 0; a < static_cast<int>(N); ++a)
    for (const std::size_t k : of_node[ix(a)])
      for (const int b : groups[k])
        if (b < a && last[ix(b)] != a) {
          last[ix(b)] = a;
          pairs.emplace_back(a, b);
        }
}

void SmoothContacts::add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now) const {
  std::vector<std::vector<int>> groups;
  for (const SmoothContact& c : at(q, t)) groups.push_back(c.local.nodes);
  couple(groups, now);
}

void SmoothContacts::add_couplings_soon(const Vector& q, double t, std::vector<std::pair<int, int>>& soon) const {
  std::vector<std::vector<int>> groups;
  for (const Near& n : near(collisions_->positions(q, t)))
    groups.push_back(surfaces_[ix(n.pair->surface)].phi.nodes_around(n.pair->node, n.pair->triangles));
  couple(groups, soon);
}

double SmoothContacts::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  const Vector x0 = collisions_->positions(q, t0), way = collisions_->positions(q + dq, t1) - x0;
  std::map<std::array<int, 2>, double> before;  // gaps by node and surface
  for (const Near& n : near(x0)) before[{n.pair->node, n.pair->surface}] = std::min(n.gap, delta());
  double s = 1;
  for (int tries = 0; tries < 60; ++tries, s /= 2) {
    const std::vector<Near>& close = near(x0 + s * way);
    if (std::all_of(close.begin(), close.end(), [&](const Near& n) {
          const auto was = before.find({n.pair->node, n.pair->surface});
          return n.gap >= least_kept * (was == before.end() ? delta() : was->second);
        }))
      return s;
  }
  return s;
}

double stand_off(const std::vector<std::array<int, 3>>& triangles, const Vector& rest, double radius) {
  constexpr double step = .02, most = .3;
  const SmoothSurface phi(triangles, rest, radius);
  double worst = 0;
  for (const auto& t : triangles) {
    const Vec3 n = (point(rest, t[1]) - point(rest, t[0])).cross(point(rest, t[2]) - point(rest, t[0])).normalized();
    const Vec3 c = centroid(t, rest);
    for (const Vec3& x :
         {c, Vec3((c + point(rest, t[0])) / 2), Vec3((c + point(rest, t[1])) / 2), Vec3((c + point(rest, t[2])) / 2)})
      while (worst <= most && !(phi.value(x + worst * radius * n).value_or(radius) > 0)) worst += step;
  }
  return worst;
}

}  // namespace limber
