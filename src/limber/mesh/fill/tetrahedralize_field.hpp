#pragma once  // internal
/// φ of tetrahedralize.hpp: negative inside the body that a heap of triangles means.

#include <optional>

#include "limber/mesh/winding.hpp"

namespace limber {

class BodyField {
 public:
  /// Not empty. `spacing` is that of the lattice [m].
  BodyField(const TriMesh& surface, double spacing);

  double operator()(const Vec3& x) const;
  /// About, from samples [m³].
  double volume() const;
  /// Holds {φ ≤ 0} with a margin [m].
  Box3 box() const;
  std::size_t thin_triangles() const { return thin_ ? thin_->mesh().triangles.size() : 0; }

 private:
  /// Whether the body ends less than 3/4 of the spacing below the middle of triangle t.
  bool is_thin(std::size_t t) const;

  WindingTree all_;
  double spacing_;
  std::optional<WindingTree> thin_;
};

}  // namespace limber
