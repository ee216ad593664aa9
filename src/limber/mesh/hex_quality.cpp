#include "limber/mesh/hex_quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

void add_hex_edges(const HexMesh& mesh, HexQuality& quality) {
  std::vector<std::array<int, 2>> edges;
  for (const auto& hex : mesh.hexes)
    for (const auto& [i, j] : element_type(ElementKind::hex8).edges) {
      const int a = hex[static_cast<std::size_t>(i)], b = hex[static_cast<std::size_t>(j)];
      edges.push_back({std::min(a, b), std::max(a, b)});
    }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  quality.min_edge = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : edges) {
    const double length = (mesh.nodes[static_cast<std::size_t>(b)] - mesh.nodes[static_cast<std::size_t>(a)]).norm();
    quality.min_edge = std::min(quality.min_edge, length);
    quality.max_edge = std::max(quality.max_edge, length);
    quality.mean_edge += length / static_cast<double>(edges.size());
  }
}

}  // namespace

HexQuality hex_quality(const HexMesh& mesh) {
  HexQuality q;
  q.hexes = mesh.hexes.size();
  q.min_scaled_jacobian = q.min_volume = std::numeric_limits<double>::infinity();
  q.max_volume = -q.min_volume;
  for (std::size_t h = 0; h < q.hexes; ++h) {
    HexShape shape = hex_shape(mesh, h);
    q.volume += std::abs(shape.volume);
    q.min_volume = std::min(q.min_volume, shape.volume);
    q.max_volume = std::max(q.max_volume, shape.volume);
    if (shape.mirrored()) {
      ++q.mirrored;
      for (double& d : shape.at_corner) d = -d;
    } else if (!shape.sound()) {
      ++q.folded;
    }
    const double least = *std::min_element(shape.at_corner.begin(), shape.at_corner.end());
    q.mean_scaled_jacobian += least / static_cast<double>(q.hexes);
    ++q.scaled_jacobian_histogram[static_cast<std::size_t>(std::clamp(std::floor(10 * least), 0., 9.))];
    if (least < q.min_scaled_jacobian) q.min_scaled_jacobian = least, q.worst_hex = h;
  }
  for (const int i : mesh.hexes[q.worst_hex]) q.worst_at += mesh.nodes[static_cast<std::size_t>(i)] / 8;
  add_hex_edges(mesh, q);
  return q;
}

}  // namespace limber
