#include "limber/force/membrane.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/force/thin_mass.hpp"
#include "limber/force/turned.hpp"

namespace limber {

namespace {

using Mat32 = Eigen::Matrix<double, 3, 2>;
using Eigen::Matrix2d;
using Eigen::Vector2d;

/// Rotation V that makes the columns of F V orthogonal, the longer one first.
Matrix2d right_frame(const Mat32& F) {
  const double half = (F.col(0).squaredNorm() - F.col(1).squaredNorm()) / 2, mixed = F.col(0).dot(F.col(1));
  const double size = std::sqrt(half * half + mixed * mixed);
  if (size == 0) return Matrix2d::Identity();
  double c, s;
  if (half >= 0) {
    c = std::sqrt((1 + half / size) / 2);
    s = mixed / (2 * size * c);
  } else {
    s = std::copysign(std::sqrt((1 - half / size) / 2), mixed);
    c = std::abs(mixed) / (2 * size * std::abs(s));
  }
  Matrix2d V;
  V << c, -s, s, c;
  return V;
}

/// A symmetric 2×2 matrix with its negative eigenvalues set to 0.
Matrix2d positive_part(const Matrix2d& A) {
  const double mean = (A(0, 0) + A(1, 1)) / 2, half = (A(0, 0) - A(1, 1)) / 2, size = std::hypot(half, A(0, 1));
  const double low = mean - size, high = mean + size;
  if (low >= 0) return A;
  if (high <= 0) return Matrix2d::Zero();
  return high / (2 * size) * (A - low * Matrix2d::Identity());
}

void project(PlaneStress& r) {
  r.second = positive_part(r.second);
  const double even = std::max(r.shear + r.shear_swap, 0.0), odd = std::max(r.shear - r.shear_swap, 0.0);
  r.shear = (even + odd) / 2;
  r.shear_swap = (even - odd) / 2;
}

}  // namespace

/// F = Σ s_i u_i v_iᵀ, n normal to u₁ and u₂; any frame where F has no plane.
struct MembraneForce::Strain {
  Vector2d s;
  Mat3 frame;                             // u₁, u₂, n
  Eigen::Matrix<double, 2, 3> gradients;  // of the nodes' shape functions, in the frame v [1/m]
};

MembraneForce::MembraneForce(const TriMesh& mesh, int first_node, std::vector<AnyMaterial> materials,
                             const std::vector<int>& material_of_triangle, double thickness, const std::string& where)
    : materials_(std::move(materials)) {
  eigen_assert(material_of_triangle.size() == mesh.triangles.size());
  if (!(thickness > 0) || !std::isfinite(thickness))
    throw InputError(where + ".thickness", fmt::format("{} must be a finite number > 0", thickness));
  for (const AnyMaterial& m : materials_)
    if (std::holds_alternative<Linear>(m))
      throw InputError(where + ".material", "`linear` does not suit a sheet, which turns; `corotated` does");
  for (const AnyMaterial& m : materials_) at_rest_.push_back(plane_stress(m, 1, 1));
  const std::vector<double> areas = triangle_areas(mesh, where + ".mesh");
  std::vector<Stencils<3>::Nodes> nodes;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& [a, b, c] = mesh.triangles[i];
    const auto X = [&](int j) { return mesh.nodes[static_cast<std::size_t>(j)]; };
    const Vec3 e = X(b) - X(a), d = X(c) - X(a);
    Matrix2d edges;
    edges << e.norm(), d.dot(e) / e.norm(), 0, 2 * areas[i] / e.norm();
    rest_.push_back({edges.inverse(), thickness * areas[i], material_of_triangle[i]});
    nodes.push_back({first_node + a, first_node + b, first_node + c});
  }
  triangles_ = Stencils<3>(std::move(nodes));
}

MembraneForce::Strain MembraneForce::strain(std::size_t i, const Stencils<3>::Points& x) const {
  Mat32 F;
  F << x.col(1) - x.col(0), x.col(2) - x.col(0);
  F *= rest_[i].inverse;
  const Matrix2d V = right_frame(F);
  const Mat32 g = F * V;
  Strain e;
  e.s[0] = g.col(0).norm();
  const Vec3 first = e.s[0] > 0 ? Vec3(g.col(0) / e.s[0]) : Vec3::UnitX();
  const Vec3 across = g.col(1) - first * first.dot(g.col(1));
  e.s[1] = across.norm();
  const Vec3 second = e.s[1] > 1e-15 * e.s[0] ? Vec3(across / e.s[1]) : first.unitOrthogonal();
  e.frame << first, second, first.cross(second);
  e.gradients.rightCols<2>() = (rest_[i].inverse * V).transpose();
  e.gradients.col(0) = -e.gradients.col(1) - e.gradients.col(2);
  return e;
}

Stencils<3>::Points MembraneForce::forces(std::size_t i, const Strain& e, const PlaneStress& r) const {
  return -rest_[i].volume * e.frame.leftCols<2>() * r.first.asDiagonal() * e.gradients;
}

