#include "limber/contact/smooth/smooth_neighbours.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr double own_surroundings = 3;      // in radii, at rest
constexpr std::size_t points_a_piece = 64;  // points that one piece of work looks at

}  // namespace

Vec3 centroid(const std::array<int, 3>& t, const Vector& x) {
  return (point(x, t[0]) + point(x, t[1]) + point(x, t[2])) / 3;
}

SmoothNeighbours::SmoothNeighbours(const ContactScene& scene) : scene_(scene) {
  std::vector<std::vector<std::array<int, 3>>> triangles(scene.objects.size());
  for (const auto& t : scene.surface.triangles) triangles[ix(scene.surface.object[ix(t[0])])].push_back(t);
  for (std::size_t o = 0; o < scene.smooth_radius.size(); ++o) {
    if (scene.smooth_radius[o] == 0) continue;
    std::vector<Vec3> rest;
    for (const auto& t : triangles[o]) rest.push_back(centroid(t, scene.rest));
    surfaces_.emplace_back(triangles[o], scene.rest, scene.smooth_radius[o]);
    objects_.push_back(
        {static_cast<int>(o), scene.surface.radius[ix(triangles[o][0][0])], triangles[o], std::move(rest)});
  }
}

double SmoothNeighbours::radii(const Pair& p) const {
  return scene_.surface.radius[ix(p.node)] + objects_[ix(p.surface)].radius;
}

std::array<int, 2> SmoothNeighbours::objects(const Pair& p) const {
  return {scene_.surface.object[ix(p.node)], objects_[ix(p.surface)].number};
}

SmoothSurface::Filter SmoothNeighbours::filter(int node, std::size_t surface) const {
  const Object& o = objects_[surface];
  if (scene_.surface.object[ix(node)] != o.number) return {};
  const double far = own_surroundings * surfaces_[surface].radius();
  return
      [rest = point(scene_.rest, node), &o, far](int t) { return (rest - o.rest[ix(t)]).squaredNorm() >= far * far; };
}

bool SmoothNeighbours::covers(const Searched& searched, const Vector& x) const {
  if (searched.x.size() != x.size()) return false;
  const Vector way = x - searched.x;
  const Eigen::Map<const Eigen::Matrix3Xd> ways(way.data(), 3, way.size() / 3);
  const double spread = (ways.rowwise().maxCoeff() - ways.rowwise().minCoeff()).norm();
  return std::all_of(surfaces_.begin(), surfaces_.end(), [&](const SmoothSurface& s) {
    return spread <= (SmoothSurface::slack - SmoothSurface::soon) * s.radius();
  });
}

std::vector<SmoothNeighbours::Pair> SmoothNeighbours::search(const Vector& x,
                                                             std::vector<SmoothSurface>& surfaces) const {
  std::vector<Pair> pairs;
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    const Object& o = objects_[k];
    Eigen::AlignedBox3d box;
    for (const auto& t : o.triangles)
      for (const int node : t) box.extend(point(x, node));
    const double reach = (1 + SmoothSurface::slack) * surfaces[k].radius();
    std::vector<Pair> some;
    for (const int node : scene_.surface.points)
      if (scene_.smooth[ix(o.number)][ix(scene_.surface.object[ix(node)])] &&
          box.squaredExteriorDistance(point(x, node)) < reach * reach)
        some.push_back({node, static_cast<int>(k), {}});
    if (some.empty()) continue;
    surfaces[k].update(x);
    in_pieces(some.size(), points_a_piece, [&](std::size_t i) {
      some[i].triangles = surfaces[k].near(point(x, some[i].node), filter(some[i].node, k));
    });
    for (Pair& p : some)
      if (!p.triangles.empty()) pairs.push_back(std::move(p));
  }
  return pairs;
}

/// What is looked at shows in no result: pairs that are too far, and triangles, are left out when φ is evaluated.
std::shared_ptr<const std::vector<SmoothNeighbours::Pair>> SmoothNeighbours::pairs(
    const Vector& x, std::vector<SmoothSurface>& surfaces) const {
  auto searched = searched_.copy();
  if (!searched || !covers(*searched, x)) {
    searched =
        std::make_shared<const Searched>(Searched{x, std::make_shared<const std::vector<Pair>>(search(x, surfaces))});
    searched_.set(searched);
  }
  const auto& pairs = *searched->pairs;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (i == 0 || pairs[i].surface != pairs[i - 1].surface) surfaces[ix(pairs[i].surface)].move(x);
  return searched->pairs;
}

std::shared_ptr<const SmoothNeighbours::Found> SmoothNeighbours::at(const Vector& x) const {
  return found_.at_in_place(x, [&](Found& found) {
    if (found.surfaces.empty()) found.surfaces = surfaces_;
    found.pairs = pairs(x, found.surfaces);
    const std::vector<Pair>& pairs = *found.pairs;
    found.near.resize(pairs.size());
    in_pieces(pairs.size(), points_a_piece, [&](std::size_t i) {
      const Pair& p = pairs[i];
      const auto phi = found.surface(p).value(point(x, p.node), p.triangles);
      found.near[i] = {&p, phi ? *phi - radii(p) : std::numeric_limits<double>::infinity()};
    });
    std::erase_if(found.near, [&](const Near& n) { return !(n.gap < 2 * scene_.delta); });
  });
}

}  // namespace limber
