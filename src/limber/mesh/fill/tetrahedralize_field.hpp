#pragma once  // internal
/// φ of tetrahedralize.hpp: negative inside the body described by a set of triangles.

#include <optional>

#include "limber/mesh/winding.hpp"

namespace limber {

class BodyField {
 public:
  /// `surface` must not be empty. `spacing` is that of the lattice [m].
  BodyField(const TriMesh& surface, double spacing);

  double operator()(const Vec3& x) const;
  /// Approximate, from samples [m³].
  double volume() const;
  /// Contains {φ ≤ 0} with a margin [m].
  Box3 box() const;
  std::size_t thin_triangles() const { return thin_ ? thin_->mesh().triangles.size() : 0; }

 private:
  /// Whether the body is thinner than 3/4 of the spacing below the centre of triangle t.
  bool is_thin(std::size_t t) const;

  WindingTree all_;
  double spacing_;
  std::optional<WindingTree> thin_;
};

}  // namespace limber
