#include <algorithm>

#include "limber/core/nodes.hpp"
#include "limber/scene/run/run.hpp"
#include "limber/version.hpp"

namespace limber {
namespace {

/// Body by body, in the numbers of the whole scene.
void show_bodies(const Model& model, const std::vector<BodyRange>& ranges,
                 const std::function<void(const RestPiece&)>& show) {
  for (std::size_t b = 0; b < ranges.size(); ++b) {
    const BodyRange& range = ranges[b];
    const auto show_moved = [&](RestPiece piece) {
      piece.first_node += ix(range.first_node);
      piece.first_tet += ix(range.first_tet);
      for (auto& t : piece.tets)
        for (int& i : t) i += range.first_node;
      show(piece);
    };
    const Body& body = model.bodies[b];
    if (body.show_rest)
      body.show_rest(show_moved);
    else
      show_moved({0, 0, body.rest.nodes, body.rest.tets, body.rest.region});
  }
}

}  // namespace

TrajectoryHeader trajectory_header(const Model& model, Velocities velocities, long frames) {
  TrajectoryHeader h;
  const bool large = std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.show_rest; });
  std::size_t nodes = 0, tets = 0;
  for (const auto& b : model.bodies) {
    h.bodies.push_back({b.name, static_cast<int>(nodes), b.nodes, static_cast<int>(tets), b.tets,
                        static_cast<int>(h.edges.size()), static_cast<int>(b.edges.size()),
                        static_cast<int>(h.triangles.size()), static_cast<int>(b.triangles.size()), b.pieces});
    const int first = static_cast<int>(nodes);
    for (auto e : b.edges) h.edges.push_back({e[0] + first, e[1] + first});
    for (auto t : b.triangles) h.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    nodes += ix(b.nodes);
    tets += ix(b.tets);
  }
  if (large) {
    h.large = {nodes, tets, [&model, ranges = h.bodies](const auto& show) { show_bodies(model, ranges, show); }};
  } else {
    h.nodes.reserve(nodes);
    h.tets.reserve(tets);
    h.region.reserve(tets);
    for (const auto& b : model.bodies) {
      const int first = static_cast<int>(h.nodes.size());
      h.nodes.insert(h.nodes.end(), b.rest.nodes.begin(), b.rest.nodes.end());
      for (auto t : b.rest.tets) {
        for (int& i : t) i += first;
        h.tets.push_back(t);
      }
      for (std::size_t t = 0; t < b.rest.tets.size(); ++t)
        h.region.push_back(b.rest.region.empty() ? 0 : b.rest.region[t]);
    }
  }
  h.prescribed = model.system->prescribed_nodes();
  h.frames = frames;
  h.velocities = velocities;
  h.limber_version = LIMBER_VERSION;
  return h;
}

}  // namespace limber
