#pragma once
/// What a body's mesh key becomes: tetrahedra with their elements, the triangles of a sheet, or edges; before
/// placement.

#include <optional>
#include <string>
#include <vector>

#include "limber/mesh/element_mesh.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/scene/scene.hpp"

namespace limber {

/// Selections refer to it.
struct BodyShape {
  TetMesh mesh;          // linear tetrahedra on all nodes: what output and contact see; sheets and networks have none
  ElementMesh elements;  // what is integrated over
  std::vector<std::array<int, 3>> triangles;  // of a sheet
  std::vector<std::array<int, 2>> edges;      // of a network
  std::optional<SurfaceMesh> surface;         // as its file has it; moves with the body

  /// Of an element: its region, and the first of its tetrahedra in the mesh.
  int region(std::size_t element) const;
  std::size_t first_tet(std::size_t element) const;
  /// Sets a field by one number for each element.
  void set_field(const std::string& name, const std::vector<double>& values);
};

/// Made or read, filled where it is a surface, checked, oriented. Throws InputError. `notes`: what the user should
/// hear.
BodyShape make_shape(const BodyChoice& body, std::vector<std::string>& notes);

/// Some cells of a box.
BodyShape make_box_shape(const BodyChoice& body, const CellRange& range);

/// position + R(rotation) · scale · x.
void place(const BodyChoice& body, std::vector<Vec3>& points);

/// All edges of the shape, each once.
std::vector<std::array<int, 2>> all_edges(const BodyShape& shape);

struct Filled {
  TetMesh mesh;
  std::vector<std::string> notes;  // what was mended, and how it was filled
};
/// `where` is the path of the mesh key.
Filled fill_surface(const SurfaceFile& choice, const SurfaceMesh& surface, const std::string& where);

}  // namespace limber
