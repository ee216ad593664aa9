#include <cassert>

#include "limber/mesh/tet_mesh.hpp"

namespace limber {
namespace {

// Corner (x, y, z) of a cell, each 0 or 1, is the number x + 2y + 4z.
using CornerTet = std::array<int, 4>;

/// Even cells: the central tetrahedron 000, 110, 101, 011, then those cut off at 100, 010, 001, 111.
constexpr std::array<CornerTet, 5> five_even{{{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 5, 6, 3}}};

/// Odd cells are the mirror image in x, so that the diagonals of shared faces agree.
constexpr std::array<CornerTet, 5> mirrored(std::array<CornerTet, 5> tets) {
  for (auto& t : tets) t = {t[0] ^ 1, t[1] ^ 1, t[3] ^ 1, t[2] ^ 1};
  return tets;
}
constexpr auto five_odd = mirrored(five_even);

/// Kuhn: one tetrahedron 000 → +a → +b → 111 for each order (a, b, c) of the axes.
constexpr std::array<CornerTet, 6> six{
    {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}}};

}  // namespace

TetMesh box_mesh(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells, Split split) {
  return box_mesh(origin, size, cells, split, all_cells(cells));
}

TetMesh box_mesh(const Vec3& origin, const Vec3& size, const std::array<int, 3>& cells, Split split,
                 const CellRange& range) {
  const auto [nx, ny, nz] = cells;
  assert(nx > 0 && ny > 0 && nz > 0 && (size.array() > 0).all());
  const auto [x0, y0, z0] = range.begin;
  const auto [x1, y1, z1] = range.end;
  const auto row = static_cast<std::size_t>(x1 - x0 + 1), layer = row * static_cast<std::size_t>(y1 - y0 + 1);
  TetMesh mesh;
  mesh.nodes.reserve(layer * static_cast<std::size_t>(z1 - z0 + 1));
  for (int k = z0; k <= z1; ++k)
    for (int j = y0; j <= y1; ++j)
      for (int i = x0; i <= x1; ++i) {
        const Vec3 s(static_cast<double>(i) / nx, static_cast<double>(j) / ny, static_cast<double>(k) / nz);
        mesh.nodes.push_back(origin + size.cwiseProduct(s));
      }

  mesh.tets.reserve(static_cast<std::size_t>(x1 - x0) * static_cast<std::size_t>(y1 - y0) *
                    static_cast<std::size_t>(z1 - z0) * (split == Split::five ? 5 : 6));
  const auto add = [&](std::size_t base, const auto& corner_tets) {
    for (const CornerTet& t : corner_tets) {
      auto& tet = mesh.tets.emplace_back();
      for (std::size_t n = 0; n < 4; ++n) {
        const auto corner = static_cast<std::size_t>(t[n]);
        tet[n] = static_cast<int>(base + (corner & 1) + (corner >> 1 & 1) * row + (corner >> 2) * layer);
      }
    }
  };
  for (int k = z0; k < z1; ++k)
    for (int j = y0; j < y1; ++j)
      for (int i = x0; i < x1; ++i) {
        const std::size_t base = static_cast<std::size_t>(i - x0) + static_cast<std::size_t>(j - y0) * row +
                                 static_cast<std::size_t>(k - z0) * layer;
        if (split == Split::six)
          add(base, six);
        else
          add(base, (i + j + k) % 2 == 0 ? five_even : five_odd);
      }
  return mesh;
}

}  // namespace limber
