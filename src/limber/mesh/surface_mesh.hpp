#pragma once
/// A surface as its file has it: polygons with texture coordinates and names. It is embedded in the tetrahedra of a
/// body and moves with them, so that what is drawn and exported is this mesh, vertex by vertex and face by face.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {

/// What an OBJ file says of faces and lines in `o`, `g`, `usemtl` and `s`; empty where it says nothing.
struct FaceLabel {
  std::string object, group, material, smoothing;
  bool operator==(const FaceLabel&) const = default;
};

struct SurfaceMesh {
  std::vector<Vec3> positions;  // #V [m], all of the file, even if no face uses them
  std::vector<std::size_t>
      first_corner;          // #P + 1: polygon p has the corners first_corner[p] to first_corner[p + 1] − 1
  std::vector<int> corners;  // #C: the position of each corner; polygons are outwards by the right-hand rule
  std::vector<std::array<double, 2>> uv;    // #U, the second one upwards
  std::vector<int> corner_uv;               // #C: −1 where a corner has none
  std::vector<FaceLabel> labels;            // in the order in which the file first uses them
  std::vector<int> label;                   // #P: which of the labels
  std::vector<std::string> material_files;  // OBJ's mtllib
  std::vector<std::array<int, 2>> lines;    // #L: pieces of OBJ's `l`, two positions each
  std::vector<int> line_label = {};         // #L: which of the labels
  std::vector<int> points = {};             // of OBJ's `p`

  std::size_t polygons() const { return first_corner.empty() ? 0 : first_corner.size() - 1; }
};

/// A fan around the first corner of each polygon, on all positions, in the order of the polygons; three corners each.
std::vector<std::array<std::size_t, 3>> corner_triangles(const SurfaceMesh& surface);
/// The same as positions.
TriMesh triangulated(const SurfaceMesh& surface);

/// The number of `label` among the surface's labels, which gets it if it is new. Fast if it is the last one again.
int label_number(SurfaceMesh& surface, const FaceLabel& label);
/// Ends a polygon: its corners and their texture coordinates are the last in the lists.
void close_polygon(SurfaceMesh& surface, int label);

}  // namespace limber