Stencils<3>::Block MembraneForce::stiffness(std::size_t i, const Strain& e, PlaneStress r,
                                            Definiteness definiteness) const {
  Vector2d tension = r.first.cwiseQuotient(e.s.cwiseMax(1e-12));  // what holds the sheet against moving off its plane
  if (definiteness == Definiteness::projected) {
    project(r);
    tension = tension.cwiseMax(0.0);
  }
  Stencils<3>::Block K;
  const auto block = [&](int a, int b) {
    const Vector2d g = e.gradients.col(a), h = rest_[i].volume * e.gradients.col(b);
    const double g11 = g[0] * h[0], g12 = g[0] * h[1], g21 = g[1] * h[0], g22 = g[1] * h[1];
    Mat3 k = Mat3::Zero();
    k(0, 0) = r.second(0, 0) * g11 + r.shear * g22;
    k(0, 1) = r.second(0, 1) * g12 + r.shear_swap * g21;
    k(1, 0) = r.second(1, 0) * g21 + r.shear_swap * g12;
    k(1, 1) = r.second(1, 1) * g22 + r.shear * g11;
    k(2, 2) = tension[0] * g11 + tension[1] * g22;
    K.block<3, 3>(3 * a, 3 * b) = e.frame * k * e.frame.transpose();
    if (a != b) K.block<3, 3>(3 * b, 3 * a) = K.block<3, 3>(3 * a, 3 * b).transpose();
  };
  for (int b = 0; b < 3; ++b)
    for (int a = b; a < 3; ++a) block(a, b);
  return K;
}

template <class Use>
void MembraneForce::for_triangles(const Vector& q, const Use& use) const {
  triangles_.for_each(q, [&](std::size_t i, const Stencils<3>::Points& x) {
    const Strain e = strain(i, x);
    use(i, e, plane_stress(material(i), e.s[0], e.s[1]));
  });
}

void MembraneForce::add_force(const State& u, Vector& f) const {
  for_triangles(u.q,
                [&](std::size_t i, const Strain& e, const PlaneStress& r) { triangles_.add(i, forces(i, e, r), f); });
}

void MembraneForce::add_tangent(const State& u, TangentBuilder& T) const {
  const auto definiteness = T.projected() ? Definiteness::projected : Definiteness::exact;
  for_triangles(u.q, [&](std::size_t i, const Strain& e, const PlaneStress& r) {
    triangles_.add(i, stiffness(i, e, r, definiteness), T);
  });
}

void MembraneForce::linearize(const State& u, Vector& f, TangentBuilder& T) const {
  const auto definiteness = T.projected() ? Definiteness::projected : Definiteness::exact;
  for_triangles(u.q, [&](std::size_t i, const Strain& e, const PlaneStress& r) {
    triangles_.add(i, forces(i, e, r), f);
    triangles_.add(i, stiffness(i, e, r, definiteness), T);
  });
}

/// Strains in the plane are those of turned.hpp; in the principal frame u, v of F = Σ s_i u_i v_iᵀ their rates are
/// A₁₁, A₂₂ and c (s₁ A₁₂ + s₂ A₂₁) with A_ij = u_i · Ḟ v_j and c = (s₁ + s₂)/(2 (s₁² + s₂²)).
void MembraneForce::add_turned_stiffness(const State& start, double dt, TangentBuilder& T) const {
  triangles_.for_each(start.q, [&](std::size_t i, const Stencils<3>::Points& x) {
    const Strain e = strain(i, moved_on<3>(x, triangles_.points(i, start.v), dt));
    const PlaneStress& rest = at_rest_[static_cast<std::size_t>(rest_[i].material)];
    const double square = e.s.squaredNorm(), c = square > 0 ? e.s.sum() / (2 * square) : 0;
    const auto rate = [&](int j, int k) {  // A_jk, of the velocities
      return Stencils<3>::Gradient((e.frame.col(j) * e.gradients.row(k)).reshaped());
    };
    const Stencils<3>::Gradient first = rate(0, 0), second = rate(1, 1),
                                mixed = c * (e.s[0] * rate(0, 1) + e.s[1] * rate(1, 0));
    Stencils<3>::Block K = 4 * rest.shear * mixed * mixed.transpose();
    K += rest.second(0, 0) * (first * first.transpose() + second * second.transpose());
    K += rest.second(0, 1) * (first * second.transpose() + second * first.transpose());
    triangles_.add(i, Stencils<3>::Block(rest_[i].volume * K), T);
  });
}

std::optional<Potentials> MembraneForce::potentials(const State& u) const {
  const double W = triangles_.sum(u.q, [&](std::size_t i, const Stencils<3>::Points& x) {
    const Vector2d s = strain(i, x).s;
    return rest_[i].volume * plane_stress_energy(material(i), s[0], s[1]);
  });
  return Potentials{std::isnan(W) ? std::numeric_limits<double>::infinity() : W, 0};
}

}  // namespace limber
