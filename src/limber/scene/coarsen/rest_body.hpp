#pragma once  // internal
/// A body of a scene by itself, at rest and without loads: its elastic modes, and what it does under loads.

#include "limber/scene/construction/live_bodies.hpp"

namespace limber {

/// This body alone: pinned where it is pinned or scripted at the start, without gravity, forces, contact and
/// viscosity, so that its stiffness is that under slow loads.
Scene scene_alone(const Scene& scene, int body);

struct RestBody {
  explicit RestBody(const Scene& alone);

  Model model;
  SparseMatrix K;  // lower triangle

  MechanicalSystem& system() const { return *model.system; }
  Index size() const { return K.rows(); }
  /// On the unknowns, of vectors on all nodes (3N × k), and back.
  Matrix gather(const Matrix& full) const;
  Matrix spread(const Matrix& x) const;
  Matrix times_mass(const Matrix& x) const;
  /// (K + shift M)⁻¹ F. Throws StepFailure.
  Matrix solve(double shift, const Matrix& F) const;
};

/// Modes with λ > 0, in ascending order; `rigid`: how many with λ = 0 there are below.
struct ElasticModes {
  Vector lambda;  // #n [1/s²]
  Matrix X;       // unknowns × n, M-orthonormal
  Index rigid = 0;
};
/// As many as there are, if these are fewer than `count`.
ElasticModes elastic_modes(const RestBody& body, Index count);

/// The body's mesh where it is placed, with its materials.
std::shared_ptr<const LiveBody> placed_alone(const Scene& alone, const Model& model);

/// Loads in proportion to the mass: uniform ones along the axes, and those that grow from 0 at `centre` to 1 in the
/// distance `reach` along an axis. 3N × 12; the uniform ones come first. `masses`: of the nodes.
Matrix mass_loads(const std::vector<Vec3>& nodes, const Vector& masses, const Vec3& centre, double reach);

/// The forces of the body's own loads when the first of them acts, 3N; empty where there are none.
Vector own_loads(const Scene& scene, int body);

}  // namespace limber
