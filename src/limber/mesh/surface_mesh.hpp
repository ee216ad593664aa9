#pragma once
/// A surface as in its file: polygons with texture coordinates and names. It is embedded in a body's tetrahedra and
/// moves with them, so that drawings and exports have this mesh, vertex by vertex and face by face.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "limber/core/types.hpp"
#include "limber/mesh/tri_mesh.hpp"

namespace limber {

/// The `o`, `g`, `usemtl` and `s` of an OBJ file for faces and lines; empty if absent.
struct FaceLabel {
  std::string object, group, material, smoothing;
  bool operator==(const FaceLabel&) const = default;
};

struct SurfaceMesh {
  std::vector<Vec3> positions;            // #V [m], all of the file, even if unused by faces
  std::vector<std::size_t> first_corner;  // #P + 1: polygon p has the corners from [p] to before [p + 1]
  std::vector<int> corners;  // #C: the position of each corner; polygons face outwards by the right-hand rule
  std::vector<std::array<double, 2>> uv;    // #U, the second coordinate upwards
  std::vector<int> corner_uv;               // #C: −1 if a corner has none
  std::vector<FaceLabel> labels;            // in order of first use in the file
  std::vector<int> label;                   // #P: index into labels
  std::vector<std::string> material_files;  // OBJ's mtllib
  std::vector<std::array<int, 2>> lines;    // #L: segments of OBJ's `l`, two positions each
  std::vector<int> line_label = {};         // #L: index into labels
  std::vector<int> points = {};             // of OBJ's `p`

  std::size_t polygons() const { return first_corner.empty() ? 0 : first_corner.size() - 1; }
};

/// A fan around the first corner of each polygon, in the order of the polygons; three corners each.
std::vector<std::array<std::size_t, 3>> corner_triangles(const SurfaceMesh& surface);
/// The same as a mesh of positions.
TriMesh triangulated(const SurfaceMesh& surface);

/// The index of `label` in the surface's labels, added if new. Fast if it equals the last one.
int label_number(SurfaceMesh& surface, const FaceLabel& label);
/// Ends a polygon whose corners and texture coordinates were appended to the lists.
void close_polygon(SurfaceMesh& surface, int label);

}  // namespace limber
