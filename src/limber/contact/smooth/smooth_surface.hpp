#pragma once
/// The smooth implicit function of a deforming triangle surface (Larionov et al. 2021; section 5 of the paper),
///
///     φ(x; q) = (Σᵢ wᵢ pᵢ + β(W) r) / (W + β(W)),   pᵢ = nᵢ·(x − cᵢ),   wᵢ = aᵢ (1 − |x − cᵢ|²/r²)³ s(pᵢ/r),   W = Σᵢ
///     wᵢ,
///
/// over the triangles within r: centroid cᵢ, unit normal nᵢ, area at rest aᵢ. s excludes triangles that x is behind by
/// r/2 (a thin body's other side). The background β = W₀(1 − W/W₀)³ below W₀ = πr²/40 lets φ rise to r out of range. C²
/// in x and q. A flat piece is reproduced exactly up to .66 r. φ is not a distance; its zero matches the surface to
/// second order in r.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "limber/core/types.hpp"

namespace limber {

/// φ and its derivatives with respect to the node at x, which comes first, and the nodes of all triangles in range.
struct LocalGap {
  double d = 0;            // φ [m]
  std::vector<int> nodes;  // #n; ascending after the first
  Vector gradient;         // 3#n
  Matrix hessian;          // 3#n × 3#n, symmetric [1/m]
};

class SmoothSurface {
 public:
  /// Whether a triangle counts; used to exclude a point's own neighbourhood, for example.
  using Filter = std::function<bool(int triangle)>;

  /// `rest`: positions [m] of all nodes, 3#V; radius r [m] > 0, two or three mean edge lengths.
  SmoothSurface(std::vector<std::array<int, 3>> triangles, const Vector& rest, double radius);

  double radius() const { return radius_; }
  /// Moves the surface; the functions below refer to the last q, 3#V.
  void update(const Vector& q);
  /// The same, except for `near` and functions that search triangles themselves, which still refer to the last update.
  void move(const Vector& q);

  /// φ at any point. Here and below: nullopt if no triangle is in range.
  std::optional<double> value(const Vec3& x, const Filter& counts = {}) const { return value(x, near(x, counts)); }
  /// At the position of a node of q.
  std::optional<LocalGap> local_gap(int node, const Filter& counts = {}) const;

  /// The triangles that count and lie within (1 + slack) r, ascending, so that sums have one order. They suffice until
  /// points and triangles have moved by slack r relative to each other; they may be searched once and passed to the
  /// functions below as `among`.
  std::vector<int> near(const Vec3& x, const Filter& counts) const;
  std::optional<double> value(const Vec3& x, std::span<const int> among) const;
  /// Returns false if no triangle is in range.
  bool evaluate(int node, std::span<const int> among, LocalGap& gap) const;
  /// Nodes of the triangles within (1 + soon) r, which may soon count; ascending.
  std::vector<int> nodes_around(int node, std::span<const int> among) const;

  static constexpr double slack = .3, soon = .15;

 private:
  bool within(const Vec3& x, int triangle, double range) const {
    return (x - centroid_[static_cast<std::size_t>(triangle)]).squaredNorm() < range * range;
  }
  Vec3 position(int node) const { return q_.segment<3>(3 * static_cast<Index>(node)); }
  std::array<std::int64_t, 3> bin(const Vec3& x) const;

  std::vector<std::array<int, 3>> triangles_;  // #F
  std::vector<double> area_;                   // #F, at rest [m²]
  double radius_;
  Vector q_;
  std::vector<Vec3> centroid_, normal_;                // #F, at the present q
  std::vector<std::pair<std::uint64_t, int>> by_bin_;  // (bin, triangle), ascending; bins of side (1 + slack) r
};

/// ψ' ∇²φ + ψ'' ∇φ∇φᵀ, the Hessian of ψ(φ).
Matrix compose(const LocalGap& gap, double first, double second);
/// The positive semidefinite matrix nearest to `compose`.
Matrix compose_projected(const LocalGap& gap, double first, double second);

/// The mean edge length [m] of the triangles.
double mean_edge(const std::vector<std::array<int, 3>>& triangles, const Vector& q);

}  // namespace limber
