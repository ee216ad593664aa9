#include "limber/force/mass.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace limber {

namespace {

void merge(std::vector<NodalMass>& entries) {
  // Stable, so that the sums are taken in the order of the tetrahedra.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const NodalMass& x, const NodalMass& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
  std::size_t last = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].a == entries[last].a && entries[i].b == entries[last].b)
      entries[last].m += entries[i].m;
    else
      entries[++last] = entries[i];
  }
  if (!entries.empty()) entries.resize(last + 1);
}

}  // namespace

std::vector<NodalMass> tet_masses(const TetMesh& mesh, int first_node, std::span<const double> density, MassKind kind) {
  eigen_assert(density.size() == mesh.tets.size());
  std::vector<NodalMass> entries;
  entries.reserve((kind == MassKind::lumped ? 4 : 10) * mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const double m = density[t] * std::abs(signed_volume(mesh, t));
    for (const int a : mesh.tets[t]) {
      if (kind == MassKind::lumped) {
        entries.push_back({first_node + a, first_node + a, m / 4});
        continue;
      }
      for (const int b : mesh.tets[t])
        if (a <= b) entries.push_back({first_node + a, first_node + b, a == b ? m / 10 : m / 20});
    }
  }
  merge(entries);
  return entries;
}

void add_row_sums(const std::vector<NodalMass>& masses, Vector& sums) {
  for (const NodalMass& e : masses) {
    sums[e.a] += e.m;
    if (e.a != e.b) sums[e.b] += e.m;
  }
}

}  // namespace limber
