#pragma once
/// What keeps rigid parts in shape. The nodes of a part move by one affine map, x = A X + b, with four of them as its
/// corners, and
///
///     W = V E/2 ‖ε‖²,   ε = (AᵀA − I)/2,
///
/// V its volume. E is learnt: a step that strains a part beyond `most_strain` is taken again with a larger one.
/// Wholly implicit in every method, as contact is: linearised once a step, W would stop a turning part. Turned by θ,
/// the part is stretched by θ²/2 to the first order, and the tension resists.

#include <array>
#include <string>
#include <vector>

#include "limber/model/force.hpp"

namespace limber {

class RigidShapes final : public Force, public LearningForce {
 public:
  struct Part {
    std::array<int, 4> corners;  // nodes, positively oriented
    std::array<Vec3, 4> rest;    // where they are at rest [m]
    Vec3 centre;                 // of mass, at rest [m]
    double volume;               // V [m³]
    double young;                // E at the start [Pa]
    std::string where;           // its key
  };

  /// ‖ε‖ up to which a step is accepted as it is, what E is raised for, and beyond which the user is told.
  static constexpr double most_strain = 5e-4, wanted_strain = 1e-4, noted_strain = 1e-3;

  explicit RigidShapes(const std::vector<Part>& parts);
  /// For processes that do not hold the parts: it learns the same and exerts no force.
  std::shared_ptr<Force> elsewhere() const;

  ForceTraits traits() const override { return {.wholly_implicit = true, .energy = EnergyKind::elastic}; }
  void add_couplings(Couplings& pairs) const override;
  void add_force(const State& u, Vector& f) const override;
  void add_tangent(const State& u, TangentBuilder& T) const override;
  std::optional<Potentials> potentials(const State& u) const override;

  std::vector<double> strains(const State& u) const override;
  bool stiffen(const std::vector<double>& strains) override;
  std::string remark(const std::vector<double>& strains) const override;
  std::vector<double> memory() const override;
  void restore(const std::vector<double>& memory) override;

  /// Moves the corners at the full state u so that all parts have their shape and move rigidly: as A turns and as the
  /// centres of mass move.
  void straighten(State& u) const;

 private:
  struct Shape {
    Part part;
    std::array<Vec3, 4> slope;             // ∂X-gradients of the corners' linear weights [1/m]
    std::array<double, 4> at_centre;       // those weights at the centre of mass
    double young;                          // E now
    Mat3 gradient(const Vector& x) const;  // Σ x_k slope_kᵀ
  };
  std::vector<Shape> shapes_;
  bool here_ = true;
};

}  // namespace limber
