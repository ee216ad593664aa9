#include "limber/scene/construction/build_stitches.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/box_tree.hpp"
#include "limber/mesh/embed.hpp"
#include "limber/scene/construction/build.hpp"

namespace limber {
namespace {

constexpr double same_place = 1e-9;   // of a body's diagonal
constexpr double off_sheet = 1e-6;    // of a triangle's edges: sheets have no depth to hold what is beside them
constexpr double negligible = 1e-12;  // weights

/// A place of the body that is stitched to, in its own numbering.
struct Held {
  std::array<int, 4> corners{};
  std::array<double, 4> weights{};
  double distance = 0;  // [m] from its surface; 0 inside
};

/// Without weights that are rounding only: their corners do not matter.
Held tidy(Held h) {
  const auto largest =
      static_cast<std::size_t>(std::max_element(h.weights.begin(), h.weights.end()) - h.weights.begin());
  for (std::size_t k = 0; k < 4; ++k)
    if (k != largest && std::abs(h.weights[k]) <= negligible) {
      h.corners[k] = h.corners[largest];
      h.weights[k] = 0;
    }
  h.weights[largest] = 0;
  h.weights[largest] = 1 - std::accumulate(h.weights.begin(), h.weights.end(), 0.);
  return h;
}

std::string at_point(const Vec3& x) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}] m", x[0], x[1], x[2]); }

class Stitcher {
 public:
  Stitcher(const StitchGround& ground, const StitchChoice& choice)
      : choice_(choice),
        from_(ground.bodies[ix(choice.body)]),
        to_(ground.bodies[ix(choice.to)]),
        nodes_(resolve(choice.nodes, *ground.meshed[ix(choice.body)])),
        diagonal_(bounding_box(to_.rest.nodes).diagonal()),
        distance_(choice.distance.value_or(1e-3 * diagonal_)) {}

  std::vector<Tie> ties(std::vector<std::string>& notes) const {
    std::vector<Tie> all;
    double farthest = 0;
    const std::vector<Held> held = to_.rest.tets.empty() ? in_nodes_or_triangles() : in_tetrahedra();
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      if (held[k].distance > distance_)
        throw InputError(choice_.where + ".nodes",
                         fmt::format("node {} of '{}' at {} is {:.4g} m from '{}', and 'distance' is {:.4g} m",
                                     nodes_[k], from_.name, at_point(place(k)), held[k].distance, to_.name, distance_));
      farthest = std::max(farthest, held[k].distance);
      Tie tie{from_.first_node + nodes_[k], {}};
      const Held h = tidy(held[k]);
      for (std::size_t c = 0; c < 4; ++c) tie.terms.push_back({to_.first_node + h.corners[c], h.weights[c]});
      all.push_back(std::move(tie));
    }
    notes.push_back(fmt::format("{}: {} nodes of '{}' follow '{}', at most {:.3g} m away from it", choice_.where,
                                nodes_.size(), from_.name, to_.name, farthest));
    return all;
  }

 private:
  const Vec3& place(std::size_t k) const { return from_.rest.nodes[ix(nodes_[k])]; }

  std::vector<Held> in_tetrahedra() const {
    std::vector<Vec3> points;
    for (std::size_t k = 0; k < nodes_.size(); ++k) points.push_back(place(k));
    const Embedding in = embed(points, to_.rest);
    std::vector<Held> all;
    for (std::size_t k = 0; k < points.size(); ++k) {
      // How far each one is matters only where one is too far.
      const double d = in.farthest > distance_ ? embed({points[k]}, to_.rest).farthest : in.farthest;
      all.push_back({in.nodes[k], in.weights[k], d});
    }
    return all;
  }

  std::vector<Held> in_nodes_or_triangles() const {
    std::vector<Held> all;
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const Vec3& x = place(k);
      Held best{{}, {}, std::numeric_limits<double>::infinity()};
      for (std::size_t i = 0; i < to_.rest.nodes.size(); ++i)
        if (const double d = (to_.rest.nodes[i] - x).norm(); d < best.distance) {
          best = {{}, {1, 0, 0, 0}, d};
          best.corners.fill(static_cast<int>(i));
        }
      const bool at_node = best.distance <= same_place * diagonal_;
      if (!at_node && !to_.triangles.empty()) best = in_triangle(k);
      if (!at_node && to_.triangles.empty() && best.distance <= distance_)
        throw InputError(choice_.where + ".nodes",
                         fmt::format("node {} of '{}' at {} is {:.4g} m from the nearest node of '{}', which has "
                                     "neither elements nor triangles: only nodes at the same place can be stitched",
                                     nodes_[k], from_.name, at_point(x), best.distance, to_.name));
      all.push_back(best);
    }
    return all;
  }

  Held in_triangle(std::size_t k) const {
    const Vec3& x = place(k);
    const auto corner = [&](const std::array<int, 3>& t, std::size_t c) -> const Vec3& {
      return to_.rest.nodes[ix(t[c])];
    };
    const std::array<int, 3>* nearest = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& t : to_.triangles)
      if (const double d = (nearest_in_triangle(x, corner(t, 0), corner(t, 1), corner(t, 2)) - x).norm(); d < least) {
        least = d;
        nearest = &t;
      }
    const Vec3 u = corner(*nearest, 1) - corner(*nearest, 0), v = corner(*nearest, 2) - corner(*nearest, 0),
               r = x - corner(*nearest, 0), n = u.cross(v);
    const double off = std::abs(r.dot(n)) / n.norm();
    if (least <= distance_ && off > off_sheet * std::max(u.norm(), v.norm()))
      throw InputError(choice_.where + ".nodes",
                       fmt::format("node {} of '{}' at {} lies {:.4g} m beside the sheet '{}'; a sheet holds what lies "
                                   "in it",
                                   nodes_[k], from_.name, at_point(x), off, to_.name));
    const double one = r.cross(v).dot(n) / n.squaredNorm(), other = u.cross(r).dot(n) / n.squaredNorm();
    return {{(*nearest)[0], (*nearest)[1], (*nearest)[2], (*nearest)[0]}, {1 - one - other, one, other, 0}, least};
  }

  const StitchChoice& choice_;
  const Body &from_, &to_;
  std::vector<int> nodes_;
  double diagonal_, distance_;  // [m]
};

