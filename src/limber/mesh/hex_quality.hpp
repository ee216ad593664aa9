#pragma once
/// Quality of a hexahedral mesh by the scaled Jacobian: per element the smallest value at its corners, 1 for a brick.

#include <array>
#include <cstddef>

#include "limber/mesh/hex_mesh.hpp"

namespace limber {

struct HexQuality {
  std::size_t hexes = 0;
  double volume = 0;                                 // Σ |volume| [m³]
  double min_volume = 0, max_volume = 0;             // signed, of one hexahedron [m³]
  double min_edge = 0, mean_edge = 0, max_edge = 0;  // over distinct edges [m]
  double min_scaled_jacobian = 0, mean_scaled_jacobian = 0;
  std::array<std::size_t, 10> scaled_jacobian_histogram{};  // bins of 0.1; the first includes all smaller values
  std::size_t worst_hex = 0;                                // the first one with the smallest value
  Vec3 worst_at = Vec3::Zero();                             // the mean of its corners [m]
  std::size_t mirrored = 0;                                 // negatively ordered; evaluated as mirror images
  std::size_t folded = 0;                                   // unsound both as given and mirrored
};

/// Indices must be in range, coordinates finite, and there must be at least one hexahedron.
HexQuality hex_quality(const HexMesh& mesh);

}  // namespace limber
