#pragma once
/// Stress and energy of the cells of a run, from its scene and the positions of its nodes. With means over the
/// quadrature points of an element, weighted by their volume at rest,
///
///     σ = mean of P Fᵀ/det F,   s = σ − ⅓ tr σ I,   von Mises stress = √(3/2 s:s),   energy density = mean of ψ.
///
/// All tetrahedra of a quadratic element or a hexahedron have its values.

#include <memory>
#include <vector>

#include "limber/material/catalog.hpp"
#include "limber/record/trajectory.hpp"
#include "limber/scene/construction/body_shape.hpp"

namespace limber {

/// Tetrahedra, then triangles, then edges, as the trajectory has them. NaN where a number is not finite.
struct ElementValues {
  std::vector<double> von_mises;       // [Pa]
  std::vector<double> energy_density;  // [J/m³] of the rest shape
  std::vector<Mat3> stress;            // [Pa], σ; empty unless asked for
};
enum class StressTensors { omit, keep };

/// Sheets have the plane stress and energy of their stretching, rods that of their axis; what bends is not in it. Rigid
/// parts and springs have none, 0.
class ElementFields {
 public:
  /// Throws InputError, also if the scene does not have the cells of this trajectory.
  ElementFields(const Scene& scene, const TrajectoryHeader& trajectory);

  /// From now on only elements with one of these nodes are evaluated, #V; the others have 0. Stress on the surface of a
  /// body takes a small part of its elements.
  void only_at(const std::vector<bool>& nodes);

  /// q: 3N [m].
  ElementValues at(const Vector& q, StressTensors tensors = StressTensors::omit) const;
  /// Of values of cells, the mean over the cells of each node; #V, 0 where it has none.
  Vector at_nodes(const std::vector<double>& values) const;

 private:
  struct Solid;
  struct Sheet {
    AnyMaterial material;
    std::size_t first, count;  // triangles
  };
  struct Rod {
    double young;              // [Pa]
    std::size_t first, count;  // edges
  };
  void add_solid(const BodyChoice& choice, BodyShape shape, const BodyRange& range, const Vec3& gravity);
  void evaluate(const Solid& solid, const Vector& q, ElementValues& values) const;
  void evaluate(const Sheet& sheet, const Vector& q, ElementValues& values) const;
  void evaluate(const Rod& rod, const Vector& q, ElementValues& values) const;

  TrajectoryHeader header_;
  std::vector<bool> wanted_;  // of each tetrahedron; empty: all
  std::vector<std::shared_ptr<const Solid>> solids_;
  std::vector<Sheet> sheets_;
  std::vector<Rod> rods_;
};

}  // namespace limber
