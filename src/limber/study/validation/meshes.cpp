#include "limber/study/validation/meshes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/study/validation/closed_forms.hpp"

namespace limber {

nlohmann::json mapped_mesh(std::array<int, 3> cells, MappedCells kind, const std::function<Vec3(const Vec3&)>& place) {
  const auto [nx, ny, nz] = cells;
  const auto number = [nx = nx, ny = ny](const std::array<int, 3>& c) {
    return c[0] + (nx + 1) * (c[1] + (ny + 1) * c[2]);
  };
  auto nodes = nlohmann::json::array(), elements = nlohmann::json::array();
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i) {
        const Vec3 x = place({double(i) / nx, double(j) / ny, double(k) / nz});
        nodes.push_back({x[0], x[1], x[2]});
      }
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        if (kind == MappedCells::hexes) {
          elements.push_back({number({i, j, k}), number({i + 1, j, k}), number({i + 1, j + 1, k}),
                              number({i, j + 1, k}), number({i, j, k + 1}), number({i + 1, j, k + 1}),
                              number({i + 1, j + 1, k + 1}), number({i, j + 1, k + 1})});
          continue;
        }
        std::array<std::size_t, 3> order = {0, 1, 2};
        do {
          std::array<int, 3> corner = {i, j, k};
          auto tet = nlohmann::json::array({number(corner)});
          for (const std::size_t axis : order) {
            ++corner[axis];
            tet.push_back(number(corner));
          }
          elements.push_back(tet);
        } while (std::next_permutation(order.begin(), order.end()));
      }
  return {{"nodes", nodes}, {kind == MappedCells::hexes ? "hexes" : "tets", elements}};
}

nlohmann::json disc_mesh(double radius, int n) {
  const auto ring = [](int k) { return k == 0 ? 0 : 1 + 3 * k * (k - 1); };  // its first node
  auto nodes = nlohmann::json::array({{0, 0, 0}}), triangles = nlohmann::json::array();
  for (int k = 1; k <= n; ++k)
    for (int j = 0; j < 6 * k; ++j) {
      const double angle = std::numbers::pi * j / (3 * k), r = radius * k / n;
      nodes.push_back({r * std::cos(angle), 0, r * std::sin(angle)});
    }
  for (int k = 1; k <= n; ++k)
    for (int s = 0; s < 6; ++s)
      for (int j = 0; j < k; ++j) {
        const auto inner = [&](int i) { return k == 1 ? 0 : ring(k - 1) + (s * (k - 1) + i) % (6 * (k - 1)); };
        const int a = ring(k) + s * k + j, b = ring(k) + (s * k + j + 1) % (6 * k);
        triangles.push_back({a, inner(j), b});
        if (j + 1 < k) triangles.push_back({b, inner(j), inner(j + 1)});
      }
  return {{"nodes", nodes}, {"triangles", triangles}};
}

nlohmann::json slack_line(double length, double span, int count) {
  const double angle = smallest_root(
      [&](double a) { return count * std::sin(a / count) / std::sin(a) - length / span; }, 1e-3, 3.1, 1000);
  const double radius = span / (2 * std::sin(angle));
  auto nodes = nlohmann::json::array(), edges = nlohmann::json::array();
  for (int i = 0; i <= count; ++i) {
    const double a = angle * (2.0 * i / count - 1);
    nodes.push_back({span / 2 + radius * std::sin(a), radius * (std::cos(angle) - std::cos(a)), 0});
  }
  for (int i = 0; i < count; ++i) edges.push_back({i, i + 1});
  return {{"nodes", nodes}, {"edges", edges}};
}

nlohmann::json rope_over(double radius, double first, double last, int count) {
  using std::numbers::pi;
  const double r = radius / std::cos((first + last + pi * radius) / count / (2 * radius));
  auto nodes = nlohmann::json::array(), edges = nlohmann::json::array();
  for (int i = 0; i <= count; ++i) {
    const double s = (first + last + pi * r) * i / count - first;  // from where it meets the cylinder
    if (s < 0)
      nodes.push_back({r, s, 0});
    else if (s < pi * r)
      nodes.push_back({r * std::cos(s / r), r * std::sin(s / r), 0});
    else
      nodes.push_back({-r, pi * r - s, 0});
  }
  for (int i = 0; i < count; ++i) edges.push_back({i, i + 1});
  return {{"nodes", nodes}, {"edges", edges}};
}

}  // namespace limber
