#include "limber/force/stencils.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace limber {

namespace {
constexpr std::size_t chunk_size = 32;
}

std::vector<std::vector<StencilChunk>> colour_stencils(std::span<const int> nodes, std::size_t n) {
  const std::size_t count = nodes.size() / n;
  const auto top = nodes.empty() ? 0 : static_cast<std::size_t>(*std::max_element(nodes.begin(), nodes.end()) + 1);
  std::vector<std::vector<std::size_t>> colours_at(top);
  std::vector<std::vector<StencilChunk>> by_colour;
  std::vector<std::size_t> taken_by;  // the last chunk, counted from 1, that found the colour taken
  for (std::size_t first = 0, number = 1; first < count; first += chunk_size, ++number) {
    const StencilChunk chunk{first, std::min(first + chunk_size, count)};
    const auto own = nodes.subspan(chunk.first * n, (chunk.last - chunk.first) * n);
    for (const int i : own)
      for (const std::size_t c : colours_at[static_cast<std::size_t>(i)]) taken_by[c] = number;
    const auto free = std::find_if(taken_by.begin(), taken_by.end(), [&](std::size_t t) { return t != number; });
    const auto colour = static_cast<std::size_t>(free - taken_by.begin());
    if (colour == by_colour.size()) taken_by.push_back(0), by_colour.emplace_back();
    by_colour[colour].push_back(chunk);
    for (const int i : own)
      if (auto& list = colours_at[static_cast<std::size_t>(i)]; list.empty() || list.back() != colour)
        list.push_back(colour);
  }
  return by_colour;
}

template <int n>
typename Stencils<n>::Block projected(const typename Stencils<n>::Block& K) {
  // Matrices of any size: those of fixed size would take the compiler half a minute.
  static const Matrix across = [] {
    Matrix Q = Matrix::Zero(3 * n, 3 * (n - 1));
    for (int k = 1; k < n; ++k)
      for (int a = 0; a <= k; ++a)
        Q.block<3, 3>(3 * a, 3 * (k - 1)) = (a < k ? 1.0 : -k) / std::sqrt(k * (k + 1.0)) * Mat3::Identity();
    return Q;
  }();
  const Matrix Ka = Matrix(K) * across, small = across.transpose() * Ka;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(small);
  if (eigen.eigenvalues()[0] >= 0) return K;
  const Matrix V = across * eigen.eigenvectors(), scaled = V * eigen.eigenvalues().cwiseMax(0.0).asDiagonal();
  return scaled * V.transpose();
}

template Stencils<3>::Block projected<3>(const Stencils<3>::Block& K);
template Stencils<4>::Block projected<4>(const Stencils<4>::Block& K);

}  // namespace limber
