#pragma once
/// Two hexahedra (2 × 1 × 1 cells, with a node moved) of the regions 1 and 12 in every format and variant that holds
/// them, put together by hand; where the format has them, with a field E of 1e5 and 2e5, a quadrilateral and a node
/// that only the quadrilateral uses.

#include "limber/mesh/hex_mesh.hpp"
#include "mesh/mesh_samples.hpp"

namespace limber::test {

std::vector<Sample> hex_samples();

/// The nodes and hexahedra that all samples hold.
HexMesh expected_hexes();

/// nx × ny × nz unit cells, whose nodes have random numbers.
HexMesh shuffled_cells(const std::array<int, 3>& cells, unsigned seed);

}  // namespace limber::test
