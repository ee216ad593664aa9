#include "limber/contact/smooth/smooth_contacts.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr double least_kept = .1;       // of each gap, at the end of one correction
constexpr double own_surroundings = 3;  // in radii, at rest
constexpr Index points_a_piece = 64;    // points that one piece of work looks at

Vec3 centroid(const std::array<int, 3>& t, const Vector& x) {
  return (point(x, t[0]) + point(x, t[1]) + point(x, t[2])) / 3;
}

/// visit(i) for i in 0 … n − 1, in parallel.
template <class Visit>
void in_pieces(std::size_t n, const Visit& visit) {
  const Index count = static_cast<Index>(n);
  parallel_for((count + points_a_piece - 1) / points_a_piece, [&](Index piece) {
    for (Index i = piece * points_a_piece; i < std::min(count, (piece + 1) * points_a_piece); ++i)
      visit(static_cast<std::size_t>(i));
  });
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

std::vector<SmoothContacts::Near> SmoothContacts::near(const Vector& x, double within) const {
  const ContactScene& scene = collisions_->scene();
  std::vector<Near> found;
  for (std::size_t k = 0; k < surfaces_.size(); ++k) {
    Surface& s = surfaces_[k];
    Eigen::AlignedBox3d box;
    for (const auto& t : s.triangles)
      for (const int node : t) box.extend(point(x, node));
    const double r = s.phi.radius();
    std::vector<Near> some;
    for (const int node : scene.surface.points)
      if (scene.smooth[ix(s.object)][ix(scene.surface.object[ix(node)])] &&
          box.squaredExteriorDistance(point(x, node)) < r * r)
        some.push_back({node, static_cast<int>(k), std::numeric_limits<double>::infinity()});
    if (some.empty()) continue;
    s.phi.update(x);
    in_pieces(some.size(), [&](std::size_t i) {
      if (const auto phi = s.phi.value(point(x, some[i].node), filter(some[i].node, s)))
        some[i].gap = *phi - radii(some[i].node, s);
    });
    std::copy_if(some.begin(), some.end(), std::back_inserter(found), [&](const Near& n) { return n.gap < within; });
  }
  return found;
}

const std::vector<SmoothContact>& SmoothContacts::at(const Vector& q, double t, Order order) const {
  if (found_t_ == t && found_q_ == q && found_order_ >= order) return found_;
  const std::vector<Near> list = near(collisions_->positions(q, t), delta());
  found_.assign(list.size(), {});
  in_pieces(list.size(), [&](std::size_t i) {
    const int node = list[i].node;
    const Surface& s = surfaces_[ix(list[i].surface)];
    const auto counts = filter(node, s);
    SmoothContact& c = found_[i];
    c.objects = {collisions_->scene().surface.object[ix(node)], s.object};
    c.local = *(order == Order::first ? s.phi.first_order(node, counts) : s.phi.second_order(node, counts));
    c.gap = c.local.d - radii(node, s);
  });
  found_q_ = q;
  found_t_ = t;
  found_order_ = order;
  return found_;
}

void SmoothContacts::couple(const std::vector<int>& nodes, std::vector<std::pair<int, int>>& pairs) const {
  const int N = collisions_->scene().body_nodes;
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (nodes[a] < N && nodes[b] < N) pairs.emplace_back(nodes[a], nodes[b]);
}

void SmoothContacts::add_couplings(const Vector& q, double t, std::vector<std::pair<int, int>>& now) const {
  for (const SmoothContact& c : at(q, t)) couple(c.local.nodes, now);
}

void SmoothContacts::add_couplings_soon(const Vector& q, double t, std::vector<std::pair<int, int>>& soon) const {
  for (const Near& n : near(collisions_->positions(q, t), 2 * delta())) {
    const Surface& s = surfaces_[ix(n.surface)];
    std::vector<int> nodes = s.phi.nodes_around(n.node, filter(n.node, s));
    nodes.push_back(n.node);
    couple(nodes, soon);
  }
}

double SmoothContacts::max_step(const Vector& q, const Vector& dq, double t0, double t1) const {
  const Vector x0 = collisions_->positions(q, t0), way = collisions_->positions(q + dq, t1) - x0;
  double s = 1;
  for (int tries = 0; tries < 60; ++tries, s /= 2) {
    const std::vector<Near> close = near(x0 + s * way, least_kept * delta());
    if (close.empty()) return s;
    const std::vector<Near> before = near(x0, delta());
    if (std::all_of(close.begin(), close.end(), [&](const Near& n) {
          const auto was = std::find_if(before.begin(), before.end(),
                                        [&](const Near& b) { return b.node == n.node && b.surface == n.surface; });
          return n.gap >= least_kept * (was == before.end() ? delta() : was->gap);
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