/// A node by its body's name and its number there.
std::string node_name(int node, const std::vector<Body>& bodies) {
  const auto body = std::find_if(bodies.rbegin(), bodies.rend(), [&](const Body& b) { return b.first_node <= node; });
  return fmt::format("node {} of '{}'", node - body->first_node, body->name);
}

}  // namespace

void add_stitches(const StitchGround& ground, MechanicalSystem::Parts& parts, std::vector<std::string>& notes) {
  std::map<int, std::string> follows;  // what ties a node already
  std::set<int> corners;               // of rigid parts: nodes are tied to them
  for (const Tie& t : parts.ties) {
    follows.emplace(t.node, "a rigid part");
    for (const auto& term : t.terms) corners.insert(term.node);
  }
  std::vector<char> prescribed(static_cast<std::size_t>(parts.positions.size() / 3), 0);
  for (const Prescription& p : parts.prescriptions)
    for (const int node : p.nodes) prescribed[ix(node)] = 1;
  const auto name = [&](int node) { return node_name(node, ground.bodies); };

  std::vector<std::pair<Tie, std::string>> all;
  for (const StitchChoice& stitch : ground.scene.stitches)
    for (const Tie& tie : Stitcher(ground, stitch).ties(notes)) {
      if (prescribed[ix(tie.node)])
        throw InputError(stitch.where + ".nodes",
                         name(tie.node) + " is pinned or scripted, and cannot follow another body too");
      if (corners.contains(tie.node))
        throw InputError(stitch.where + ".nodes", name(tie.node) + " belongs to a rigid part already");
      if (const auto [it, fresh] = follows.emplace(tie.node, stitch.where); !fresh)
        throw InputError(stitch.where + ".nodes", fmt::format("{} belongs to {} already", name(tie.node), it->second));
      all.emplace_back(tie, stitch.where);
    }
  for (const auto& [tie, where] : all) {
    for (const auto& [corner, weight] : tie.terms) {
      if (prescribed[ix(corner)])
        throw InputError(where, fmt::format("{} would follow {}, which is pinned or scripted; pin or script the first "
                                            "one instead",
                                            name(tie.node), name(corner)));
      if (const auto it = follows.find(corner); it != follows.end())
        throw InputError(where, fmt::format("{} would follow {}, which follows others itself ({}); chains and circles "
                                            "of stitches are not possible",
                                            name(tie.node), name(corner), it->second));
    }
    parts.ties.push_back(tie);
  }
}

}  // namespace limber
