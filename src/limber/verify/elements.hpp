#pragma once
/// Quadratic tetrahedra and hexahedra of a trajectory, put together again from the linear tetrahedra that they were cut
/// into, and the smallest det ∂x/∂ξ at the points of integration of their energy: where that is positive, det F is, and
/// the simulation asks no more of a material that forbids inversion.

#include <span>

#include "limber/mesh/element_mesh.hpp"
#include "limber/record/trajectory.hpp"

namespace limber {

class CurvedElements {
 public:
  /// Of a body with pieces ≠ 1. Throws InputError(name of the body, …) where its tetrahedra do not make elements.
  CurvedElements(const TrajectoryHeader& header, int body);

  int body() const { return body_; }
  std::size_t count() const { return mesh_.count(); }
  std::span<const int> element(std::size_t e) const { return mesh_.element(e); }
  int first_tet(std::size_t e) const { return first_tet_ + pieces(mesh_.kind) * static_cast<int>(e); }
  /// q: 3 × #V [m].
  double least_det(std::size_t e, const Vector& q) const;

 private:
  int body_, first_tet_;
  ElementMesh mesh_;
  std::vector<Matrix> gradients_;  // ∂N/∂ξ, #n × 3, at each point
};

}  // namespace limber
