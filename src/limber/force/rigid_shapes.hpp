#pragma once
/// Keeps rigid parts in shape. The nodes of a part move by one affine map, x = A X + b, with four of them as its
/// corners, and
///
///     W = V E/2 ‖ε‖²,   ε = (AᵀA − I)/2,
///
/// with its volume V. E is learned: a step that strains a part beyond `most_strain` is repeated with a larger E. Wholly
/// implicit in every method, like contact: linearised once per step, W would stop a rotating part, because rotation by
/// θ stretches it by θ²/2 at first order, and the tension resists.

#include <array>
#include <string>
#include <vector>

#include "limber/model/force.hpp"

namespace limber {

class RigidShapes final : public Force, public LearningForce {
 public:
  struct Part {
    std::array<int, 4> corners;  // nodes, positively oriented
    std::array<Vec3, 4> rest;    // their rest positions [m]
    Vec3 centre;                 // of mass, at rest [m]
    double volume;               // V [m³]
    double young;                // initial E [Pa]
    std::string where;           // its key in the scene
  };

  /// ‖ε‖ up to which a step is accepted, the target when E is raised, and the threshold for a message to the user.
  static constexpr double most_strain = 5e-4, wanted_strain = 1e-4, noted_strain = 1e-3;

  explicit RigidShapes(const std::vector<Part>& parts);
  /// For processes that do not hold the parts: learns the same values and exerts no force.
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

  /// Moves the corners in the full state u so that all parts have their exact shape and move rigidly, rotating as A
  /// does and translating with the centres of mass.
  void straighten(State& u) const;

 private:
  struct Shape {
    Part part;
    std::array<Vec3, 4> slope;             // gradients of the corners' linear weights with respect to X [1/m]
    std::array<double, 4> at_centre;       // these weights at the centre of mass
    double young;                          // present E
    Mat3 gradient(const Vector& x) const;  // Σ x_k slope_kᵀ
  };
  std::vector<Shape> shapes_;
  bool here_ = true;
};

}  // namespace limber
