#pragma once
/// Distances between two primitives: e = Σ wᵢ(β) xᵢ points from the second's nearest point to the first's, d = min |e|
/// over admissible β. At the minimum n·∂e/∂β = 0, hence ∂d/∂xᵢ = wᵢ n. All pairs share the record `Nearest`. Node
/// order: point-triangle (p, a, b, c); edge-edge (a, b, c, d), ab against cd; point-edge (p, a, b, –);
/// point-point (p, q, –, –). Lengths in metres; Hessians are 12 × 12 with node i at rows 3i.

#include <array>

#include "limber/core/types.hpp"

namespace limber {

using Vec12 = Eigen::Matrix<double, 12, 1>;

struct Nearest {
  double d = 0;                               // [m]
  Vec3 n = Vec3::UnitX();                     // e/d; if d = 0, a unit vector orthogonal to the primitives
  std::array<double, 4> w{};                  // sum to zero; zero at nodes outside the nearest features
  int k = 0;                                  // number of free parameters: 0 point-point, 1 point-edge, 2 face or edges
  std::array<std::array<double, 4>, 2> dw{};  // dw[j][i] = ∂wᵢ/∂βⱼ, j < k
  Eigen::Matrix<double, 3, 2> E = Eigen::Matrix<double, 3, 2>::Zero();  // columns ∂e/∂βⱼ, j < k
};

/// d has a relative accuracy of 1e-12 down to about 1e-12 of the primitives' size, also for degenerate primitives (an
/// edge of zero length is a point, a triangle of zero area is its edges, parallel edges meet at an end of one of them).
Nearest point_point(const Vec3& p, const Vec3& q);
Nearest point_edge(const Vec3& p, const Vec3& a, const Vec3& b);
Nearest point_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);
Nearest edge_edge(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Squared distances [m²] for culling: absolute error of d about 1e-15 of the primitives' size.
double point_point_distance2(const Vec3& p, const Vec3& q);
double point_edge_distance2(const Vec3& p, const Vec3& a, const Vec3& b);
double point_triangle_distance2(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);
double edge_edge_distance2(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// ∇d.
Vec12 gradient(const Nearest& at);
/// ∇²d; d > 0 is required here and below.
Mat12 hessian(const Nearest& at);
/// ψ' ∇²d + ψ'' ∇d∇dᵀ, the Hessian of ψ(d). nodes: number of nodes of the pair; entries beyond them are zero.
Mat12 compose(const Nearest& at, double first, double second, int nodes = 4);
/// The positive semidefinite matrix nearest to `compose`.
Mat12 compose_projected(const Nearest& at, double first, double second, int nodes = 4);
/// ∂n/∂x.
Eigen::Matrix<double, 3, 12> normal_derivative(const Nearest& at);
/// ∂β/∂x; rows j ≥ k are zero.
Eigen::Matrix<double, 2, 12> parameter_derivative(const Nearest& at);

/// m = (2 − c/ε) c/ε for c = |(b−a)×(d−c)|² < ε, 1 beyond: removes the kink in the distance of edges that pass through
/// parallel positions. ε [m⁴] is 1e-3 |b−a|²|d−c|² of the rest shape.
struct Mollifier {
  double value = 1;
  Vec12 gradient = Vec12::Zero();
  Mat12 hessian = Mat12::Zero();
};
Mollifier edge_mollifier(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, double eps_x);
double edge_mollifier_value(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, double eps_x);

}  // namespace limber
