#include "limber/scene/construction/probe.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <span>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/box_tree.hpp"
#include "limber/mesh/element_type.hpp"
#include "limber/mesh/embed.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {
namespace {

struct NearestItem {
  std::size_t number = 0;
  double distance = std::numeric_limits<double>::infinity();  // [m]
};

template <class Distance>
NearestItem nearest_of(std::size_t count, const Distance& distance) {
  NearestItem best;
  for (std::size_t k = 0; k < count; ++k)
    if (const double d = distance(k); d < best.distance) best = {k, d};
  return best;
}

double length_of(const Body& body, std::span<const int> nodes) {
  double length = 0;
  for (const int a : nodes)
    for (const int b : nodes) length = std::max(length, (body.rest.nodes[ix(a)] - body.rest.nodes[ix(b)]).norm());
  return length;
}

void require_near(const ProbeChoice& choice, const Body& body, double length, double distance) {
  // A sum of rounding errors is no distance; and a body of one point has no length.
  if (distance <= length * (1 + 1e-9)) return;
  throw InputError(choice.where + ".point",
                   fmt::format("[{:.6g}, {:.6g}, {:.6g}] m is {:.4g} m outside of '{}', whose nearest element is only "
                               "{:.4g} m long; points may be outside by one element",
                               choice.point[0], choice.point[1], choice.point[2], distance, body.name, length));
}

/// The first process whose part is the nearest; all learn its distance and the length of its element.
int agree_on_nearest(const Communicator& parts, double& distance, double& length) {
  double least = distance;
  parts.min(std::span<double>(&least, 1));
  int nearest = distance == least ? parts.rank() : parts.size();
  parts.min(std::span<int>(&nearest, 1));
  std::array<double, 1> shared = {nearest == parts.rank() ? length : 0};
  parts.sum(shared);
  distance = least;
  length = shared[0];
  return nearest;
}

/// N_a(ξ) with Σ N_a(ξ) X_a = x, by Newton; empty where that fails, as it may outside of distorted elements.
std::vector<double> weights_in(const ElementMesh& mesh, std::size_t e, const Vec3& x) {
  const auto nodes = mesh.element(e);
  Matrix X(static_cast<Index>(nodes.size()), 3);
  for (std::size_t a = 0; a < nodes.size(); ++a) X.row(static_cast<Index>(a)) = mesh.nodes[ix(nodes[a])];
  Vec3 xi = reference_centre(mesh.kind);
  for (int k = 0; k < 50; ++k) {
    const Vec3 r = x - X.transpose() * shape_values(mesh.kind, xi);
    const Mat3 J = X.transpose() * shape_gradients(mesh.kind, xi);
    const Vec3 d = J.inverse() * r;
    if (!d.allFinite()) return {};
    xi += d;
    if (d.norm() > 1e-13 * (1 + xi.norm())) continue;
    const Vector N = shape_values(mesh.kind, xi);
    return {N.begin(), N.end()};
  }
  return {};
}

}  // namespace

Vec3 Probe::at(const Vector& q) const {
  Vec3 x = offset;
  for (std::size_t k = 0; k < nodes.size(); ++k) x += weights[k] * block(q, nodes[k]);
  if (height == 0) return x;
  const Vec3 a = block(q, nodes[0]), b = block(q, nodes[1]), c = block(q, nodes[2]);
  return x + height * (b - a).cross(c - a).stableNormalized();
}

void Probe::find_speaker(const NodeHolders& holders) {
  if (!holders.shared()) return;
  if (nodes.empty()) {
    speaks = false;
    return;
  }
  if (holders.by_parts() && !known_to_all) return;
  std::vector<int> common;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const auto first = holders.holder.begin() + holders.start[ix(nodes[k])],
               last = holders.holder.begin() + holders.start[ix(nodes[k]) + 1];
    std::vector<int> both;
    if (k > 0) std::set_intersection(common.begin(), common.end(), first, last, std::back_inserter(both));
    common = k > 0 ? both : std::vector<int>(first, last);
  }
  speaks = !common.empty() && common.front() == holders.processes->rank();
}

Probe make_probe(const ProbeChoice& choice, const Body& body, const ElementMesh& elements, const Communicator* parts) {
  Probe probe{choice.name};
  const Vec3& x = choice.point;
  const auto node = [&](int i) -> const Vec3& { return body.rest.nodes[ix(i)]; };
  probe.known_to_all = !parts;
  const auto take = [&](std::span<const int> nodes, double distance) {
    double length = length_of(body, nodes);
    const int nearest = parts ? agree_on_nearest(*parts, distance, length) : 0;
    require_near(choice, body, length, distance);
    if (parts && nearest != parts->rank()) return;
    for (const int i : nodes) probe.nodes.push_back(body.first_node + i);
  };
  if (!body.rest.tets.empty()) {
    const Embedding in = embed({x}, body.rest);
    const std::size_t e = ix(in.tet[0] / body.pieces);
    probe.weights = weights_in(elements, e, x);
    if (!probe.weights.empty()) {
      take(elements.element(e), in.farthest);
    } else {
      take(in.nodes[0], in.farthest);
      probe.weights.assign(in.weights[0].begin(), in.weights[0].end());
    }
  } else if (!body.triangles.empty()) {
    const NearestItem best = nearest_of(body.triangles.size(), [&](std::size_t k) {
      const auto& t = body.triangles[k];
      return (nearest_in_triangle(x, node(t[0]), node(t[1]), node(t[2])) - x).norm();
    });
    const auto& t = body.triangles[best.number];
    take(t, best.distance);
    const Vec3 u = node(t[1]) - node(t[0]), v = node(t[2]) - node(t[0]), r = x - node(t[0]), n = u.cross(v);
    const double one = r.cross(v).dot(n) / n.squaredNorm(), other = u.cross(r).dot(n) / n.squaredNorm();
    probe.weights = {1 - one - other, one, other};
    probe.height = r.dot(n) / n.norm();
  } else if (!body.edges.empty()) {
    const auto along = [&](const std::array<int, 2>& e) {
      const Vec3 d = node(e[1]) - node(e[0]);
      return d.isZero(0) ? 0 : (x - node(e[0])).dot(d) / d.squaredNorm();
    };
    const auto place = [&](const std::array<int, 2>& e, double s) {
      return Vec3((1 - s) * node(e[0]) + s * node(e[1]));
    };
    const NearestItem best = nearest_of(body.edges.size(), [&](std::size_t k) {
      return (place(body.edges[k], std::clamp(along(body.edges[k]), 0., 1.)) - x).norm();
    });
    const auto& e = body.edges[best.number];
    take(e, best.distance);
    const double s = along(e);
    probe.weights = {1 - s, s};
    probe.offset = x - place(e, s);
  } else {
    const NearestItem best =
        nearest_of(body.rest.nodes.size(), [&](std::size_t k) { return (body.rest.nodes[k] - x).norm(); });
    const int only[] = {static_cast<int>(best.number)};
    take(only, best.distance);
    probe.weights = {1};
  }
  return probe;
}

}  // namespace limber
