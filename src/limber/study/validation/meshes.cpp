#include "limber/study/validation/meshes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "limber/core/nodes.hpp"
#include "limber/study/validation/closed_forms.hpp"

namespace limber {

namespace {

/// Quadrilaterals that fill the quarter x ≥ 0, y ≤ 0 of the unit disc and are small at (0, −1).
struct QuarterDisc {
  std::vector<std::complex<double>> nodes;
  std::vector<std::array<int, 4>> cells;
};

/// In the ζ plane: a square of n × n cells at 0 with rings of 2n cells around it, the last one on |ζ| = 1. Möbius' map
/// −i (1 + iζ)/(1 − iζ), which doubles lengths at 0, takes the real axis to the circle, the imaginary one to x = 0 and
/// |ζ| = 1 to y = 0.
QuarterDisc quarter_disc(int n, double side) {
  QuarterDisc d;
  const auto add = [&](std::complex<double> zeta) {
    d.nodes.push_back(zeta);
    return static_cast<int>(d.nodes.size()) - 1;
  };
  std::vector<std::vector<int>> square(static_cast<std::size_t>(n) + 1);
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) square[ix(j)].push_back(add({side / 2 * i / n, side / 2 * j / n}));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      d.cells.push_back(
          {square[ix(j)][ix(i)], square[ix(j)][ix(i + 1)], square[ix(j + 1)][ix(i + 1)], square[ix(j + 1)][ix(i)]});
  std::vector<int> inner;
  for (int j = 0; j <= n; ++j) inner.push_back(square[ix(j)][ix(n)]);
  for (int i = n - 1; i >= 0; --i) inner.push_back(square[ix(n)][ix(i)]);
  const std::vector<int> rim = inner;
  const int rings = 2 * n;
  for (int k = 1; k <= rings; ++k) {
    const double part = static_cast<double>(k) / rings;
    std::vector<int> ring;
    for (int t = 0; t <= 2 * n; ++t) {
      const std::complex<double> from = d.nodes[ix(rim[ix(t)])];
      const double angle = (1 - part) * std::arg(from) + part * std::numbers::pi / 4 * t / n;
      std::complex<double> zeta = std::polar(std::pow(std::abs(from), 1 - part), angle);
      if (t == 2 * n) zeta = {0, zeta.imag()};
      ring.push_back(add(zeta));
    }
    for (int t = 0; t < 2 * n; ++t) d.cells.push_back({inner[ix(t)], ring[ix(t)], ring[ix(t + 1)], inner[ix(t + 1)]});
    inner = ring;
  }
  constexpr std::complex<double> i(0, 1);
  for (std::complex<double>& z : d.nodes) {
    const bool far = std::abs(z) > 1 - 1e-9, middle = z.real() == 0;
    z = -i * (1.0 + i * z) / (1.0 - i * z);
    z = {middle ? 0 : z.real(), far ? 0 : z.imag()};
  }
  return d;
}

}  // namespace

nlohmann::json lying_cylinder_mesh(LyingPart part, int n, double side, double width) {
  QuarterDisc d = quarter_disc(n, side);
  if (part == LyingPart::both_sides) {
    const QuarterDisc right = d;
    std::vector<int> left;
    for (std::size_t i = 0; i < right.nodes.size(); ++i) {
      const bool middle = right.nodes[i].real() == 0;
      left.push_back(static_cast<int>(middle ? i : d.nodes.size()));
      if (!middle) d.nodes.push_back(-std::conj(right.nodes[i]));
    }
    for (const auto& [a, b, c, e] : right.cells)
      d.cells.push_back({left[ix(a)], left[ix(e)], left[ix(c)], left[ix(b)]});
  }
  const int count = static_cast<int>(d.nodes.size());
  auto nodes = nlohmann::json::array(), hexes = nlohmann::json::array();
  for (const double z : {0.0, width})
    for (const std::complex<double>& p : d.nodes) nodes.push_back({p.real(), p.imag(), z});
  for (const auto& [a, b, c, e] : d.cells) hexes.push_back({a, b, c, e, a + count, b + count, c + count, e + count});
  return {{"nodes", nodes}, {"hexes", hexes}};
}

nlohmann::json lying_ball_mesh(int n, double side, double angle) {
  const QuarterDisc d = quarter_disc(n, side);
  auto nodes = nlohmann::json::array(), tets = nlohmann::json::array();
  std::vector<Vec3> places;
  std::vector<std::array<int, 2>> sides;  // of each node of the section, those on the two planes: one on the axis
  for (const std::complex<double>& p : d.nodes) {
    const double x = p.real() * std::cos(angle / 2), z = p.real() * std::sin(angle / 2);
    const int number = static_cast<int>(nodes.size());
    nodes.push_back({x, p.imag(), -z});
    places.emplace_back(x, p.imag(), -z);
    if (p.real() > 0) {
      nodes.push_back({x, p.imag(), z});
      places.emplace_back(x, p.imag(), z);
    }
    sides.push_back({number, p.real() > 0 ? number + 1 : number});
  }
  const auto add_prism = [&](std::array<int, 3> t) {
    std::sort(t.begin(), t.end());  // so that neighbours cut the face between them alike
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<int> tet;
      for (std::size_t i = 0; i <= k; ++i) tet.push_back(sides[ix(t[i])][0]);
      for (std::size_t i = k; i < 3; ++i) tet.push_back(sides[ix(t[i])][1]);
      std::vector<int> sorted = tet;
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) continue;
      const auto edge = [&](std::size_t i) { return Vec3(places[ix(tet[i])] - places[ix(tet[0])]); };
      if (edge(1).cross(edge(2)).dot(edge(3)) < 0) std::swap(tet[2], tet[3]);
      tets.push_back(tet);
    }
  };
  for (const auto& [a, b, c, e] : d.cells) {
    add_prism({a, b, c});
    add_prism({a, c, e});
  }
  return {{"nodes", nodes}, {"tets", tets}};
}

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
